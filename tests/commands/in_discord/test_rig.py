"""Saved machines: saved, changed, shown and deleted, and what they do to every question that names no hardware."""

from __future__ import annotations

from typing import Any

import discord
import pytest

from answers.questions.question import Cards, Intent, Question
from answers.replies.desk import label_of
from commands.message import embed_of
from commands.services import Services
from commands.store.rigs import Rig
from commands.store.servers import Mode
from tests.commands.conftest import change
from tests.commands.in_discord.conftest import World, select_of

STARCODER = "StarCoder 2 15B"
RTX_3060 = "GeForce RTX 3060 12 GB"
ON_3060 = Question(intent=Intent.CAN_RUN, models=(STARCODER,), cards=(Cards(name=RTX_3060),))
USED = {
    "en-US": "For your rig: RTX 3060 12 GB",
    "es-ES": "Con tu equipo: RTX 3060 12 GB",
    "es-419": "Con tu equipo: RTX 3060 12 GB",
    "it": "Con il tuo PC: RTX 3060 12 GB",
}

pytestmark = [pytest.mark.simcord(check_errors=False), pytest.mark.usefixtures("nothing_breaks", "nobody_is_too_fast")]


def rigs(services: Services, actor: Any) -> tuple[Rig, ...]:
    return services.store.rigs(actor.id)


def told(result: Any) -> str:
    """What whoever used the command sees, and nobody else."""
    messages = [message for message in (result.response, *result.followups) if message]
    assert messages
    assert all(message.ephemeral for message in messages)
    return "\n".join(filter(None, map(whole, messages)))


def whole(message: Any) -> str:
    lines = [message.content]
    for embed in message.embeds:
        lines += [embed.title or "", embed.description or "", *(f"{field.name}\n{field.value}" for field in embed.fields)]
        lines.append(embed.footer.text or "" if embed.footer else "")
    return "\n".join(line for line in lines if line).replace("\u00a0", " ").replace("\u2060", "")


def footer(message: Any) -> str:
    (embed,) = message.embeds
    return whole(message).splitlines()[-1] if embed.footer else ""


async def save(world: World, actor: Any = None, **options: Any) -> Any:
    given = {"hardware": "3060 12gb", **options}
    return await (actor or world.alice).slash(
        world.channel, "rig set", **{name: value for name, value in given.items() if value is not None}
    )


# -- saving ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("locale", ["en-US", "en-GB", "es-ES", "es-419", "it"])
async def test_a_machine_is_saved_and_shown_to_its_owner_alone(world: World, services: Services, locale: str) -> None:
    world.spoken.locale = locale
    options = {"ram": 64, "free-vram": 11.2, "context": "32k", "runner": "Ollama", "visible": True}
    said = told(await save(world, **options))
    assert rigs(services, world.alice) == (
        Rig("", ((RTX_3060, 1),), free_gb=11.2, ram_gb=64.0, context=32768, runner="Ollama", visible=True),
    )
    shown = told(await world.alice.slash(world.channel, "rig show"))
    for text in (said, shown):
        assert "RTX 3060 12 GB" in text
        assert "64 GB" in text
        assert ("11.2 GB" if locale in ("en-US", "en-GB", "es-419") else "11,2 GB") in text
        assert "32k" in text
        assert "Ollama" in text
    texts = services.texts.own
    assert ("Show rig", "Ver su equipo", "Mostra il suo PC")[("en", "es", "it").index(locale[:2])] in said
    assert texts["en"]["rig.show"] not in said


async def test_only_what_is_named_is_changed_and_zero_takes_back(world: World, services: Services) -> None:
    await save(world, ram=64, context="32k", runner="Ollama", **{"free-vram": 11})
    await save(world, hardware=None, ram=128)
    before = Rig("", ((RTX_3060, 1),), free_gb=11.0, ram_gb=128.0, context=32768, runner="Ollama")
    assert rigs(services, world.alice) == (before,)
    for options in ({"ram": 0}, {"free-vram": 0}, {"context": "0"}, {"runner": "other"}):
        await world.alice.slash(world.channel, "rig set", **options)
    assert rigs(services, world.alice) == (Rig("", ((RTX_3060, 1),)),)


