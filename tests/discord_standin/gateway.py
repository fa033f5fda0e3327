"""The gateway: websockets with transport compression, heartbeats, sessions that RESUME, shards and IDENTIFY concurrency."""

from __future__ import annotations

import asyncio
import json
import time
import zlib
from collections import Counter, deque
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

from aiohttp import WSMsgType, web

from .state import Guild, World, snowflake

DISPATCH, HEARTBEAT, IDENTIFY, PRESENCE, VOICE, RESUME, REQUEST_MEMBERS = 0, 1, 2, 3, 4, 6, 8
INVALID_SESSION, HELLO, HEARTBEAT_ACK, REQUEST_SOUNDS = 9, 10, 11, 31
COMMANDS_A_MINUTE = 120
KEPT_FOR_REPLAY = 5000

GUILDS, GUILD_MEMBERS, GUILD_PRESENCES, MESSAGE_CONTENT = 1 << 0, 1 << 1, 1 << 8, 1 << 15
GUILD_MESSAGES, GUILD_REACTIONS, DIRECT_MESSAGES, DIRECT_REACTIONS = 1 << 9, 1 << 10, 1 << 12, 1 << 13
PRIVILEGED = GUILD_MEMBERS | GUILD_PRESENCES | MESSAGE_CONTENT
ALL_INTENTS = (1 << 26) - 1

Json = dict[str, Any]

_encoder = json.JSONEncoder(separators=(",", ":"), check_circular=False)


class NotConnected(Exception):
    """The bot has no session on the shard that would have to hear of this."""


class _Compressor(Protocol):
    def compress(self, data: bytes, /) -> bytes: ...
    def flush(self, mode: int, /) -> bytes: ...


class Socket:
    """One websocket. A task of its own sends, so that everybody else may dispatch without waiting, and in order."""

    def __init__(self, ws: web.WebSocketResponse, transport: asyncio.Transport | None, compress: str | None) -> None:
        self._ws = ws
        self._transport = transport
        self._queue: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        self._compressor, self._flush = _compressor(compress)
        self._writer = asyncio.create_task(self._write())
        self._recent: deque[float] = deque()
        self.compression = compress
        self.frozen = False
        self.late_s = 0.0
        """How long what is sent is under way."""
        self.closed_by_us = False

    def send(self, raw: bytes) -> None:
        if not self.frozen:
            self._queue.put_nowait((time.monotonic() + self.late_s, raw))

    def op(self, op: int, data: Any = None) -> None:
        self.send(_dumps({"op": op, "d": data, "s": None, "t": None}))

    @property
    def open(self) -> bool:
        return not self._ws.closed and not self._writer.done()

    def flooded(self) -> bool:
        """Count one payload of the client; true once there were too many within a minute."""
        now = time.monotonic()
        self._recent.append(now)
        while self._recent[0] < now - 60:
            self._recent.popleft()
        return len(self._recent) > COMMANDS_A_MINUTE

    def abort(self) -> None:
        if self._transport:
            self._transport.abort()

    async def close(self, code: int) -> None:
        self.closed_by_us = True
        # What was dispatched before goes out first; a frozen connection has nothing to say.
        with suppress(TimeoutError):
            async with asyncio.timeout(1):
                if self.open and not self.frozen:
                    await self._queue.join()
        await self._ws.close(code=code)

    async def finish(self) -> None:
        self._writer.cancel()
        with suppress(asyncio.CancelledError):
            await self._writer

    async def _write(self) -> None:
        with suppress(ConnectionError, RuntimeError):
            while True:
                due, raw = await self._queue.get()
                if (wait := due - time.monotonic()) > 0:
                    await asyncio.sleep(wait)
                if self._compressor:
                    # One stream for the whole connection, flushed so that each message ends on a boundary.
                    await self._ws.send_bytes(self._compressor.compress(raw) + self._compressor.flush(self._flush))
                else:
                    await self._ws.send_str(raw.decode())
                self._queue.task_done()


class Session:
    """What a bot has on one shard. It survives its socket, so that RESUME can replay what was missed."""

    def __init__(self, shard: int, count: int, intents: int) -> None:
        self.shard, self.count, self.intents = shard, count, intents
        self.id = snowflake()
        self.sequence = 0
        self.socket: Socket | None = None
        self._sent: deque[tuple[int, bytes]] = deque(maxlen=KEPT_FOR_REPLAY)

    def dispatch(self, event: str, data: Json) -> None:
        self.sequence += 1
        raw = _dumps({"op": DISPATCH, "t": event, "s": self.sequence, "d": data})
        self._sent.append((self.sequence, raw))
        if self.socket:
            self.socket.send(raw)

    def replay(self, after: int) -> None:
        assert self.socket
        for sequence, raw in list(self._sent):
            if sequence > after:
                self.socket.send(raw)


@dataclass
class GatewaySettings:
    """How strict and how patient the gateway is."""

    max_concurrency: int = 1
    identify_window: float = 5.0
    """Seconds for which a further IDENTIFY of the same bucket (shard % max_concurrency) is refused."""
    heartbeat_interval: float = 41.25
    allowed_intents: int = ALL_INTENTS & ~PRIVILEGED
    """Privileged intents have to be switched on in the developer portal."""
    refuses: bool = False
    """Let nobody connect, as in an outage."""


