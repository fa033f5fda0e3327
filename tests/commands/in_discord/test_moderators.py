"""What moderators set and reload, and that nobody else does by any way in."""

from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from discord import PermissionOverwrite, Permissions
from simcord.actors import _dispatch_actor_interaction

from answers.catalogue.load import load
from bot.client import Client
from commands.services import Services
from commands.settings_picks import MOST_PICKS
from commands.store.servers import Channel, Mode, Server
from tests.commands.conftest import ROOT, Clock, change
from tests.commands.in_discord.conftest import World, forge, select_of

COMMANDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("settings show", {}),
    ("settings channel", {"mode": "off"}),
    ("settings language", {"language": "it"}),
    ("settings defaults", {"context": "32k"}),
    ("settings log", {}),
    ("settings panel", {}),
    ("settings picks add", {"model": "Qwen3 14B", "use": "code"}),
    ("settings picks drop", {"model": "Qwen3 14B", "use": "code"}),
    ("settings picks pin", {"model": "Qwen3 14B", "use": "code"}),
    ("catalogue reload", {}),
    ("catalogue status", {}),
    ("catalogue find", {"text": "polycoder"}),
)
SAID_TO_OTHERS = {
    "en-US": "That takes the Manage Server permission.",
    "es-ES": "Para eso hace falta el permiso «Gestionar servidor».",
    "it": "Per questo serve il permesso «Gestire il server».",
}

# A refusal reaches the tree as an error; what counts as one of ours is what is logged as one.
pytestmark = [pytest.mark.simcord(check_errors=False), pytest.mark.usefixtures("nothing_breaks")]


@pytest.fixture
def log(world: World) -> Any:
    return world.guild.create_text_channel("log")


def held(world: World, services: Services) -> Server:
    return services.store.server(world.guild.id)


def told(result: Any) -> str:
    """What whoever used the command sees, and nobody else."""
    messages = [message for message in (result.response, *result.followups) if message]
    assert messages
    assert all(message.ephemeral for message in messages)
    lines: list[str] = []
    for message in messages:
        lines.append(message.content)
        for embed in message.embeds:
            lines += [embed.title or "", embed.description or "", *(f"{field.name}\n{field.value}" for field in embed.fields)]
    return "\n".join(line for line in lines if line)


def written(log: Any) -> list[str]:
    return [message.content for message in log.history()]


async def by_hand(world: World, actor: Any, name: str, options: dict[str, Any], channel: Any = None) -> Any:
    """Use a command that Discord's own client does not show, as only a made-up client can."""
    command, *groups, subcommand = name.split(" ")
    registered = next(known for known in world.env.backend.commands[None].values() if known["name"] == command)
    kinds = {str: 3, bool: 5, int: 4}
    leaf = {
        "name": subcommand,
        "type": 1,
        "options": [{"name": key, "type": kinds[type(value)], "value": value} for key, value in options.items()],
    }
    for group in reversed(groups):
        leaf = {"name": group, "type": 2, "options": [leaf]}
    data = {"id": registered["id"], "name": command, "type": 1, "options": [leaf]}
    return await _dispatch_actor_interaction(actor, 2, channel or world.channel, data)


# -- who may --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "options"), COMMANDS, ids=[name for name, _ in COMMANDS])
@pytest.mark.parametrize("locale", SAID_TO_OTHERS)
async def test_who_may_not_manage_the_server_is_refused_by_discord_and_by_the_bot(
    world: World, services: Services, log: Any, name: str, options: dict[str, Any], locale: str
) -> None:
    await services.store.change_server(world.guild.id, log_channel_id=log.id)
    before, generation = held(world, services), services.generation
    with pytest.raises(Exception, match=r"(?i)permission|not available|access"):
        await world.alice.slash(world.channel, name, **options)
    world.spoken.locale = locale
    assert told(await by_hand(world, world.alice, name, options)) == SAID_TO_OTHERS[locale]
    assert (held(world, services), services.generation) == (before, generation)
    assert written(log) == []


@pytest.mark.parametrize(
    "permissions", [Permissions(manage_messages=True), Permissions(manage_channels=True, manage_roles=True, kick_members=True)]
)
async def test_no_other_permission_stands_in_for_manage_server(
    world: World, services: Services, clock: Clock, permissions: Permissions
) -> None:
    role = world.guild.create_role("others", permissions=permissions)
    carol = world.guild.add_member(world.env.create_user("carol"), roles=[role])
    for name, options in COMMANDS:
        clock.now += 60
        assert told(await by_hand(world, carol, name, options)) == SAID_TO_OTHERS["en-US"]
    assert services.store.servers() == ()


