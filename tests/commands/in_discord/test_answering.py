"""Every answering command in every locale says what the console says, to those who may see it."""

from __future__ import annotations

from typing import Any

import pytest
from discord import app_commands
from simcord.components import walk_components

from answers.questions.question import Cards, Intent, Question
from answers.rendering.message import Message, plain
from bot.client import Client
from commands.message import embed_of
from commands.services import Services
from commands.store.servers import Mode
from tests.commands.conftest import Clock
from tests.commands.in_discord.conftest import TooManyChoices, World, components, labelled

LOCALES = {"en-US": "en", "en-GB": "en-GB", "es-ES": "es", "es-419": "es-419", "it": "it", "de": "en"}
STARCODER = "StarCoder 2 15B"
COMMANDS: tuple[tuple[str, dict[str, Any], Question], ...] = (
    (
        "can-run",
        {"model": STARCODER, "hardware": "2x 3090"},
        Question(intent=Intent.CAN_RUN, models=(STARCODER,), cards=(Cards(name="GeForce RTX 3090", count=2),), n_cards=2),
    ),
    (
        "can-run",
        {"model": "70B", "hardware": "24 GB", "quant": "Q4_K_M", "context": "32k"},
        Question(intent=Intent.CAN_RUN, parameters=70e9, memory_gb=24, quant="Q4_K_M", context=32768),
    ),
    ("can-run", {"model": STARCODER}, Question(intent=Intent.CAN_RUN, models=(STARCODER,))),
    (
        "can-run",
        {"model": STARCODER, "hardware": "rtx 9999"},
        Question(intent=Intent.CAN_RUN, models=(STARCODER,), unknown=("rtx 9999",), unknown_kind="card"),
    ),
    (
        "which-gpu",
        {"model": STARCODER, "sort": "smallest", "vendor": "AMD", "min-quant": "Q4_K_M", "context": "8k"},
        Question(intent=Intent.RANK_CARDS, models=(STARCODER,), order="smallest", vendor="AMD", min_quality="Q4_K_M", context=8192),
    ),
    (
        "which-gpu",
        {"model": STARCODER, "sort": "fastest", "vram": 24.0, "all": True},
        Question(intent=Intent.RANK_CARDS, models=(STARCODER,), memory_gb=24, include_unfit=True),
    ),
    (
        "which-model",
        {"hardware": "3060 12gb", "use": "code", "context": "8k", "min-speed": 20.0, "ram": 64.0},
        Question(
            intent=Intent.WHAT_CAN_CARD_RUN,
            cards=(Cards(name="GeForce RTX 3060 12 GB"),),
            use="code",
            context=8192,
            min_speed=20,
            ram_gb=64,
        ),
    ),
    ("which-model", {"hardware": "24 GB"}, Question(intent=Intent.WHAT_CAN_CARD_RUN, memory_gb=24)),
    ("which-model", {}, Question(intent=Intent.WHAT_CAN_CARD_RUN)),
    (
        "which-quant",
        {"model": "Qwen3 14B", "hardware": "3060 12gb", "context": "16k"},
        Question(intent=Intent.WHICH_QUANT, models=("Qwen3 14B",), cards=(Cards(name="GeForce RTX 3060 12 GB"),), context=16384),
    ),
    ("which-quant", {"model": STARCODER}, Question(intent=Intent.WHICH_QUANT, models=(STARCODER,))),
    (
        "compare",
        {"a": "3090", "b": "4090", "c": "7900 xtx", "model": STARCODER},
        Question(
            intent=Intent.COMPARE_CARDS,
            models=(STARCODER,),
            cards=(Cards(name="GeForce RTX 3090"), Cards(name="GeForce RTX 4090"), Cards(name="Radeon RX 7900 XTX")),
        ),
    ),
    (
        "compare",
        {"a": "Qwen3 14B", "b": "Gemma 4 12B", "c": "RTX 3090"},
        Question(intent=Intent.COMPARE_MODELS, models=("Qwen3 14B", "Gemma 4 12B"), cards=(Cards(name="GeForce RTX 3090"),)),
    ),
    ("info", {"name": "polycoder"}, Question(intent=Intent.SPEC, models=("PolyCoder",))),
    ("info", {"name": "4090"}, Question(intent=Intent.SPEC, cards=(Cards(name="GeForce RTX 4090"),))),
    (
        "ask",
        {"question": f"can I run {STARCODER} on 12 GB?"},
        Question(intent=Intent.CAN_RUN, models=(STARCODER,), memory_gb=12),
    ),
    (
        "ask",
        {"question": f"¿cuánta VRAM pide {STARCODER}?"},
        Question(intent=Intent.VRAM_NEEDED, models=(STARCODER,)),
    ),
)


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize(("command", "options", "question"), COMMANDS)
async def test_a_command_says_what_the_console_says(
    world: World, services: Services, locale: str, command: str, options: dict[str, Any], question: Question
) -> None:
    world.spoken.locale = locale
    result = await world.alice.slash(world.channel, command, **options)
    expected = services.answering.answer(question, LOCALES[locale]).message
    assert world.embed(result).to_dict() == embed_of(expected).to_dict()
    assert shown(world.embed(result)) == unnumbered(expected)
    assert not result.ephemeral


