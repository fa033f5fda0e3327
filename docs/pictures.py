"""Draws what the bot looks like in Discord: every command and a chat, in three languages, as wide as a desktop and as a phone.

The real client runs in a simulated Discord in the same process, and a browser draws its channel. ``make pictures`` runs this; the
pictures of one scene or language are drawn anew by naming it: ``python -m docs.pictures can-run es``.
"""

from __future__ import annotations

import asyncio
import io
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import discord
import simcord
from PIL import Image, ImageChops  # pyright: ignore[reportMissingImports]
from playwright.async_api import async_playwright  # pyright: ignore[reportMissingImports]
from simcord.gateway import FakeGateway

from bot.client import Client
from commands.limits import Limits, Rate
from commands.names import Names
from commands.services import Services

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "pictures"
LANGUAGES = {"en": "en-US", "es": "es-ES", "it": "it"}
WIDTHS = {"desktop": 640, "phone": 390}
TALL = 3000
"""Higher than any scene; what is empty is cut off."""
ABOVE, BELOW = 76, 80
"""What the channel's name and date take at the top, and the place to type in at the bottom."""
MARGIN = 14
COLOURS = 256
PLENTY = Rate(burst=1000, every_s=0.001)


@dataclass
class Stage:
    """A channel of a server, and who takes part."""

    language: str
    env: Any
    services: Services
    guild: Any
    channel: Any
    asker: Any
    friend: Any
    said: dict[str, str]

    def of(self, en: str, es: str, it: str) -> str:
        """What is typed in the language of the picture."""
        return {"en": en, "es": es, "it": it}[self.language]

    async def use(self, command: str, /, **options: Any) -> Any:
        """The asker uses a command."""
        return await self.asker.slash(self.channel, command, **options)

    async def explain(self, answer: Any) -> None:
        """The asker presses "How is this computed"."""
        label = self.services.texts.say("button.computed", LANGUAGES[self.language])
        await self.asker.click(answer.response, label=label)


async def ask(stage: Stage) -> None:
    """A free question, answered for several cards at once."""
    question = stage.of(
        "which GPU do I need for Llama 3.3 70B?",
        "¿qué gráfica necesito para Llama 3.3 70B?",
        "che scheda mi serve per Llama 3.3 70B?",
    )
    await stage.use("ask", question=question)
    await stage.use(
        "ask", question=stage.of("what can a 3060 12GB run?", "¿qué puede mover una 3060 de 12 GB?", "cosa gira su una 3060 12GB?")
    )


async def can_run(stage: Stage) -> None:
    """An answer, and how its figures come about."""
    answer = await stage.use("can-run", model="StarCoder 2 15B", hardware="RTX 3060 12 GB")
    await stage.explain(answer)


async def verdicts(stage: Stage) -> None:
    """The three verdicts."""
    for hardware in ("24 GB", "12 GB", "8 GB"):
        await stage.use("can-run", model="StarCoder 2 15B", hardware=hardware)


async def which_gpu(stage: Stage) -> None:
    """A page of the table."""
    await stage.use("which-gpu", model="StarCoder 2 15B")
    await stage.use("which-gpu", model="StarCoder 2 15B", sort="smallest", all=True)


async def which_model(stage: Stage) -> None:
    """Models for a card, and for one use."""
    await stage.use("which-model", hardware="RTX 3060 12 GB")
    await stage.use("which-model", hardware="RTX 3090", use="code")


async def which_quant(stage: Stage) -> None:
    """Every quant, and the commands that start the one that is recommended."""
    answer = await stage.use("which-quant", model="Qwen3 14B", hardware="RTX 3060 12 GB")
    label = stage.services.texts.say("button.commands", LANGUAGES[stage.language])
    await stage.asker.click(answer.response, label=label)


async def compare(stage: Stage) -> None:
    """Cards for a model, and two models on a card."""
    await stage.use("compare", a="RTX 3090", b="RTX 4090", c="RX 7900 XTX", model="Qwen3 32B")
    await stage.use("compare", a="Qwen3 14B", b="Gemma 4 12B", c="RTX 3060 12 GB")


async def charts(stage: Stage) -> None:
    """The memory that a model takes, cards for it, and models for a card, each with its chart."""
    await stage.use("can-run", model="Qwen3 14B", hardware="RTX 3060 12 GB", chart=True)
    await stage.use("compare", a="RTX 3090", b="RTX 4090", c="RX 7900 XTX", d="RTX 3060 12 GB", model="Qwen3 32B", chart=True)
    await stage.use("which-model", hardware="RTX 3060 12 GB", chart=True)