async def test_administrators_may(world: World, services: Services) -> None:
    role = world.guild.create_role("admins", permissions=Permissions(administrator=True))
    carol = world.guild.add_member(world.env.create_user("carol"), roles=[role])
    await carol.slash(world.channel, "settings language", language="es")
    assert held(world, services).language == "es"


async def test_nothing_is_set_or_reloaded_by_direct_message(world: World, mod: Any, services: Services, clock: Clock) -> None:
    user = mod.user
    for name, options in COMMANDS:
        clock.now += 60
        assert told(await by_hand(world, user, name, options, user.dm_channel)) == SAID_TO_OTHERS["en-US"]
    assert services.store.servers() == ()
    assert services.generation == 1


@pytest.mark.parametrize(
    "custom_id",
    [
        "settings.language.it",
        "rig1b.x.",
        "rig1b.r.AAAA",
        "rig1b.l." + "A" * 60,
        "rig99b.x.AAAA",
        "rig1s.t.////",
        "catalogue.reload",
    ],
)
async def test_a_made_up_button_sets_and_reloads_nothing(world: World, mod: Any, services: Services, custom_id: str) -> None:
    shown = await mod.slash(world.channel, "settings show")
    message = shown.response
    for actor in (world.alice, mod):
        for there in (True, False):
            await forge(world, actor, message, custom_id, there=there)
            await forge(world, actor, message, custom_id, values=["off"], there=there)
    assert services.store.servers() == ()
    assert services.generation == 1


def test_discord_is_told_to_hide_them_from_everybody_else(simcord_bot: Client) -> None:
    payloads = {command.name: command.to_dict(simcord_bot.tree) for command in simcord_bot.tree.get_commands()}
    for name in ("settings", "catalogue"):
        assert payloads[name]["default_member_permissions"] == Permissions(manage_guild=True).value
        assert payloads[name]["contexts"] == [0]
        assert payloads[name]["integration_types"] == [0]


async def test_where_there_are_home_servers_only_their_moderators_reload(world: World, mod: Any, services: Services) -> None:
    services.home_guilds = frozenset({world.guild.id + 1})
    assert "can't be reloaded" in told(await mod.slash(world.channel, "catalogue reload"))
    assert services.generation == 1
    services.home_guilds = frozenset({world.guild.id})
    assert "reloaded" in told(await mod.slash(world.channel, "catalogue reload"))
    assert services.generation == 2


# -- settings -------------------------------------------------------------------------------------------------------------------


async def test_a_channels_mode_and_language_are_set_shown_and_written_down(
    world: World, mod: Any, log: Any, services: Services
) -> None:
    await services.store.change_server(world.guild.id, log_channel_id=log.id, language="es")
    result = await mod.slash(world.channel, "settings channel", channel=world.channel, mode="short", language="it")
    assert told(result) == f"<#{world.channel.id}>: **short**, in **Italian**."
    assert held(world, services).channel(world.channel.id) == Channel(Mode.SHORT, "it")
    assert written(log) == [f"<@{mod.id}> · <#{world.channel.id}>: **breve**, en **italiano**."]
    shown = told(await mod.slash(world.channel, "settings show"))
    assert f"<#{world.channel.id}>: short · Italian" in shown
    assert "in **Spanish**" in shown
    assert f"<#{log.id}>" in shown


# -- picks ----------------------------------------------------------------------------------------------------------------------


def recommended(world: World, result: Any) -> list[str]:
    """The models of an answer, in their order."""
    select = select_of(world.only(result), "o")
    return [option["value"] for option in select["options"]]


async def test_moderators_drop_pin_and_add_what_is_recommended_in_their_server(
    world: World, mod: Any, log: Any, services: Services
) -> None:
    await services.store.change_server(world.guild.id, log_channel_id=log.id, language="it")
    first, second, third = recommended(world, await world.alice.slash(world.channel, "which-model", hardware="3090"))[:3]
    result = await mod.slash(world.channel, "settings picks drop", model=first, use="general")
    assert told(result) == f"**{first}** is not recommended here for general use any more."
    assert written(log) == [f"<@{mod.id}> · Qui non si consiglia più **{first}** (uso generale)."]
    await mod.slash(world.channel, "settings picks pin", model=third, use="general")
    await mod.slash(world.channel, "settings picks add", model="Mistral Small 3.2 24B", use="general")
    now = recommended(world, await world.alice.slash(world.channel, "which-model", hardware="3090"))
    assert now[:2] == [third, second]
    assert first not in now
    assert "Mistral Small 3.2 24B" in now
    shown = told(await mod.slash(world.channel, "settings show"))
    assert f"{first} (general use): dropped" in shown
    assert f"{third} (general use): first" in shown