def shown(embed: Any) -> str:
    """An embed as a console would print it."""
    parts = [embed.title, (embed.description or "").replace("```\n", "").replace("\n```", "")]
    parts += [f"{field.name}\n{field.value}" for field in embed.fields]
    parts.append(embed.footer.text or "")
    return plain("\n".join(part for part in parts if part)).replace("\u00a0", " ").replace("\u2060", "")


def unnumbered(message: Message) -> str:
    """A message as the console prints it, without blank lines and without the choices, which are buttons here."""
    choices = {f"{number}. {plain(choice)}" for number, choice in enumerate(message.choices, 1)}
    return "\n".join(line for line in message.text().splitlines() if line and line not in choices).replace("\u00a0", " ")


@pytest.mark.parametrize(("command", "options", "question"), COMMANDS)
async def test_private_answers_are_for_the_asker_alone(
    world: World, command: str, options: dict[str, Any], question: Question
) -> None:
    result = await world.alice.slash(world.channel, command, **options, private=True)
    assert result.ephemeral
    assert "Remove" not in [item.get("label") for item in components(world.only(result))]


@pytest.mark.simcord(check_errors=False)
@pytest.mark.parametrize("typed", ["lots", "0", "-1", "99999999999"])
@pytest.mark.parametrize(
    ("locale", "sentence"), [("en-US", "is no context"), ("es-ES", "no es un contexto"), ("it", "non è un contesto")]
)
async def test_what_is_no_context_is_told_to_the_asker_alone(world: World, locale: str, sentence: str, typed: str) -> None:
    world.spoken.locale = locale
    result = await world.alice.slash(world.channel, "can-run", model=STARCODER, hardware="12 GB", context=typed)
    assert result.ephemeral
    assert sentence in world.only(result).content
    assert typed in world.only(result).content.replace("\\", "")


async def test_a_question_about_something_else_is_told_to_the_asker_alone(world: World, services: Services) -> None:
    result = await world.alice.slash(world.channel, "ask", question="what a lovely day")
    assert result.ephemeral
    assert world.embed(result).title == embed_of(services.answering.answer(Question(), "en").message).title


async def test_several_questions_are_answered_in_one_message(world: World) -> None:
    result = await world.alice.slash(world.channel, "ask", question="who made PolyCoder? what gpu do i need for StarCoder 2 15B?")
    titles = [embed.title for embed in world.only(result).embeds]
    assert len(titles) == 2
    assert "PolyCoder" in titles[0]
    assert STARCODER in titles[1]
    assert [item["label"] for item in components(world.only(result))] == ["Remove"]


async def test_nothing_that_was_typed_is_a_mention_or_markup(world: World) -> None:
    result = await world.alice.slash(world.channel, "info", name="@everyone **Foo 27B** `x`")
    said = str(world.embed(result).to_dict())
    assert "@everyone" not in said.replace("\\\\@", "")
    assert "**Foo" not in said


async def test_when_it_asks_back_the_choices_are_buttons(world: World, services: Services) -> None:
    asked = await world.alice.slash(world.channel, "can-run", model=STARCODER, hardware="3060")
    labels = [item["label"] for item in components(world.only(asked))]
    assert labels == ["RTX 3060 12 GB", "RTX 3060 8 GB", "Remove"]
    pressed = await world.alice.click(world.only(asked), label="RTX 3060 8 GB")
    chosen = Question(intent=Intent.CAN_RUN, models=(STARCODER,), cards=(Cards(name="GeForce RTX 3060 8 GB"),))
    assert world.embed(asked).title == embed_of(services.answering.answer(chosen, "en").message).title
    assert pressed.acknowledged
    assert "RTX 3060 12 GB" not in [item.get("label") for item in components(world.only(asked))]


async def test_an_offer_is_a_button_too(world: World, services: Services) -> None:
    asked = await world.alice.slash(world.channel, "can-run", model="Foo 27B", hardware="24 GB")
    await world.alice.click(world.only(asked), custom_id=components(world.only(asked))[0]["custom_id"])
    offered = Question(intent=Intent.CAN_RUN, parameters=27e9, memory_gb=24)
    assert world.embed(asked).title == embed_of(services.answering.answer(offered, "en").message).title