async def test_other_hardware_keeps_what_is_still_true(world: World, services: Services) -> None:
    await save(world, ram=64, context="32k", visible=True, **{"free-vram": 11})
    await save(world, hardware="2x 3090 + 4060 ti 16gb")
    cards = (("GeForce RTX 3090", 2), ("GeForce RTX 4060 Ti 16 GB", 1))
    assert rigs(services, world.alice) == (Rig("", cards, n_cards=3, ram_gb=64.0, context=32768, visible=True),)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("24 GB", Rig(memory_gb=24.0)),
        ("2x 16 GB", Rig(memory_gb=16.0, n_cards=2)),
        ("M4 Max 64GB", Rig(cards=(("Apple M4 Max 64 GB", 1),), unified=True)),
        ("3090 with 20 GB free", Rig(cards=(("GeForce RTX 3090", 1),), free_gb=20.0)),
        ("2x 3090 + 64gb ram", Rig(cards=(("GeForce RTX 3090", 2),), n_cards=2, ram_gb=64.0)),
    ],
)
async def test_hardware_is_read_as_it_is_everywhere(world: World, services: Services, typed: str, expected: Rig) -> None:
    await save(world, hardware=typed)
    assert rigs(services, world.alice) == (expected,)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "On which card"),
        ({"hardware": "3060"}, "RTX 3060 12 GB or RTX 3060 8 GB?"),
        ({"hardware": "rtx 9999"}, "I don't have"),
        ({"hardware": "a very good one"}, "I don't have"),
        ({"hardware": "0.01 GB"}, "Say it like this"),
        ({"hardware": "3060 12gb", "free-vram": 13}, "more than the 12 GB"),
        ({"hardware": "3060 12gb", "context": "much"}, "is no context"),
    ],
)
async def test_what_cannot_be_saved_is_said_and_nothing_is(
    world: World, services: Services, options: dict[str, Any], said: str
) -> None:
    assert said in told(await world.alice.slash(world.channel, "rig set", **options))
    assert rigs(services, world.alice) == ()


async def test_several_machines_of_which_the_one_saved_last_is_meant(world: World, services: Services) -> None:
    await save(world, machine="Tower")
    await save(world, machine="  the   laptop ", hardware="8 GB")
    assert [rig.machine for rig in rigs(services, world.alice)] == ["the laptop", "Tower"]
    # Its name alone makes a machine the one that is meant, however it is written.
    said = told(await save(world, hardware=None, machine="TOWER"))
    assert [rig.machine for rig in rigs(services, world.alice)] == ["Tower", "the laptop"]
    assert "the laptop: 8 GB of VRAM" in said
    choices = await world.alice.autocomplete(world.channel, "rig set", "machine", "lap")
    assert [choice["value"] for choice in choices] == ["the laptop"]


async def test_a_person_has_five_machines_at_most(world: World, services: Services) -> None:
    for number in range(5):
        await save(world, machine=f"Box {number}")
    assert "5 machines" in told(await save(world, machine="Box 5"))
    assert len(rigs(services, world.alice)) == 5
    await save(world, machine="box 2", hardware="24 GB")
    assert rigs(services, world.alice)[0] == Rig("Box 2", memory_gb=24.0)


async def test_a_name_is_no_markdown_and_pings_nobody(world: World) -> None:
    said = told(await save(world, machine="**@everyone** `x`"))
    assert "\\*\\*" in said
    assert "@everyone" not in said.replace("\\@", "")


# -- showing --------------------------------------------------------------------------------------------------------------------

NOT_VISIBLE = {
    "en-US": "alice has no rig that others can see.",
    "es-ES": "alice no tiene ningún equipo que los demás puedan ver.",
    "it": "alice non ha un PC che gli altri possano vedere.",
}


