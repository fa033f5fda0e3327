"""Tells a supervisor on the same machine how the bot is: ``/healthz``, ``/readyz``, ``/metrics``."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from aiohttp import web

from bot.client import Client
from bot.metrics import CONTENT_TYPE, Metrics
from bot.settings import SettingsError

HOST = "127.0.0.1"
"""Nobody else's business: what has to reach it from elsewhere goes through something that asks who they are."""


@asynccontextmanager
async def serving(client: Client, port: int) -> AsyncGenerator[int]:
    """Serve while the block runs; yields the port, which the system picks where it is given as 0.

    Raises:
        SettingsError: where the port is taken.
    """
    metrics = Metrics(client)
    client.services.meter = metrics
    pages = _Pages(client, metrics)
    app = web.Application()
    app.router.add_get("/healthz", pages.healthz)
    app.router.add_get("/readyz", pages.readyz)
    app.router.add_get("/metrics", pages.metrics)
    runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=0.5)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, HOST, port).start()
        except OSError as error:
            raise SettingsError(f"RIGCHECK_HEALTH_PORT: port {port} of {HOST} cannot be taken: {error.strerror}") from error
        yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()


class _Pages:
    def __init__(self, client: Client, metrics: Metrics) -> None:
        self._client = client
        self._metrics = metrics

    async def healthz(self, _: web.Request) -> web.Response:
        """Whether the process goes on: whoever gets this has been served by its event loop."""
        return web.Response(text="ok\n")

    async def readyz(self, _: web.Request) -> web.Response:
        """Whether every shard of this process is connected, and how each is."""
        shards = {
            str(health.shard): {
                "connected": health.up_s is not None,
                "connected_s": None if health.up_s is None else round(health.up_s, 1),
                "latency_ms": None if health.latency_s is None else round(1000 * health.latency_s, 1),
                "losses": health.losses,
            }
            for health in self._client.shard_health()
        }
        ready = self._client.shard_states.all_up(self._client.own_shards())
        services = self._client.services
        aside = services.store.set_aside
        body = {
            "ready": ready,
            "shards": shards,
            "generation": services.generation,
            "state": services.store.trouble or (f"begun anew, since it was damaged; kept as {aside.name}" if aside else "ok"),
        }
        return web.json_response(body, status=200 if ready else 503)

    async def metrics(self, _: web.Request) -> web.Response:
        """Everything for Prometheus."""
        return web.Response(body=self._metrics.text(), headers={"Content-Type": CONTENT_TYPE})
