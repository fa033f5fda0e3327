"""Names that are not on file: counted once several people asked, by name alone, and nothing else that anybody typed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answers.questions.question import Intent, Question
from commands.services import Services
from commands.store.store import MOST_WANTED, Store
from commands.wanted import LONGEST, MOST_NAMES, MOST_WORDS, PEOPLE, Wanted, normal

ALICE, BOB, CAROL, DAVE = 81384788765712384, 41771983423143937, 155101607195836416, 112233445566778899


def unknown(name: str, kind: str = "model") -> Question:
    return Question.model_validate({"intent": Intent.CAN_RUN, "unknown": (name,), "unknown_kind": kind})


async def ask(wanted: Wanted, name: str, *people: int, kind: str = "model") -> None:
    for person in people:
        wanted.asked([unknown(name, kind)], person)
    await wanted.close()


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("Foo-27B", "foo 27b"),
        ("foo  27b", "foo 27b"),
        ("FOO_27B", "foo 27b"),
        ("zeta/foo-2.5-27b", "zeta foo 2.5 27b"),
        ("RTX 6090 Ti", "rtx 6090 ti"),
        ("can my old 3060 run this new one", None),
        ("my password is hunter2!", None),
        ("call 0034 555 123 456 now please", None),
        ("alice@example.org 7b", None),
        ("<@81384788765712384>", None),
        ("mistral", None),
        ("123456", None),
        ("x" * 41 + "7b", None),
        ("", None),
    ],
)
def test_only_what_has_the_shape_of_a_name_counts(typed: str, name: str | None) -> None:
    assert normal(typed) == name


@given(st.text(max_size=80))
def test_whatever_is_typed_a_name_is_short_plain_and_stays_itself(typed: str) -> None:
    name = normal(typed)
    if name is not None:
        assert len(name) <= LONGEST
        assert len(name.split()) <= MOST_WORDS
        assert name.isascii()
        assert normal(name) == name


async def test_a_name_is_written_down_once_enough_people_have_asked_and_then_counted_on(services: Services) -> None:
    await ask(services.wanted, "Foo-27B", ALICE, ALICE, BOB, ALICE)
    assert await services.store.wanted() == []
    await ask(services.wanted, "foo 27b", CAROL)
    assert await services.store.wanted() == [("model", "foo 27b", PEOPLE)]
    await ask(services.wanted, "foo 27b", DAVE, ALICE, DAVE)
    assert await services.store.wanted() == [("model", "foo 27b", PEOPLE + 1)]


async def test_below_that_neither_name_nor_person_is_in_memory_or_on_disk(services: Services, tmp_path: Path) -> None:
    await ask(services.wanted, "secretname 27b", ALICE, BOB)
    held = repr(vars(services.wanted)).encode()
    written = b"".join(file.read_bytes() for file in tmp_path.glob("state.db*"))
    for trace in (b"secretname", str(ALICE).encode(), ALICE.to_bytes(8, "big")):
        assert trace not in held
        assert trace not in written
    # Once there are enough, the name is there and still nobody who asked.
    await ask(services.wanted, "secretname 27b", CAROL)
    written = b"".join(file.read_bytes() for file in tmp_path.glob("state.db*"))
    assert b"secretname 27b" in written
    assert not [person for person in (ALICE, BOB, CAROL) if person.to_bytes(8, "big") in written]


async def test_sentences_are_never_written_down_however_many_type_them(services: Services) -> None:
    for typed in ("does anybody know whether 27b models run on it", "hi there, 27b?", "i live at 5 elm street, london"):
        await ask(services.wanted, typed, *range(1, 50))
    assert await services.store.wanted() == []


async def test_what_is_on_file_by_now_is_not_wanted_any_more(services: Services) -> None:
    for name, people in (("foo 27b", 3), ("bar 9b", 5), ("starcoder 2 15b", 9)):
        await services.store.want("model", name, people)
    await services.store.want("card", "rtx 9999", 4)
    assert await services.wanted.most(services.answering.catalogue) == [("bar 9b", 5), ("rtx 9999", 4), ("foo 27b", 3)]


async def test_ten_are_shown_and_so_many_are_kept(services: Services) -> None:
    for number in range(MOST_WANTED + 20):
        await services.store.want("model", f"foo {number}b", number + 1)
    kept = await services.store.wanted()
    assert len(kept) == MOST_WANTED
    assert kept[0] == ("model", f"foo {MOST_WANTED + 19}b", MOST_WANTED + 20)
    assert len(await services.wanted.most(services.answering.catalogue)) == 10


async def test_memory_is_bounded(services: Services) -> None:
    for number in range(MOST_NAMES + 100):
        services.wanted.asked([unknown(f"foo {number}b")], ALICE)
    assert len(vars(services.wanted)["_people"]) == MOST_NAMES


async def test_several_at_once_lose_no_count(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "state.db")
    await asyncio.gather(*(store.want("card", "rtx 9999", 1) for _ in range(40)))
    assert await store.wanted() == [("card", "rtx 9999", 40)]
    await store.close()