@pytest.mark.parametrize("locale", NOT_VISIBLE)
async def test_a_machine_is_shown_to_others_only_where_its_owner_lets_them(world: World, services: Services, locale: str) -> None:
    world.spoken.locale = locale
    nothing = told(await world.bob.context_menu(world.channel, "Show rig", world.alice))
    assert nothing == NOT_VISIBLE[locale]
    await save(world, machine="hidden one")
    # Whether there is one at all is not told either.
    assert told(await world.bob.context_menu(world.channel, "Show rig", world.alice)) == nothing
    assert told(await world.bob.slash(world.channel, "rig show", member=world.alice)) == nothing
    await save(world, machine="second", hardware="2x 3090", visible=True, ram=64)
    for result in (
        await world.bob.context_menu(world.channel, "Show rig", world.alice),
        await world.bob.slash(world.channel, "rig show", member=world.alice),
    ):
        said = told(result)
        assert "2× RTX 3090" in said
        assert "64 GB" in said
        assert "hidden" not in said
        assert "3060" not in said
    # Whoever looks at themselves sees all of it.
    assert "hidden one" in told(await world.alice.context_menu(world.channel, "Show rig", world.alice))
    await save(world, hardware=None, visible=False, machine="second")
    assert told(await world.bob.slash(world.channel, "rig show", member=world.alice)) == nothing


# -- what it does to questions --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("locale", USED)
async def test_a_command_without_hardware_is_answered_for_it_and_says_so(world: World, services: Services, locale: str) -> None:
    world.spoken.locale = locale
    await save(world)
    result = await world.alice.slash(world.channel, "can-run", model=STARCODER)
    answer = embed_of(services.answering.answer(ON_3060, locale).message)
    assert not result.ephemeral
    embed = world.embed(result)
    assert embed.title == answer.title
    assert footer(result.response).startswith(USED[locale] + " · ")
    # Who has none is asked for theirs.
    other = await world.bob.slash(world.channel, "can-run", model=STARCODER)
    asks = services.answering.answer(ON_3060.model_copy(update={"cards": ()}), locale).message
    assert world.embed(other).title == embed_of(asks).title
    assert USED[locale] not in whole(other.response)


async def test_hardware_that_is_named_is_what_is_meant(world: World, services: Services) -> None:
    await save(world, context="32k")
    result = await world.alice.slash(world.channel, "can-run", model=STARCODER, hardware="24 GB")
    expected = Question(intent=Intent.CAN_RUN, models=(STARCODER,), memory_gb=24.0)
    assert world.embed(result).to_dict() == embed_of(services.answering.answer(expected, "en").message).to_dict()


async def test_what_was_said_of_the_machine_counts_and_goes_before_the_servers_defaults(world: World, services: Services) -> None:
    await services.store.change_server(world.guild.id, context=8192, min_quality="Q5_K_M")
    await save(world, hardware="24 GB", context="16k", **{"free-vram": 20})
    result = await world.alice.slash(world.channel, "can-run", model=STARCODER)
    expected = Question(
        intent=Intent.CAN_RUN, models=(STARCODER,), memory_gb=20.0, memory_usable=True, context=16384, min_quality="Q5_K_M"
    )
    assert world.embed(result).title == embed_of(services.answering.answer(expected, "en").message).title
    assert footer(result.response).startswith("For your rig: 24 GB of VRAM, 20.0 GB free · 16k context")
    stated = await world.alice.slash(world.channel, "can-run", model=STARCODER, context="4k")
    assert "4k context" in footer(stated.response)


async def test_questions_that_want_no_hardware_are_as_they_were(world: World, services: Services) -> None:
    before = [
        whole((await world.alice.slash(world.channel, name, **options)).response)
        for name, options in (
            ("which-gpu", {"model": STARCODER}),
            ("info", {"name": STARCODER}),
            ("ask", {"question": f"which GPU do I need for {STARCODER}?"}),
            ("ask", {"question": "3090 or 4090?"}),
        )
    ]
    await save(world)
    after = [
        whole((await world.alice.slash(world.channel, name, **options)).response)
        for name, options in (
            ("which-gpu", {"model": STARCODER}),
            ("info", {"name": STARCODER}),
            ("ask", {"question": f"which GPU do I need for {STARCODER}?"}),
            ("ask", {"question": "3090 or 4090?"}),
        )
    ]
    assert after == before


