"""One model against every card of the catalogue at once (NumPy), and the figures that the documents draw from that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from answers.catalogue.records import Card
from answers.estimator.calibrated import method as calibrated
from answers.estimator.calibrated.speed import Device, seconds_by_quant
from answers.estimator.documented import gb_read, speed_range, tokens_per_second
from answers.estimator.estimate import at_quant, common, need_gb, needs_gb
from answers.estimator.estimate import rungs as rungs_of
from answers.estimator.figures import Figures
from answers.estimator.hardware import Hardware
from answers.estimator.memory import card_comfortable_gb, card_reached_gb_s, card_usable_gb
from answers.estimator.parts import Estimate, Fit
from answers.estimator.quants import Quant, constants

Floats = NDArray[np.float64]
FITS: tuple[Fit, Fit, Fit] = ("no", "tight", "comfortable")


class Room(NamedTuple):
    """What a model may take of each card by one method, and up to where it is comfortable there, in GB; shape (cards,)."""

    usable_gb: Floats
    comfortable_gb: Floats


class CardTable:
    """The cards of a survey as arrays of shape (cards,), worked out once per catalogue."""

    def __init__(self, cards: Sequence[Card], measured: Callable[[str], Sequence[float]] | None = None) -> None:
        """``measured``: the sizes of the models whose speed was measured on the card of a name."""
        self.cards = tuple(cards)
        self.measured = measured
        self.memory_gb = _frozen([card.memory_gb for card in cards])
        self._documented = Room(
            _frozen([card_usable_gb(card.memory_gb, card.unified) for card in cards]),
            _frozen([card_comfortable_gb(card.memory_gb, card.unified) for card in cards]),
        )
        self.unified = _frozen([float(card.unified) for card in cards])
        """1 where a processor shares the memory, else 0."""
        self.any_unified = any(card.unified for card in cards)
        self.reached_gb_s = _frozen([card_reached_gb_s(card) for card in cards])
        # Cards without a release date come last wherever the earliest wins, and last where the latest does.
        self.released = _frozen([card.released.toordinal() if card.released else np.nan for card in cards])
        self.by_name = _frozen(np.argsort(np.argsort(np.array([card.name for card in cards]))) if cards else [])
        self.memory_sizes = tuple(sorted({card.memory_gb for card in cards}))

    def __len__(self) -> int:
        return len(self.cards)

    @cached_property
    def _calibrated(self) -> Room:
        hardware = [Hardware.of_cards([card]) for card in self.cards]
        return Room(
            _frozen([calibrated.usable_gb(one) for one in hardware]), _frozen([calibrated.comfortable_gb(one) for one in hardware])
        )

    def room(self, model: Figures) -> Room:
        """What the model may take of each card, by its method."""
        return self._documented if model.layout is None else self._calibrated

    @cached_property
    def device(self) -> Device[Floats]:
        """All cards as one device whose figures are arrays, for the calibrated method."""
        return Device.table(self.cards)

    def smallest_memory(self, model: Figures, need: float) -> float | None:
        """The least memory in GB among these cards that holds ``need`` GB of the model; ``None`` where no card does."""
        holding = self.memory_gb[need <= self.room(model).usable_gb]
        return float(holding.min()) if holding.size else None


@dataclass(frozen=True)
class Survey:
    """One model on every card of a table. Arrays have shape (cards,); cards that cannot run it have rung -1 and speed NaN."""

    table: CardTable
    model: Figures
    context: int
    rungs: tuple[Quant, ...]
    needs_gb: Floats
    """Need of each rung, shape (rungs,)."""
    rung: NDArray[np.intp]
    tok_s: Floats

    @cached_property
    def runs(self) -> NDArray[np.bool_]:
        """Which cards run the model."""
        return self.rung >= 0

    @cached_property
    def count(self) -> int:
        """How many cards run the model."""
        return int(self.runs.sum())

    @cached_property
    def median_tok_s(self) -> float | None:
        """Median speed over the cards that run it; ``None`` where there is none."""
        speeds = self.tok_s[self.runs]
        return float(np.median(speeds)) if speeds.size and not np.isnan(speeds[0]) else None

    @cached_property
    def above_reading_speed(self) -> int:
        """Cards that write at least as fast as people read (10 tok/s)."""
        return int((self.tok_s[self.runs] >= constants()["documented"]["reading_speed_tok_s"]).sum())

    @cached_property
    def levels(self) -> tuple[Quant, ...]:
        """The distinct quants in use over all cards that run it, best first."""
        return tuple(self.rungs[index] for index in np.unique(self.rung[self.runs]))

    def estimate(self, index: int) -> Estimate | None:
        """The estimate of one card of the table, or ``None`` where it cannot run the model."""
        rung = int(self.rung[index])
        if rung < 0:
            return None
        if self.model.layout is not None:
            # The range and how sure it is are those of this very card.
            hardware = Hardware.of_cards([self.table.cards[index]], self.table.measured)
            return at_quant(self.model, hardware, self.rungs[rung], self.context)
        need = float(self.needs_gb[rung])
        fit: Fit = "comfortable" if need <= self.table.room(self.model).comfortable_gb[index] else "tight"
        tok_s = float(self.tok_s[index])
        return Estimate(self.rungs[rung], need, fit, None if np.isnan(tok_s) else speed_range(tok_s), self.context)

    @cached_property
    def ranking(self) -> NDArray[np.intp]:
        """Indices of the cards that run it: by speed (compared at six decimals), then by name."""
        return self._ordered(self.table.by_name)

    @cached_property
    def fastest(self) -> NDArray[np.intp]:
        """The same, but equal speeds put the most recent release ahead, then the name: the documents' list of the ten fastest."""
        return self._ordered(self.table.by_name, -self.table.released)

    @cached_property
    def by_size(self) -> NDArray[np.intp]:
        """Indices of the cards that run it: least memory, then the earliest release, then the name."""
        order = np.lexsort((self.table.by_name, self.table.released, self.table.memory_gb))
        return order[self.runs[order]]

    def _ordered(self, *ties: Floats) -> NDArray[np.intp]:
        order = np.lexsort((*ties, -np.round(self.tok_s, 6)))
        return order[self.runs[order]]

    def fastest_with(self, memory_gb: float) -> int | None:
        """The fastest card with exactly that memory (ties: the earliest release, then the name); ``None`` where none runs it."""
        eligible = np.flatnonzero(self.runs & (self.table.memory_gb == memory_gb))
        if not eligible.size:
            return None
        keys = (self.table.by_name[eligible], self.table.released[eligible], -np.round(self.tok_s[eligible], 6))
        return int(eligible[np.lexsort(keys)[0]])

    @cached_property
    def nearest_miss_gb(self) -> float | None:
        """Need at Q4_K_M less the usable memory of the largest card that cannot run it; ``None`` where every card does."""
        failing = self.table.room(self.model).usable_gb[~self.runs]
        if not failing.size:
            return None
        return need_gb(self.model, common(self.model), self.context) - float(failing.max())