async def test_what_leads_back_to_the_usual_picks_is_forgotten(world: World, mod: Any, services: Services) -> None:
    for action, model, left in (
        ("drop", "Qwen3.8 27B", 1),
        ("add", "Qwen3.8 27B", 0),
        ("add", "Qwen3 14B", 1),
        ("pin", "Qwen3 14B", 1),
        ("drop", "Qwen3 14B", 0),
    ):
        await mod.slash(world.channel, f"settings picks {action}", model=model, use="general")
        assert len(held(world, services).picks) == left, (action, model)


async def test_a_press_gives_what_is_recommended_by_then(world: World, mod: Any) -> None:
    message = world.only(await world.alice.slash(world.channel, "which-model", hardware="3090"))
    first = select_of(message, "o")["options"][0]["value"]
    await mod.slash(world.channel, "settings picks drop", model=first, use="general")
    await world.alice.select(message, ["8192"], custom_id=select_of(message, "t")["custom_id"])
    assert first not in [option["value"] for option in select_of(message, "o")["options"]]


@pytest.mark.parametrize(
    ("locale", "said"),
    [("en-US", "is no one model on file"), ("es-ES", "no es un modelo concreto"), ("it", "non è un modello preciso")],
)
async def test_what_is_no_one_model_is_not_picked(world: World, mod: Any, services: Services, locale: str, said: str) -> None:
    world.spoken.locale = locale
    for typed in ("no such model", "llama"):
        assert said in told(await mod.slash(world.channel, "settings picks add", model=typed, use="code"))
    assert held(world, services).picks == ()


async def test_a_server_has_so_many_changes_at_most(world: World, mod: Any, services: Services) -> None:
    for model in services.answering.catalogue.models[:MOST_PICKS]:
        await services.store.change_pick(world.guild.id, model.name, "small", "add")
    assert "50" in told(await mod.slash(world.channel, "settings picks add", model="Qwen3 14B", use="code"))
    assert len(held(world, services).picks) == MOST_PICKS


async def test_picks_are_forgotten_with_their_server(world: World, services: Services) -> None:
    await services.store.change_pick(world.guild.id, "Qwen3 14B", "code", "pin")
    assert held(world, services).picks
    await services.store.forget(world.guild.id)
    assert held(world, services).picks == ()


async def test_without_a_channel_the_one_that_the_command_is_used_in_is_meant(world: World, mod: Any, services: Services) -> None:
    await mod.slash(world.channel, "settings channel", mode="off")
    assert held(world, services).channel(world.channel.id).mode is Mode.OFF
    await mod.slash(world.channel, "settings channel", language="it")
    assert held(world, services).channel(world.channel.id) == Channel(Mode.OFF, "it")
    await mod.slash(world.channel, "settings channel", language="asker")
    assert held(world, services).channel(world.channel.id) == Channel(Mode.OFF, None)


async def test_a_command_that_says_nothing_to_change_shows_what_holds(world: World, mod: Any, log: Any, services: Services) -> None:
    await services.store.change_server(world.guild.id, log_channel_id=log.id)
    assert "full" in told(await mod.slash(world.channel, "settings channel"))
    assert "usual context" in told(await mod.slash(world.channel, "settings defaults"))
    assert written(log) == []


async def test_a_question_channel_that_the_bot_cannot_read_is_said_to_be_one(world: World, mod: Any) -> None:
    said = told(await mod.slash(world.channel, "settings channel", mode="questions"))
    assert "question channel" in said
    assert "message content" in said


async def test_the_language_of_a_server_is_set_and_taken_back(world: World, mod: Any, services: Services) -> None:
    world.spoken.locale = "it"
    assert told(await mod.slash(world.channel, "settings language", language="es-419")).count("spagnolo") == 1
    assert held(world, services).language == "es-419"
    await mod.slash(world.channel, "settings language", language="asker")
    assert services.store.servers() == ()


