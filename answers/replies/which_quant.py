"""Which quant to download: every one with its size, need, fit and speed, and three of them marked."""

from __future__ import annotations

from collections.abc import Sequence

from answers.catalogue.records import Model
from answers.estimator.estimate import COMMON, at_quant, common, file_gb, need_gb, rungs
from answers.estimator.figures import Figures
from answers.estimator.hardware import Hardware
from answers.estimator.quants import Quant, quant, quants
from answers.questions.question import Question
from answers.replies.desk import Desk, speed_figure, split_figure
from answers.replies.record import gguf_search
from answers.replies.reply import Loss, Mark, QuantOffer, WhichQuant

RECOMMENDED = ("Q6_K", "Q5_K_M", COMMON)
"""Between these a smaller file costs little, best first."""
LOWEST = "Q2_K"


def which_quant(desk: Desk, question: Question) -> WhichQuant:
    """The quants of a model, on hardware where it is named."""
    ref, figures, record = desk.model(question)
    named = desk.hardware(question, figures)
    hardware = named[1] if named else None
    steps = rungs(figures, LOWEST)
    offers = tuple(_offer(desk, record, figures, step, hardware, question) for step in steps)
    divided = None
    if hardware and all(offer.fit == "no" for offer in offers) and not hardware.unified:
        divided = split_figure(desk.divided(figures, hardware, question), question)
    return WhichQuant(
        model=ref,
        hardware=named[0] if named else None,
        rows=_marked(offers, common(figures).name, on_hardware=hardware is not None),
        native=len(steps) == 1,
        split=divided,
        gguf_search=gguf_search(record) if record else None,
        basis=desk.basis(question, figures),
    )


def _offer(
    desk: Desk, record: Model | None, figures: Figures, at: Quant, hardware: Hardware | None, question: Question
) -> QuantOffer:
    found = at_quant(figures, hardware, at, question.context) if hardware else None
    return QuantOffer(
        quant=at.name,
        file_gb=file_gb(figures, at),
        need_gb=found.need_gb if found else need_gb(figures, at, figures.context(question.context)),
        fit=found.fit if found else None,
        speed=speed_figure(found.speed) if found else None,
        loss=_loss(desk, record, at.name),
    )


def _loss(desk: Desk, record: Model | None, at: str) -> Loss | None:
    """What is published of this very model at this quant: its perplexity, else its divergence."""
    published = [figure for figure in desk.catalogue.quality.get(record.name, ()) if figure.quant == at] if record else []
    for figure in sorted(published, key=lambda figure: figure.metric != "perplexity"):
        return Loss(metric=figure.metric, value=figure.value, corpus=figure.corpus, source=figure.source)
    return None


def _marked(offers: Sequence[QuantOffer], usual: str, *, on_hardware: bool) -> tuple[QuantOffer, ...]:
    """The offers with their marks.

    Closest to the original is the best quant that fits; recommended the best from Q6_K to Q4_K_M that leaves room, else that fits;
    fastest the quickest that is not below Q4_K_M. Without hardware the usual quant is the one that is recommended.
    """
    fitting = [offer for offer in offers if offer.fit != "no"]
    marks: dict[str, list[Mark]] = {}
    if fitting:
        marks.setdefault(fitting[0].quant, []).append("closest")
    good = [offer for offer in fitting if offer.quant in RECOMMENDED or len(offers) == 1]
    roomy = [offer for offer in good if offer.fit == "comfortable"]
    best = next(iter(roomy or good), None)
    if not on_hardware:
        best = next(offer for offer in offers if offer.quant == usual)
    if best:
        marks.setdefault(best.quant, []).append("recommended")
    floor = quants()[COMMON].memory_bpw
    quick = [offer for offer in fitting if offer.speed and (quant(offer.quant).memory_bpw >= floor or len(offers) == 1)]
    if quick:
        fastest = max(quick, key=lambda offer: offer.speed.tok_s if offer.speed else 0.0)
        marks.setdefault(fastest.quant, []).append("fastest")
    return tuple(offer.model_copy(update={"marks": tuple(marks.get(offer.quant, ()))}) for offer in offers)
