"""``/rig`` and the member menu "Show rig": the machines that somebody saved, for themselves and for whom they let look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import discord
from discord import app_commands

from answers.answering import Answering
from answers.catalogue.snapshot import Catalogue
from answers.rendering.message import Message
from answers.replies.build import out_of_range
from answers.replies.desk import label_of
from commands.autocomplete import Autocomplete
from commands.errors import Refusal, own_locale
from commands.hardware import LARGEST_RAM_GB, MOST_TYPED, context_of
from commands.message import embed_of
from commands.names import Names
from commands.rigs import label, missing_cards
from commands.services import Services
from commands.store.rigs import Rig

MOST_MACHINES = 5
LONGEST_NAME = 32
MOST_NEAREST = 3
RUNNERS = ("llama.cpp", "Ollama", "LM Studio", "KoboldCpp", "MLX", "vLLM", "ExLlama", "Jan", "text-generation-webui")
OTHER_RUNNER = "other"
"""The choice of commands.toml that takes a runner back."""
NO_CONTEXT = frozenset(("0", "-"))
"""What is typed to take a usual context back; a memory is taken back with 0."""
Person = discord.Member | discord.User


def rig(services: Services, names: Names, autocomplete: Autocomplete) -> app_commands.Group:
    """The command."""
    group = app_commands.Group(name=names.name("commands.rig"), description=names.description("commands.rig"))
    machines = _machines(services)
    renamed, described = names.options("hardware", "ram", "free-vram", "context", "runner", "visible", "machine")
    described["hardware"] = names.description("options.rig-hardware")
    runners = [*(app_commands.Choice(name=name, value=name) for name in RUNNERS), *names.choices("runner")]

    @group.command(name=names.name("subcommands.rig.set"), description=names.description("subcommands.rig.set"))
    @app_commands.rename(**renamed)
    @app_commands.describe(**described)
    @app_commands.autocomplete(hardware=autocomplete.hardware, machine=machines)
    @app_commands.choices(runner=runners)
    async def set_(
        interaction: discord.Interaction,
        hardware: app_commands.Range[str, 1, MOST_TYPED] | None = None,
        ram: app_commands.Range[float, 0, LARGEST_RAM_GB] | None = None,
        free_vram: app_commands.Range[float, 0, LARGEST_RAM_GB] | None = None,
        context: app_commands.Range[str, 1, 20] | None = None,
        runner: str | None = None,
        visible: bool | None = None,
        machine: app_commands.Range[str, 1, LONGEST_NAME] | None = None,
    ) -> None:
        answering = services.answering
        await services.catch_up()
        changed = _known(services.store.rigs(interaction.user.id), machine)
        if hardware is not None:
            changed = on(answering, changed, hardware)
        elif not (changed.cards or changed.memory_gb):
            raise Refusal("rig.asks_hardware")
        if ram is not None:
            changed = replace(changed, ram_gb=ram or None)
        if free_vram is not None:
            changed = with_free(answering.catalogue, changed, free_vram or None)
        if context is not None:
            changed = replace(changed, context=None if context.strip() in NO_CONTEXT else context_of(context))
        if runner is not None:
            changed = replace(changed, runner=None if runner == OTHER_RUNNER else runner)
        if visible is not None:
            changed = replace(changed, visible=visible)
        await interaction.response.defer(ephemeral=True)
        await services.store.save_rig(interaction.user.id, changed)
        message = mine(services, names, interaction.user.id, own_locale(services, interaction), saved=True)
        await interaction.followup.send(embed=embed_of(message), ephemeral=True)

    renamed, described = names.options("member")

    @group.command(name=names.name("subcommands.rig.show"), description=names.description("subcommands.rig.show"))
    @app_commands.rename(**renamed)
    @app_commands.describe(**described)
    async def show(interaction: discord.Interaction, member: Person | None = None) -> None:
        await _show(services, names, interaction, member or interaction.user)

    renamed, described = names.options("machine")

    @group.command(name=names.name("subcommands.rig.delete"), description=names.description("subcommands.rig.delete"))
    @app_commands.rename(**renamed)
    @app_commands.describe(**described)
    @app_commands.autocomplete(machine=machines)
    async def delete(interaction: discord.Interaction, machine: app_commands.Range[str, 1, LONGEST_NAME] | None = None) -> None:
        await services.catch_up()
        theirs = services.store.rigs(interaction.user.id)
        named = _named(theirs, machine) if machine else None
        if machine and named is None:
            raise Refusal("rig.no_machine", machine=machine)
        await interaction.response.defer(ephemeral=True)
        await services.delete_rigs(interaction.user.id, named.machine if named else None)
        locale = own_locale(services, interaction)
        text = services.texts.say("rig.deleted", locale, machine=named.machine if named else "", count=len(theirs))
        await interaction.followup.send(text, ephemeral=True)

    assert all(command.parent is group for command in (set_, show, delete))
    return group


def show_rig(services: Services, names: Names) -> app_commands.ContextMenu:
    """The menu's entry."""

    async def command(interaction: discord.Interaction, member: Person) -> None:
        await _show(services, names, interaction, member)

    return app_commands.ContextMenu(name=names.menu("show-rig"), callback=command)