async def test_defaults_are_set_taken_back_and_refused(world: World, mod: Any, services: Services) -> None:
    said = told(await mod.slash(world.channel, "settings defaults", **{"context": "32k", "min-quant": "Q5_K_M"}))
    assert "**32k**" in said
    assert "**Q5_K_M**" in said
    assert (held(world, services).context, held(world, services).min_quality) == (32768, "Q5_K_M")
    assert "lots" in told(await mod.slash(world.channel, "settings defaults", context="lots"))
    assert held(world, services).context == 32768
    await mod.slash(world.channel, "settings defaults", context="0")
    assert (held(world, services).context, held(world, services).min_quality) == (None, "Q5_K_M")
    await mod.slash(world.channel, "settings defaults", **{"min-quant": "none"})
    assert services.store.servers() == ()


async def test_the_log_channel_hears_that_it_is_one_and_that_it_is_none_any_more(
    world: World, mod: Any, log: Any, services: Services
) -> None:
    await mod.slash(world.channel, "settings log", channel=log)
    assert held(world, services).log_channel_id == log.id
    await mod.slash(world.channel, "settings log")
    assert held(world, services).log_channel_id is None
    assert len(written(log)) == 2
    assert all(line.startswith(f"<@{mod.id}> · ") for line in written(log))
    lines = [request for request in world.env.http_requests if request.path == f"/channels/{log.id}/messages"]
    assert [request.json["allowed_mentions"]["parse"] for request in lines] == [[], []]


async def test_a_log_that_moves_says_so_in_both_places(world: World, mod: Any, log: Any) -> None:
    other = world.guild.create_text_channel("other-log")
    await mod.slash(world.channel, "settings log", channel=log)
    await mod.slash(world.channel, "settings log", channel=other)
    assert written(other) == written(log)[1:]


async def test_a_log_channel_that_cannot_be_written_to_is_refused(world: World, mod: Any, services: Services) -> None:
    closed = world.guild.create_text_channel(
        "closed", overwrites={world.env.bot.user: PermissionOverwrite(send_messages=False, view_channel=True)}
    )
    assert "can't write" in told(await mod.slash(world.channel, "settings log", channel=closed))
    assert services.store.servers() == ()


async def test_a_log_channel_that_has_gone_is_no_hindrance(world: World, mod: Any, services: Services) -> None:
    await services.store.change_server(world.guild.id, log_channel_id=world.channel.id + 99)
    await mod.slash(world.channel, "settings language", language="es")
    assert held(world, services).language == "es"


async def test_a_second_server_has_settings_of_its_own(world: World, mod: Any, services: Services) -> None:
    await mod.slash(world.channel, "settings language", language="es")
    assert services.store.server(world.env.create_guild("other").id) == Server()


async def test_a_server_that_is_left_is_forgotten(world: World, mod: Any, services: Services) -> None:
    await mod.slash(world.channel, "settings language", language="es")
    guild = world.env.bot.get_guild(world.guild.id)
    await world.env.bot.on_guild_remove(guild)
    assert services.store.servers() == ()


async def test_a_server_that_was_left_while_the_bot_was_away_is_forgotten(world: World, services: Services) -> None:
    await services.store.change_server(world.guild.id, language="es")
    await services.store.change_server(world.guild.id + 1, language="it")
    await world.env.bot.on_ready()
    assert services.store.servers() == (world.guild.id,)


async def test_a_channel_that_is_deleted_is_forgotten(world: World, services: Services) -> None:
    doomed = world.guild.create_text_channel("doomed")
    await services.store.change_channel(world.guild.id, doomed.id, mode=Mode.OFF)
    await services.store.change_server(world.guild.id, log_channel_id=doomed.id)
    await world.env.bot.on_guild_channel_delete(world.env.bot.get_channel(doomed.id))
    assert services.store.servers() == ()


# -- catalogue ------------------------------------------------------------------------------------------------------------------


async def test_a_reload_shows_by_name_what_changed_and_writes_it_down(
    world: World, mod: Any, log: Any, services: Services, catalogue_file: Path
) -> None:
    await services.store.change_server(world.guild.id, log_channel_id=log.id)
    change(
        catalogue_file,
        "UPDATE card SET bandwidth_gb_s = 999 WHERE name = 'GeForce RTX 3090'",
        "DELETE FROM model_alias WHERE model = 'PolyCoder'",
        "DELETE FROM model WHERE name = 'PolyCoder'",
    )
    said = told(await mod.slash(world.channel, "catalogue reload"))
    assert "1 model and 1 card changed" in said
    assert "Removed\nModel: PolyCoder" in said
    assert "Changed\nCard: GeForce RTX 3090" in said
    assert written(log) == [f"<@{mod.id}> reloaded the catalog: 0 added, 1 removed, 1 changed."]
    assert services.answering.catalogue.card("GeForce RTX 3090").bandwidth_gb_s == 999


