"""What to run on hardware: which of the picks, in which order, and why."""

from __future__ import annotations

from dataclasses import replace

import pytest

from answers.catalogue.records import Pick
from answers.questions.question import Cards, Intent, PickChange, Question
from answers.replies.desk import Desk
from answers.replies.picks import RECENT_MONTHS, candidates, is_recent
from answers.replies.which_model import CURRENT, OLDER, WITH_RAM, what_can_card_run

RTX_3060 = Cards(name="GeForce RTX 3060 12 GB")
RTX_3090 = Cards(name="GeForce RTX 3090")
MAC = Cards(name="Apple M3 Max 64 GB")
EVERY = (
    "GeForce GTX 1060 6 GB",
    "GeForce RTX 4060",
    "GeForce RTX 3060 12 GB",
    "GeForce RTX 3090",
    "GeForce RTX 5090",
    "Apple M4 16 GB",
)
FROM_Q4_UP = {"Q8_0", "Q6_K", "Q5_K_M", "Q4_K_M", "MXFP4"}


def ask(desk: Desk, *cards: Cards, **slots: object):
    return what_can_card_run(desk, Question(intent=Intent.WHAT_CAN_CARD_RUN, cards=cards, **slots))


def names(rows) -> list[str]:
    return [row.model.name for row in rows]


def with_picks(desk: Desk, *picked: tuple[str, str]) -> Desk:
    """The same catalogue with other picks."""
    made = tuple(
        Pick(name=f"{use}: {model}", use=use, model=model, month="2026-11", why="completion", source="https://x.test")
        for use, model in picked
    )
    return Desk(replace(desk.catalogue, picks=made))


@pytest.mark.parametrize("card", EVERY)
@pytest.mark.parametrize("use", [None, "general", "code", "reasoning", "vision"])
def test_every_row_is_picked_fits_at_q4_or_better_is_fast_enough_and_says_why(desk, card, use) -> None:
    reply = ask(desk, Cards(name=card), use=use)
    for row in (*reply.current, *reply.with_ram, *reply.older):
        speed = row.split.speed if row.split else row.rung.speed
        assert speed.tok_s >= 10
        assert (row.split or row.rung).quant in FROM_Q4_UP
        assert row.rung is None or row.rung.fit != "no"
        assert row.reason is not None
        assert use is None or use in row.uses
    for row in (*reply.current, *reply.with_ram):
        record = desk.catalogue.model(row.model.name)
        assert record.superseded_by is None
        assert row.released >= "2025-11"
    assert len(reply.current) <= CURRENT
    assert len(reply.with_ram) <= WITH_RAM
    assert len(reply.older) <= OLDER


@pytest.mark.parametrize("card", EVERY)
def test_larger_models_come_first(desk, card) -> None:
    reply = ask(desk, Cards(name=card))
    for rows in (reply.current, reply.with_ram, reply.older):
        sizes = [row.model.parameters for row in rows]
        assert sizes == sorted(sizes, reverse=True)


def test_a_mixture_of_experts_is_offered_with_ram_only_where_it_is_larger_than_what_the_card_holds(desk) -> None:
    reply = ask(desk, RTX_3060)
    assert reply.with_ram
    assert (reply.ram_gb, reply.hardware.ram_gb) == (32, None)
    largest = max(row.model.parameters for row in reply.current)
    for row in reply.with_ram:
        assert row.model.moe
        assert row.split.experts
        assert row.rung is None
        assert row.model.parameters > largest
        assert row.split.ram_gb <= 0.8 * reply.ram_gb


def test_the_system_memory_that_is_stated_is_the_one_that_counts(desk) -> None:
    little, much = ask(desk, RTX_3060, ram_gb=4), ask(desk, RTX_3060, ram_gb=128)
    assert (little.with_ram, little.ram_gb) == ((), 4)
    assert max(row.model.parameters for row in much.with_ram) > 100e9
    assert much.ram_gb == 128


def test_memory_that_the_processor_shares_is_not_counted_twice(desk) -> None:
    reply = ask(desk, MAC, use="code")
    assert reply.current
    assert reply.with_ram == ()


def test_superseded_picks_and_those_of_more_than_a_year_ago_stand_apart(desk) -> None:
    reply = ask(with_picks(desk, ("general", "Gemma 4 12B"), ("general", "Gemma 3 12B"), ("general", "Phi-4 14B")), RTX_3060)
    assert names(reply.current) == ["Gemma 4 12B"]
    assert names(reply.older) == ["Phi-4 14B", "Gemma 3 12B"]
    assert desk.catalogue.model("Gemma 3 12B").superseded_by == "Gemma 4 12B"
    assert not is_recent(desk.catalogue, desk.catalogue.model("Phi-4 14B"))
    assert RECENT_MONTHS == 12


