"""What the bot tells Prometheus. Loaded only where a port is set for it: nobody else pays for the import."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from bot.client import Client
from commands.meter import Counted, Shed, Way

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 10.0)
"""Discord gives an interaction three seconds."""


class Metrics:
    """Counts what is answered, and looks at everything else when it is asked."""

    def __init__(self, client: Client) -> None:
        self.registry = CollectorRegistry()
        self._answers = Counter(
            "rigcheck_answers",
            "Questions answered, those included that were asked back",
            ("way", "intent", "locale"),
            registry=self.registry,
        )
        self._misses = Counter(
            "rigcheck_misses",
            "Questions that got no figures: a name not on file, asked back, not understood",
            ("kind",),
            registry=self.registry,
        )
        self._seconds = Histogram(
            "rigcheck_answer_seconds",
            "From hearing of a question until Discord has taken the answer",
            ("way",),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._shed = Counter(
            "rigcheck_shed", "Left out, or answered in a sentence, under too much load", ("what",), registry=self.registry
        )
        self._slowed_down = Counter("rigcheck_slowed_down", "Questions refused to whoever asks too fast", registry=self.registry)
        self._failed = Counter("rigcheck_failed", "Answers that failed for a fault of ours", registry=self.registry)
        self.registry.register(_Moment(client))

    def answered(self, way: Way, answers: Iterable[Counted], seconds: float) -> None:
        """Count answers, and how long the message that they stand in took."""
        for answer in answers:
            self._answers.labels(way, answer.intent, answer.locale).inc()
            if answer.missed:
                self._misses.labels(answer.missed).inc()
        self._seconds.labels(way).observe(seconds)

    def shed(self, what: Shed) -> None:
        """Count what load made the bot leave out."""
        self._shed.labels(what).inc()

    def slowed_down(self) -> None:
        """Count a refusal."""
        self._slowed_down.inc()

    def failed(self) -> None:
        """Count a fault."""
        self._failed.inc()

    def text(self) -> bytes:
        """Everything in Prometheus's text format."""
        return generate_latest(self.registry)


class _Moment(Collector):
    """What is true at the moment: shards, catalogue, caches, what is kept in memory."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def collect(self) -> Iterator[GaugeMetricFamily | CounterMetricFamily]:
        """The figures of this moment."""
        client, services = self._client, self._client.services
        up = GaugeMetricFamily("rigcheck_shard_up", "Whether a shard is connected", labels=["shard"])
        latency = GaugeMetricFamily("rigcheck_shard_latency_seconds", "Between a heartbeat and its answer", labels=["shard"])
        losses = CounterMetricFamily("rigcheck_shard_losses", "Connections that a shard has lost", labels=["shard"])
        for health in client.shard_health():
            shard = [str(health.shard)]
            up.add_metric(shard, health.up_s is not None)
            losses.add_metric(shard, health.losses)
            if health.latency_s is not None:
                latency.add_metric(shard, health.latency_s)
        yield from (up, latency, losses)
        held = services.answering.catalogue
        yield GaugeMetricFamily("rigcheck_servers", "Servers that the bot is in", value=len(client.guilds))
        yield GaugeMetricFamily(
            "rigcheck_catalogue_generation", "Catalogues in use so far, 1 until a reload", value=services.generation
        )
        loaded = (datetime.now(UTC) - services.loaded_at).total_seconds()
        yield GaugeMetricFamily("rigcheck_catalogue_loaded_seconds", "Since the catalogue was loaded", value=max(0.0, loaded))
        age = (datetime.now(UTC).date() - held.date).days * 86_400.0
        yield GaugeMetricFamily("rigcheck_catalogue_age_seconds", "Since the day that the catalogue's facts are of", value=age)
        records = GaugeMetricFamily("rigcheck_catalogue_records", "Records in the catalogue", labels=["kind"])
        records.add_metric(["model"], len(held.models))
        records.add_metric(["card"], len(held.cards))
        yield records
        yield from self._caches()
        kept = GaugeMetricFamily("rigcheck_kept", "What is kept in memory, by what it is", labels=["what"])
        kept.add_metric(["conversations"], len(services.conversations))
        kept.add_metric(["limits"], len(services.limits))
        kept.add_metric(["servers"], len(services.store.servers()))
        yield kept
        yield GaugeMetricFamily("rigcheck_state_writable", "Whether settings can be changed", value=services.store.trouble is None)

    def _caches(self) -> Iterator[CounterMetricFamily]:
        answering = self._client.services.answering
        caches = {"survey": answering.desk.survey}
        if "suggestions" in answering.__dict__:
            caches |= {"suggested_models": answering.suggestions.models, "suggested_cards": answering.suggestions.cards}
        hits = CounterMetricFamily("rigcheck_cache_hits", "Look-ups that a cache answered", labels=["cache"])
        misses = CounterMetricFamily("rigcheck_cache_misses", "Look-ups that had to be worked out", labels=["cache"])
        for name, cache in caches.items():
            info = cache.cache_info()
            hits.add_metric([name], info.hits)
            misses.add_metric([name], info.misses)
        yield from (hits, misses)