async def test_every_later_answer_is_of_the_new_catalogue(world: World, mod: Any, services: Services, catalogue_file: Path) -> None:
    before = (await world.alice.slash(world.channel, "info", name="RTX 3090")).response.embeds
    change(catalogue_file, "UPDATE card SET bandwidth_gb_s = 999 WHERE name = 'GeForce RTX 3090'")
    await mod.slash(world.channel, "catalogue reload")
    after = (await world.alice.slash(world.channel, "info", name="RTX 3090")).response.embeds
    assert before != after
    assert "999" in str(after[0].to_dict())


async def test_a_bad_file_changes_nothing_and_row_and_field_are_named(
    world: World, mod: Any, log: Any, services: Services, catalogue_file: Path, clock: Clock
) -> None:
    await services.store.change_server(world.guild.id, log_channel_id=log.id)
    change(catalogue_file, "UPDATE card SET memory_gb = -3 WHERE name = 'GeForce RTX 3090'")
    before = services.answering
    said = told(await mod.slash(world.channel, "catalogue reload"))
    assert "GeForce RTX 3090: memory_gb" in said
    assert "catalog.db" in said
    assert str(catalogue_file.parent) not in said
    assert services.answering is before
    assert written(log) == [f"<@{mod.id}> reloaded the catalog: the file is not in order, so nothing has changed."]
    catalogue_file.unlink()
    shutil.copy(ROOT / "catalog.db", catalogue_file)
    clock.now += 11
    assert "nothing changed" in told(await mod.slash(world.channel, "catalogue reload"))


async def test_between_two_reloads_there_is_a_pause(world: World, mod: Any, services: Services, clock: Clock) -> None:
    await mod.slash(world.channel, "catalogue reload")
    clock.now += 4
    assert "in 6\u00a0s" in told(await mod.slash(world.channel, "catalogue reload"))
    assert services.generation == 2
    clock.now += 6
    await mod.slash(world.channel, "catalogue reload")
    assert services.generation == 3


async def test_the_status_counts_what_is_loaded(world: World, mod: Any, services: Services) -> None:
    world.spoken.locale = "es-ES"
    said = told(await mod.slash(world.channel, "catalogue status"))
    held = await load(ROOT / "catalog.db")
    assert f"**{len(held.models)}** modelos" in said
    assert f"<t:{int(services.loaded_at.timestamp())}:R>" in said
    assert held.date > date(2026, 1, 1)
    assert str(held.date.year) in said


async def test_names_are_looked_up_by_any_part_and_as_people_say_them(world: World, mod: Any) -> None:
    said = told(await mod.slash(world.channel, "catalogue find", text="starcoder 2"))
    assert "StarCoder 2 15B" in said
    assert "February\u00a02024" in said or "February 2024" in said
    assert "GeForce RTX 3090" in told(await mod.slash(world.channel, "catalogue find", text="3090"))
    said = told(await mod.slash(world.channel, "catalogue find", text="blorptron **27B** @everyone"))
    assert "Nothing on file" in said
    assert "**27B**" not in said


# -- what is wanted -------------------------------------------------------------------------------------------------------------

MOST_WANTED = {
    "en-US": "Most wanted, not on file",
    "es-ES": "Lo más pedido que falta en el catálogo",
    "it": "Più richiesti, non in catalogo",
}


@pytest.mark.parametrize("locale", MOST_WANTED)
async def test_moderators_see_what_several_people_asked_for_in_vain(
    world: World, mod: Any, services: Services, locale: str
) -> None:
    carol = world.guild.add_member(world.env.create_user("carol"))
    for actor in (world.alice, world.bob):
        await actor.slash(world.channel, "can-run", model="Foo-27B", hardware="24 GB")
    assert MOST_WANTED[locale] not in told(await mod.slash(world.channel, "catalogue find", text="starcoder"))
    # In chat it is the same question.
    await carol.send(world.channel, f"<@{world.env.bot.user.id}> can I run foo 27b on 24 GB?")
    await services.wanted.close()
    world.spoken.locale = locale
    for text in ("starcoder", "nothing like it"):
        said = told(await mod.slash(world.channel, "catalogue find", text=text))
        assert f"{MOST_WANTED[locale]}\nfoo 27b (3)" in said
