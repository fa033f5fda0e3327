"""Questions that between them reach every kind of reply, for any model and any card."""

from __future__ import annotations

from collections.abc import Iterator

from answers.questions.question import Cards, Intent, Question

MODELS = (
    "StarCoder 2 15B",
    "StarCoder",
    "PolyCoder",
    "Qwen3 30B-A3B",
    "DeepSeek-R1 671B",
    "Llama 3.1 8B",
    "Gemma 3 27B",
    "Ring-mini-linear-2.0",
)
CARDS = (
    "GeForce RTX 3060 12 GB",
    "GeForce RTX 4090",
    "Radeon RX 7900 XTX",
    "Tesla P40",
    "GeForce RTX 4060 Mobile",
    "Apple M2 Ultra 192 GB",
    "GeForce GT 1030",
)
RECORD = (
    Intent.PARAMETERS,
    Intent.CREATOR,
    Intent.RELEASED,
    Intent.PURPOSE,
    Intent.DOWNLOAD,
    Intent.OPEN_SOURCE,
    Intent.TRAINING_COMPUTE,
    Intent.SPEC,
)
ON_HARDWARE = (
    Intent.CAN_RUN,
    Intent.SPEED,
    Intent.FITS_NOT,
    Intent.MAX_CONTEXT,
    Intent.TWO_GPUS,
    Intent.VRAM_NEEDED,
    Intent.ACCURACY,
    Intent.WHICH_QUANT,
)
OF_MODEL = (
    Intent.GPU_NEEDED,
    Intent.VRAM_NEEDED,
    Intent.SPEED,
    Intent.FITS_NOT,
    Intent.TWO_GPUS,
    Intent.QUANT_DIFFERS,
    Intent.ACCURACY,
    Intent.CHOOSE_GPU,
    Intent.MAX_CONTEXT,
    Intent.WHICH_QUANT,
)


def of_model(name: str) -> Iterator[Question]:
    """Everything that is asked of a model without hardware."""
    for intent in (*RECORD, *OF_MODEL):
        yield Question(intent=intent, models=(name,))
    for order in ("fastest", "smallest", "slowest"):
        yield Question(intent=Intent.RANK_CARDS, models=(name,), order=order)
    yield Question(intent=Intent.RANK_CARDS, models=(name,), memory_gb=7)
    yield Question(intent=Intent.RANK_CARDS, models=(name,), min_speed=30, max_power_w=250)
    yield Question(intent=Intent.VRAM_NEEDED, models=(name,), quant="Q8_0", context=32768)
    yield Question(intent=Intent.VRAM_NEEDED, models=(name,), quant="GPTQ")
    yield Question(intent=Intent.VRAM_NEEDED, models=(name,), about_cache=True, context=8192)
    yield Question(intent=Intent.VRAM_NEEDED, models=(name,), about_cache=True, kv="q8_0")
    yield Question(intent=Intent.OPEN_SOURCE, models=(name,), commercial=True)
    yield Question(intent=Intent.CAN_RUN, models=(name, "StarCoder 2 3B"), memory_gb=12, at_once=True)
    yield Question(intent=Intent.MAX_CONTEXT, models=(name,), context=16384)
    yield Question(intent=Intent.CAN_RUN, models=(name,))
    yield Question(intent=Intent.COMPARE_MODELS, models=(name, "StarCoder 2 3B"))
    for memory in (2, 8, 12, 24, 48):
        yield Question(intent=Intent.CAN_RUN, models=(name,), memory_gb=memory)
    yield Question(intent=Intent.CAN_RUN, models=(name,), memory_gb=24, n_cards=3)
    yield Question(intent=Intent.CAN_RUN, models=(name,), memory_gb=7, memory_usable=True)
    yield Question(intent=Intent.CAN_RUN, models=(name,), memory_gb=64, unified=True)
    yield Question(intent=Intent.CAN_RUN, models=(name,), memory_gb=12, quant="Q8_0")
    for intent in ON_HARDWARE:
        for ram in (8, 64):
            yield Question(intent=intent, models=(name,), cpu_only=True, ram_gb=ram)
            yield Question(intent=intent, models=(name,), memory_gb=12, ram_gb=ram)
            yield Question(intent=intent, models=(name,), memory_gb=8, memory_usable=True, ram_gb=ram)
    yield Question(intent=Intent.FITS_NOT, models=(name,), memory_gb=12)
    yield Question(intent=Intent.QUANT_DIFFERS, models=(name,), quants=("Q4_K_M", "Q6_K"))
    yield Question(intent=Intent.QUANT_DIFFERS, models=(name,), quants=("Q2_K",), memory_gb=12)
    yield Question(intent=Intent.TWO_GPUS, models=(name,), memory_gb=12, n_cards=2)