def test_without_a_use_older_models_of_every_use_count_and_current_ones_of_general_use(desk) -> None:
    few = with_picks(desk, ("general", "Gemma 4 12B"), ("code", "Ornith 1.5 9B"), ("code", "Qwen2.5-Coder 14B"))
    reply = ask(few, RTX_3060)
    assert (names(reply.current), names(reply.older)) == (["Gemma 4 12B"], ["Qwen2.5-Coder 14B"])
    assert names(ask(few, RTX_3060, use="code").current) == ["Ornith 1.5 9B"]


def test_the_best_quant_that_is_fast_enough_is_shown_and_a_lowest_speed_can_be_asked_for(desk) -> None:
    one = with_picks(desk, ("general", "Qwen3.8 27B"))
    usual, fast = ask(one, RTX_3090), ask(one, RTX_3090, min_speed=35)
    assert usual.current[0].rung.speed.tok_s < 35 <= fast.current[0].rung.speed.tok_s
    assert fast.current[0].rung.need_gb < usual.current[0].rung.need_gb
    assert (usual.min_speed, usual.min_speed_stated, fast.min_speed, fast.min_speed_stated) == (10, False, 35, True)
    assert not ask(desk, RTX_3060, min_speed=5000).current


def test_what_is_asked_for_at_one_quant_is_answered_at_that(desk) -> None:
    reply = ask(desk, RTX_3060, quant="Q8_0")
    assert {row.rung.quant for row in (*reply.current, *reply.older)} == {"Q8_0"}
    assert reply.fitting < ask(desk, RTX_3060).fitting


def test_where_no_pick_runs_other_models_on_file_stand_in_one_of_each_family(desk) -> None:
    reply = ask(desk, RTX_3060, use="base")
    assert reply.month is None
    rows = (*reply.current, *reply.older)
    assert rows
    assert all("base" in row.uses and row.reason is None for row in rows)
    assert ask(desk, RTX_3060).month == "2026-11"
    nothing = ask(desk, memory_gb=0.2)
    assert (nothing.current, nothing.older, nothing.fitting) == ((), (), 0)


def test_an_amount_of_memory_has_no_speed_of_its_own_but_slow_models_are_left_out(desk) -> None:
    reply = ask(desk, memory_gb=12)
    assert names(reply.current) == names(ask(desk, RTX_3060).current)
    assert all(row.rung.speed is None for row in reply.current)
    assert all(row.split.speed is None for row in reply.with_ram)


def test_what_moderators_drop_pin_and_add_holds_for_their_server(desk) -> None:
    usual = names(ask(desk, RTX_3090).current)
    changes = (
        PickChange(action="drop", model=usual[0], use="general"),
        PickChange(action="pin", model=usual[-1], use="general"),
        PickChange(action="add", model="Mistral Small 3.2 24B", use="general"),
    )
    reply = ask(desk, RTX_3090, picks=changes)
    assert usual[0] not in names((*reply.current, *reply.with_ram))
    assert (reply.current[0].model.name, reply.current[0].pinned) == (usual[-1], True)
    assert next(row for row in reply.older if row.model.name == "Mistral Small 3.2 24B").reason.why == "local"
    assert names(ask(desk, RTX_3090).current) == usual


def test_a_change_for_one_use_leaves_the_others_alone_and_one_for_a_model_that_is_gone_does_nothing(desk) -> None:
    changes = (
        PickChange(action="drop", model="Qwen3.8 27B", use="code"),
        PickChange(action="add", model="No such model", use="general"),
    )
    general = {entry.model.name for entry in candidates(desk.catalogue, "general", changes)}
    assert general == {entry.model.name for entry in candidates(desk.catalogue, "general")}
    assert "Qwen3.8 27B" not in {entry.model.name for entry in candidates(desk.catalogue, "code", changes)}


@pytest.mark.parametrize("ram_gb", [16.0, 32.0, 64.0])
def test_without_a_card_what_writes_too_slowly_is_not_recommended_either(desk: Desk, ram_gb: float) -> None:
    reply = ask(desk, cpu_only=True, ram_gb=ram_gb)
    rows = (*reply.current, *reply.with_ram, *reply.older)
    assert rows
    assert all(row.rung and row.rung.speed and row.rung.speed.tok_s >= reply.min_speed for row in rows)
