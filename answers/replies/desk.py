"""The desk that replies are worked out at: the catalogue, its cards as arrays, and the parts that every reply is made of."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import date
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from answers.catalogue.records import Card, Model, Segment
from answers.catalogue.snapshot import Catalogue
from answers.estimator.calibrated.memory import GIB
from answers.estimator.estimate import COMMON, at_quant, best, common, need_gb, rungs, split, usable_gb
from answers.estimator.figures import Figures
from answers.estimator.hardware import Hardware
from answers.estimator.parts import Estimate, Split
from answers.estimator.parts import Speed as EstimatedSpeed
from answers.estimator.quants import Quant, constants, ladder, quant
from answers.estimator.survey import CardTable, Survey, survey
from answers.questions.question import Cards, Method, Question
from answers.replies.parts import (
    Basis,
    CardCount,
    CardRef,
    CardRung,
    HardwareRef,
    MeasuredFigure,
    ModelRef,
    ModelRung,
    Rung,
    SizeRung,
    SpeedFigure,
    SplitFigure,
    Successor,
)

RECENT_YEARS = 6
CURRENT_MONTHS = 24
"""A model counts as current while nothing on file supersedes it and it is not older than this."""
NEAREST = 4
RAM_TAKEN_GB = 3.0
RAM_TAKEN_SHARE = 0.05
RAM_TAKEN_MOST = 0.2
"""Of system memory: what the system and everything else take beside a model. gpt-oss 120B with 56 GB of experts in 64 GB of RAM
is what people run."""
ANY = Figures.dense(1e9)
"""Stands for a model where the hardware is looked at by itself."""

_BRAND = re.compile(r"^(?:GeForce (?=(?:RTX|GTX|GTS|GT|MX\d+|G[ST]?) ?\S)|Radeon Instinct (?=MI\d)|Radeon (?=(?:RX|R[5-9]|HD)\b))")


class Desk:
    """Built once per catalogue and shared by every question."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.surveyed = CardTable(catalogue.surveyed, catalogue.measured.sizes)
        self._table_of = lru_cache(maxsize=16)(self._table_of_vendor)
        self.survey = lru_cache(maxsize=64)(self._survey)
        # By name, since hashing a record goes through all of its fields.
        self._figures: dict[tuple[str, Method | None, str | None], Figures] = {}
        self._cards: dict[str, CardRef] = {}
        self._together = lru_cache(maxsize=1024)(self._of_names)
        self.model_suits = lru_cache(maxsize=16)(self._model_suits)
        self.model_needs = lru_cache(maxsize=16)(self._model_needs)

    def _survey(
        self, model: Figures, context: int | None, floor: str | None, at: Quant | None, vendor: str | None = None
    ) -> Survey:
        return survey(model, self._table_of(vendor), context, floor, at)

    def _table_of_vendor(self, vendor: str | None) -> CardTable:
        """The surveyed cards; for a vendor of which none is surveyed (Apple), all of that vendor's."""
        if not vendor or any(card.vendor.lower() == vendor.lower() for card in self.surveyed.cards):
            return self.surveyed
        own = [card for card in self.catalogue.cards if card.vendor.lower() == vendor.lower()]
        return CardTable(own, self.catalogue.measured.sizes) if own else self.surveyed

    def _model_needs(self, context: int | None, at: Quant) -> NDArray[np.float64]:
        """Needs in GB of every model at that quant, shape (models,)."""
        return np.array([need_gb(model, at, model.context(context)) for model in self._all_figures])

    def model_room(self, hardware: Hardware) -> NDArray[np.float64]:
        """What each model may take of the hardware in GB, by the model's own method; shape (models,)."""
        by_method = {method: usable_gb(one, hardware) for method, one in self._one_of_each_method.items()}
        found = np.empty(len(self._all_figures))
        for method, which in self._by_method.items():
            found[which] = by_method[method]
        return found

    @cached_property
    def _by_method(self) -> dict[Method, NDArray[np.bool_]]:
        return {method: np.array([model.method == method for model in self._all_figures]) for method in self._one_of_each_method}

    @cached_property
    def _one_of_each_method(self) -> dict[Method, Figures]:
        return {model.method: model for model in self._all_figures}

    @cached_property
    def _all_figures(self) -> tuple[Figures, ...]:
        return tuple(self.figures(model) for model in self.catalogue.models)

    @cached_property
    def models_by_size(self) -> NDArray[np.intp]:
        """Indices of the models, larger first, newer first within a size."""
        models = self.catalogue.models
        keys = sorted(range(len(models)), key=lambda i: (models[i].size, models[i].released, models[i].name), reverse=True)
        return np.array(keys, dtype=np.intp)

    @cached_property
    def current_models(self) -> NDArray[np.bool_]:
        """Which models are current: nothing on file supersedes them, and they are not older than two years; shape (models,)."""
        today = self.catalogue.date
        return np.array(
            [
                model.superseded_by is None and months_between(model.released, today) <= CURRENT_MONTHS
                for model in self.catalogue.models
            ]
        )

    def _model_suits(self, use: str | None) -> NDArray[np.bool_]:
        """Which models are for that use; without one, those that are more than a bare pretrained model; shape (models,)."""
        return np.array([use in m.uses if use else bool(set(m.uses) - {"base"}) for m in self.catalogue.models])

    @cached_property
    def recent_since(self) -> date:
        """Cards released since then count as recent: six years before the catalogue's date."""
        today = self.catalogue.date
        return today.replace(year=today.year - RECENT_YEARS, day=min(today.day, 28))

    def survey_of(self, question: Question, model: Figures) -> Survey:
        """The model on all surveyed cards (or a vendor's own that are not surveyed), as the question wants it."""
        at = quant(question.quant) if question.quant else None
        return self.survey(model, question.context, question.min_quality, at, question.vendor)

    # -- the parts of a reply ---------------------------------------------------------------------------------------------------

    def model(self, question: Question) -> tuple[ModelRef, Figures, Model | None]:
        """The first model of the question, or the dense model of the size it states."""
        if question.models:
            record = self.catalogue.model(question.models[0])
            return model_ref(record), self.figures(record, question), record
        assert question.parameters is not None
        return sized_ref(question.parameters), Figures.dense(question.parameters), None

    def hardware(self, question: Question, model: Figures | None = None) -> tuple[HardwareRef, Hardware] | None:
        """The hardware of the question, with what the model may take of it; ``None`` where it names none."""
        if question.cards:
            counted = [(self.catalogue.card(entry.name), entry.count) for entry in question.cards]
            left = question.memory_gb if question.memory_usable else None
            return self.of_cards(counted, model, question.ram_gb, None if left is None else left * question.n_cards)
        if question.cpu_only and question.ram_gb is not None:
            rate = question.ram_gb_s or float(constants()["documented"]["offload"]["system_memory_gb_s"])
            machine = Hardware.of_system_memory(usable_ram_gb(question.ram_gb), rate)
            ref = HardwareRef(
                memory_gb=question.ram_gb,
                total_gb=question.ram_gb,
                usable_gb=machine.memory_gb,
                usable_stated=True,
                cpu=True,
                ram_gb=question.ram_gb,
                ram_gb_s=rate,
            )
            return ref, machine
        if question.memory_gb is not None:
            count = question.n_cards
            hardware = Hardware.of_memory(question.memory_gb, count, unified=question.unified, all_usable=question.memory_usable)
            ref = HardwareRef(
                memory_gb=question.memory_gb,
                count=count,
                total_gb=hardware.memory_gb,
                usable_gb=usable_gb(model or ANY, hardware),
                binary_gb=_binary(model, hardware),
                unified=question.unified,
                ram_gb=question.ram_gb,
                usable_stated=question.memory_usable,
            )
            return ref, hardware
        return None

    def divided(self, model: Figures, hardware: Hardware, question: Question) -> Split | None:
        """The model between the cards and system memory: at the quant asked for, else at what most people run.

        Where system memory is stated and does not hold its part of that, at the best smaller quant of which it does.
        """
        wanted = wanted_quant(question, model)
        steps = [wanted]
        if question.ram_gb is not None and not question.quant:
            steps += [step for step in rungs(model, question.min_quality) if step.memory_bpw < wanted.memory_bpw]
        found: Split | None = None
        for step in steps:
            tried = split(model, hardware, step, question.context, question.ram_gb_s)
            found = found or tried
            if tried is not None and question.ram_gb is not None and tried.ram_gb <= usable_ram_gb(question.ram_gb):
                return tried
        return found

    def timed(self, ref: HardwareRef, hardware: Hardware) -> Hardware:
        """The cards that tell a speed: those named, else for an amount of memory the card that is named first for it."""
        first = self.first_card(ref.memory_gb) if not (ref.named or ref.unified or ref.cpu) else None
        return self.together([first]) if first and ref.count == 1 and not ref.usable_stated else hardware

    def together(self, cards: Iterable[Card]) -> Hardware:
        """Cards used together, each as often as it is there, with what was measured on them."""
        return self._together(tuple([card.name for card in cards]))

    def _of_names(self, names: tuple[str, ...]) -> Hardware:
        return Hardware.of_cards([self.catalogue.card(name) for name in names], self.catalogue.measured.sizes)

    def of_cards(
        self,
        counted: Sequence[tuple[Card, int]],
        model: Figures | None = None,
        ram_gb: float | None = None,
        free_gb: float | None = None,
    ) -> tuple[HardwareRef, Hardware]:
        """Named cards, used together, with what the model may take of them: ``free_gb`` in all, where that is stated."""
        all_of_it = self.together([card for card, count in counted for _ in range(count)])
        hardware = all_of_it if free_gb is None else replace(all_of_it, memory_gb=free_gb, all_usable=True)
        ref = HardwareRef(
            cards=tuple(CardCount(card=self.card(card), count=count) for card, count in counted),
            memory_gb=all_of_it.memory_gb,
            count=sum(count for _, count in counted),
            total_gb=all_of_it.memory_gb,
            usable_gb=usable_gb(model or ANY, hardware),
            binary_gb=_binary(model, hardware),
            usable_stated=free_gb is not None,
            ram_gb=ram_gb,
            unified=all(card.unified for card, _ in counted),
        )
        return ref, hardware

    def card(self, card: Card) -> CardRef:
        """A card as it is named in an answer."""
        if card.name not in self._cards:
            self._cards[card.name] = card_ref(card)
        return self._cards[card.name]

    def measured(self, hardware: HardwareRef, record: Model | None, at: str) -> MeasuredFigure | None:
        """What was measured of this model at this quant on this card, or on so many of it; ``None`` where nothing was."""
        if record is None or len(hardware.cards) != 1:
            return None
        one = hardware.cards[0]
        found = self.catalogue.measured.of(one.card.name, record.name, at, one.count)
        if found is None:
            return None
        return MeasuredFigure(
            tok_s=found.tok_s,
            low_tok_s=found.low_tok_s,
            high_tok_s=found.high_tok_s,
            runs=found.runs,
            context=found.depth,
            sources=found.sources,
        )

    def figures(self, model: Model, question: Question | None = None) -> Figures:
        """What the estimator needs to know of a model of the catalogue, by the method and the cache that the question asks for."""
        method, kv = (question.method, question.kv) if question else (None, None)
        key = (model.name, method, kv)
        found = self._figures.get(key)
        if found is None:
            found = self._figures[key] = Figures.of(model, method, kv)
        return found

    def basis(self, question: Question, model: Figures | None = None, among: Sequence[Figures] = ()) -> Basis:
        """What the figures are worked out for, with the context cut to the model's own; ``among``: several models side by side."""
        asked = question.context or int(constants()["documented"]["default_context"])
        context = model.context(question.context) if model else asked
        methods: set[Method] = {one.method for one in (*among, *((model,) if model else ()))}
        other = quant(question.quant).name if question.quant and quant(question.quant).scheme == "other" else None
        return Basis(
            context=context,
            context_cut_from=asked if asked > context and question.context else None,
            method=_method(methods),
            confidence=constants()["documented"]["confidence"],
            kv=question.kv if "calibrated" in methods else None,
            common=common(model).name if model else COMMON,
            other_scheme=other,
        )

    # -- choices of cards -------------------------------------------------------------------------------------------------------

    def suggested(self) -> Iterable[tuple[float, Card]]:
        """Memory sizes in GB that people can get next, ascending, each with the card that is named first for it."""
        for size in self.catalogue.suggested_sizes:
            yield size, self.catalogue.card(self.catalogue.first_cards[size])

    def first_cards(self) -> Iterable[tuple[float, Card]]:
        """All memory sizes in GB, ascending, each with the card that is named first for it."""
        for size in sorted(self.catalogue.first_cards):
            yield size, self.catalogue.card(self.catalogue.first_cards[size])

    def first_card(self, memory_gb: float) -> Card | None:
        """The card that is named first for that memory."""
        name = self.catalogue.first_cards.get(memory_gb)
        return self.catalogue.card(name) if name else None

    def on_card(self, model: Figures, card: Card, question: Question, at: Quant | None = None) -> CardRung | None:
        """The model on one card at its best quant (or at ``at``), where it fits."""
        found = self.try_on(model, self.together([card]), question, at)
        return CardRung(card=self.card(card), rung=rung(found)) if found else None

    def try_on(self, model: Figures, hardware: Hardware, question: Question, at: Quant | None = None) -> Estimate | None:
        """The best quant that fits, or the one asked for where that fits."""
        wanted = at or (quant(question.quant) if question.quant else None)
        if wanted is None:
            return best(model, hardware, question.context, question.min_quality)
        tried = at_quant(model, hardware, wanted, question.context)
        return tried if tried.fit != "no" else None

    def size_rung(
        self, model: Figures, question: Question, accept: Callable[[Estimate], bool], above_gb: float = 0.0
    ) -> SizeRung | None:
        """The smallest memory size above ``above_gb`` whose first-named card runs the model in a way that ``accept`` agrees to."""
        for size, card in self.suggested():
            if size <= above_gb:
                continue
            found = self.try_on(model, self.together([card]), question)
            if found and accept(found):
                return SizeRung(memory_gb=size, card=self.card(card), rung=rung(found))
        return None

    def comfortable_size(self, model: Figures, question: Question) -> SizeRung | None:
        """The smallest memory size whose first-named card runs the model with room to spare, at Q4_K_M or better."""
        enough = 0.0 if question.quant else common(model).memory_bpw
        return self.size_rung(model, question, lambda tried: tried.fit == "comfortable" and tried.quant.memory_bpw >= enough)

    def card_at(self, found: Survey, index: int | None) -> CardRung | None:
        """One card of a survey with its rung."""
        if index is None:
            return None
        estimate = found.estimate(int(index))
        return CardRung(card=self.card(found.table.cards[int(index)]), rung=rung(estimate)) if estimate else None

    def smallest(self, found: Survey) -> CardRung | None:
        """Least memory, then the earliest release."""
        order = found.table.smallest_first
        return self.card_at(found, int(order[np.argmax(found.runs[order])])) if found.count else None

    def smallest_current(self, found: Survey) -> CardRung | None:
        """Least memory among recent consumer cards, the most recently released of those."""
        fitting = found.by_size[self.is_current[found.by_size]]
        if not fitting.size:
            return None
        memory, released = found.table.memory_gb[fitting], found.table.released[fitting]
        least = fitting[memory == memory[0]]
        return self.card_at(found, int(least[np.argmax(released[memory == memory[0]])]))

    @cached_property
    def chips(self) -> CardTable:
        """All computers with unified memory."""
        return CardTable([card for card in self.catalogue.cards if card.unified], self.catalogue.measured.sizes)

    @cached_property
    def is_current(self) -> NDArray[np.bool_]:
        """Which surveyed cards are current, shape (cards,)."""
        return np.array([self.current(card) for card in self.surveyed.cards])

    def current(self, card: Card) -> bool:
        """Whether people can be expected to own or buy it: a consumer card of the last six years."""
        return card.segment is Segment.CONSUMER and card.released is not None and card.released >= self.recent_since

    # -- names ------------------------------------------------------------------------------------------------------------------

    def nearest(self, typed: str, what: str) -> tuple[str, ...]:
        """The names on file that are closest to one that is not, best first."""
        names = self.catalogue.names
        match = names.find_models(typed) if what == "model" else names.find_cards(typed)
        return (match.names or match.nearest)[:NEAREST]

    def counted(self, name: str) -> Cards:
        """One of that card, as a question carries it."""
        return Cards(name=self.catalogue.card(name).name)

    # -- ways on ----------------------------------------------------------------------------------------------------------------

    def smaller_model(self, record: Model | None, hardware: Hardware, question: Question) -> ModelRung | None:
        """The largest smaller model of the same line that the hardware runs at Q4_K_M or better, else of the same family.

        Where a newer model of like size has replaced it, that one.
        """
        if record is None:
            return None
        relatives = [
            model
            for model in self.catalogue.families.get(record.family, ())
            if model.size < record.size and not (model.moe and not record.moe)
        ]
        line = line_of(record.name)
        same_line = [model for model in relatives if line_of(model.name) == line]
        for group in (same_line, [model for model in relatives if set(model.uses) & set(record.uses)]):
            for model in sorted(group, key=lambda model: (-model.size, model.superseded_by is not None, model.name)):
                newer = self.successor(model)
                for candidate in ([self.catalogue.model(newer.name)] if newer else []) + [model]:
                    figures = self.figures(candidate, question)
                    found = (
                        best(figures, hardware, question.context, common(figures).name) if candidate.size < record.size else None
                    )
                    if found:
                        return ModelRung(model=model_ref(candidate), rung=rung(found))
        return None

    def successor(self, record: Model) -> Successor | None:
        """The newest model of like size in the same line, following the chain of successors."""
        seen = {record.name}
        current = record
        while current.superseded_by and current.superseded_by not in seen:
            seen.add(current.superseded_by)
            current = self.catalogue.model(current.superseded_by)
        return None if current is record else Successor(name=current.name, released=current.released)