async def _show(services: Services, names: Names, interaction: discord.Interaction[Any], member: Person) -> None:
    """The machines of a member, to whoever asks alone: their own, or those that others may look at."""
    locale = own_locale(services, interaction)
    await services.catch_up()
    if member.id == interaction.user.id:
        message = mine(services, names, member.id, locale)
    else:
        seen = [known for known in services.store.rigs(member.id) if known.visible]
        if not seen:
            # Whether there is none, or none to look at, is nobody's business.
            raise Refusal("rig.not_visible", who=member.display_name)
        lines = told(services, seen, services.answering.catalogue, locale)
        message = services.texts.message("rig.others", locale, who=member.display_name, machines=lines)
    await interaction.response.send_message(embed=embed_of(message), ephemeral=True)


def mine(services: Services, names: Names, user_id: int, locale: str, *, saved: bool = False) -> Message:
    """All machines of a person, for themselves."""
    theirs, said = services.store.rigs(user_id), names.said(locale)
    lines = told(services, theirs, services.answering.catalogue, locale)
    if not lines:
        return services.texts.message("rig.none", locale, c=said)
    return services.texts.message("rig.show", locale, saved=saved, first=lines[0], others=lines[1:], c=said)


def told(services: Services, machines: Sequence[Rig], held: Catalogue, locale: str) -> list[dict[str, object]]:
    """Machines as the texts tell of them."""
    return [
        {
            "machine": known.machine,
            "hardware": label(services.texts, known, held, locale),
            "free_gb": known.free_gb,
            "ram_gb": known.ram_gb,
            "context": known.context,
            "runner": known.runner or "",
            "visible": known.visible,
            "gone": [label_of(name) for name in missing_cards(known, held)],
        }
        for known in machines
    ]


def _known(theirs: Sequence[Rig], machine: str | None) -> Rig:
    """The machine that is changed: the one of that name, or a new one; without a name the one that is in use.

    Raises:
        Refusal: where they have as many as they may.
    """
    name = " ".join((machine or "").split())
    found = _named(theirs, name) if name else next(iter(theirs), None)
    if found is None and len(theirs) >= MOST_MACHINES:
        raise Refusal("rig.too_many", most=MOST_MACHINES)
    return found or Rig(machine=name)


def _named(theirs: Sequence[Rig], machine: str) -> Rig | None:
    return next((known for known in theirs if known.machine.casefold() == " ".join(machine.split()).casefold()), None)


def on(answering: Answering, changed: Rig, hardware: str) -> Rig:
    """The machine with other hardware; what was said of the old one's memory is not true of it.

    Raises:
        Refusal: where the hardware is not on file, means several cards, says no memory, or more than there is.
    """
    read = read_rig(answering, hardware)
    return replace(
        read,
        machine=changed.machine,
        ram_gb=read.ram_gb or changed.ram_gb,
        ram_gb_s=read.ram_gb_s or changed.ram_gb_s,
        context=changed.context,
        runner=changed.runner,
        visible=changed.visible,
    )


def _machines(services: Services) -> Any:
    async def complete(interaction: discord.Interaction, current: str) -> list[app_commands.Choice[str]]:
        named = [known.machine for known in services.store.rigs(interaction.user.id) if known.machine]
        typed = current.strip().casefold()
        return [app_commands.Choice(name=name, value=name) for name in named if typed in name.casefold()]

    return complete


def read_rig(answering: Answering, typed: str) -> Rig:
    """The machine that somebody typed the hardware of.

    Raises:
        Refusal: where it is not on file, means several cards, says no memory, or more than there is.
    """
    read = answering.reader.hardware(typed)
    if read.unknown:
        nearest = answering.catalogue.names.find_cards(read.unknown[0]).nearest[:MOST_NEAREST]
        raise Refusal("rig.unknown", typed=read.unknown[0], nearest=tuple(map(label_of, nearest)))
    if read.candidates:
        name, meant = next(iter(read.candidates.items()))
        raise Refusal("rig.several", typed=name, names=tuple(map(label_of, meant)))
    if (not read.cards and read.memory_gb is None) or out_of_range(read):
        raise Refusal("rig.no_hardware", typed=typed)
    free_gb = read.memory_gb * read.n_cards if read.memory_usable and read.memory_gb is not None else None
    rig = Rig(
        cards=tuple((card.name, card.count) for card in read.cards),
        memory_gb=None if read.cards else read.memory_gb,
        n_cards=read.n_cards,
        unified=read.unified,
        ram_gb=read.ram_gb,
        ram_gb_s=read.ram_gb_s,
    )
    return with_free(answering.catalogue, rig, free_gb) if free_gb is not None else rig


def with_free(held: Catalogue, rig: Rig, free_gb: float | None) -> Rig:
    """The machine with so much of its card memory left free.

    Raises:
        Refusal: where it has less than that.
    """
    names = held.names.cards.by_name
    known = [held.card(name).memory_gb * count for name, count in rig.cards if name in names]
    total = sum(known) if rig.cards else (rig.memory_gb or 0) * rig.n_cards
    if free_gb is not None and free_gb > total and len(known) == len(rig.cards):
        raise Refusal("rig.more_free", free_gb=free_gb, total_gb=total)
    return replace(rig, free_gb=free_gb)
