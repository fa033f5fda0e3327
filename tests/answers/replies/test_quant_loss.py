"""What is lost from one quant to another: only figures of the same model compare."""

from __future__ import annotations

import pytest

from answers.questions.question import Cards, Intent, Question
from answers.replies.build import build


def ask(desk, *quants: str, **slots):
    return build(desk, Question(intent=Intent.QUANT_DIFFERS, quants=quants, **slots))


def test_quants_stand_best_first_however_they_are_named(desk) -> None:
    reply = ask(desk, "Q4_K_M", "Q8_0", "Q6_K", models=("Llama 3.1 8B",))
    assert reply.asked == ("Q8_0", "Q6_K", "Q4_K_M")
    assert [row.quant for row in reply.rows] == ["Q8_0", "Q6_K", "Q4_K_M"]
    files = [row.file_gb for row in reply.rows]
    assert files == sorted(files, reverse=True)


def test_figures_of_the_model_itself_come_first(desk) -> None:
    reply = ask(desk, "Q6_K", "Q4_K_M", models=("Llama 3.1 8B",))
    assert reply.measured_on == ("Llama 3.1 8B",)
    assert [row.loss for row in reply.rows] == [(0.41, 0.41), (3.279, 3.279)]
    assert (reply.metric, reply.lost) == ("perplexity", "little")


def test_elsewhere_every_model_counts_that_was_measured_at_each_of_them(desk) -> None:
    reply = ask(desk, "Q6_K", "Q4_K_M", models=("Gemma 3 27B",))
    assert reply.measured_on == ("Llama 2 70B", "Llama 2 7B", "Llama 3 8B", "Llama 3.1 8B")
    # Mistral 7B v0.1 was measured at Q4_K_M alone: its 1.08 % and 0.59 % do not widen the range.
    assert [row.loss for row in reply.rows] == [(0.16, 0.41), (1.2, 3.279)]


def test_figures_of_two_quantisers_are_not_set_against_each_other(desk) -> None:
    """Llama 3 8B was measured at IQ4_XS with an importance matrix, and at Q4_K_M with and without one."""
    reply = ask(desk, "IQ4_XS", "Q4_K_M", models=("Llama 3 8B",))
    assert {row.quant: row.loss for row in reply.rows} == {"Q4_K_M": (2.428, 2.428), "IQ4_XS": (3.66, 3.66)}


@pytest.mark.parametrize(
    ("quants", "lost"),
    [
        (("Q8_0", "F16"), "hardly"),
        (("Q6_K", "Q8_0"), "hardly"),
        (("Q4_K_M", "Q6_K"), "little"),
        (("Q4_K_M", "F16"), "little"),
        (("Q3_K_M", "Q6_K"), "noticeable"),
        (("Q2_K", "Q4_K_M"), "large"),
    ],
)
def test_how_much_is_lost_grows_with_the_distance(desk, quants, lost) -> None:
    assert ask(desk, *quants).lost == lost


def test_two_poor_quants_are_told_to_be_poor(desk) -> None:
    reply = ask(desk, "Q2_K", "IQ2_M")
    assert (reply.lost, reply.lost_in_all) == ("hardly", "large")


def test_a_quant_by_itself_is_held_against_the_whole_model_and_shown_beside_others(desk) -> None:
    reply = ask(desk, "Q3_K_M")
    assert reply.asked == ("Q3_K_M",)
    assert [row.quant for row in reply.rows] == ["Q6_K", "Q4_K_M", "Q3_K_M"]
    assert reply.lost == "noticeable"


def test_nothing_is_said_of_a_loss_that_nobody_measured(desk) -> None:
    reply = ask(desk, "GPTQ", "Q4_K_M")
    assert (reply.lost, reply.measured_on, reply.sources) == (None, (), ())
    assert all(row.loss is None for row in reply.rows)


def test_on_a_card_each_has_its_need_its_fit_and_its_speed(desk) -> None:
    reply = ask(desk, "Q8_0", "Q4_K_M", models=("Gemma 3 27B",), cards=(Cards(name="GeForce RTX 3090"),))
    assert [(row.fit == "no", row.speed is None) for row in reply.rows] == [(True, True), (False, False)]


def test_of_a_model_that_was_published_quantised_its_own_quant_is_shown(desk) -> None:
    reply = ask(desk, "Q4_K_M", "Q8_0", models=("gpt-oss 20B",))
    assert (reply.kind, [row.quant for row in reply.rows]) == ("which_quant", ["MXFP4"])