async def info(stage: Stage) -> None:
    """A model and a card."""
    await stage.use("info", name="PolyCoder")
    await stage.use("info", name="RTX 3090")


async def help_(stage: Stage) -> None:
    """Every topic."""
    for topic in ("questions", "hardware", "figures", "chat", "moderators"):
        await stage.use("help", topic=topic)


async def rig(stage: Stage) -> None:
    """A machine is saved, and questions are about it; what others see of it."""
    name = stage.of("Tower", "Torre", "Torre")
    await stage.use("rig set", hardware="2x 3090", ram=64, context="16k", runner="llama.cpp", machine=name, visible=True)
    await stage.use("can-run", model="Llama 3.3 70B")
    # The simulation, unlike Discord, knows a menu by its first label alone.
    await stage.asker.context_menu(stage.channel, "Show rig", stage.asker)
    await stage.use("rig set", hardware="3060 12GB", machine=stage.of("Laptop", "Portátil", "Portatile"), **{"free-vram": 11.2})
    await stage.use("rig delete")


async def panel(stage: Stage) -> None:
    """What newcomers press, and one answer."""
    await stage.use("settings panel", channel=stage.channel)
    put_up = next(message for message in stage.channel.history() if message.components)
    label = stage.services.texts.say("panel.fits", LANGUAGES[stage.language])
    form = await stage.asker.click(put_up, label=label)
    await stage.asker.submit_modal(form, {"model": "StarCoder 2 15B", "hardware": "3060 12GB"})


async def privacy(stage: Stage) -> None:
    """What is kept, and forgetting it."""
    await stage.use("rig set", hardware="2x 3090", ram=64)
    await stage.use("privacy show")
    await stage.use("privacy delete")


async def answer_this(stage: Stage) -> None:
    """A question to nobody in particular, answered from its menu."""
    text = stage.of(
        "anyone know if qwen3 30b a3b is ok on a 4090 at q5?",
        "¿alguien sabe si qwen3 30b a3b va bien en una 4090 en q5?",
        "qualcuno sa se qwen3 30b a3b gira bene su una 4090 in q5?",
    )
    asked = await stage.friend.send(stage.channel, text)
    # The simulation, unlike Discord, knows a menu by its first label alone.
    await stage.asker.context_menu(stage.channel, "Answer this", asked)


async def settings(stage: Stage) -> None:
    """What moderators set."""
    await stage.use("settings defaults", context="8k", **{"min-quant": "Q4_K_M"})
    await stage.use("settings language", language=stage.language)
    # The simulation, unlike Discord, shows the names of channels in text alone, and not in embeds.
    await stage.use("settings show")
    await stage.use("settings log", channel=stage.guild.create_text_channel("mod-log"))
    await stage.use("settings channel", channel=stage.channel, mode="short")


async def catalogue(stage: Stage) -> None:
    """A load that changes something, what is loaded, and a look-up."""
    with closing(sqlite3.connect(stage.services.catalogue)) as database:
        database.execute("UPDATE card SET power_w = 371 WHERE name = 'GeForce RTX 3090'")
        database.execute("UPDATE model SET max_context = 4096 WHERE name = 'PolyCoder'")
        database.commit()
    await stage.use("catalogue reload")
    await stage.use("catalogue status")
    await stage.use("catalogue find", text="starcoder")


async def chat(stage: Stage) -> None:
    """A question, one that goes on from it, one that must be asked back, and thanks."""
    me = f"<@{stage.env.bot.user.id}>"
    for text in (
        stage.of(
            "can I run StarCoder 2 15B on 12 GB?", "¿me corre StarCoder 2 15B en 12 GB?", "con 12 giga ci sta StarCoder 2 15B?"
        ),
        stage.of("and on a 4090?", "¿y en una 4090?", "e su una 4090?"),
        stage.of("can I run llama on a 3060?", "¿puedo correr llama en una 3060?", "posso far girare llama su una 3060?"),
        stage.of("thanks!", "¡gracias!", "grazie!"),
    ):
        await stage.asker.send(stage.channel, f"{me} {text}")