class Gateway:
    """All sessions of the bot."""

    def __init__(self, world: World, settings: GatewaySettings, token: list[str]) -> None:
        self.world = world
        self.settings = settings
        self._token = token
        self.url = ""
        self.sessions: dict[str, Session] = {}
        self.by_shard: dict[int, Session] = {}
        self.dispatched: Counter[str] = Counter()
        """How often each event was sent, RESUMED and READY included."""
        self.received: Counter[int] = Counter()
        """How often the bot sent each opcode."""
        self.closes: list[int] = []
        """Close codes that the gateway used against the bot."""
        self.identified: list[tuple[float, int, int]] = []
        """Time, shard and shard count of every IDENTIFY that was let in."""
        self._heartbeat = asyncio.Event()
        self._last_identify: dict[int, float] = {}

    def sockets(self) -> list[Socket]:
        return [session.socket for session in self.sessions.values() if session.socket]

    def connected(self, shard: int) -> Socket:
        """The live connection of a shard. Raises NotConnected where there is none."""
        session = self.by_shard.get(shard)
        if session is None or session.socket is None:
            raise NotConnected(f"shard {shard} is not connected")
        return session.socket

    @property
    def is_ready(self) -> bool:
        """Whether the bot is connected with all its shards."""
        return len(self.by_shard) >= self.world.shard_count and all(session.socket for session in self.by_shard.values())

    def session(self, guild: Guild | None) -> Session:
        """The session that hears of a guild, and of direct messages."""
        if not self.by_shard:
            raise NotConnected("the bot is not connected")
        count = next(iter(self.by_shard.values())).count
        shard = (int(guild.id) >> 22) % count if guild else 0
        if shard not in self.by_shard:
            raise NotConnected(f"shard {shard} is not connected")
        return self.by_shard[shard]

    def dispatch(self, guild: Guild | None, event: str, data: Json) -> None:
        """Send an event to the shard that it concerns. While that is disconnected, it is kept for RESUME."""
        self.dispatched[event] += 1
        self.session(guild).dispatch(event, data)

    def tell(self, guild: Guild | None, intent: int, event: str, data: Json) -> None:
        """Send an event if the bot has asked for its kind, is in the guild and has a session; otherwise it passes unheard."""
        with suppress(NotConnected):
            session = self.session(guild)
            if session.intents & intent and (guild is None or guild.has_bot):
                self.dispatched[event] += 1
                session.dispatch(event, data)

    def forget(self, shard: int) -> None:
        """End a session for good, and say so."""
        socket = self.connected(shard)
        self._drop_session(self.by_shard[shard])
        socket.op(INVALID_SESSION, False)

    async def beat(self, shard: int = 0) -> None:
        """Ask for a heartbeat (op 1) and wait for it: whatever was sent before has then been read."""
        self._heartbeat.clear()
        self.connected(shard).op(HEARTBEAT)
        await self._heartbeat.wait()

    async def close(self) -> None:
        await asyncio.gather(*(socket.close(1001) for socket in self.sockets()))

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """One connection, from HELLO to its end."""
        if self.settings.refuses:
            return web.Response(status=503)
        ws = web.WebSocketResponse(max_msg_size=4096, timeout=0.5)
        await ws.prepare(request)
        socket = Socket(ws, request.transport, request.query.get("compress"))
        session: Session | None = None
        try:
            if request.query.get("v") != "10" or request.query.get("encoding") != "json":
                await self._refuse(socket, 4012)
                return ws
            interval = int(self.settings.heartbeat_interval * 1000)
            socket.op(HELLO, {"heartbeat_interval": interval, "_trace": ["stand-in"]})
            async for message in ws:
                if socket.frozen:
                    continue
                if message.type is not WSMsgType.TEXT:
                    await self._refuse(socket, 4002)
                    break
                session = await self._receive(socket, session, message.data)
        except ConnectionError:
            pass
        finally:
            if session and session.socket is socket:
                session.socket = None
                if ws.close_code in (1000, 1001) and not socket.closed_by_us:
                    # A client that takes its leave ends its session with it.
                    self._drop_session(session)
            await socket.finish()
        return ws

    async def _receive(self, socket: Socket, session: Session | None, text: str) -> Session | None:
        try:
            payload = json.loads(text)
            op, data = payload["op"], payload.get("d")
        except (ValueError, KeyError, TypeError):
            await self._refuse(socket, 4002)
            return session
        self.received[op] += 1
        if socket.flooded():
            await self._refuse(socket, 4008)
        elif op == HEARTBEAT:
            self._heartbeat.set()
            socket.op(HEARTBEAT_ACK)
        elif op == IDENTIFY:
            if session is not None:
                await self._refuse(socket, 4005)
                return session
            return await self._identify(socket, data)
        elif op == RESUME:
            return await self._resume(socket, data)
        elif session is None:
            await self._refuse(socket, 4003)
        elif op == REQUEST_MEMBERS:
            self._members(session, data)
        elif op not in (PRESENCE, VOICE, REQUEST_SOUNDS):
            await self._refuse(socket, 4001)
        return session

    async def _identify(self, socket: Socket, data: Json) -> Session | None:
        shard, count = data.get("shard", (0, 1))
        intents = data.get("intents")
        if data.get("token") != self._token[0]:
            return await self._refuse(socket, 4004)
        if not 0 <= shard < count:
            return await self._refuse(socket, 4010)
        if not isinstance(intents, int) or intents & ~ALL_INTENTS:
            return await self._refuse(socket, 4013)
        if intents & ~self.settings.allowed_intents:
            return await self._refuse(socket, 4014)
        bucket, now = shard % self.settings.max_concurrency, time.monotonic()
        if now - self._last_identify.get(bucket, float("-inf")) < self.settings.identify_window * 0.98:
            socket.op(INVALID_SESSION, False)
            return None
        self._last_identify[bucket] = now
        self.identified.append((now, shard, count))
        session = Session(shard, count, intents)
        session.socket = socket
        self.sessions[session.id] = session
        if shard in self.by_shard:
            self._drop_session(self.by_shard[shard])
        guilds = [guild for guild in self.world.guilds.values() if guild.has_bot and (int(guild.id) >> 22) % count == shard]
        self._say(session, "READY", self._ready(session, guilds))
        if intents & GUILDS:
            for guild in guilds:
                self._say(session, "GUILD_CREATE", guild.creation(self.world.me))
        self.by_shard[shard] = session
        return session

    def _ready(self, session: Session, guilds: list[Guild]) -> Json:
        return {
            "v": 10,
            "user": own_user(self.world),
            "guilds": [{"id": guild.id, "unavailable": True} for guild in guilds],
            "session_id": session.id,
            "session_type": "normal",
            "resume_gateway_url": self.url,
            "shard": [session.shard, session.count],
            "application": {"id": self.world.application_id, "flags": application_flags(self.settings.allowed_intents)},
            "private_channels": [],
            "relationships": [],
            "presences": [],
            "user_settings": {},
            "guild_join_requests": [],
            "geo_ordered_rtc_regions": [],
            "_trace": ["stand-in"],
        }

    async def _resume(self, socket: Socket, data: Json) -> Session | None:
        if data.get("token") != self._token[0]:
            return await self._refuse(socket, 4004)
        session = self.sessions.get(data.get("session_id", ""))
        if session is None:
            socket.op(INVALID_SESSION, False)
            return None
        if data.get("seq") is None or data["seq"] > session.sequence:
            return await self._refuse(socket, 4007)
        session.socket = socket
        session.replay(data["seq"])
        self._say(session, "RESUMED", {"_trace": ["stand-in"]})
        return session

    def _members(self, session: Session, data: Json) -> None:
        guild = self.world.guilds.get(str(data.get("guild_id")))
        if guild is None:
            return
        wanted = {str(key) for key in data.get("user_ids") or []}
        query = data.get("query")
        found = [
            guild.member(user)
            for user in guild.users.values()
            if user.id in wanted or (query is not None and user.name.startswith(query))
        ]
        chunk = {"guild_id": guild.id, "members": found, "chunk_index": 0, "chunk_count": 1, "not_found": []}
        self._say(session, "GUILD_MEMBERS_CHUNK", chunk | {"nonce": data.get("nonce")})

    def _say(self, session: Session, event: str, data: Json) -> None:
        self.dispatched[event] += 1
        session.dispatch(event, data)

    def _drop_session(self, session: Session) -> None:
        self.sessions.pop(session.id, None)
        if self.by_shard.get(session.shard) is session:
            del self.by_shard[session.shard]

    async def _refuse(self, socket: Socket, code: int) -> None:
        self.closes.append(code)
        await socket.close(code)


def own_user(world: World) -> Json:
    """The bot's own account, as it alone sees it."""
    return world.me.payload() | {"verified": True, "mfa_enabled": False, "email": None, "locale": "en-US", "premium_type": 0}


def application_flags(intents: int) -> int:
    """Which privileged intents the developer portal shows as switched on, for an app in fewer than a hundred servers."""
    limited = ((GUILD_PRESENCES, 1 << 13), (GUILD_MEMBERS, 1 << 15), (MESSAGE_CONTENT, 1 << 19))
    return sum(flag for intent, flag in limited if intents & intent)


def _dumps(payload: Json) -> bytes:
    return _encoder.encode(payload).encode()


def _compressor(kind: str | None) -> tuple[_Compressor | None, int]:
    if kind == "zlib-stream":
        return zlib.compressobj(), zlib.Z_SYNC_FLUSH
    if kind == "zstd-stream":
        # Clients ask for it only where they have the package themselves, and a bot under test shares our environment.
        zstandard = import_module("zstandard")
        return zstandard.ZstdCompressor().compressobj(), zstandard.COMPRESSOBJ_FLUSH_BLOCK
    return None, 0
