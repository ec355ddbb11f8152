"""The plugin's hooks. Each loads only what it registers: every command reads the settings, but few need the tools."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from inarch import ContextSource, DecisionStrategy, PluginContext, Tool, Tracer, hookimpl
from inarch_brief.tracer.answers.tracer_settings import Settings

if TYPE_CHECKING:
    from inarch_brief.tracer.answers.tracer_tools import Desk


_desks: WeakValueDictionary[int, Desk] = WeakValueDictionary()
"""One desk for each plugin context. Tools, context source and tracer are registered separately and share its index."""


@hookimpl
def inarch_settings() -> type:
    """Return the class of `[plugins.brief-tracer]`."""
    return Settings


@hookimpl
def inarch_tools(context: PluginContext) -> Iterable[Tool]:
    """Return the tools. They share one index of the workspace root."""
    from inarch_brief.tracer.answers.tracer_tools import tools

    return tools(_desk(context))


@hookimpl
def inarch_context_sources(context: PluginContext) -> Iterable[ContextSource]:
    """Return the source that adds the flow through the symbols a prompt names."""
    from inarch_brief.tracer.answers.turns import FlowSource

    settings = _settings(context)
    return [FlowSource(_desk(context), settings.context_seconds, settings.context_tokens if settings.context else 0)]


@hookimpl
def inarch_strategies(context: PluginContext) -> Iterable[DecisionStrategy]:
    """Return the strategy `trace-first`."""
    from inarch_brief.tracer.answers.turns import TraceFirst

    return [TraceFirst()]


@hookimpl
def inarch_tracers(context: PluginContext) -> Iterable[Tracer]:
    """Return the tracer that reports which entry paths a turn's edits are on."""
    settings = _settings(context)
    if not settings.impact:
        return []
    from inarch_brief.tracer.answers.turns import ImpactTracer

    return [ImpactTracer(_desk(context))]


def _settings(context: PluginContext) -> Settings:
    return context.settings if isinstance(context.settings, Settings) else Settings()


def _desk(context: PluginContext) -> Desk:
    desk = _desks.get(id(context))
    if desk is None or desk.context is not context:
        from inarch_brief.tracer.answers.tracer_tools import Desk

        settings = _settings(context)
        desk = _desks[id(context)] = Desk(context, settings.index_seconds, settings.link_seconds)
    return desk
