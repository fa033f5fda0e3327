"""The bot as a process: built from its settings, run until it is told to stop, ended with what it has begun finished."""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
import tempfile
from collections.abc import AsyncGenerator, Awaitable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import aiohttp
import discord

from bot.client import Client, point_at
from bot.log import set_up
from bot.settings import Settings, SettingsError, Unreachable
from bot.shards import Part
from bot.sync import payload, sync
from commands.names import Names
from commands.services import Services

_LOG = logging.getLogger("rigcheck")
_FINISH_S = 5.0
"""How long answers that were begun may take once the bot is told to stop."""
_SETTLE_AFTER_S = 10.0
"""How long answers may take that were begun with a catalogue that has been replaced."""
_AUTHENTICATION_FAILED = 4004
_ANSWERING = ("CommandTree", "discord-ui", "discord.py: on_")
"""How the names of the library's tasks that answer somebody begin."""


def run(settings: Settings, part: Part | None = None) -> None:
    """Run the bot until SIGTERM or SIGINT; ``part``: only these of its shards.

    Raises:
        RigcheckError: one sentence about what has to be put right first.
        Unreachable: where Discord is the one that fails.
    """
    set_up(settings.log_format, settings.log_level, token_of(settings))
    asyncio.run(_run(settings, part))


def sync_commands(settings: Settings) -> int:
    """Tell Discord the commands, whether or not they changed; how many there are.

    Raises:
        RigcheckError: as ``run``.
    """
    token = token_of(settings)

    async def tell() -> int:
        async with _client(settings, announces=False) as client:
            await _refused(client.login(token))
            await _refused(sync(client.tree, client.names, client.services, always=True))
            return len(client.tree.get_commands())

    return asyncio.run(tell())


def show_commands(settings: Settings) -> list[dict[str, Any]]:
    """The commands as Discord is told them; needs no token and leaves no trace.

    Raises:
        DataError: where the catalogue or the locales cannot be read.
    """

    async def show() -> list[dict[str, Any]]:
        with tempfile.TemporaryDirectory() as folder:
            elsewhere = settings.model_copy(update={"state": Path(folder) / "state.db"})
            async with _client(elsewhere) as client:
                await client.prepare()
                return await payload(client.tree)

    return asyncio.run(show())


def token_of(settings: Settings) -> str:
    """The token.

    Raises:
        SettingsError: where it is not set, or cannot be one.
    """
    token = settings.token.get_secret_value().strip()
    if not token:
        raise SettingsError("DISCORD_TOKEN is not set: put the bot's token into the environment or into .env")
    if not token.isascii() or not token.isprintable() or " " in token:
        raise SettingsError("DISCORD_TOKEN holds signs that no token has")
    return token


async def _run(settings: Settings, part: Part | None) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(_unheard)
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with _client(settings, part=part) as client, _health(client, settings.health_port):
        # What was built stays until the end and is not looked at again; what answers leave behind is.
        gc.freeze()
        gc.enable()
        client.services.on_swapped = _settle_soon
        running = asyncio.create_task(_refused(_connect(client, token_of(settings))))
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait({running, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if running.done():
            running.result()
            return
        _LOG.info("stopping")
        await _finish()
        await client.close()
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
    _LOG.info("stopped")


@asynccontextmanager
async def _health(client: Client, port: int | None) -> AsyncGenerator[None]:
    """Tell a supervisor how the bot is, where a port is set for it."""
    if port is None:
        yield
        return
    # Not loaded by those who do not want it: it would make every start slower.
    from bot.health import serving

    async with serving(client, port) as taken:
        _LOG.info("health and metrics", extra={"port": taken})
        yield


def _unheard(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log what nobody waited for. The loop's own handler would quote the exception, which may quote what somebody typed."""
    error = context.get("exception")
    _LOG.error(context["message"], exc_info=(type(error), error, error.__traceback__) if error else None)


def _settle_soon() -> None:
    """Settle once nobody holds the replaced catalogue any more: what is put aside while it is held is kept until the next one."""
    asyncio.get_running_loop().call_later(_SETTLE_AFTER_S, _settle)


def _settle() -> None:
    """Let go of a catalogue that has been replaced; what there is now is not looked at again until the next one comes."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


async def _connect(client: Client, token: str) -> None:
    await client.login(token)
    await client.connect()


async def _finish() -> None:
    """Let the answers that were begun go out."""
    begun = [task for task in asyncio.all_tasks() if task.get_name().startswith(_ANSWERING)]
    if begun:
        await asyncio.wait(begun, timeout=_FINISH_S)


@asynccontextmanager
async def _client(settings: Settings, announces: bool = True, part: Part | None = None) -> AsyncGenerator[Client, None]:
    """The client and everything that it is handed, closed in the end."""
    point_at(settings)
    services = await Services.open(
        settings.state,
        catalogue=settings.catalog,
        locales=settings.locales,
        reload_pause_s=settings.reload_pause,
        home_guilds=settings.home_guilds,
        shares_state=part is not None,
        deadline_s=settings.answer_within,
    )
    try:
        names = Names(services.locales)
        async with Client(services, names, message_content=settings.message_content, announces=announces, part=part) as client:
            yield client
    finally:
        await services.close()


async def _refused(attempt: Awaitable[Any]) -> Any:
    """What Discord says no to, in a sentence.

    Raises:
        SettingsError: where the token or an intent is refused.
        Unreachable: where Discord cannot be reached or fails.
    """
    try:
        return await attempt
    except discord.LoginFailure as error:
        raise SettingsError("Discord refuses the token in DISCORD_TOKEN") from error
    except discord.PrivilegedIntentsRequired as error:
        raise SettingsError(
            "RIGCHECK_MESSAGE_CONTENT is on, but the application has no message-content intent: "
            "switch it on in Discord's developer portal, or the setting off"
        ) from error
    except discord.ConnectionClosed as error:
        if error.code == _AUTHENTICATION_FAILED:
            raise SettingsError("Discord refuses the token in DISCORD_TOKEN") from error
        raise Unreachable(f"Discord closed the connection for good (code {error.code})") from error
    except (discord.HTTPException, discord.GatewayNotFound) as error:
        raise Unreachable(f"Discord does not do its part: {error}") from error
    except (aiohttp.ClientError, OSError, TimeoutError) as error:
        raise Unreachable(f"Discord cannot be reached: {error}") from error