def _binary(model: Figures | None, hardware: Hardware) -> float | None:
    """The memory in GB of hardware whose size is stated in powers of two, where the method takes it at that."""
    if model is None or model.layout is None or hardware.all_usable:
        return None
    return hardware.memory_gb * 2**30 / 1e9


def _method(methods: Collection[Method]) -> Literal["documented", "calibrated", "both"]:
    if len(methods) > 1:
        return "both"
    return "calibrated" if "calibrated" in methods else "documented"


def line_of(name: str) -> str:
    """The name without its size: ``StarCoder 2 15B`` and ``StarCoder 2 7B`` are one line."""
    return re.sub(r"\s*\b\d+(?:\.\d+)?(?:x\d+(?:\.\d+)?)?[BM](?:-A\d+(?:\.\d+)?B)?\b", "", name).strip().lower()


def model_ref(record: Model) -> ModelRef:
    """A record as it is named in an answer."""
    return ModelRef(
        name=record.name,
        parameters=record.size,
        active_parameters=record.active_parameters if record.moe else None,
        moe=record.moe,
        max_context=record.max_context,
    )


def sized_ref(parameters: float) -> ModelRef:
    """A size without a name."""
    return ModelRef(name=size_name(parameters), parameters=parameters, on_file=False)


def months_between(released: str, today: date) -> int:
    """Whole months from a release to a day; a release of which only the year is known counts from its January."""
    return (today.year - int(released[:4])) * 12 + today.month - int(released[5:7] or 1)