def survey(
    model: Figures, table: CardTable, context: int | None = None, floor: str | None = None, at: Quant | None = None
) -> Survey:
    """Try the model on every card: each runs the first rung that fits it, or the one quant ``at`` where that is asked for.

    Raises:
        UsageError: where the floor is not a known quant.
    """
    rungs = (at,) if at else rungs_of(model, floor)
    tokens = model.context(context)
    needs = needs_gb(model, rungs, tokens)
    on_card = needs[:, None]
    if model.layout is not None and table.any_unified:
        on_card = on_card + calibrated.tables_gb(model, rungs)[:, None] * table.unified
    fits = on_card <= table.room(model).usable_gb
    rung = np.where(fits.any(axis=0), fits.argmax(axis=0), len(rungs))
    speeds = np.full(len(table), np.nan)
    if model.layout is not None:
        tasks = calibrated.works(model, rungs, tokens)
        if tasks:
            speeds = 1 / seconds_by_quant(tasks, np.minimum(rung, len(rungs) - 1), table.device)
            speeds[rung == len(rungs)] = np.nan
    elif model.parameters_read:
        efficiency = np.array([step.efficiency for step in rungs] + [np.nan])
        read = np.array([gb_read(model.parameters_read, step) for step in rungs] + [np.nan])
        speeds = tokens_per_second(table.reached_gb_s, efficiency[rung], read[rung])
    rung[rung == len(rungs)] = -1
    return Survey(table, model, tokens, rungs, needs, rung, speeds)


def _frozen(values: object) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    array.setflags(write=False)
    return array