def of_model_on_card(model: str, card: str) -> Iterator[Question]:
    """Everything that is asked of a model on a card, on two of them, and beside another one."""
    for intent in ON_HARDWARE:
        yield Question(intent=intent, models=(model,), cards=(Cards(name=card),))
        yield Question(intent=intent, models=(model,), cards=(Cards(name=card, count=2),))
    yield Question(intent=Intent.SPEED, models=(model,), cards=(Cards(name=card),), output_tokens=1000, context=32768)
    mixed = (Cards(name=card), Cards(name="GeForce RTX 3070"))
    yield Question(intent=Intent.CAN_RUN, models=(model,), cards=mixed)
    yield Question(intent=Intent.TWO_GPUS, models=(model,), cards=mixed)
    yield Question(intent=Intent.COMPARE_CARDS, models=(model,), cards=mixed)
    yield Question(intent=Intent.CHOOSE_GPU, models=(model,), cards=mixed)
    yield Question(intent=Intent.CAN_RUN, models=(model,), cards=(Cards(name=card),), quant="F16", context=10**6)
    yield Question(intent=Intent.CAN_RUN, models=(model, "StarCoder 2 3B"), cards=(Cards(name=card),))
    yield Question(intent=Intent.CAN_RUN, models=(model, "StarCoder 2 3B"), cards=(Cards(name=card),), at_once=True)
    yield Question(intent=Intent.COMPARE_MODELS, models=(model, "StarCoder 2 3B"), cards=(Cards(name=card),))
    yield Question(intent=Intent.MAX_CONTEXT, models=(model,), cards=(Cards(name=card),), context=131072)
    yield Question(intent=Intent.QUANT_DIFFERS, models=(model,), cards=(Cards(name=card),), quants=("Q8_0", "Q4_K_M", "Q2_K"))


def of_card(card: str) -> Iterator[Question]:
    """Everything that is asked of a card alone."""
    one = (Cards(name=card),)
    yield Question(intent=Intent.SPEC, cards=one)
    for use in (None, "general", "code", "reasoning", "vision"):
        yield Question(intent=Intent.WHAT_CAN_CARD_RUN, cards=one, use=use)
    yield Question(intent=Intent.TWO_GPUS, cards=(Cards(name=card, count=2),))
    yield Question(intent=Intent.TWO_GPUS, cards=(Cards(name=card), Cards(name="Tesla P40", count=2)))
    yield Question(intent=Intent.COMPARE_CARDS, cards=(Cards(name=card), Cards(name="GeForce RTX 3070")))
    yield Question(intent=Intent.COMPARE_CARDS, cards=(Cards(name=card), Cards(name="GeForce RTX 3090"), Cards(name="Tesla P40")))
    yield Question(intent=Intent.SPEED, cards=one)


def of_nothing() -> Iterator[Question]:
    """Questions that name no record, and those that cannot be answered as they stand."""
    for intent in (Intent.QUANT_DIFFERS, Intent.ACCURACY, Intent.TWO_GPUS, Intent.NONE, Intent.CHOOSE_GPU, Intent.COMPARE_MODELS):
        yield Question(intent=intent)
    for quants in (("Q4_K_M",), ("Q4_K_M", "Q6_K"), ("Q8_0", "F16"), ("F16",), ("Q3_K_M", "Q6_K"), ("Q6_K", "Q2_K")):
        yield Question(intent=Intent.QUANT_DIFFERS, quants=quants)
    for quants in (("Q2_K", "IQ2_M"), ("GPTQ", "Q4_K_M"), ("AWQ",), ("IQ4_XS", "Q4_K_M", "IQ3_M", "EXL2 4.65bpw"), ("F16", "BF16")):
        yield Question(intent=Intent.QUANT_DIFFERS, quants=quants, memory_gb=24, parameters=32e9)
    yield Question(intent=Intent.COMPARE_CARDS)
    yield Question(intent=Intent.WHAT_CAN_CARD_RUN)
    yield Question(intent=Intent.WHAT_CAN_CARD_RUN, memory_gb=1)
    yield Question(intent=Intent.WHAT_CAN_CARD_RUN, memory_gb=64, unified=True)
    yield Question(intent=Intent.WHAT_CAN_CARD_RUN, memory_gb=0.2)
    yield Question(intent=Intent.TWO_GPUS, memory_gb=12, n_cards=3)
    for intent in (Intent.CAN_RUN, Intent.GPU_NEEDED, Intent.SPEED, Intent.VRAM_NEEDED, Intent.CHOOSE_GPU):
        yield Question(intent=intent, parameters=70e9, memory_gb=24)
    yield Question(intent=Intent.CAN_RUN, models=("StarCoder",), memory_gb=0)
    yield Question(intent=Intent.CAN_RUN, models=("StarCoder",), memory_gb=12, context=10**12)
    yield Question(intent=Intent.CAN_RUN, parameters=1e30, memory_gb=12)
    yield Question(intent=Intent.CAN_RUN, models=("StarCoder",), memory_gb=12, ram_gb=0)
    yield Question(intent=Intent.CAN_RUN, unknown=("Foo 27B",), unknown_kind="model", parameters=27e9, memory_gb=24)
    yield Question(intent=Intent.CREATOR, unknown=("**Foo**",), unknown_kind="model")
    yield Question(intent=Intent.CAN_RUN, models=("StarCoder",), unknown=("RTX 9999",), unknown_kind="card")
    yield Question(intent=Intent.CREATOR, unknown=("qqqqqqqq zzzz",), unknown_kind="model")
    yield Question(
        intent=Intent.CAN_RUN,
        models=("StarCoder",),
        cards=(Cards(name="GeForce RTX 3060 12 GB"),),
        candidates={"3060": ("GeForce RTX 3060 12 GB", "GeForce RTX 3060 8 GB")},
    )
    yield Question(
        intent=Intent.CAN_RUN,
        models=("Llama 3.1 8B",),
        memory_gb=8,
        candidates={"llama": ("Llama 3.1 8B", "Llama 3 8B", "Llama 2 7B", "Llama 3.2 1B", "Llama 3.2 3B", "LLaMA 7B", "LLaMA 13B")},
    )


def every_question() -> Iterator[Question]:
    """All of the above."""
    yield from of_nothing()
    for card in CARDS:
        yield from of_card(card)
    for model in MODELS:
        yield from of_model(model)
        for card in CARDS:
            yield from of_model_on_card(model, card)