SCENES: dict[str, Callable[[Stage], Awaitable[None]]] = {
    "ask": ask,
    "can-run": can_run,
    "verdicts": verdicts,
    "which-gpu": which_gpu,
    "which-model": which_model,
    "which-quant": which_quant,
    "compare": compare,
    "charts": charts,
    "info": info,
    "help": help_,
    "rig": rig,
    "panel": panel,
    "privacy": privacy,
    "answer-this": answer_this,
    "settings": settings,
    "catalogue": catalogue,
    "chat": chat,
}


@contextmanager
def speaking(locale: str, said: dict[str, str]) -> Generator[None]:
    """Have everybody's Discord be in a language: the simulation knows only English."""
    feed = FakeGateway.feed

    def in_that_language(self: Any, event: str, payload: Mapping[str, Any]) -> None:
        if event == "INTERACTION_CREATE":
            payload = {**payload, "locale": locale, "guild_locale": locale}
            record = self._backend.interactions[int(payload["id"])]
            record.command_name = said.get(str(record.command_name).replace("-", "_"), record.command_name)
        feed(self, event, payload)

    FakeGateway.feed = in_that_language
    try:
        yield
    finally:
        FakeGateway.feed = feed


@asynccontextmanager
async def browser() -> AsyncGenerator[Any]:
    """The browser of the system, which draws the pictures."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        raise SystemExit("There is no chromium to draw with: install it, on Debian with apt-get install chromium")
    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        try:
            yield started
        finally:
            await started.close()


async def draw(language: str, scene: str, with_browser: Any) -> None:
    """The pictures of one scene in one language."""
    locale = LANGUAGES[language]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(shutil.copy(ROOT / "catalog.db", folder))
        state = Path(folder) / "state.db"
        services = await Services.open(state, catalogue=file, limits=Limits(PLENTY, PLENTY))
        names = Names(services.locales)
        said = {key: typed.removeprefix("/") for key, typed in names.said(locale).items()}
        said |= {names.text(f"menus.{menu}"): names.text(f"menus.{menu}", locale) for menu in ("answer-this", "show-rig")}
        client = Client(services, names, shard_count=1)
        try:
            with speaking(locale, said):
                async with simcord.run(client, settle_timeout=30) as env:
                    env.backend.bot_user.name = "Rigcheck"
                    guild = env.create_guild("Local LLMs", preferred_locale=locale)
                    moderators = guild.create_role("moderators", permissions=discord.Permissions(manage_guild=True))
                    asker = guild.add_member(env.create_user("alice"), roles=[moderators])
                    friend = guild.add_member(env.create_user("bob"))
                    channel = guild.create_text_channel("local-llms")
                    stage = Stage(language, env, services, guild, channel, asker, friend, said)
                    await SCENES[scene](stage)
                    # A little later than everything that is said to have happened.
                    later = services.loaded_at + timedelta(minutes=3)
                    async with env.preview(
                        channel, viewers=[asker], layout="channel", locale=locale, presentation_time=later
                    ) as preview:
                        # One browser for all pictures: the simulation would start one for each scene.
                        drawing: Any = vars(preview)["_capture_manager"]
                        drawing._browser = with_browser
                        for name, width in WIDTHS.items():
                            shot = await preview.screenshot(mode="viewport", viewport=(width, TALL), allow_incomplete=True)
                            save(shot.png, FOLDER / f"{scene}-{language}-{name}.png")
                        drawing._browser = None
        finally:
            await services.close()


def save(png: bytes | None, file: Path) -> None:
    """Write a picture without what is empty, in few colours."""
    assert png is not None
    image = Image.open(io.BytesIO(png)).convert("RGB")
    body = image.crop((0, ABOVE, image.width, image.height - BELOW))
    background = Image.new("RGB", body.size, body.getpixel((0, body.height - 1)))
    box = ImageChops.difference(body, background).getbbox() or (0, 0, 0, body.height)
    shown = body.crop((0, max(0, box[1] - MARGIN), body.width, min(body.height, box[3] + MARGIN)))
    shown.quantize(COLOURS, dither=Image.Dither.NONE).save(file, optimize=True)


async def main(only: list[str]) -> None:
    """Draw every scene in every language, or only those named."""
    FOLDER.mkdir(exist_ok=True)
    async with browser() as started:
        for language in LANGUAGES:
            for scene in SCENES:
                if all(word in (language, scene) for word in only):
                    await draw(language, scene, started)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
