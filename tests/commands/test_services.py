"""What every command is handed: the catalogue of the moment, its reload, locales and defaults."""

from __future__ import annotations

import asyncio
import random
import shutil
from pathlib import Path

import pytest

from answers.answering import Answering, text_of
from answers.catalogue.load import load
from answers.errors import DataError
from answers.locales import Locales
from answers.questions.question import Cards, Intent, Question
from commands.conversations import Exchange
from commands.services import Defaults, Names, Services, TooSoon, on_file
from commands.store.servers import Mode
from tests.commands.conftest import ROOT, Clock, change

QUESTIONS = (
    "can I run StarCoder 2 15B on a 3090?",
    "¿me va starcoder 2 15b con 12 gigas?",
    "what can a 3090 run?",
    "che scheda mi serve per starcoder 2 15b?",
    "3090 or 4090 for StarCoder 2 15B?",
)
MEANWHILE = 1_000
SWAPS = 20

# -- reload ---------------------------------------------------------------------------------------------------------------------


async def test_a_reload_says_by_name_what_changed(services: Services, catalogue_file: Path) -> None:
    change(
        catalogue_file,
        "UPDATE card SET bandwidth_gb_s = 999 WHERE name = 'GeForce RTX 3090'",
        "DELETE FROM model_alias WHERE model = 'PolyCoder'",
        "DELETE FROM model WHERE name = 'PolyCoder'",
        "UPDATE model SET name = 'StarCoder Two 15B' WHERE name = 'StarCoder 2 15B'",
        "UPDATE model SET superseded_by = NULL WHERE superseded_by IN ('PolyCoder', 'StarCoder 2 15B')",
        "UPDATE model_alias SET model = 'StarCoder Two 15B' WHERE model = 'StarCoder 2 15B'",
    )
    before = services.answering
    done = await services.reload()
    assert done.models.added == ("StarCoder Two 15B",)
    assert set(done.models.removed) == {"PolyCoder", "StarCoder 2 15B"}
    assert done.cards == Names(changed=("GeForce RTX 3090",))
    assert done
    assert (done.generation, services.generation) == (2, 2)
    assert services.answering is not before
    assert services.answering.catalogue.card("GeForce RTX 3090").bandwidth_gb_s == 999
    assert before.catalogue.card("GeForce RTX 3090").bandwidth_gb_s != 999


async def test_a_file_that_is_the_same_changes_nothing_and_says_so(services: Services) -> None:
    done = await services.reload()
    assert not done
    assert services.generation == 2


async def test_a_change_that_is_of_no_record_is_told_from_none(services: Services, catalogue_file: Path) -> None:
    change(catalogue_file, "UPDATE meta SET value = '2031-01-02' WHERE key = 'date'")
    done = await services.reload()
    assert done.other
    assert not done.models
    assert not done.cards


async def test_a_bad_row_changes_nothing_and_row_and_field_are_named(services: Services, catalogue_file: Path) -> None:
    change(catalogue_file, "UPDATE card SET memory_gb = -3 WHERE name = 'GeForce RTX 3090'")
    before, generation = services.answering, services.generation
    with pytest.raises(DataError, match=r"GeForce RTX 3090: memory_gb"):
        await services.reload()
    assert services.answering is before
    assert services.generation == generation


@pytest.mark.parametrize("content", [b"", b"no catalogue", None])
async def test_a_file_that_is_none_changes_nothing(services: Services, catalogue_file: Path, content: bytes | None) -> None:
    catalogue_file.unlink()
    if content is not None:
        catalogue_file.write_bytes(content)
    before = services.answering
    with pytest.raises(DataError, match=r"catalog\.db"):
        await services.reload()
    assert services.answering is before


async def test_a_file_that_is_put_right_is_loaded_after_the_pause(services: Services, catalogue_file: Path, clock: Clock) -> None:
    catalogue_file.write_bytes(b"no catalogue")
    with pytest.raises(DataError):
        await services.reload()
    shutil.copy(ROOT / "catalog.db", catalogue_file)
    clock.now += 4
    with pytest.raises(TooSoon) as refusal:
        await services.reload()
    assert refusal.value.seconds == 6
    clock.now += 6
    assert not await services.reload()


