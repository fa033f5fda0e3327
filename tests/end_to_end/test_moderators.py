"""What moderators may do, and nobody else by any way: settings, and the catalogue swapped while a thousand ask."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
import pytest_asyncio

from answers.answering import Answering
from answers.catalogue.load import load
from answers.locales import Locales
from answers.questions.question import Intent, Question
from commands.texts import Texts
from tests.discord_standin import Guild, Interaction, Json, NotOffered, Permission, User
from tests.end_to_end.world import ROOT, Discord, components, one_embed, rows_in, select, shown, text_of

# One event loop for all of them, because they share one running bot.
pytestmark = pytest.mark.asyncio(loop_scope="module")

STARCODER = "StarCoder 2 15B"
ON_12_GB = Question(intent=Intent.CAN_RUN, models=(STARCODER,), memory_gb=12)
ON_24_GB = ON_12_GB.model_copy(update={"memory_gb": 24})
QUESTIONS, SWAPS, EACH_SWAP, EACH_PERSON = 1000, 20, 50, 5
BAD = "UPDATE card SET memory_gb = -3 WHERE name = 'GeForce RTX 3090'"
COMMAND, COMPONENT, MODAL_SUBMIT = 2, 3, 5


@dataclass
class House:
    """A running bot with the server whose moderators may reload."""

    discord_: Discord
    home: Guild
    folder: Path

    @property
    def catalogue(self) -> Path:
        return self.folder / "catalog.db"

    def write(self, *statements: str) -> Path:
        """The project's catalogue with changes that pay no attention to its constraints, put in place at once."""
        made = Path(shutil.copy(ROOT / "catalog.db", self.folder / "next.db"))
        with closing(sqlite3.connect(made)) as database:
            database.execute("PRAGMA ignore_check_constraints = ON")
            for statement in statements:
                database.execute(statement)
            database.commit()
        return made.replace(self.catalogue)

    async def reload(self) -> Interaction:
        return await self.discord_.slash(self.home, self.discord_.add_moderator_of(self.home), "catalogue reload")

    async def status(self) -> str:
        """What the bot says of the catalogue that it answers from."""
        return text_of((await self.discord_.slash(self.home, self.discord_.add_moderator_of(self.home), "catalogue status")).embed)


