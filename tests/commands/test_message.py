"""Every reply in every locale is an embed that Discord takes."""

from __future__ import annotations

import discord
import pytest

from answers.answering import Answer, Answering
from answers.rendering.message import Field, Message, plain
from commands.message import COLOURS, MOST_EMBEDS, MOST_IN_ALL, embed_of, embeds_of
from commands.services import Services
from commands.views import compose
from tests.answers.rendering.asked import every_question

LOCALES = ("en", "en-GB", "es", "es-419", "it")


def taken(embed: discord.Embed) -> None:
    """What Discord would refuse."""
    assert 1 <= len(embed.title or "") <= 256
    assert len(embed.description or "") <= 4096
    assert len(embed.fields) <= 25
    for field in embed.fields:
        assert 1 <= len(field.name or "") <= 256
        assert 1 <= len(field.value or "") <= 1024
        assert not field.inline
    assert len(embed.footer.text or "") <= 2048
    assert len(embed) <= MOST_IN_ALL
    assert (embed.description or "").count("```") % 2 == 0


@pytest.mark.parametrize("locale", LOCALES)
async def test_every_answer_and_its_view_are_taken(answering: Answering, services: Services, locale: str) -> None:
    # Spanish is the longest; of the others a part shows what a locale may get wrong.
    for question in list(every_question())[:: 1 if locale == "es" else 6]:
        answer = answering.answer(question, locale)
        taken(embed_of(answer.message))
        rows = compose(services.texts, [answer]).below(2**63).to_components()
        items = [item for row in rows for item in row["components"]]
        ids = [item["custom_id"] for item in items]
        assert len(rows) <= 5
        assert len(set(ids)) == len(ids)
        assert all(len(custom_id) <= 100 for custom_id in ids)
        assert all(1 <= len(item["label"]) <= 80 for item in items if item["type"] == 2)
        for item in items:
            if item["type"] == 3:
                values = [option["value"] for option in item["options"]]
                assert 1 <= len(values) <= 25
                assert len(set(values)) == len(values)
                assert all(1 <= len(text) <= 100 for option in item["options"] for text in (option["label"], option["value"]))
                assert sum(option.get("default", False) for option in item["options"]) <= 1


async def test_choices_are_numbered_where_there_are_no_buttons_for_them(answering: Answering, services: Services) -> None:
    reader = answering.reader
    first, second = (
        answering.answer(reader.read(text).question, "en")
        for text in ("can I run StarCoder 2 15B on a 3060?", "can I run llama 8b on 12 GB?")
    )
    (alone,) = compose(services.texts, [first]).embeds
    assert "1. " not in (alone.description or "")
    composed = compose(services.texts, [first, second])
    both = composed.embeds
    assert [("1. " in (embed.description or "")) for embed in both] == [bool(first.pending), bool(second.pending)]
    assert len(composed.parts) == 1


def message(**parts: object) -> Message:
    given = {"title": "Title", "body": (), "table": (), "fields": (), "footer": "", "colour": "grey", **parts}
    return Message(**given)  # type: ignore[arg-type]


def test_the_parts_stand_where_they_belong() -> None:
    shown = embed_of(
        message(
            body=("One.", "Two."),
            table=("a  b", "1  2"),
            fields=(Field("Head", ("x", "y")),),
            footer="\\*foot\\* **note**",
            colour="amber",
            choices=("this", "that"),
        ),
        numbered=True,
    )
    assert shown.description == "One.\nTwo.\n```\na  b\n1  2\n```\n1. this\n2. that"
    assert [(field.name, field.value) for field in shown.fields] == [("Head", "x\ny")]
    assert shown.footer.text == "*foot* note"
    assert shown.colour is not None
    assert shown.colour.value == COLOURS["amber"]


def test_names_ranges_and_units_stay_on_one_line_of_a_phone() -> None:
    shown = embed_of(
        message(
            title="RTX 3060 12 GB",
            body=("On the RTX 3060 12 GB: **23.5\u00a0tok/s** (14–38), 360\u00a0GB/s", "https://example.org/a/s-7 x"),
            table=("RTX 3060 12 GB  14–38",),
            fields=(Field("Speed", ("RTX 4060 Ti 16 GB: 14–38",)),),
        )
    )
    assert shown.title == "RTX 3060 12\u00a0GB"
    assert shown.description == (
        "On the RTX 3060 12\u00a0GB: **23.5\u00a0tok/\u2060s** (14–\u206038), 360\u00a0GB/\u2060s\nhttps://example.org/a/s-7 x\n"
        # A table is as wide as its signs are many.
        "```\nRTX 3060 12 GB  14–38\n```"
    )
    assert shown.fields[0].value == "RTX 4060 Ti 16\u00a0GB: 14–\u206038"


def test_each_verdict_has_a_colour_of_its_own() -> None:
    assert len(set(COLOURS.values())) == len(COLOURS) == 4


def test_what_is_too_long_is_cut_where_it_does_no_harm() -> None:
    shown = embed_of(
        message(
            title="t" * 300,
            body=("b" * 100,),
            table=tuple("r" * 30 for _ in range(200)),
            fields=tuple(Field("n" * 300, ("v" * 500, "w" * 500, "x" * 500)) for _ in range(30)),
            footer="f" * 3000,
        )
    )
    assert len(shown.title or "") == 256
    assert len(shown.description or "") <= 4096
    assert (shown.description or "").endswith("\n```")
    assert len(shown.fields) == 25
    assert all(len(field.value or "") <= 1024 for field in shown.fields)
    assert shown.fields[0].value == "v" * 500 + "\n" + "w" * 500


def test_many_messages_are_as_many_as_one_of_discords_holds() -> None:
    assert len(embeds_of([message()] * 30)) == MOST_EMBEDS
    long = embeds_of([message(body=("b" * 2500,))] * 4)
    assert sum(len(embed) for embed in long) <= MOST_IN_ALL
    assert len(long) == 2


def test_a_title_is_the_consoles(answering: Answering) -> None:
    answers: tuple[Answer, ...] = answering.ask("can I run StarCoder 2 15B on 12 GB?", "en")
    title = plain(embed_of(answers[0].message).title or "")
    assert title.replace("\u00a0", " ").replace("\u2060", "") == answers[0].message.text().splitlines()[0].replace("\u00a0", " ")
