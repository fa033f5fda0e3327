"""The stand-in as tests use it: one object that is Discord, for one bot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from aiohttp import web

from .announce import Announcer
from .commands import Commands
from .faults import Faults
from .gateway import ALL_INTENTS, GUILDS, MESSAGE_CONTENT, PRIVILEGED, Gateway, GatewaySettings
from .interactions import Desk
from .messages import Messages
from .people import People
from .process import BotProcess
from .record import Record
from .rest import Rest
from .server import MESSAGES_PER_CHANNEL, Server
from .state import Channel, Guild, Permission, Role, User, World

MODERATOR = Permission.MANAGE_GUILD | Permission.MANAGE_MESSAGES


class StandIn(People):
    """A Discord on a loopback address. `async with StandIn() as discord_:` serves until the block ends.

    `message_content` says whether the developer portal has that privileged intent switched on. `ack_deadline` is the 3 seconds
    and `token_lifetime` the 15 minutes of interactions. `message_rate` is how many messages one channel takes in how many
    seconds, None for any number.
    """

    def __init__(
        self,
        *,
        token: str = "stand.in.token",
        bot_name: str = "rigcheck",
        message_content: bool = False,
        shards: int = 1,
        max_concurrency: int = 1,
        identify_window: float = 5.0,
        heartbeat_interval: float = 41.25,
        ack_deadline: float = 3.0,
        token_lifetime: float = 900.0,
        message_rate: tuple[int, float] | None = MESSAGES_PER_CHANNEL,
    ) -> None:
        # In a list, because the gateway and the HTTP side must both see when it is revoked.
        self._token = [token]
        self.world = World(bot_name, shards)
        self.messages = Messages(self.world)
        self.commands = Commands(self.world)
        allowed = ALL_INTENTS & ~PRIVILEGED | (MESSAGE_CONTENT if message_content else 0)
        settings = GatewaySettings(max_concurrency, identify_window, heartbeat_interval, allowed)
        self.gateway = Gateway(self.world, settings, self._token)
        self.announcer = Announcer(self.world, self.messages, self.gateway)
        self.desk = Desk(self.world, self.messages, self.commands, self.gateway, self.announcer)
        self.desk.ack_deadline, self.desk.token_lifetime = ack_deadline, token_lifetime
        rest = Rest(self.world, self.messages, self.commands, self.gateway, self.desk, self.announcer)
        self.faults = Faults(self.gateway, self._revoke)
        self.server = Server(rest, self.faults, self._token)
        self.server.message_rate = message_rate
        self.sent = rest.sent
        self.address = ""
        self.processes: list[BotProcess] = []
        """The bots that were started here."""
        self._runner: web.AppRunner

    async def __aenter__(self) -> StandIn:
        app = web.Application(client_max_size=30 << 20)
        app.router.add_get("/gateway", self.gateway.serve)
        app.router.add_get("/gateway/", self.gateway.serve)
        app.router.add_get("/attachments/{channel}/{key}/{name}", self.server.cdn)
        app.router.add_route("*", "/api/v10/{path:.*}", self.server.serve)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.5)
        await self._runner.setup()
        # Port 0: the system picks a free one.
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        host, port = self._runner.addresses[0][:2]
        self.address = f"{host}:{port}"
        self.messages.cdn = f"http://{self.address}"
        self.gateway.url = f"ws://{self.address}/gateway"
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for process in self.processes:
            await process.kill()
        await self.gateway.close()
        await self._runner.cleanup()

    # The bot

    @property
    def token(self) -> str:
        """The bot's token, as long as it is not revoked."""
        return self._token[0]

    @property
    def api_base(self) -> str:
        return f"http://{self.address}/api/v10"

    @property
    def record(self) -> Record:
        """What the bot sent over HTTP, and what it was answered."""
        return self.server.record

    @property
    def me(self) -> User:
        """The bot's own account."""
        return self.world.me

    def env(self) -> dict[str, str]:
        """The settings by which a bot finds its way here."""
        return {"RIGCHECK_API_BASE": self.api_base, "RIGCHECK_GATEWAY": self.gateway.url, "DISCORD_TOKEN": self.token}

    async def start(
        self,
        command: Sequence[str | Path],
        env: Mapping[str, str] | None = None,
        *,
        cwd: Path | None = None,
        ready: bool = True,
        within: float = 30.0,
    ) -> BotProcess:
        """Run a bot's process and wait until all its shards are connected. It is ended with the stand-in at the latest."""
        before = set(self.gateway.sessions)
        process = await BotProcess.start(command, {**self.env(), **(env or {})}, cwd)
        self.processes.append(process)
        if ready:
            # What an earlier process left behind does not make this one ready.
            await process.until(
                lambda: self.gateway.is_ready and bool(self.gateway.sessions.keys() - before), "the bot did not connect", within
            )
        return process

    async def until_gateway(self, done: Callable[[], bool], within: float = 15.0) -> None:
        """Wait until something is true of the gateway, such as `lambda: discord_.gateway.is_ready`."""
        running = next(process for process in reversed(self.processes) if process.running)
        await running.until(done, "the gateway did not get there", within)

    def _revoke(self) -> None:
        self._token[0] = "revoked"

    # The world

    def add_user(self, name: str, locale: str = "en-US", *, guilds: Sequence[Guild] | None = None, installed: bool = False) -> User:
        """Somebody new, a member of the guilds given, or of all that there are. `installed`: has the app for themselves."""
        user = self.world.add_user(name, locale, guilds=None if guilds is None else list(guilds))
        if installed:
            self.commands.installed_by.add(user.id)
        return user

    def add_guild(self, name: str, locale: str = "en-US", *, shard: int | None = None, has_bot: bool = True) -> Guild:
        """A server with an owner and the channel #general. All users that exist join; the bot does, unless told otherwise."""
        guild = self.world.add_guild(name, locale, shard=shard, has_bot=has_bot)
        self.gateway.tell(guild, GUILDS, "GUILD_CREATE", guild.creation(self.me))
        return guild

    def remove_bot(self, guild: Guild) -> None:
        """Throw the bot out of a server."""
        self.gateway.tell(guild, GUILDS, "GUILD_DELETE", {"id": guild.id})
        guild.has_bot = False
        guild.members.pop(self.me.id, None)
        guild.users.pop(self.me.id, None)

    def add_channel(self, guild: Guild, name: str) -> Channel:
        channel = self.world.add_channel(guild, name)
        self.gateway.tell(guild, GUILDS, "CHANNEL_CREATE", channel.payload())
        return channel

    def remove_channel(self, channel: Channel) -> None:
        assert channel.guild
        channel.guild.channels.remove(channel)
        del self.world.channels[channel.id]
        self.gateway.tell(channel.guild, GUILDS, "CHANNEL_DELETE", channel.payload())

    def add_private_channel(self, *people: User) -> Channel:
        """A conversation of other people, in which the bot takes part only by user installs."""
        return self.world.add_private_channel(*people)

    def add_role(self, guild: Guild, name: str, permissions: int, *members: User) -> Role:
        role = self.world.add_role(guild, name, permissions, *members)
        self.gateway.tell(guild, GUILDS, "GUILD_ROLE_CREATE", {"guild_id": guild.id, "role": role.payload()})
        return role

    def add_moderator(self, guild: Guild, user: User) -> Role:
        """Give somebody Manage Server and Manage Messages, by a role."""
        return self.add_role(guild, "moderators", MODERATOR, user)

    def overwrite(self, channel: Channel, whom: User | Role, *, allow: int = 0, deny: int = 0) -> None:
        """Set what a role or a member, the bot included, may do in a channel."""
        channel.overwrites[whom.id] = (1 if isinstance(whom, User) else 0, allow, deny)
        self.gateway.tell(channel.guild, GUILDS, "CHANNEL_UPDATE", channel.payload())

    def command(self, name: str, kind: int = 1, guild: Guild | None = None) -> dict[str, Any]:
        """A registered command as the bot gave it. Raises NotOffered."""
        return self.commands.find(name, guild, kind)