def size_name(parameters: float) -> str:
    """``7e9`` -> ``7B``, ``1.5e9`` -> ``1.5B``, ``355e6`` -> ``355M``."""
    if parameters >= 999.5e6:
        return f"{round(parameters / 1e9, 1):g}B" if parameters < 1e12 else f"{round(parameters / 1e12, 2):g}T"
    return f"{round(parameters / 1e6):d}M"


def range_decimals(low_tok_s: float) -> int:
    """The decimals that a speed's range is printed with, by its lower end: below 2 tok/s a whole number would say little, or 0."""
    shown = round(low_tok_s, 1)
    return 0 if shown >= 2 else 1 if shown else 2


def label_of(name: str) -> str:
    """The name that people say: without GeForce and Radeon where the series follows."""
    return _BRAND.sub("", name)


def card_ref(card: Card) -> CardRef:
    """A card as it is named in an answer."""
    return CardRef(
        name=card.name,
        label=label_of(card.name),
        memory_gb=card.memory_gb,
        segment=card.segment,
        vendor=card.vendor,
        released=card.released.isoformat() if card.released else None,
        bandwidth_gb_s=card.bandwidth_gb_s,
    )


def speed_figure(speed: EstimatedSpeed | None) -> SpeedFigure | None:
    """A speed as a reply carries it."""
    if speed is None:
        return None
    return SpeedFigure(tok_s=speed.tok_s, low_tok_s=speed.low_tok_s, high_tok_s=speed.high_tok_s, confidence=speed.confidence)