# -- the message menu -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "locale"),
    [
        (f"can i run {STARCODER} on 12 gb?", "en"),
        (f"¿me va {STARCODER} con 12 gigas?", "es"),
        (f"{STARCODER} mi gira su 12 giga?", "it"),
    ],
)
async def test_somebody_elses_question_is_answered_in_its_language(
    world: World, services: Services, text: str, locale: str
) -> None:
    message = await world.bob.send(world.channel, text)
    result = await world.alice.context_menu(world.channel, "Answer this", target=message)
    question = Question(intent=Intent.CAN_RUN, models=(STARCODER,), memory_gb=12)
    assert world.embed(result).title == embed_of(services.answering.answer(question, locale).message).title
    assert not result.ephemeral


async def test_a_message_that_asks_nothing_is_answered_to_whoever_wanted_to_know(world: World) -> None:
    message = await world.bob.send(world.channel, "nice weather today")
    assert (await world.alice.context_menu(world.channel, "Answer this", target=message)).ephemeral


# -- what moderators set --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [Mode.OFF, Mode.PRIVATE])
async def test_where_moderators_want_it_quiet_answers_are_for_the_asker_alone(world: World, services: Services, mode: Mode) -> None:
    await services.store.change_channel(world.guild.id, world.channel.id, mode=mode)
    assert (await world.alice.slash(world.channel, "info", name="polycoder")).ephemeral


async def test_where_moderators_want_it_short_only_the_verdict_is_said(world: World, services: Services) -> None:
    await services.store.change_channel(world.guild.id, world.channel.id, mode=Mode.SHORT)
    embed = world.embed(await world.alice.slash(world.channel, "can-run", model=STARCODER, hardware="12 GB"))
    assert embed.description
    assert not embed.fields
    assert embed.footer.text is None


async def test_the_servers_language_is_that_of_public_answers(world: World, services: Services) -> None:
    await services.store.change_server(world.guild.id, language="it")
    world.spoken.locale = "es-ES"
    question = Question(intent=Intent.CAN_RUN, models=(STARCODER,), memory_gb=12)
    options = {"model": STARCODER, "hardware": "12 GB"}
    public = await world.alice.slash(world.channel, "can-run", **options)
    private = await world.alice.slash(world.channel, "can-run", **options, private=True)
    assert world.embed(public).title == embed_of(services.answering.answer(question, "it").message).title
    assert world.embed(private).title == embed_of(services.answering.answer(question, "es").message).title


async def test_the_servers_defaults_fill_in_what_is_not_said(world: World, services: Services) -> None:
    await services.store.change_server(world.guild.id, context=16384, min_quality="Q6_K")
    question = Question(intent=Intent.CAN_RUN, models=(STARCODER,), memory_gb=12, context=16384, min_quality="Q6_K")
    embed = world.embed(await world.alice.slash(world.channel, "can-run", model=STARCODER, hardware="12 GB"))
    assert embed.to_dict() == embed_of(services.answering.answer(question, "en").message).to_dict()
    stated = await world.alice.slash(world.channel, "can-run", model=STARCODER, hardware="12 GB", context="4k")
    assert "4k" in world.embed(stated).footer.text


# -- limits ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("locale", "sentence"), [("en-US", "One moment"), ("es-ES", "Espera un momento"), ("it", "Aspetta un attimo")]
)
async def test_who_asks_too_fast_is_asked_to_wait(world: World, clock: Clock, locale: str, sentence: str) -> None:
    world.spoken.locale = locale
    answers = [await world.alice.slash(world.channel, "info", name="polycoder") for _ in range(5)]
    assert not any(answer.ephemeral for answer in answers)
    refused = await world.alice.slash(world.channel, "info", name="polycoder")
    assert refused.ephemeral
    assert world.only(refused).content.startswith(sentence)
    assert not (await world.bob.slash(world.channel, "info", name="polycoder")).ephemeral
    clock.now += 60
    assert not (await world.alice.slash(world.channel, "info", name="polycoder")).ephemeral


async def test_suggestions_have_no_limit(world: World) -> None:
    for typed in ("s", "st", "sta", "star", "starc", "starco", "starcod"):
        assert await world.alice.autocomplete(world.channel, "can-run", "model", typed)


# -- suggestions ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("typed", ["", "3060", "2x 3090 + 4060", "24", "a", "x" * 200, "@everyone", "🦙", "+", "2x", "1" * 90])
@pytest.mark.parametrize(
    ("command", "option"), [("can-run", "hardware"), ("can-run", "model"), ("which-gpu", "model"), ("info", "name")]
)
async def test_suggestions_are_what_discord_takes(world: World, command: str, option: str, typed: str) -> None:
    choices = await world.alice.autocomplete(world.channel, command, option, typed)
    assert len({choice["value"] for choice in choices}) == len(choices)


