"""An answer that is given again is the one that would be worked out anew, and is worked out anew when that is another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from answers.answering import Answering
from commands.services import Services
from commands.store.servers import Mode
from tests.commands.conftest import change
from tests.commands.in_discord.conftest import World, components

STARCODER = "StarCoder 2 15B"
ASKED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("can-run", {"model": STARCODER, "hardware": "12 GB"}),
    ("can-run", {"model": STARCODER, "hardware": "2x 3090", "quant": "Q6_K", "context": "16k"}),
    ("can-run", {"model": STARCODER, "hardware": "a 3060"}),
    ("which-gpu", {"model": STARCODER, "sort": "smallest"}),
    ("info", {"name": "4090"}),
)


class Counting:
    """Counts how many answers are worked out."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.answers = 0
        answer = Answering.answer

        def counted(answering: Answering, *given: Any) -> Any:
            self.answers += 1
            return answer(answering, *given)

        monkeypatch.setattr(Answering, "answer", counted)


@pytest.fixture
def worked_out(monkeypatch: pytest.MonkeyPatch) -> Counting:
    return Counting(monkeypatch)


async def sent(world: World, command: str, options: dict[str, Any], asker: Any = None) -> Any:
    """What an interaction is answered with: embeds, components, who sees it."""
    result = await (asker or world.alice).slash(world.channel, command, **options)
    message = world.only(result)
    return [embed.to_dict() for embed in message.embeds], components(message), result.ephemeral


@pytest.mark.parametrize(("command", "options"), ASKED)
@pytest.mark.parametrize("locale", ["en-US", "it"])
async def test_what_is_asked_again_gets_the_same_answer(
    world: World, services: Services, worked_out: Counting, command: str, options: dict[str, Any], locale: str
) -> None:
    world.spoken.locale = locale
    first = await sent(world, command, options)
    assert worked_out.answers == 1
    assert await sent(world, command, options) == first
    assert worked_out.answers == 1
    services.kept._finished.clear()
    assert await sent(world, command, options) == first
    assert worked_out.answers == 2


async def test_what_somebody_else_asked_before_is_the_askers_own(world: World, worked_out: Counting) -> None:
    command, options = ASKED[0]
    embeds, hers, _ = await sent(world, command, options)
    same, his, _ = await sent(world, command, options, world.bob)
    assert (same, worked_out.answers) == (embeds, 1)
    assert all(mine["custom_id"] != yours["custom_id"] for mine, yours in zip(hers, his, strict=True))
    result = await world.bob.slash(world.channel, command, **options)
    number = result.response.id
    await world.bob.click(result.response, label="Remove")
    assert number not in [shown.id for shown in world.channel.history()]


async def test_a_reload_is_heard_of_at_once(world: World, services: Services, catalogue_file: Path) -> None:
    before = await sent(world, *ASKED[0])
    change(catalogue_file, f"UPDATE model SET stated_parameters = 1000000000 WHERE name = '{STARCODER}'")
    await services.reload()
    after = await sent(world, *ASKED[0])
    assert before[0] != after[0]
    assert after[0][0]["title"].startswith("Yes, with room")


async def test_an_answer_that_a_reload_overtook_is_not_kept(services: Services, answering: Answering) -> None:
    kept, other = services.kept, Answering(answering.catalogue, answering.locales)
    given: Any = ("key", "finished")
    assert kept.get(answering, given[0]) is None
    assert kept.get(other, given[0]) is None
    kept.put(answering, *given)
    assert kept.get(other, given[0]) is None
    kept.put(other, *given)
    assert kept.get(other, given[0]) == given[1]


async def test_settings_are_heard_of_at_once(world: World, services: Services) -> None:
    guild, channel = world.guild.id, world.channel.id
    answers = [await sent(world, *ASKED[0])]
    await services.store.change_server(guild, context=8192)
    answers.append(await sent(world, *ASKED[0]))
    await services.store.change_server(guild, min_quality="Q6_K")
    answers.append(await sent(world, *ASKED[0]))
    await services.store.change_server(guild, language="it")
    answers.append(await sent(world, *ASKED[0]))
    await services.store.change_channel(guild, channel, mode=Mode.SHORT)
    answers.append(await sent(world, *ASKED[0]))
    for place, answer in enumerate(answers):
        assert answer not in answers[:place]


async def test_only_so_many_are_kept_and_no_name_that_is_not_on_file(world: World, services: Services) -> None:
    services.kept._most = 3
    for context in ("4k", "5k", "6k", "7k", "8k"):
        await sent(world, "info", {"name": "4090"})
        await world.bob.slash(world.channel, "can-run", model=STARCODER, hardware="12 GB", context=context)
        services.limits._persons.clear()
    assert [key.typed[0] for key in services.kept._finished] == ["can-run", "info", "can-run"]
    await sent(world, "can-run", {"model": "my secret project", "hardware": "12 GB"})
    await world.alice.slash(world.channel, "ask", question=f"can I run {STARCODER} on 12 GB?")
    assert not any("secret" in str(key) or "can I" in str(key) for key in services.kept._finished)
    assert len(services.kept) == 3