async def test_a_short_answer_says_so_too(world: World, services: Services) -> None:
    await services.store.change_channel(world.guild.id, world.channel.id, mode=Mode.SHORT)
    await save(world)
    result = await world.alice.slash(world.channel, "can-run", model=STARCODER)
    assert footer(result.response) == USED["en-US"]


async def test_somebody_elses_question_is_not_about_the_machine_of_whoever_has_it_answered(world: World) -> None:
    await save(world)
    asked = await world.bob.send(world.channel, f"can I run {STARCODER}?")
    result = await world.alice.context_menu(world.channel, "Answer this", asked)
    assert USED["en-US"] not in whole(result.response)
    own = await world.alice.send(world.channel, f"can I run {STARCODER}?")
    result = await world.alice.context_menu(world.channel, "Answer this", own)
    assert USED["en-US"] in whole(result.response)


async def test_buttons_go_on_for_the_same_machine_and_others_see_it_for_the_same_hardware(world: World, services: Services) -> None:
    await save(world)
    message = world.only(await world.alice.slash(world.channel, "can-run", model=STARCODER))
    await world.alice.select(message, ["16384"], custom_id=select_of(message, "t")["custom_id"])
    assert footer(message).startswith(USED["en-US"] + " · 16k context")
    beside = await world.bob.select(message, ["8192"], custom_id=select_of(message, "t")["custom_id"])
    assert beside.ephemeral
    expected = services.answering.answer(ON_3060.model_copy(update={"context": 8192}), "en").message
    assert world.embed(beside).to_dict() == embed_of(expected).to_dict()
    # Once it is another's, or sold, the answer stays what it was and is not said to be for it.
    await save(world, hardware="3090")
    await world.alice.select(message, ["4096"], custom_id=select_of(message, "t")["custom_id"])
    expected = services.answering.answer(ON_3060.model_copy(update={"context": 4096}), "en").message
    assert message.embeds[0].to_dict() == embed_of(expected).to_dict()


async def test_a_choice_between_models_keeps_the_machine(world: World) -> None:
    await save(world)
    message = world.only(await world.alice.slash(world.channel, "ask", question="can I run llama 8b?"))
    label = next(item["label"] for row in message.components for item in row["components"] if "label" in item)
    await world.alice.click(message, label=label)
    assert USED["en-US"] in footer(message)


async def test_a_card_that_has_left_the_catalogue_is_said_to_have(world: World, services: Services, catalogue_file: Any) -> None:
    await services.store.save_rig(world.alice.id, Rig("Tower", (("A card of old", 2), (RTX_3060, 1)), n_cards=3, visible=True))
    result = await world.alice.slash(world.channel, "can-run", model=STARCODER)
    assert world.embed(result).title.startswith("On which card")
    said = "Your rig Tower can't be used: 2× A card of old (no longer on file) + RTX 3060 12 GB"
    assert said in whole(result.response)
    shown = told(await world.alice.slash(world.channel, "rig show"))
    assert "A card of old is no longer on file" in shown
    assert "/rig set" in shown
    assert "no longer on file" in told(await world.bob.slash(world.channel, "rig show", member=world.alice))
    await save(world, machine="tower", hardware="24 GB")
    assert rigs(services, world.alice) == (Rig("Tower", memory_gb=24.0, visible=True),)


async def test_a_reload_that_takes_a_card_away_takes_it_from_machines_too(
    world: World, services: Services, catalogue_file: Any
) -> None:
    await save(world)
    change(
        catalogue_file,
        "DELETE FROM measurement",
        "DELETE FROM first_card",
        f"UPDATE card SET name = 'Another name' WHERE name = '{RTX_3060}'",
        f"UPDATE card_alias SET card = 'Another name' WHERE card = '{RTX_3060}'",
    )
    await services.reload()
    result = await world.alice.slash(world.channel, "can-run", model=STARCODER)
    assert f"{label_of(RTX_3060)} (no longer on file)" in whole(result.response)


