"""Export of finished spans to the collector, in batches."""

from __future__ import annotations

import logging

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.util.re import parse_env_headers

import inarch

TIMEOUT_S = 5
"""Seconds for one batch, retries included."""


class _LastWords(logging.Handler):
    """Log handler that stores the exporter's last message and keeps it off standard error."""

    said = ""

    def emit(self, record: logging.LogRecord) -> None:
        """Store a message."""
        self.said = record.getMessage()


class _Finished(SpanProcessor):
    def __init__(self) -> None:
        self.spans: list[ReadableSpan] = []

    def on_end(self, span: ReadableSpan) -> None:
        """Queue a finished span for the next batch."""
        self.spans.append(span)


class Sender:
    """Sender of spans, used by one thread.

    `lost` counts dropped spans. `reason` says why the last ones were dropped. `outages` counts failures that came first
    or after a success.
    """

    def __init__(self, endpoint: str, headers: str) -> None:
        self._words = _LastWords(logging.WARNING)
        self._logger = logging.getLogger("opentelemetry")
        self._logger.addHandler(self._words)
        self._exporter = OTLPSpanExporter(
            endpoint=endpoint, headers=parse_env_headers(headers, liberal=True), timeout=TIMEOUT_S
        )
        self._finished = _Finished()
        resource = Resource.create({"service.name": "inarch", "service.version": inarch.__version__})
        self.provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self.provider.add_span_processor(self._finished)
        self.lost = 0
        self.reason = ""
        self.outages = 0
        self._failing = False
        self._sending = 0

    @property
    def ready(self) -> list[ReadableSpan]:
        """Spans that are ready to be sent."""
        return self._finished.spans

    def send(self) -> None:
        """Send the ready spans."""
        batch, self._finished.spans = self._finished.spans, []
        self._words.said = ""
        self._sending = len(batch)
        delivered = self._exporter.export(batch) is SpanExportResult.SUCCESS
        if delivered:
            self._failing = False
        else:
            self._lose(self._words.said or "it was refused")
        self._sending = 0

    def abandon(self) -> None:
        """Drop the spans that are being sent or waiting; another thread calls it when `send` takes too long."""
        self._sending += len(self._finished.spans)
        self._lose("no answer in time")
        self._exporter.shutdown()  # type: ignore[no-untyped-call] # the library has no annotation there

    def close(self) -> None:
        """Close the connection."""
        self._exporter.shutdown()  # type: ignore[no-untyped-call] # the library has no annotation there
        self._logger.removeHandler(self._words)

    def _lose(self, reason: str) -> None:
        self.lost += self._sending
        self._sending = 0
        self.reason = reason
        if not self._failing:
            self.outages += 1
        self._failing = True
