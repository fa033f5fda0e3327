"""Buttons and selects: for whoever asked in place, for anybody else beside, after a restart, and when they are made up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import discord
import pytest

from answers.questions.question import Cards, Intent, Question
from bot.client import Client
from commands.message import embed_of
from commands.names import Names
from commands.services import Services
from commands.state import State
from commands.store.servers import Mode
from tests.commands.conftest import change
from tests.commands.in_discord.conftest import World, components, forge, select_of

STARCODER = "StarCoder 2 15B"
ON_12_GB = Question(intent=Intent.CAN_RUN, models=(STARCODER,), memory_gb=12)
RANKING = Question(intent=Intent.RANK_CARDS, models=(STARCODER,))
OLD = {
    "en-US": "That button has expired. Ask again and you get fresh ones.",
    "es-ES": "Ese botón ha caducado. Vuelve a preguntar y tendrás otros.",
    "es-419": "Ese botón caducó. Vuelve a preguntar y tendrás otros.",
    "it": "Quel pulsante è scaduto. Rifai la domanda e ne avrai di nuovi.",
}
NOT_YOURS = {
    "en-US": "That answer belongs to someone else; here is yours.",
    "es-ES": "Esa respuesta es de otra persona; aquí va la tuya.",
    "it": "Quella risposta è di un'altra persona; ecco la tua.",
}


async def asked(world: World, **options: Any) -> Any:
    result = await world.alice.slash(world.channel, "can-run", **{"model": STARCODER, "hardware": "12 GB", **options})
    return world.only(result)


async def ranked(world: World, **options: Any) -> Any:
    return world.only(await world.alice.slash(world.channel, "which-gpu", model=STARCODER, **options))


def said(services: Services, question: Question, locale: str = "en", page: int = 0) -> dict[str, Any]:
    return dict(embed_of(services.answering.answer(question, locale, page).message).to_dict())


def says(message: Any) -> dict[str, Any]:
    (embed,) = message.embeds
    return dict(embed.to_dict())


async def drawn(services: Services, message: Any) -> str:
    """What the chart of a message says, which is the one that is there and the one picture beside it."""
    (attachment,) = message.attachments
    assert attachment.filename == "chart.png"
    return str(attachment.description)


# -- for whoever asked ----------------------------------------------------------------------------------------------------------


async def test_another_context_edits_the_answer_in_place(world: World, services: Services) -> None:
    message = await asked(world)
    result = await world.alice.select(message, ["16384"], custom_id=select_of(message, "t")["custom_id"])
    assert result.acknowledged
    assert says(message) == said(services, ON_12_GB.model_copy(update={"context": 16384}))
    default = [option["value"] for option in select_of(message, "t")["options"] if option.get("default")]
    assert default == ["16384"]


async def test_another_lowest_quant_edits_the_answer_in_place(world: World, services: Services) -> None:
    message = await asked(world, quant="Q4_K_M")
    await world.alice.select(message, ["Q6_K"], custom_id=select_of(message, "m")["custom_id"])
    assert says(message) == said(services, ON_12_GB.model_copy(update={"min_quality": "Q6_K"}))


async def test_a_chart_follows_the_page_that_is_shown(world: World, services: Services) -> None:
    message = await ranked(world, chart=True)
    first = await drawn(services, message)
    await world.alice.click(message, label="▶")
    page = services.answering.picture(services.answering.answer(RANKING, "en", page=1))
    assert page is not None
    assert await drawn(services, message) == page.alt != first


@pytest.mark.parametrize(
    ("action", "value", "changed"),
    [("t", "16384", {"context": 16384}), ("m", "Q6_K", {"min_quality": "Q6_K"}), ("s", None, {"order": "smallest"})],
)
async def test_a_chart_follows_what_is_chosen(
    world: World, services: Services, action: str, value: str | None, changed: dict[str, Any]
) -> None:
    message = await ranked(world, chart=True)
    if value is None:
        await world.alice.click(message, label="Smallest first")
    else:
        await world.alice.select(message, [value], custom_id=select_of(message, action)["custom_id"])
    picture = services.answering.picture(services.answering.answer(RANKING.model_copy(update=changed), "en"))
    assert picture is not None
    assert await drawn(services, message) == picture.alt


async def test_a_chart_goes_where_there_is_nothing_to_draw(world: World, services: Services) -> None:
    message = world.only(await world.alice.slash(world.channel, "which-gpu", model="StarCoder 2 7B", vram=8.0, chart=True))
    assert message.attachments
    await world.alice.select(message, ["Q8_0"], custom_id=select_of(message, "m")["custom_id"])
    assert not message.attachments


async def test_an_answer_without_a_chart_gets_none(world: World) -> None:
    message = await ranked(world)
    await world.alice.click(message, label="▶")
    assert not message.attachments


async def test_contexts_longer_than_the_models_are_not_offered(world: World, services: Services) -> None:
    longest = services.answering.catalogue.model(STARCODER).max_context
    assert longest
    offered = [int(option["value"]) for option in select_of(await asked(world), "t")["options"]]
    assert max(offered) == longest


async def test_an_answer_keeps_its_language_when_it_is_changed(world: World, services: Services) -> None:
    world.spoken.locale = "it"
    message = await asked(world)
    world.spoken.locale = "en-US"
    await world.alice.select(message, ["8192"], custom_id=select_of(message, "t")["custom_id"])
    assert says(message) == said(services, ON_12_GB.model_copy(update={"context": 8192}), "it")


async def test_how_it_is_computed_is_shown_to_the_one_who_asks(world: World, services: Services) -> None:
    message = await asked(world)
    before = says(message)
    result = await world.bob.click(message, label="How is this computed")
    terms = services.answering.computed(ON_12_GB, "en")
    assert terms is not None
    assert result.ephemeral
    assert world.embed(result).to_dict() == embed_of(terms).to_dict()
    assert says(message) == before


async def test_a_list_of_models_opens_the_answer_for_each(world: World, services: Services) -> None:
    message = world.only(await world.alice.slash(world.channel, "ask", question="what can a 3060 12gb run?"))
    select = select_of(message, "o")
    model = select["options"][0]["value"]
    result = await world.alice.select(message, [model], custom_id=select["custom_id"])
    question = Question(intent=Intent.CAN_RUN, models=(model,), cards=(Cards(name="GeForce RTX 3060 12 GB"),), memory_gb=12)
    assert result.ephemeral
    assert world.only(result).content == ""
    assert world.embed(result).title == embed_of(services.answering.answer(question, "en").message).title


async def test_a_list_of_models_is_narrowed_to_a_use_and_widened_again(world: World, services: Services) -> None:
    message = world.only(await world.alice.slash(world.channel, "which-model", hardware="3060 12gb"))
    question = Question(intent=Intent.WHAT_CAN_CARD_RUN, cards=(Cards(name="GeForce RTX 3060 12 GB"),))
    for value, use in (("code", "code"), ("vision", "vision"), ("every", None)):
        await world.alice.select(message, [value], custom_id=select_of(message, "f")["custom_id"])
        assert says(message) == said(services, question.model_copy(update={"use": use}))
        (chosen,) = [option["value"] for option in select_of(message, "f")["options"] if option.get("default")]
        assert chosen == value


async def test_a_lowest_speed_outlives_a_press(world: World, services: Services) -> None:
    options = {"hardware": "3090", "min-speed": 60.0}
    message = world.only(await world.alice.slash(world.channel, "which-model", **options))
    await world.alice.select(message, ["8192"], custom_id=select_of(message, "t")["custom_id"])
    question = Question(intent=Intent.WHAT_CAN_CARD_RUN, cards=(Cards(name="GeForce RTX 3090"),), min_speed=60, context=8192)
    assert says(message) == said(services, question)


@pytest.mark.parametrize(("locale", "label"), [("en-US", "Commands"), ("es-ES", "Comandos"), ("it", "Comandi")])
@pytest.mark.parametrize("command", ["can-run", "which-quant"])
async def test_the_commands_that_start_it_are_shown_to_the_one_who_presses(
    world: World, services: Services, locale: str, label: str, command: str
) -> None:
    world.spoken.locale = locale
    message = world.only(await world.alice.slash(world.channel, command, model="Qwen3 14B", hardware="3060 12gb"))
    before = says(message)
    result = await world.bob.click(message, label=label)
    intent = Intent.CAN_RUN if command == "can-run" else Intent.WHICH_QUANT
    question = Question(intent=intent, models=("Qwen3 14B",), cards=(Cards(name="GeForce RTX 3060 12 GB"),))
    lines = services.answering.launch(question, locale[:2])
    assert lines is not None
    assert result.ephemeral
    assert world.embed(result).to_dict() == embed_of(lines).to_dict()
    assert "llama-server -m Qwen3-14B-" in str(world.embed(result).to_dict())
    assert says(message) == before


async def test_what_does_not_run_has_no_commands(world: World) -> None:
    for options in ({"model": "Qwen3 14B"}, {"model": "70B", "hardware": "48 GB"}):
        message = world.only(await world.alice.slash(world.channel, "which-quant", **options))
        assert "Commands" not in [item.get("label") for item in components(message)]


# -- the table ------------------------------------------------------------------------------------------------------------------


async def test_the_table_has_pages(world: World, services: Services) -> None:
    message = await ranked(world)
    buttons = {item["label"]: item for item in components(message) if "label" in item}
    assert buttons["◀"]["disabled"]
    assert not buttons["▶"]["disabled"]
    await world.alice.click(message, label="▶")
    assert says(message) == said(services, RANKING, page=1)
    await world.alice.click(message, label="▶")
    await world.alice.click(message, label="◀")
    assert says(message) == said(services, RANKING, page=1)


async def test_the_table_is_sorted_otherwise_and_back(world: World, services: Services) -> None:
    message = await ranked(world)
    await world.alice.click(message, label="▶")
    await world.alice.click(message, label="Smallest first")
    assert says(message) == said(services, RANKING.model_copy(update={"order": "smallest"}))
    await world.alice.click(message, label="Fastest first")
    assert says(message) == said(services, RANKING)


async def test_those_that_cannot_are_listed_too_and_left_out_again(world: World, services: Services) -> None:
    message = await ranked(world)
    await world.alice.click(message, label="Also those that can't")
    assert says(message) == said(services, RANKING.model_copy(update={"include_unfit": True}))
    await world.alice.click(message, label="Only those that can")
    assert says(message) == said(services, RANKING)


async def test_a_form_goes_to_a_page(world: World, services: Services) -> None:
    message = await ranked(world)
    form = await world.alice.click(message, custom_id=components(message)[1]["custom_id"])
    assert form.modal is not None
    await world.alice.submit_modal(form, {"page": " 7 "})
    assert says(message) == said(services, RANKING, page=6)


@pytest.mark.parametrize("typed", ["0", "-1", "999999", "two", "1.5", "²"])
async def test_a_page_that_is_not_there_is_refused(world: World, typed: str) -> None:
    message = await ranked(world)
    before = says(message)
    form = await world.alice.click(message, custom_id=components(message)[1]["custom_id"])
    result = await world.alice.submit_modal(form, {"page": typed})
    assert result.ephemeral
    assert world.only(result).content.startswith("There is no such page.")
    assert says(message) == before


async def test_a_table_of_one_page_has_no_pages_to_turn(world: World) -> None:
    message = await ranked(world, vendor="Intel", vram=16.0)
    assert "▶" not in [item.get("label") for item in components(message)]


# -- for anybody else -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("locale", NOT_YOURS)
async def test_anybody_else_gets_a_copy_of_their_own(world: World, services: Services, locale: str) -> None:
    message = await asked(world)
    before = says(message)
    world.spoken.locale = locale
    result = await world.bob.select(message, ["8192"], custom_id=select_of(message, "t")["custom_id"])
    copy = world.only(result)
    wanted = ON_12_GB.model_copy(update={"context": 8192})
    assert says(message) == before
    assert result.ephemeral
    assert copy.content == NOT_YOURS[locale]
    assert says(copy) == said(services, wanted, locale.partition("-")[0])
    # From now on it is Bob's: his presses change it in place.
    await world.bob.select(copy, ["4096"], custom_id=select_of(copy, "t")["custom_id"])
    assert says(copy) == said(services, wanted.model_copy(update={"context": 4096}), locale.partition("-")[0])
    assert copy.content == ""


async def test_copies_count_as_answers(world: World) -> None:
    message = await asked(world)
    for _ in range(5):
        assert world.embed(await world.bob.click(message, label="How is this computed"))
    refused = await world.bob.click(message, label="How is this computed")
    assert world.only(refused).content.startswith("One moment")


# -- removing -------------------------------------------------------------------------------------------------------------------


def there(world: World, message: Any) -> bool:
    return message.id in [shown.id for shown in world.channel.history()]


async def test_whoever_asked_removes_an_answer(world: World) -> None:
    message = await asked(world)
    assert there(world, message)
    await world.alice.click(message, label="Remove")
    assert not there(world, message)


async def test_nobody_else_does(world: World) -> None:
    message = await asked(world)
    result = await world.bob.click(message, label="Remove")
    assert there(world, message)
    assert result.ephemeral
    assert world.only(result).content == "Only whoever asked and the moderators can remove that answer."


@pytest.mark.parametrize("permission", ["manage_messages", "manage_guild", "administrator"])
async def test_but_for_moderators(world: World, permission: str) -> None:
    role = world.guild.create_role("mods", permissions=discord.Permissions(**{permission: True}))
    mod = world.guild.add_member(world.env.create_user("mod"), roles=[role])
    message = await asked(world)
    await mod.click(message, label="Remove")
    assert not there(world, message)


# -- old and made-up ------------------------------------------------------------------------------------------------------------


async def test_buttons_outlive_a_restart(world: World, services: Services) -> None:
    message, table = await asked(world), await ranked(world)
    await world.env.restart_bot(Client(services, Names(services.locales), shard_count=1))
    await world.alice.select(message, ["8192"], custom_id=select_of(message, "t")["custom_id"])
    await world.alice.click(table, label="▶")
    assert says(message) == said(services, ON_12_GB.model_copy(update={"context": 8192}))
    assert says(table) == said(services, RANKING, page=1)


@pytest.mark.parametrize("locale", OLD)
async def test_a_button_about_what_has_gone_from_the_catalogue_says_so(
    world: World, services: Services, catalogue_file: Path, locale: str
) -> None:
    message = await asked(world)
    before = says(message)
    change(
        catalogue_file,
        "UPDATE model SET superseded_by = NULL WHERE superseded_by = 'StarCoder 2 15B'",
        "DELETE FROM model_alias WHERE model = 'StarCoder 2 15B'",
        "DELETE FROM model WHERE name = 'StarCoder 2 15B'",
    )
    await services.reload()
    world.spoken.locale = locale
    result = await world.alice.select(message, ["8192"], custom_id=select_of(message, "t")["custom_id"])
    assert result.ephemeral
    assert world.only(result).content == OLD[locale]
    assert says(message) == before


def made_up(world: World) -> list[tuple[str, list[str] | None]]:
    """Ids that no answer has: (id, what is chosen)."""
    alice = world.alice.id

    def of(kind: str, action: str, **slots: Any) -> str:
        question = Question.model_validate({"intent": Intent.CAN_RUN, "models": (STARCODER,), "memory_gb": 12.0, **slots})
        made = State(alice, "en", question, slots.pop("page", 0)).custom_id(kind, action)
        assert made is not None
        return made

    return [
        ("", None),
        ("x", None),
        ("rig1b", None),
        ("rig1b.c.", None),
        ("rig1b.c.AAAA", None),
        ("rig0b.c.AAAA", None),
        ("rig9999b.c.AAAA", None),
        ("rig1b.c." + "A" * 92, None),
        ("rig1b.c." + "_" * 92, None),
        (of("b", "z"), None),
        (of("b", "t"), None),
        (of("b", "m"), None),
        (of("b", "o"), None),
        (of("b", "c", intent=Intent.SPEC), None),
        (of("b", "c", quant="Q9_X"), None),
        (of("b", "j"), None),
        (of("b", "q", quant="'; DROP"), None),
        (of("s", "t"), ["-1"]),
        (of("s", "t"), ["9" * 60]),
        (of("s", "t"), ["٣"]),
        (of("s", "t"), ["lots"]),
        (of("s", "m"), ["Q9_X"]),
        (of("s", "o"), ["No Such Model"]),
        (of("b", "q", search="x" * 30), None),
    ]


async def test_made_up_ids_get_a_sentence(world: World) -> None:
    message = await asked(world)
    before = says(message)
    for custom_id, values in made_up(world):
        for present in (True, False):
            result = await forge(world, world.bob, message, custom_id, values=values, there=present)
            assert result.acknowledged, (custom_id, values, present)
            assert result.ephemeral, (custom_id, values, present)
    assert says(message) == before


# -- in chat --------------------------------------------------------------------------------------------------------------------


async def test_a_choice_in_chat_is_what_the_next_question_goes_on_from(world: World, services: Services) -> None:
    me = f"<@{world.env.bot.user.id}>"
    await world.alice.send(world.channel, f"{me} can I run {STARCODER} on a 3060?")
    answer = world.channel.last_message
    await world.alice.click(answer, label="RTX 3060 8 GB")
    await world.alice.send(world.channel, f"{me} and with 8k context?")
    question = Question(intent=Intent.CAN_RUN, models=(STARCODER,), cards=(Cards(name="GeForce RTX 3060 8 GB"),), context=8192)
    assert world.channel.last_message.embeds[0].title == embed_of(services.answering.answer(question, "en").message).title


async def test_a_short_answer_stays_short(world: World, services: Services) -> None:
    await services.store.change_channel(world.guild.id, world.channel.id, mode=Mode.SHORT)
    message = await asked(world)
    await world.alice.select(message, ["8192"], custom_id=select_of(message, "t")["custom_id"])
    (embed,) = message.embeds
    assert not embed.fields
    assert embed.title == embed_of(services.answering.answer(ON_12_GB.model_copy(update={"context": 8192}), "en").message).title
