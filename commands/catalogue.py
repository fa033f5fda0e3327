"""``/catalogue``: moderators load it afresh, see what is loaded, and look names up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import discord
from discord import app_commands

from answers.catalogue.snapshot import Catalogue
from answers.errors import DataError
from answers.rendering.message import Message
from commands.errors import Refusal, own_locale
from commands.hardware import MOST_TYPED
from commands.message import embed_of
from commands.moderation import ModeratorGroup, write_down
from commands.names import Names
from commands.services import Change, Services, TooSoon

MOST_FOUND = 10
MOST_SOURCES = 3
MOST_FAULT = 300
"""Characters of what is wrong with a file."""


def catalogue(services: Services, names: Names) -> app_commands.Group:
    """The command."""
    group = ModeratorGroup(names, "catalogue")
    texts = services.texts

    @group.command(name=names.name("subcommands.catalogue.reload"), description=names.description("subcommands.catalogue.reload"))
    async def reload(interaction: discord.Interaction) -> None:
        guild_id = interaction.guild_id
        if guild_id is None or not services.may_reload(guild_id):
            raise Refusal("catalogue.elsewhere")
        await interaction.response.defer(ephemeral=True)
        try:
            change = await services.reload()
        except TooSoon as error:
            raise Refusal("catalogue.too_soon", seconds=error.seconds) from error
        except DataError as error:
            await _write_down(services, interaction, guild_id, "catalogue.logged_damaged", {})
            raise Refusal("catalogue.damaged", fault=_fault(services, error)) from error
        message = told(services, change, own_locale(services, interaction))
        await interaction.followup.send(embed=embed_of(message), ephemeral=True)
        await _write_down(services, interaction, guild_id, *_summary(change))

    @group.command(name=names.name("subcommands.catalogue.status"), description=names.description("subcommands.catalogue.status"))
    async def status(interaction: discord.Interaction) -> None:
        held = services.answering.catalogue
        message = texts.message(
            "catalogue.status",
            own_locale(services, interaction),
            day=held.date.isoformat(),
            models=len(held.models),
            cards=len(held.cards),
            surveyed=len(held.surveyed),
            loaded=int(services.loaded_at.timestamp()),
            generation=services.generation,
            sources=[source.name for source in held.provenance[:MOST_SOURCES]],
            more=max(0, len(held.provenance) - MOST_SOURCES),
        )
        await interaction.response.send_message(embed=embed_of(message), ephemeral=True)

    renamed, described = names.options("text")

    @group.command(name=names.name("subcommands.catalogue.find"), description=names.description("subcommands.catalogue.find"))
    @app_commands.rename(**renamed)
    @app_commands.describe(**described)
    async def find(interaction: discord.Interaction, text: app_commands.Range[str, 1, MOST_TYPED]) -> None:
        held = services.answering.catalogue
        wanted = await services.wanted.most(held)
        message = found(services, held, text, own_locale(services, interaction), wanted)
        await interaction.response.send_message(embed=embed_of(message), ephemeral=True)

    assert all(command.parent is group for command in (reload, status, find))
    return group


def told(services: Services, change: Change, locale: str) -> Message:
    """What a reload changed, by name."""
    held = services.answering.catalogue
    kinds = {
        kind: {"models": getattr(change.models, kind), "cards": getattr(change.cards, kind)}
        for kind in ("added", "removed", "changed")
    }
    return services.texts.message(
        "catalogue.reloaded",
        locale,
        models=sum(map(len, asdict(change.models).values())),
        cards=sum(map(len, asdict(change.cards).values())),
        other=change.other,
        all_models=len(held.models),
        all_cards=len(held.cards),
        day=held.date.isoformat(),
        **kinds,
    )


def found(services: Services, held: Catalogue, typed: str, locale: str, wanted: Sequence[tuple[str, int]] = ()) -> Message:
    """The models and cards whose names have every word that was typed, and those that people mean by it; then what is wanted."""
    words = typed.lower().split()
    models = [model for model in held.models if _has(words, model.name, model.aliases)]
    cards = [card for card in held.cards if _has(words, card.name, card.aliases)]
    meant_models, meant_cards = held.names.find_models(typed), held.names.find_cards(typed)
    models = _first(models, [held.model(name) for name in meant_models.names])
    cards = _first(cards, [held.card(name) for name in meant_cards.names])
    if not models and not cards:
        nearest = (*meant_models.nearest[:3], *meant_cards.nearest[:2])
        return services.texts.message("catalogue.not_found", locale, typed=typed, nearest=nearest, wanted=tuple(wanted))
    return services.texts.message(
        "catalogue.found",
        locale,
        typed=typed,
        models=models[:MOST_FOUND],
        cards=cards[:MOST_FOUND],
        more_models=max(0, len(models) - MOST_FOUND),
        more_cards=max(0, len(cards) - MOST_FOUND),
        wanted=tuple(wanted),
    )


def _has(words: Sequence[str], name: str, aliases: Sequence[str]) -> bool:
    return any(all(word in spelling.lower() for word in words) for spelling in (name, *aliases))


def _first(every: Sequence[Any], meant: Sequence[Any]) -> list[Any]:
    """What is meant, then everything else."""
    return list({record.name: record for record in (*meant, *every)}.values())


def _fault(services: Services, error: DataError) -> str:
    """What is wrong with the file: without the folder that it lies in, and on one line that no Markdown can leave."""
    said = str(error).replace(str(services.catalogue), services.catalogue.name).replace("`", "'")
    line = " ".join(said.split())
    return line if len(line) <= MOST_FAULT else line[: MOST_FAULT - 1] + "…"


def _summary(change: Change) -> tuple[str, dict[str, int]]:
    if not change:
        return "catalogue.logged_same", {}
    pairs = ((change.models.added, change.cards.added), (change.models.removed, change.cards.removed))
    added, removed = (len(models) + len(cards) for models, cards in pairs)
    return "catalogue.logged_changes", {
        "added": added,
        "removed": removed,
        "changed": len(change.models.changed) + len(change.cards.changed),
    }


async def _write_down(
    services: Services, interaction: discord.Interaction, guild_id: int, key: str, figures: dict[str, int]
) -> None:
    say, who = services.texts.say, interaction.user.id
    await write_down(
        interaction.client,
        services,
        guild_id,
        lambda locale: say("catalogue.logged", locale, who=who, what=say(key, locale, **figures)),
    )