async def test_suggestions_are_in_the_askers_language(world: World) -> None:
    world.spoken.locale = "es-ES"
    choices = await world.alice.autocomplete(world.channel, "can-run", "hardware", "p102-101")
    assert choices[0] == {"name": "P102-101, de minería", "value": "P102-101"}


async def test_more_suggestions_than_discord_shows_are_refused(world: World, simcord_bot: Client) -> None:
    async def many(_: Any, __: str) -> list[app_commands.Choice[str]]:
        return [app_commands.Choice(name=str(number), value=str(number)) for number in range(26)]

    command = simcord_bot.tree.get_command("can-run")
    assert isinstance(command, app_commands.Command)
    command.autocomplete("model")(many)
    with pytest.raises(TooManyChoices):
        await world.alice.autocomplete(world.channel, "can-run", "model", "x")


# -- help and privacy -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("topic", [None, "questions", "hardware", "figures", "chat", "moderators"])
@pytest.mark.parametrize("locale", LOCALES)
async def test_help_is_for_the_asker_alone(world: World, services: Services, locale: str, topic: str | None) -> None:
    world.spoken.locale = locale
    result = await world.alice.slash(world.channel, "help", **({"topic": topic} if topic else {}))
    embed = world.embed(result)
    assert result.ephemeral
    assert embed.title
    assert "{{" not in str(embed.to_dict())


async def test_help_names_the_commands_as_they_are_called_there(world: World) -> None:
    world.spoken.locale = "es-419"
    result = await world.alice.slash(world.channel, "help")
    assert "/puedo-correr, /que-gpu y /ficha" in world.embed(result).footer.text


async def test_what_help_says_can_be_asked_can_be_asked(world: World, services: Services) -> None:
    for locale in ("en-US", "es-ES", "es-419", "it"):
        world.spoken.locale = locale
        fields = world.embed(await world.alice.slash(world.channel, "help")).fields
        for line in "\n".join(field.value for field in fields).splitlines():
            answers = services.answering.ask(line)
            assert {answer.reply.__dict__["kind"] for answer in answers} & {"not_asked", "ask_back", "unknown"} == set(), line
            assert answers[0].locale == LOCALES[locale][:2], line


@pytest.mark.parametrize("locale", LOCALES)
async def test_privacy_says_what_is_kept_and_forgets_it(world: World, locale: str) -> None:
    world.spoken.locale = locale
    shown_to = await world.alice.slash(world.channel, "privacy show")
    forgotten = await world.alice.slash(world.channel, "privacy delete")
    assert shown_to.ephemeral
    assert forgotten.ephemeral
    assert world.embed(shown_to).title
    assert world.only(forgotten).content


# -- our own faults -------------------------------------------------------------------------------------------------------------


@pytest.mark.simcord(check_errors=False)
@pytest.mark.parametrize(
    ("locale", "sentence"), [("en-US", "That broke on our side"), ("es-419", "Falló algo nuestro"), ("it", "Errore nostro")]
)
async def test_a_fault_of_ours_is_said_with_a_code_that_the_log_holds(
    world: World, services: Services, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, locale: str, sentence: str
) -> None:
    world.spoken.locale = locale

    def broken(*_: Any) -> Any:
        raise RuntimeError("a secret that somebody typed")

    monkeypatch.setattr(type(services.answering), "answer", broken)
    result = await world.alice.slash(world.channel, "info", name="polycoder")
    said = world.only(result).content
    assert result.ephemeral
    assert said.startswith(sentence)
    assert "secret" not in said
    (record,) = [record for record in caplog.records if getattr(record, "reference", None)]
    assert f"`{record.__dict__['reference']}`" in said


async def test_buttons_of_an_answer_have_ids_of_their_own(world: World) -> None:
    result = await world.alice.slash(world.channel, "which-gpu", model=STARCODER)
    ids = [item["custom_id"] for item in walk_components(world.only(result).components) if "custom_id" in item]
    assert len(set(ids)) == len(ids)
    assert labelled(world.only(result), "▶")


async def test_an_answer_is_put_off_where_its_chart_takes_long(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commands.charts.DRAWN_WITHIN_S", 0.0)
    result = await world.alice.slash(world.channel, "can-run", model=STARCODER, hardware="12 GB", chart=True)
    (attachment,) = world.only(result).attachments
    assert attachment.filename == "chart.png"
    assert world.embed(result).title