async def test_of_several_reloads_at_once_one_is_done(services: Services) -> None:
    results = await asyncio.gather(*(services.reload() for _ in range(5)), return_exceptions=True)
    assert sum(isinstance(result, TooSoon) for result in results) == 4
    assert services.generation == 2


async def test_texts_and_templates_are_kept_over_a_reload(services: Services) -> None:
    before = services.answering.renderer
    await services.reload()
    assert services.answering.renderer is before


@pytest.fixture
def versions(tmp_path: Path) -> tuple[Path, Path]:
    """Two catalogues in which every question of ``QUESTIONS`` has another answer, and each answer draws on several records."""
    first = Path(shutil.copy(ROOT / "catalog.db", tmp_path / "first.db"))
    second = Path(shutil.copy(ROOT / "catalog.db", tmp_path / "second.db"))
    change(
        second,
        "UPDATE card SET bandwidth_gb_s = bandwidth_gb_s * 3",
        "UPDATE model SET stated_parameters = stated_parameters * 2, parameters = parameters * 2 WHERE name = 'StarCoder 2 15B'",
    )
    return first, second


async def test_no_answer_fails_or_mixes_two_versions_while_the_catalogue_is_swapped(
    services: Services, tmp_path: Path, catalogue_file: Path, versions: tuple[Path, Path], clock: Clock
) -> None:
    expected = [[text_of(Answering(await load(file), Locales.load()).ask(text)) for text in QUESTIONS] for file in versions]
    assert all(old != new for old, new in zip(*expected, strict=True))
    bad = tmp_path / "bad.db"
    shutil.copy(versions[0], bad)
    change(bad, "UPDATE card SET memory_gb = -3 WHERE name = 'GeForce RTX 3090'")
    sequence = random.Random(7)
    seen: set[tuple[int, int]] = set()
    done = 0

    async def answer(number: int) -> None:
        nonlocal done
        for _ in range(number % 97):
            await asyncio.sleep(0)
        which = number % len(QUESTIONS)
        answering = services.answering
        # As a command does: it reads, waits for Discord, then answers.
        reading = answering.read(QUESTIONS[which])
        for _ in range(sequence.randrange(3)):
            await asyncio.sleep(0)
        said = text_of(answering.ask(QUESTIONS[which]))
        assert answering.read(QUESTIONS[which]) == reading
        version = [texts[which] for texts in expected].index(said)
        seen.add((which, version))
        done += 1

    async def swap() -> tuple[int, int]:
        well = refused = 0
        for turn in range(SWAPS):
            if turn % 3 == 2:
                catalogue_file.unlink()
                shutil.copy(bad, catalogue_file)
                before = services.answering
                clock.now += 10
                with pytest.raises(DataError, match="GeForce RTX 3090: memory_gb"):
                    await services.reload()
                assert services.answering is before
                refused += 1
            else:
                catalogue_file.unlink()
                shutil.copy(versions[turn % 2], catalogue_file)
                clock.now += 10
                await services.reload()
                well += 1
        return well, refused

    async def ask_until_swapped(swapping: asyncio.Task[tuple[int, int]]) -> None:
        number = 0
        while number < MEANWHILE or not swapping.done():
            await asyncio.gather(*(answer(number + further) for further in range(100)))
            number += 100

    swapping = asyncio.create_task(swap())
    await ask_until_swapped(swapping)
    assert await swapping == (SWAPS - SWAPS // 3, SWAPS // 3)
    assert done >= MEANWHILE
    assert seen == {(which, version) for which in range(len(QUESTIONS)) for version in (0, 1)}
    assert services.generation == 1 + SWAPS - SWAPS // 3


async def test_a_question_that_names_what_has_gone_is_told_from_one_that_can_be_gone_on_from(services: Services) -> None:
    catalogue = services.answering.catalogue
    known = Question(intent=Intent.CAN_RUN, models=("PolyCoder",), cards=(Cards(name="GeForce RTX 3090"),))
    assert on_file(catalogue, known)
    assert on_file(catalogue, Question())
    assert not on_file(catalogue, known.model_copy(update={"models": ("PolyCoder 9",)}))
    assert not on_file(catalogue, known.model_copy(update={"cards": (Cards(name="GeForce RTX 9999"),)}))
    assert not on_file(catalogue, known.model_copy(update={"candidates": {"poly": ("PolyCoder", "PolyCoder 9")}}))


async def test_only_moderators_of_the_home_servers_may_reload_where_there_are_any(services: Services) -> None:
    assert services.may_reload(5)
    assert not services.may_reload(None)
    services.home_guilds = frozenset({6})
    assert not services.may_reload(5)
    assert services.may_reload(6)


async def test_a_file_of_state_that_cannot_be_is_said_when_the_bot_starts(tmp_path: Path, catalogue_file: Path) -> None:
    with pytest.raises(DataError, match="there is no folder"):
        await Services.open(tmp_path / "missing" / "state.db", catalogue=catalogue_file)


# -- locales --------------------------------------------------------------------------------------------------------------------

GUILD, CHANNEL, THREAD = 1, 10, 11


@pytest.mark.parametrize(
    ("locale", "guild_locale", "expected"),
    [
        ("es-ES", "en-US", "es"),
        ("es-419", "en-US", "es-419"),
        ("en-GB", "it", "en-GB"),
        ("it", None, "it"),
        # Where we do not speak the asker's language, that of the server is more of a help than English.
        ("de", "it", "it"),
        ("de", "fr", "en"),
        (None, "es-ES", "es"),
        # In chat only the language is known; the server tells which kind of it.
        ("es", "es-419", "es-419"),
        ("es", "it", "es"),
        ("en", "en-GB", "en-GB"),
    ],
)
async def test_an_answer_is_in_the_askers_language(
    services: Services, locale: str | None, guild_locale: str | None, expected: str
) -> None:
    assert services.locale_for(locale, guild_locale, GUILD, CHANNEL) == expected
    assert services.locale_for(locale, guild_locale, public=False) == expected


async def test_what_moderators_set_wins_for_what_others_can_see(services: Services) -> None:
    await services.store.change_server(GUILD, language="es")
    assert services.locale_for("it", None, GUILD, CHANNEL, public=True) == "es"
    assert services.locale_for("it", None, GUILD, CHANNEL, public=False) == "it"
    assert services.locale_for("it", None, None, CHANNEL, public=True) == "it"
    await services.store.change_channel(GUILD, CHANNEL, language="en-GB")
    assert services.locale_for("it", None, GUILD, CHANNEL, public=True) == "en-GB"
    assert services.locale_for("it", None, GUILD, CHANNEL + 9, public=True) == "es"
    assert services.locale_for("it", None, GUILD, THREAD, public=True, parent_id=CHANNEL) == "en-GB"


async def test_a_channel_that_is_off_or_private_has_no_public_answers(services: Services) -> None:
    public = {}
    for mode in Mode:
        await services.store.change_channel(GUILD, CHANNEL, mode=mode)
        public[mode] = services.is_public(GUILD, CHANNEL)
    assert public == {Mode.OFF: False, Mode.PRIVATE: False, Mode.SHORT: True, Mode.FULL: True, Mode.QUESTIONS: True}
    assert services.is_public(None, None)
    assert services.mode(GUILD, CHANNEL + 1) is Mode.FULL


# -- defaults -------------------------------------------------------------------------------------------------------------------


async def test_what_a_question_leaves_unsaid_is_taken_from_the_servers_defaults(services: Services) -> None:
    await services.store.change_server(GUILD, context=32768, min_quality="Q6_K")
    defaults = services.defaults_for(GUILD)
    asked = Question(intent=Intent.CAN_RUN, models=("PolyCoder",), memory_gb=8)
    assert defaults.apply(asked) == asked.model_copy(update={"context": 32768, "min_quality": "Q6_K"})
    stated = asked.model_copy(update={"context": 4096, "min_quality": "Q4_K_M"})
    assert defaults.apply(stated) == stated
    assert defaults.apply(asked.model_copy(update={"quant": "Q4_K_M"})).min_quality is None
    assert defaults.apply(Question()) == Question()
    assert services.defaults_for(None) == Defaults()
    assert services.defaults_for(GUILD + 1).apply(asked) == asked


async def test_a_person_is_forgotten_at_their_wish(services: Services) -> None:
    asked = Question(intent=Intent.CREATOR, models=("PolyCoder",))
    for person in (5, 6):
        services.conversations.remember(Exchange(person, person, CHANNEL, "en", (asked,), asked))
    await services.forget_person(5)
    assert services.conversations.latest(5, CHANNEL) is None
    assert services.conversations.latest(6, CHANNEL) is not None
