"""Turns, requests and tool calls as OpenTelemetry traces over OTLP/HTTP."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import frozen

import inarch

_TRACES = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
_ALL = "OTEL_EXPORTER_OTLP_ENDPOINT"


@frozen
class Settings:
    """Settings of the traces.

    Args:
        base_url: The collector; `/v1/traces` is added. If empty, OpenTelemetry's own variables set it. If neither is
            set, nothing is sent.
        headers_env: The variable with headers for the collector, as `name=value,name=value`.
        content: Whether to send prompts, answers, arguments and results.
    """

    base_url: str = ""
    headers_env: str = "OTEL_EXPORTER_OTLP_HEADERS"
    content: bool = False


@inarch.hookimpl
def inarch_settings() -> type:
    """Return the settings of `[plugins.otel]`."""
    return Settings


@inarch.hookimpl
def inarch_tracers(context: inarch.PluginContext) -> Iterable[inarch.Tracer]:
    """Return the tracer, unless recording is off."""
    if not context.recorded:
        return []
    from inarch_otel.tracer import OtelTracer

    settings = context.settings if isinstance(context.settings, Settings) else Settings()
    headers = context.environ.get(settings.headers_env, "")
    return [OtelTracer(_endpoint(settings, context.environ), headers, settings.content, context.state_dir)]


def _endpoint(settings: Settings, environ: Mapping[str, str]) -> str:
    if not settings.base_url and environ.get(_TRACES):
        return environ[_TRACES]
    base = settings.base_url or environ.get(_ALL, "")
    return f"{base.rstrip('/')}/v1/traces" if base else ""
