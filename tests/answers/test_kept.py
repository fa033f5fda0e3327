"""What was worked out of files is taken from where it was kept, and worked out again wherever that is not certain to be right."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from answers.errors import DataError
from answers.kept import (
    _tidy,  # pyright: ignore[reportPrivateUsage]
    kept,
    own_folder,
    stamp,
)
from answers.locales import Locales
from answers.questions import wording
from answers.questions.wording import Wording


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    found = own_folder()
    assert found is not None
    return found


@pytest.fixture
def counted() -> Callable[[], list[int]]:
    made = 0

    def make() -> list[int]:
        nonlocal made
        made += 1
        return [made]

    return make


def test_what_was_made_of_the_same_is_not_made_again(folder: Path, counted: Callable[[], list[int]]) -> None:
    assert [kept("thing", "a" * 64, counted) for _ in range(2)] == [[1], [1]]
    assert kept("thing", "b" * 64, counted) == [2], "other files"
    assert kept("other", "b" * 64, counted) == [3], "another thing"
    assert sorted(file.name for file in folder.iterdir()) == ["other.pickle", "thing.pickle"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda held: held[:70],
        lambda held: b"",
        lambda held: held[:96] + b"\x80\x05no pickle",
        lambda held: held[:-3] + bytes((held[-3] ^ 1,)) + held[-2:],
    ],
)  # fmt: skip
def test_what_is_damaged_is_made_again(folder: Path, counted: Callable[[], list[int]], damage: Callable[[bytes], bytes]) -> None:
    kept("thing", "a" * 64, counted)
    file = folder / "thing.pickle"
    file.write_bytes(damage(file.read_bytes()))
    assert kept("thing", "a" * 64, counted) == [2]
    assert kept("thing", "a" * 64, counted) == [2], "mended"


def test_on_a_full_disk_nothing_is_left_behind(folder: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        assert kept("thing", "a" * 64, lambda: "b" * 1000) == "b" * 1000
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(folder.iterdir()) == []


def test_what_nobody_uses_any_more_goes(folder: Path, counted: Callable[[], list[int]]) -> None:
    month = 30 * 86_400
    for name in ("old", "older", "new"):
        kept(name, "a" * 64, counted)
    for name, months in (("old", 1.5), ("older", 3), ("new", 0)):
        at = time.time() - months * month
        os.utime(folder / f"{name}.pickle", (at, at))
    # Reading it makes it new again, though it was about to be old.
    kept("old", "a" * 64, counted)
    _tidy.cache_clear()
    kept("another", "a" * 64, counted)
    assert sorted(file.stem for file in folder.iterdir()) == ["another", "new", "old"]
    assert time.time() - (folder / "old.pickle").stat().st_mtime < month


def test_only_our_own_folder_is_tidied(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs.pickle"
    theirs.touch()
    os.utime(theirs, (0, 0))
    _tidy(tmp_path)
    assert theirs.exists()


def test_a_folder_that_others_can_write_to_is_not_used(folder: Path, counted: Callable[[], list[int]]) -> None:
    kept("thing", "a" * 64, counted)
    folder.chmod(0o777)
    assert own_folder() is None
    assert kept("thing", "a" * 64, counted) == [2]


def test_a_link_in_the_folders_place_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "theirs").mkdir(mode=0o700)
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    (tmp_path / f"rigcheck-{os.getuid()}").symlink_to(tmp_path / "theirs")
    assert own_folder() is None


def test_without_a_folder_everything_is_made(monkeypatch: pytest.MonkeyPatch, counted: Callable[[], list[int]]) -> None:
    monkeypatch.setattr("tempfile.gettempdir", lambda: "/proc/nowhere")
    assert [kept("thing", "a" * 64, counted) for _ in range(2)] == [[1], [2]]


def test_what_cannot_be_kept_is_answered_all_the_same(folder: Path) -> None:
    made = kept("thing", "a" * 64, lambda: lambda: 5)
    assert made() == 5
    assert not (folder / "thing.pickle").exists()


def test_a_stamp_tells_contents_apart(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("ab")
    two.write_text("c")
    before = stamp([one, two])
    assert stamp([one, two]) == before
    one.write_text("a")
    two.write_text("bc")
    assert stamp([one, two]) != before


@pytest.fixture
def place(tmp_path: Path, locales: Locales) -> Path:
    """Locales of two languages that may be edited."""
    place = tmp_path / "locales"
    for code in ("en", "de"):
        (place / code).mkdir(parents=True)
        for name in ("terms.toml", "words.toml"):
            source = locales.path / code / name
            if source.exists():
                (place / code / name).write_bytes(source.read_bytes())
    return place


def test_changed_words_are_read_anew(folder: Path, place: Path) -> None:
    first = Wording(Locales.load(place))
    first.prepare()
    assert "zzyzx" not in first.vocabulary.known
    words = place / "de" / "words.toml"
    words.write_text(words.read_text(encoding="utf-8").replace("common = [", 'common = ["zzyzx", ', 1), encoding="utf-8")
    assert "zzyzx" in Wording(Locales.load(place)).vocabulary.known


def test_words_that_were_edited_since_the_start_are_not_kept_as_those_of_the_start(folder: Path, place: Path) -> None:
    running = Wording(Locales.load(place))
    words = place / "en" / "words.toml"
    before = words.read_bytes()
    words.write_bytes(before + b"\n# edited\n")
    running.cues("en")
    assert not (folder / "cues-en.pickle").exists()
    words.write_bytes(before)
    Wording(Locales.load(place)).cues("en")
    assert (folder / "cues-en.pickle").exists()


def test_what_is_kept_reads_as_what_was_made(folder: Path, locales: Locales) -> None:
    made, again = (Wording(Locales.load(locales.path)) for _ in range(2))
    assert (folder / "slots.pickle").exists()
    symbols = ["can", "i", "run", "<model>", "on", "<memory>", "."]
    assert made.cues("en").find(symbols) == again.cues("en").find(symbols) != []
    assert made.vocabulary.words == again.vocabulary.words
    assert made.patterns == again.patterns


def test_words_that_cannot_be_read_are_named_each_time(folder: Path, tmp_path: Path, locales: Locales) -> None:
    place = tmp_path / "locales" / "en"
    place.mkdir(parents=True)
    (place / "terms.toml").write_bytes((locales.path / "en" / "terms.toml").read_bytes())
    (place / "words.toml").write_text('[slots]\nnonsense = ["x"]\n', encoding="utf-8")
    for _ in range(2):
        with pytest.raises(DataError, match=r"en/words\.toml: slots\.nonsense"):
            Wording(Locales.load(place.parent))


def test_the_code_that_reads_is_part_of_the_stamp(folder: Path, locales: Locales, monkeypatch: pytest.MonkeyPatch) -> None:
    Wording(locales)
    before = (folder / "slots.pickle").read_bytes()[32:96]
    monkeypatch.setattr(wording.atoms, "__file__", wording.__file__)
    Wording(locales)
    assert (folder / "slots.pickle").read_bytes()[32:96] != before
