"""``/which-gpu``: the cards that run a model, ranked, ten at a time."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands

from answers.answering import Answering
from answers.questions.question import Question
from commands.asking import answer_typed
from commands.autocomplete import Autocomplete
from commands.hardware import LARGEST_GB, MOST_TYPED, least_quants, ranking, vendors
from commands.names import Names
from commands.services import Services


def which_gpu(services: Services, names: Names, autocomplete: Autocomplete) -> app_commands.Command[Any, ..., Any]:
    """The command."""
    renamed, described = names.options(
        "model", "sort", "vram", "vendor", "min-quant", "context", "method", "chart", "private", include_unfit="all"
    )

    @app_commands.command(name=names.name("commands.which-gpu"), description=names.description("commands.which-gpu"))
    @app_commands.rename(**renamed)
    @app_commands.describe(**described)
    @app_commands.autocomplete(model=autocomplete.model)
    @app_commands.choices(sort=names.choices("sort"), vendor=vendors(), min_quant=least_quants(), method=names.choices("method"))
    async def command(
        interaction: discord.Interaction,
        model: app_commands.Range[str, 1, MOST_TYPED],
        sort: str | None = None,
        vram: app_commands.Range[float, 1, LARGEST_GB] | None = None,
        vendor: str | None = None,
        min_quant: str | None = None,
        context: app_commands.Range[str, 1, 20] | None = None,
        include_unfit: bool = False,
        method: str | None = None,
        chart: bool = False,
        private: bool = False,
    ) -> None:
        def read(answering: Answering) -> Question:
            return ranking(
                answering,
                model,
                order=sort,
                vram=vram,
                vendor=vendor,
                min_quality=min_quant,
                context=context,
                include_unfit=include_unfit,
                method=method,
            )

        typed = ("which-gpu", model, sort, vram, vendor, min_quant, context, include_unfit, method)
        await answer_typed(services, interaction, read, typed, chart=chart, private=private)

    return command