# -- deleting -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("locale", ["en-US", "es-ES", "es-419", "it"])
async def test_privacy_shows_all_that_is_stored_and_deletes_it(world: World, services: Services, locale: str) -> None:
    world.spoken.locale = locale
    nothing = told(await world.alice.slash(world.channel, "privacy show"))
    await save(world, machine="Tower", ram=64, context="32k", runner="MLX", **{"free-vram": 11})
    await world.alice.send(world.channel, f"<@{world.env.bot.user.id}> can I run {STARCODER}?")
    shown = told(await world.alice.slash(world.channel, "privacy show"))
    for part in ("Tower", "RTX 3060 12 GB", "64 GB", "32k", "MLX", "11"):
        assert part in shown, part
        assert part not in nothing
    assert " 1 " in shown
    deleted = await world.alice.slash(world.channel, "privacy delete")
    assert told(deleted) == services.texts.say("privacy.deleted", locale, aside_until="")
    assert rigs(services, world.alice) == ()
    assert services.conversations.of_person(world.alice.id) == 0
    # It forgets how often they asked, too.
    assert told(await world.alice.slash(world.channel, "privacy show")) == nothing


async def test_a_damaged_file_that_may_still_hold_a_machine_is_told_of(world: World, services: Services) -> None:
    await save(world)
    aside = services.store.path.with_name(services.store.path.name + ".damaged-20991201T120000Z")
    aside.write_bytes(b"a machine that somebody saved")
    for command in ("privacy show", "privacy delete"):
        assert "deleted on December 15, 2099" in told(await world.alice.slash(world.channel, command))
    aside.unlink()
    for command in ("privacy show", "privacy delete"):
        assert "damaged" not in told(await world.alice.slash(world.channel, command))


async def test_a_machine_or_all_of_them_are_deleted(world: World, services: Services) -> None:
    await save(world, machine="Tower")
    await save(world, machine="Laptop", hardware="8 GB")
    assert 'no machine called "Box"' in told(await world.alice.slash(world.channel, "rig delete", machine="Box"))
    assert told(await world.alice.slash(world.channel, "rig delete", machine="tower")) == "Deleted: Tower."
    assert [rig.machine for rig in rigs(services, world.alice)] == ["Laptop"]
    assert told(await world.alice.slash(world.channel, "rig delete")).startswith("Deleted: everything")
    assert rigs(services, world.alice) == ()
    result = await world.alice.slash(world.channel, "can-run", model=STARCODER)
    assert world.embed(result).title.startswith("On which card")


async def test_what_is_deleted_is_not_gone_on_from(world: World, services: Services) -> None:
    await save(world)
    me = f"<@{world.env.bot.user.id}>"
    await world.alice.send(world.channel, f"{me} can I run {STARCODER}?")
    await world.alice.slash(world.channel, "rig delete")
    await world.alice.send(world.channel, f"{me} and with 16k context?")
    assert whole(list(world.channel.history())[-1]).startswith("On which card")


def test_others_may_be_looked_at_wherever_the_menu_can_be_used(simcord_bot: Any) -> None:
    (menu,) = [
        command
        for command in simcord_bot.tree.get_commands(type=discord.AppCommandType.user)
        if isinstance(command, discord.app_commands.ContextMenu)
    ]
    assert menu.name == "Show rig"


async def test_what_the_desktop_leaves_free_is_what_counts_beside_a_card(world: World, services: Services) -> None:
    await save(world, hardware="3090", **{"free-vram": 12})
    free = await world.alice.slash(world.channel, "can-run", model=STARCODER)
    on_12_gb = await world.alice.slash(world.channel, "can-run", model=STARCODER, hardware="12 GB free")
    whole_card = await world.alice.slash(world.channel, "can-run", model=STARCODER, hardware="3090")
    quants = [whole(result.response).split("**")[1] for result in (free, on_12_gb, whole_card)]
    # It fits as on any 12 GB that are free, and is as fast as the card.
    assert quants[0] == quants[1] != quants[2]
    assert "tok/s" in whole(free.response)
    assert footer(free.response).startswith("For your rig: RTX 3090, 12.0 GB free")
