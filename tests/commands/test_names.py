"""What Discord shows of the commands, in every locale."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest
from discord import Locale

from answers.locales import Locales
from answers.rendering.check import check
from answers.rendering.check_commands import check_commands
from bot.client import Client
from bot.sync import META, digest, payload, sync
from commands.names import Names
from commands.services import Services
from commands.translator import Translator

# Command -> its name in en-US, en-GB, es-ES, es-419, it.
COMMANDS = {
    "ask": ("ask", "ask", "pregunta", "pregunta", "chiedi"),
    "can-run": ("can-run", "can-run", "puedo-mover", "puedo-correr", "ci-gira"),
    "which-gpu": ("which-gpu", "which-gpu", "que-gpu", "que-gpu", "quale-gpu"),
    "info": ("info", "info", "ficha", "ficha", "info"),
    "privacy": ("privacy", "privacy", "privacidad", "privacidad", "privacy"),
    "help": ("help", "help", "ayuda", "ayuda", "aiuto"),
    "settings": ("settings", "settings", "ajustes", "ajustes", "impostazioni"),
    "catalogue": ("catalog", "catalogue", "catalogo", "catalogo", "catalogo"),
}
OPTIONS = {
    "ask": ("question", "method", "private"),
    "can-run": ("model", "hardware", "quant", "context", "kv", "ram", "method", "chart", "private"),
    "which-gpu": ("model", "sort", "vram", "vendor", "min-quant", "context", "all", "method", "chart", "private"),
    "info": ("name", "private"),
    "help": ("topic",),
}
SPOKEN = {
    "question": ("pregunta", "domanda"),
    "private": ("privado", "privato"),
    "model": ("modelo", "modello"),
    "hardware": ("hardware", "hardware"),
    "quant": ("quant", "quant"),
    "context": ("contexto", "contesto"),
    "chart": ("grafico", "grafico"),
    "kv": ("kv", "kv"),
    "ram": ("ram", "ram"),
    "method": ("metodo", "metodo"),
    "sort": ("orden", "ordine"),
    "vram": ("vram", "vram"),
    "vendor": ("marca", "marca"),
    "min-quant": ("quant-min", "quant-min"),
    "all": ("todas", "tutte"),
    "name": ("nombre", "nome"),
    "topic": ("tema", "argomento"),
}
LOCALES = ("en-US", "en-GB", "es-ES", "es-419", "it")


@pytest.fixture
async def client(services: Services) -> Client:
    made = Client(services, Names(services.locales))
    await made.prepare()
    return made


@pytest.fixture
async def told(client: Client) -> dict[str, dict[str, Any]]:
    return {command["name"]: command for command in await payload(client.tree)}


def named(thing: dict[str, Any], locale: str) -> str:
    """What Discord shows in a locale."""
    return (thing.get("name_localizations") or {}).get(locale, thing["name"])


async def test_every_command_is_called_what_people_call_it(told: dict[str, dict[str, Any]]) -> None:
    for command, names in COMMANDS.items():
        assert tuple(named(told[command], locale) for locale in LOCALES) == names


async def test_every_option_is_called_what_people_call_it(told: dict[str, dict[str, Any]]) -> None:
    for command, options in OPTIONS.items():
        found = told[command]["options"]
        assert tuple(option["name"] for option in found) == options
        for option in found:
            spanish, italian = SPOKEN[option["name"]]
            assert (named(option, "es-ES"), named(option, "es-419"), named(option, "it")) == (spanish, spanish, italian)


async def test_the_menu_too(told: dict[str, dict[str, Any]]) -> None:
    shown = [named(told["Answer this"], locale) for locale in ("en-US", "es-ES", "es-419", "it")]
    assert shown == ["Answer this", "Responder a esto", "Responder a esto", "Rispondi a questo"]


async def test_only_the_first_option_of_each_is_required(told: dict[str, dict[str, Any]]) -> None:
    for command in ("ask", "can-run", "which-gpu", "info"):
        assert [option.get("required", False) for option in told[command]["options"]] == [
            place == 0 for place in range(len(told[command]["options"]))
        ]


async def test_names_are_unique_in_every_locale_that_discord_has(told: dict[str, dict[str, Any]]) -> None:
    for locale in Locale:
        commands = [named(command, locale.value) for command in told.values()]
        assert len(set(commands)) == len(commands), locale
        for command in told.values():
            options = [named(option, locale.value) for option in command.get("options", ())]
            assert len(set(options)) == len(options), (locale, command["name"])


async def test_descriptions_are_said_in_each_language(told: dict[str, dict[str, Any]]) -> None:
    spoken = told["can-run"]["description_localizations"]
    assert told["can-run"]["description"] == "Does this model fit your hardware, and how fast is it?"
    assert spoken["es-ES"] == "¿Cabe este modelo en tu equipo? ¿A qué velocidad va?"
    assert spoken["es-419"] == "¿Cabe este modelo en tu equipo? ¿A qué velocidad corre?"
    assert spoken["it"] == "Il modello ci sta sul tuo PC? E quanto va veloce?"


async def test_answering_commands_are_for_servers_and_people_everywhere(told: dict[str, dict[str, Any]]) -> None:
    for command in ("ask", "can-run", "which-gpu", "info", "help", "privacy", "Answer this"):
        assert told[command]["integration_types"] == [0, 1]
        assert told[command]["contexts"] == [0, 1, 2]


async def test_every_answering_command_can_be_private(told: dict[str, dict[str, Any]]) -> None:
    for command in ("ask", "can-run", "which-gpu", "info"):
        assert told[command]["options"][-1]["name"] == "private"


def test_every_locale_that_nobody_wrote_is_left_to_discord(services: Services) -> None:
    translator = Translator(Names(services.locales))
    name = Names(services.locales).name("commands.can-run")
    found = {locale for locale in Locale if asyncio.run(translator.translate(name, locale, None))}  # type: ignore[arg-type]
    assert {locale.value for locale in found} == {"es-ES", "es-419", "it"}


# -- telling Discord ------------------------------------------------------------------------------------------------------------


class Told:
    """Counts how often Discord is told."""

    def __init__(self, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        self.times = 0
        monkeypatch.setattr(client.tree, "sync", self)

    async def __call__(self) -> list[Any]:
        self.times += 1
        return []


async def test_discord_is_told_once(client: Client, services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    told = Told(client, monkeypatch)
    assert await sync(client.tree, client.names, services)
    assert not await sync(client.tree, client.names, services)
    assert told.times == 1


async def test_and_again_when_something_has_changed(client: Client, services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    told = Told(client, monkeypatch)
    await sync(client.tree, client.names, services)
    client.tree.remove_command("info")
    assert await sync(client.tree, client.names, services)
    assert told.times == 2


async def test_and_whenever_it_is_asked_for(client: Client, services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    told = Told(client, monkeypatch)
    await sync(client.tree, client.names, services)
    assert await sync(client.tree, client.names, services, always=True)
    assert told.times == 2


async def test_what_discord_refused_counts_as_not_told(client: Client, services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse() -> None:
        raise OSError("no network")

    monkeypatch.setattr(client.tree, "sync", refuse)
    with pytest.raises(OSError, match="no network"):
        await sync(client.tree, client.names, services)
    assert await services.store.get_meta(META) is None


async def test_another_application_is_told_by_itself(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest(client.tree, client.names)
    assert digest(client.tree, client.names) == before
    monkeypatch.setattr(type(client), "application_id", 7)
    assert digest(client.tree, client.names) != before


async def test_another_word_in_any_locale_is_told(client: Client, services: Services, tmp_path: Path) -> None:
    before = digest(client.tree, client.names)
    folder = Path(shutil.copytree(services.locales.path, tmp_path / "locales"))
    changed = folder / "it" / "commands.toml"
    changed.write_text(changed.read_text(encoding="utf-8").replace('name = "chiedi"', 'name = "domanda"', 1), encoding="utf-8")
    assert digest(client.tree, Names(Locales.load(folder))) != before


# -- the files ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "old", "new", "fault"),
    [
        ("it", 'name = "chiedi"', 'name = "Chiedi"', "it/commands.toml: commands.ask.name: 'Chiedi' is no name"),
        ("it", 'name = "chiedi"', 'name = "chi edi"', "'chi edi' is no name"),
        ("it", 'name = "chiedi"', f'name = "{"c" * 33}"', "33 characters, where Discord takes 32"),
        ("it", 'name = "chiedi"', 'name = ""', "there is nothing in it"),
        ("it", 'name = "chiedi"', 'name = "aiuto"', "it/commands.toml: commands: 'aiuto' stands for 2 things"),
        ("it", 'name = "chiedi"\n', "", "it/commands.toml: commands.ask.name is missing"),
        ("it", "[commands.ask]", '[commands.ask]\ncolour = "red"', "commands.ask.colour is not used"),
        ("it", 'name = "chiedi"', "name = 3", "commands.ask.name is not a text"),
        ("es", 'name = "contexto"', 'name = "modelo"', "es/commands.toml: options: 'modelo' stands for 2 things"),
        ("es", "Tu pregunta", "p" * 101, "101 characters, where Discord takes 100"),
        ("es-419", "puedo-correr", "ayuda", "es-419/commands.toml: commands: 'ayuda' stands for 2 things"),
        ("es", "Responder a esto", "R" * 33, "33 characters, where Discord takes 32"),
    ],
)
def test_a_fault_in_a_file_is_named(locales: Locales, tmp_path: Path, file: str, old: str, new: str, fault: str) -> None:
    folder = Path(shutil.copytree(locales.path, tmp_path / "locales"))
    changed = folder / file / "commands.toml"
    text = changed.read_text(encoding="utf-8")
    assert old in text
    changed.write_text(text.replace(old, new, 1), encoding="utf-8")
    damaged = Locales.load(folder)
    found = list(check_commands(damaged, damaged.by_code[file]))
    assert any(fault in problem for problem in found), found


def test_a_locale_without_the_file_is_named(locales: Locales, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(locales.path, tmp_path / "locales"))
    (folder / "it" / "commands.toml").unlink()
    (folder / "en-GB" / "commands.toml").unlink()
    assert [problem for problem in check(Locales.load(folder)) if "commands.toml" in problem] == ["it/commands.toml is missing"]