def rung(estimate: Estimate) -> Rung:
    """An estimate as a reply carries it."""
    return Rung(quant=estimate.quant.name, need_gb=estimate.need_gb, fit=estimate.fit, speed=speed_figure(estimate.speed))


def usable_ram_gb(ram_gb: float) -> float:
    """What a model may take of so much system memory, in decimal GB: modules are sold in GiB."""
    whole = ram_gb * GIB
    # What runs in little memory is made for it: a Raspberry Pi takes less for itself than a desktop.
    return whole * (1 - RAM_TAKEN_SHARE) - min(RAM_TAKEN_GB, RAM_TAKEN_MOST * whole)


def split_figure(found: Split | None, question: Question) -> SplitFigure | None:
    """A split as a reply carries it, against the system memory that the question states."""
    if found is None:
        return None
    ram_gb = question.ram_gb
    return SplitFigure(
        quant=found.quant.name,
        layers_on_card=found.layers_on_card,
        layers=found.layers,
        experts=found.experts,
        ram_gb=found.ram_gb,
        ram_fits=None if ram_gb is None else found.ram_gb <= usable_ram_gb(ram_gb),
        ram_gb_s=found.ram_gb_s,
        ram_gb_s_stated=question.ram_gb_s is not None,
        speed=speed_figure(found.speed),
    )


def wanted_quant(question: Question, model: Figures) -> Quant:
    """The quant asked for, else the one that most people run the model at."""
    return quant(question.quant) if question.quant else common(model)


def next_lower(name: str) -> Quant | None:
    """The next rung of the ladder below a quant, down to the default floor."""
    current = quant(name)
    lower = [step for step in ladder() if step.memory_bpw < current.memory_bpw]
    return lower[0] if lower else None
