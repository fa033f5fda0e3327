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
from answers.estimator.calibrated.classes import Traits
from answers.estimator.calibrated.speed import Device
from answers.estimator.documented import gb_read, speed_range, tokens_per_second
from answers.estimator.estimate import at_quant, common, need_gb, needs_gb
from answers.estimator.estimate import rungs as rungs_of
from answers.estimator.figures import Figures
from answers.estimator.hardware import Hardware
from answers.estimator.memory import card_comfortable_gb, card_reached_gb_s, card_usable_gb
from answers.estimator.parts import Estimate, Fit
from answers.estimator.quants import Quant, constants

Floats = NDArray[np.float64]
_NOWHERE = np.array([], dtype=np.intp)


class Room(NamedTuple):
    """What a model may take of each kind of card by one method, and up to where it is comfortable there, in GB; shape (kinds,)."""

    usable_gb: Floats
    comfortable_gb: Floats


class CardTable:
    """The cards of a survey as arrays, worked out once per catalogue.

    Cards that run every model alike are one kind: as many of them as there may be, a model is tried on each kind once. What has
    shape (kinds,) is made one of shape (cards,) by indexing it with ``kind``.
    """

    def __init__(self, cards: Sequence[Card], measured: Callable[[str], Sequence[float]] | None = None) -> None:
        """``measured``: the sizes of the models whose speed was measured on the card of a name."""
        self.cards = tuple(cards)
        self.measured = measured
        kinds: dict[tuple[float, bool, float, Traits], int] = {}
        firsts: list[Card] = []
        kind: list[int] = []
        for card in cards:
            traits = (card.memory_gb, card.unified, card_reached_gb_s(card), Traits.of(card))
            if traits not in kinds:
                kinds[traits] = len(firsts)
                firsts.append(card)
            kind.append(kinds[traits])
        self.kind = np.array(kind, dtype=np.intp)
        self.kinds = tuple(firsts)
        """The first card of each kind."""
        self.of_kind = np.bincount(self.kind, minlength=len(firsts))
        """How many cards there are of each kind."""
        self._documented = Room(
            _frozen([card_usable_gb(card.memory_gb, card.unified) for card in firsts]),
            _frozen([card_comfortable_gb(card.memory_gb, card.unified) for card in firsts]),
        )
        self.unified = _frozen([float(card.unified) for card in firsts])
        """1 where a processor shares the memory, else 0; shape (kinds,)."""
        self.any_unified = any(card.unified for card in firsts)
        self.kind_memory_gb = _frozen([card.memory_gb for card in firsts])
        self.kind_reached_gb_s = _frozen([card_reached_gb_s(card) for card in firsts])
        self.reached_gb_s = self.kind_reached_gb_s[self.kind]
        self.memory_gb = self.kind_memory_gb[self.kind]
        # Cards without a release date come last wherever the earliest wins, and last where the latest does.
        self.released = _frozen([card.released.toordinal() if card.released else np.nan for card in cards])
        self.by_name = _frozen(np.argsort(np.argsort(np.array([card.name for card in cards]))) if cards else [])

    def __len__(self) -> int:
        return len(self.cards)

    @cached_property
    def _calibrated(self) -> Room:
        hardware = [Hardware.of_cards([card]) for card in self.kinds]
        return Room(
            _frozen([calibrated.usable_gb(one) for one in hardware]), _frozen([calibrated.comfortable_gb(one) for one in hardware])
        )

    def room(self, model: Figures) -> Room:
        """What the model may take of each kind of card, by its method."""
        return self._documented if model.layout is None else self._calibrated

    @cached_property
    def device(self) -> Device[Floats]:
        """All kinds of cards as one device whose figures are arrays, for the calibrated method."""
        return Device.table(self.kinds)

    @cached_property
    def smallest_first(self) -> NDArray[np.intp]:
        """Indices of all cards: least memory, then the earliest release, then the name."""
        return np.lexsort((self.by_name, self.released, self.memory_gb))

    @cached_property
    def with_memory(self) -> dict[float, NDArray[np.intp]]:
        """Indices of the cards of each memory size in GB."""
        return {float(size): np.flatnonzero(self.memory_gb == size) for size in set(self.kind_memory_gb)}

    def smallest_memory(self, model: Figures, need: float) -> float | None:
        """The least memory in GB among these cards that holds ``need`` GB of the model; ``None`` where no card does."""
        holding = self.kind_memory_gb[need <= self.room(model).usable_gb]
        return float(holding.min()) if holding.size else None