@dataclass
class World:
    """A new server in it."""

    house: House
    discord_: Discord
    guild: Guild
    member: User
    moderator: User


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def house(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    async with Discord(shards=2, max_concurrency=2) as discord_:
        # On a shard of its own: what its moderators do waits for nobody's questions elsewhere.
        made = House(discord_, discord_.add_guild("Home", shard=1), tmp_path_factory.mktemp("moderators"))
        made.write()
        await discord_.run(made.folder, catalog=str(made.catalogue), reload_pause="0", home_guilds=made.home.id)
        yield made


@pytest_asyncio.fixture(loop_scope="module")
async def world(house: House) -> AsyncIterator[World]:
    discord_ = house.discord_
    discord_.record.clear()
    guild = discord_.add_guild("Local LLMs", shard=0)
    yield World(house, discord_, guild, discord_.add_user("member"), discord_.add_moderator_of(guild))
    await discord_.settle()
    discord_.check()


async def test_moderators_set_what_a_server_wants(world: World, answering: Answering, texts: Texts) -> None:
    discord_, guild, moderator = world.discord_, world.guild, world.moderator
    log = discord_.add_channel(guild, "log")
    general = guild.channels[0]

    async def settings(subcommand: str, **options: object) -> Interaction:
        done = await discord_.slash(guild, discord_.add_moderator_of(guild), f"settings {subcommand}", **options)
        assert done.ephemeral
        return done

    assert (await settings("log", channel=log)).content == texts.say("settings.log", "en", id=log.id)
    await settings("language", language="it")
    await settings("defaults", context="16k", min_quant="Q5_K_M")
    await settings("channel", channel=general, mode="short")
    await discord_.settle()
    written = [message["content"] for message in discord_.sent_to(log, moderator)]
    # The log is in the server's language by now, but for its first line.
    assert [line.partition(" · ")[2] for line in written] == [
        texts.say("settings.log", "en", id=log.id),
        texts.say("settings.language", "it", language="italiano"),
        texts.say("settings.defaults", "it", context=16384, min_quality="Q5_K_M"),
        texts.say("settings.channel", "it", id=general.id, mode=texts.say("mode.short", "it"), language=None),
    ]
    everything = text_of((await settings("show")).embed)
    assert all(piece in everything for piece in ("Italian", "16k", "Q5_K_M", f"<#{log.id}>", f"<#{general.id}>: short"))
    question = ON_12_GB.model_copy(update={"context": 16384, "min_quality": "Q5_K_M"})
    expected = answering.answer(question, "it").message
    answer = await discord_.slash(guild, world.member, "can-run", model=STARCODER, hardware="12 GB")
    assert (answer.embed["title"], "fields" in answer.embed) == (expected.title, False)
    elsewhere = await discord_.slash(log, world.member, "can-run", model=STARCODER, hardware="12 GB")
    assert text_of(elsewhere.embed) == shown(expected)
    # Whoever asks for themselves is answered in their own language.
    alone = await discord_.slash(log, world.member, "can-run", model=STARCODER, hardware="12 GB", private=True)
    assert text_of(alone.embed) == shown(answering.answer(question, "en").message)
    # What a server set goes with the bot.
    assert rows_in(guild, world.house.folder / "state.db")
    discord_.remove_bot(guild)
    bot = discord_.processes[0]
    await bot.until(lambda: not rows_in(guild, world.house.folder / "state.db"), "the settings were not forgotten")


async def test_a_member_sets_and_reloads_nothing_by_any_way(world: World, texts: Texts) -> None:
    discord_, guild, house = world.discord_, world.guild, world.house
    general, state = guild.channels[0], house.folder / "state.db"
    await discord_.slash(guild, world.moderator, "settings channel", channel=general, mode="short", language="es")
    rows, before = rows_in(guild, state), await house.status()
    house.write("DELETE FROM model_alias WHERE model = 'PolyCoder'")
    sentence = texts.say("refused.moderators", "en")
    calls: dict[str, dict[str, object]] = {
        "settings show": {},
        "settings channel": {"channel": general, "mode": "off"},
        "settings language": {"language": "it"},
        "settings defaults": {"context": "4k", "min_quant": "Q2_K"},
        "settings log": {"channel": general},
        "catalogue reload": {},
        "catalogue status": {},
        "catalogue find": {"text": "starcoder"},
    }

    async def refused(name: str, options: dict[str, object], place: Guild, **powers: int) -> None:
        # Somebody new each time, so that nobody is only told to slow down.
        user = discord_.add_user("intruder")
        if powers:
            discord_.add_role(place, "nearly", powers["permissions"], user)
        with pytest.raises(NotOffered):
            await discord_.slash(place, user, name, **options)
        answer = await discord_.slash(place, user, name, forced=True, **options)
        assert (answer.content, answer.ephemeral) == (sentence, True), name
        # In direct messages nobody manages anything.
        with pytest.raises(NotOffered):
            await discord_.slash(None, user, name, **options)
        answer = await discord_.slash(None, user, name, forced=True, **options)
        assert (answer.content, answer.ephemeral) == (sentence, True), name

    everything_else = (1 << 50) - 1 & ~(Permission.MANAGE_GUILD | Permission.ADMINISTRATOR)
    for name, options in calls.items():
        await refused(name, options, guild)
        await refused(name, options, house.home, permissions=everything_else)

    # Made-up requests: a command by another kind, components and forms that a settings panel might have.
    command = discord_.command("settings")
    data: Json = {"id": command["id"], "name": "settings", "type": 1, "options": []}
    for options in ([], [{"name": "language", "type": 3, "value": "it"}], [{"name": "nonsense", "type": 1, "options": []}]):
        answer = await discord_.forge(guild, discord_.add_user("intruder"), COMMAND, data | {"options": options})
        assert answer.ephemeral
    question = await discord_.slash(guild, world.member, "can-run", model=STARCODER, hardware="12 GB")
    ids = [part["custom_id"].replace(".c.", f".{letter}.") for part in components(question.message) for letter in "lrkz"]
    made_up = ["settings", "settings:language:it", f"settings.channel.{general.id}.off", "catalogue:reload", "reload", *ids]
    for custom_id in made_up:
        pressed = await discord_.press(question.message or {}, discord_.add_user("intruder"), custom_id, forced=True)
        assert pressed.kind is not None
        form = {"custom_id": custom_id, "components": [{"type": 1, "components": [{"type": 4, "custom_id": "page", "value": "1"}]}]}
        assert (await discord_.forge(guild, discord_.add_user("intruder"), MODAL_SUBMIT, form)).ephemeral
    for word in ("/settings language it", "/catalogue reload", "settings channel off", "reload the catalogue"):
        await discord_.say(guild, discord_.add_user("intruder"), discord_.mention(word))

    # Moderators of one server have no say in another.
    elsewhere = discord_.add_guild("Elsewhere")
    reaching = await discord_.slash(elsewhere, elsewhere.owner, "settings log", channel=general, forced=True)
    assert reaching.content == texts.say("settings.log_closed", "en", id=general.id)
    await discord_.slash(elsewhere, elsewhere.owner, "settings channel", channel=general, mode="off", forced=True)
    reload = await discord_.slash(elsewhere, elsewhere.owner, "catalogue reload")
    assert reload.content == texts.say("catalogue.elsewhere", "en")

    await discord_.settle()
    assert rows_in(guild, state) == rows
    assert await house.status() == before
    assert not [message for message in discord_.sent_to(general, world.member) if "settings" in message["content"]]


async def test_a_reload_says_by_name_what_changed_and_a_bad_file_changes_nothing(world: World, texts: Texts) -> None:
    discord_, house = world.discord_, world.house
    house.write()
    await house.reload()
    log = discord_.add_channel(house.home, "log")
    await discord_.slash(house.home, discord_.add_moderator_of(house.home), "settings log", channel=log)
    house.write(
        "UPDATE card SET bandwidth_gb_s = 999 WHERE name = 'GeForce RTX 3090'",
        "DELETE FROM model_alias WHERE model = 'PolyCoder'",
        "UPDATE model SET superseded_by = NULL WHERE superseded_by = 'PolyCoder'",
        "DELETE FROM model WHERE name = 'PolyCoder'",
    )
    told = text_of((await house.reload()).embed)
    assert "Changed\nCard: GeForce RTX 3090" in told
    assert "PolyCoder" in told.partition("Removed\n")[2]
    gone = await discord_.slash(world.guild, discord_.add_moderator_of(world.guild), "catalogue find", text="polycoder")
    assert texts.message("catalogue.not_found", "en", typed="polycoder", nearest=(), wanted=()).title == gone.embed["title"]
    house.write(BAD)
    refused = await house.reload()
    assert refused.content.startswith(texts.say("catalogue.damaged", "en", fault="catalog.db").partition("catalog.db")[0])
    assert "GeForce RTX 3090: memory_gb" in refused.content
    assert str(house.folder) not in refused.content
    house.catalogue.write_bytes(b"no catalogue")
    assert "catalog.db" in (await house.reload()).content
    shown_card = await discord_.slash(world.guild, world.moderator, "catalogue find", text="rtx 3090")
    assert "999" in text_of(shown_card.embed)
    await discord_.settle()
    say = texts.say
    assert [message["content"].partition(": ")[2] for message in discord_.sent_to(log, world.member)[1:]] == [
        say("catalogue.logged_changes", "en", added=0, removed=1, changed=1),
        *[say("catalogue.logged_damaged", "en")] * 2,
    ]


async def test_no_answer_fails_or_mixes_two_versions_while_the_catalogue_is_swapped(world: World) -> None:
    discord_, house = world.discord_, world.house
    changes: list[tuple[str, ...]] = []
    versions: list[tuple[str, str]] = []
    for factor in (1, 2, 3):
        # Each part of an answer, and the select below it, tells its version.
        bandwidth = f"UPDATE card SET bandwidth_gb_s = bandwidth_gb_s * {factor}"
        sizes = ", ".join(f"{column} = {column} * {factor}" for column in ("stated_parameters", "parameters"))
        changes.append((bandwidth, f"UPDATE model SET {sizes}, max_context = {20_000 + factor} WHERE name = '{STARCODER}'"))
        held = Answering(await load(house.write(*changes[-1])), Locales.load())
        versions.append((shown(held.answer(ON_24_GB, "en").message), str(20_000 + factor)))
    assert all(len(set(parts)) == len(changes) for parts in zip(*versions, strict=True))
    house.write(*changes[0])
    await house.reload()

    people = (discord_.add_user("asker", guilds=[]) for _ in count())
    askers = (asker for asker in people for _ in range(EACH_PERSON))
    slashed: list[Interaction] = []
    written: list[Json] = []
    # So many at once may take longer than the three seconds that Discord grants one.
    deadline, discord_.desk.ack_deadline = discord_.desk.ack_deadline, 60.0

    async def ask(questions: int) -> None:
        for number in range(questions):
            if number % 5:
                slashed.append(await discord_.slash(None, next(askers), "can-run", wait=False, model=STARCODER, hardware="24 GB"))
            else:
                written.append(await discord_.say(None, next(askers), f"can I run {STARCODER} on 24 GB?"))

    def version(message: Json | None) -> int:
        longest = select(message, "t")["options"][-1]["value"]
        return versions.index((text_of(one_embed(message)), longest))

    held_now = 0
    for turn in range(SWAPS):
        bad = turn % 3 == 2
        tried = (held_now + 1) % len(changes)
        house.write(*changes[tried], *([BAD] if bad else []))
        swapped = await discord_.slash(house.home, discord_.add_moderator_of(house.home), "catalogue reload", wait=False)
        before = len(slashed) + len(written)
        async with asyncio.timeout(60):
            # Questions come before, while and after the catalogue is swapped.
            while (asked := len(slashed) + len(written) - before) < EACH_SWAP or swapped.kind is None or swapped.loading:
                await ask(5 if asked < EACH_SWAP else 0)
                await asyncio.sleep(0.03)
        assert ("GeForce RTX 3090: memory_gb" in swapped.content) is bad
        held_now = held_now if bad else tried
        # Whoever asks from now on is answered from what is held now.
        probe = await discord_.slash(None, next(askers), "can-run", model=STARCODER, hardware="24 GB")
        assert version(probe.message) == held_now
    await asyncio.gather(*(asked.answered(60) for asked in slashed))
    replies = [await discord_.reply(question, 60) for question in written]
    discord_.desk.ack_deadline = deadline
    assert len(slashed) + len(written) >= QUESTIONS
    assert {version(message) for message in (*(asked.message for asked in slashed), *replies)} == {0, 1, 2}