@dataclass(frozen=True)
class Survey:
    """One model on every card of a table.

    Arrays have shape (kinds,) or (cards,); what cannot run the model has rung -1 and speed NaN.
    """

    table: CardTable
    model: Figures
    context: int
    rungs: tuple[Quant, ...]
    needs_gb: Floats
    """Need of each rung, shape (rungs,)."""
    kind_rung: NDArray[np.intp]
    kind_tok_s: Floats

    @cached_property
    def rung(self) -> NDArray[np.intp]:
        """Which rung each card runs the model at, shape (cards,)."""
        return self.kind_rung[self.table.kind]

    @cached_property
    def tok_s(self) -> Floats:
        """Speed on each card in tokens a second, shape (cards,)."""
        return self.kind_tok_s[self.table.kind]

    @cached_property
    def runs(self) -> NDArray[np.bool_]:
        """Which cards run the model, shape (cards,)."""
        return self.rung >= 0

    @cached_property
    def count(self) -> int:
        """How many cards run the model."""
        return int(self.table.of_kind[self.kind_rung >= 0].sum())

    @cached_property
    def median_tok_s(self) -> float | None:
        """Median speed over the cards that run it; ``None`` where there is none."""
        running = self.kind_rung >= 0
        speeds, counts = self.kind_tok_s[running], self.table.of_kind[running]
        if not speeds.size or np.isnan(speeds[0]):
            return None
        order = np.argsort(speeds)
        up_to = np.cumsum(counts[order])
        middle = np.array([(self.count - 1) // 2, self.count // 2])
        return float(speeds[order[np.searchsorted(up_to, middle, side="right")]].mean())

    @cached_property
    def above_reading_speed(self) -> int:
        """Cards that write at least as fast as people read (10 tok/s)."""
        return int(self.table.of_kind[self.kind_tok_s >= constants()["documented"]["reading_speed_tok_s"]].sum())

    @cached_property
    def levels(self) -> tuple[Quant, ...]:
        """The distinct quants in use over all cards that run it, best first."""
        return tuple(self.rungs[index] for index in sorted({*self.kind_rung.tolist()} - {-1}))

    def estimate(self, index: int) -> Estimate | None:
        """The estimate of one card of the table, or ``None`` where it cannot run the model."""
        kind = self.table.kind[index]
        rung = int(self.kind_rung[kind])
        if rung < 0:
            return None
        if self.model.layout is not None:
            # The range and how sure it is are those of this very card.
            hardware = Hardware.of_cards([self.table.cards[index]], self.table.measured)
            return at_quant(self.model, hardware, self.rungs[rung], self.context)
        need = float(self.needs_gb[rung])
        fit: Fit = "comfortable" if need <= self.table.room(self.model).comfortable_gb[kind] else "tight"
        tok_s = float(self.kind_tok_s[kind])
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
    def ends(self) -> tuple[int, int] | None:
        """The first and the last card of the ranking; ``None`` where no card runs it, or how fast is unknown."""
        speeds = np.round(self.kind_tok_s, 6)
        running = speeds[self.kind_rung >= 0]
        if not running.size or np.isnan(running[0]):
            return None
        by_name = self.table.by_name
        of_cards = speeds[self.table.kind]
        quickest, slowest = (np.flatnonzero(of_cards == speed) for speed in (running.max(), running.min()))
        return int(quickest[np.argmin(by_name[quickest])]), int(slowest[np.argmax(by_name[slowest])])

    @cached_property
    def by_size(self) -> NDArray[np.intp]:
        """Indices of the cards that run it: least memory, then the earliest release, then the name."""
        order = self.table.smallest_first
        return order[self.runs[order]]

    def _ordered(self, *ties: Floats) -> NDArray[np.intp]:
        order = np.lexsort((*ties, -np.round(self.kind_tok_s, 6)[self.table.kind]))
        return order[self.runs[order]]

    def fastest_with(self, memory_gb: float) -> int | None:
        """The fastest card with exactly that memory (ties: the earliest release, then the name); ``None`` where none runs it."""
        cards = self.table.with_memory.get(memory_gb, _NOWHERE)
        eligible = cards[self.kind_rung[self.table.kind[cards]] >= 0]
        if not eligible.size:
            return None
        speeds = -np.round(self.kind_tok_s[self.table.kind[eligible]], 6)
        keys = (self.table.by_name[eligible], self.table.released[eligible], speeds)
        return int(eligible[np.lexsort(keys)[0]])

    @cached_property
    def nearest_miss_gb(self) -> float | None:
        """Need at Q4_K_M less the usable memory of the largest card that cannot run it; ``None`` where every card does."""
        failing = self.table.room(self.model).usable_gb[self.kind_rung < 0]
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
    rung = fits.argmax(axis=0)
    speeds = np.full(len(table.kinds), np.nan)
    if model.layout is not None:
        found = calibrated.seconds(model, rungs, tokens, rung, table.device)
        if found is not None:
            speeds = 1 / found
    elif model.parameters_read:
        efficiency = np.array([step.efficiency for step in rungs])
        read = np.array([gb_read(model.parameters_read, step) for step in rungs])
        speeds = tokens_per_second(table.kind_reached_gb_s, efficiency[rung], read[rung])
    out = ~fits.any(axis=0)
    rung[out] = -1
    speeds[out] = np.nan
    return Survey(table, model, tokens, rungs, needs, rung, speeds)


def _frozen(values: object) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    array.setflags(write=False)
    return array
