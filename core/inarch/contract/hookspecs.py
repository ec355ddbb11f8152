"""Hooks that a plugin module may define. Each returns records or objects; none does the work.

Inarch calls hooks once per composition, plugin by plugin, in the order of the profile's list. It refuses hookwrappers,
`tryfirst`, `trylast` and `firstresult`, because the profile's list is the order. docs/reference/hooks.md has an example
of each.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pluggy

from inarch.contract.event_parts import EventKind
from inarch.contract.front_ends import FrontEnd, FrontEndSpec
from inarch.contract.ports import ContextSource, DecisionStrategy, ModelProvider, Policy, Tool, Tracer
from inarch.contract.records import PluginContext
from inarch.contract.session_extensions import SessionExtension
from inarch.contract.slash_commands import SlashCommand
from inarch.contract.stores import StoreSpec
from inarch.contract.workspaces import WorkspaceSpec

if TYPE_CHECKING:
    from inarch.contract.compaction import Compaction  # only for a conversation that is too long
    from inarch.contract.findings import SelfCheck  # only doctor uses these
    from inarch.contract.interventions import Approver, EndGuard, Reviewer, Rewriter  # few profiles have one
    from inarch.contract.loaders import Loader  # most plugins are loaded here
    from inarch.contract.ports import LateTools
    from inarch.contract.transcripts import Exporter  # only an export reads a session

hookspec = pluggy.HookspecMarker("inarch")
hookimpl = pluggy.HookimplMarker("inarch")


@hookspec
def inarch_tools(context: PluginContext) -> Iterable[Tool]:  # type: ignore[empty-body]
    """Return tools.

    `@inarch.tool` functions of the module register without this hook, which is for tools that need settings.
    """


@hookspec
def inarch_models(context: PluginContext) -> Iterable[ModelProvider]:  # type: ignore[empty-body]
    """Return model providers."""


@hookspec
def inarch_strategies(context: PluginContext) -> Iterable[DecisionStrategy]:  # type: ignore[empty-body]
    """Return decision strategies."""


@hookspec
def inarch_stores(context: PluginContext) -> Iterable[StoreSpec]:  # type: ignore[empty-body]
    """Return kinds of context store; the profile's `store` names the one to open."""


@hookspec
def inarch_tracers(context: PluginContext) -> Iterable[Tracer]:  # type: ignore[empty-body]
    """Return tracers."""


@hookspec
def inarch_workspaces(context: PluginContext) -> Iterable[WorkspaceSpec]:  # type: ignore[empty-body]
    """Return kinds of workspace; the profile's `workspace` names the one to open."""


@hookspec
def inarch_context_sources(context: PluginContext) -> Iterable[ContextSource]:  # type: ignore[empty-body]
    """Return context sources."""


@hookspec
def inarch_compactions(context: PluginContext) -> Iterable[Compaction]:  # type: ignore[empty-body]
    """Return compactions, which shorten a conversation that is too long for its model."""


@hookspec
def inarch_rewriters(context: PluginContext) -> Iterable[Rewriter]:  # type: ignore[empty-body]
    """Return rewriters, which see each call before it is judged and may change it."""


@hookspec
def inarch_approvers(context: PluginContext) -> Iterable[Approver]:  # type: ignore[empty-body]
    """Return approvers, which may answer questions about calls in the user's place."""


@hookspec
def inarch_reviewers(context: PluginContext) -> Iterable[Reviewer]:  # type: ignore[empty-body]
    """Return reviewers, which see each call that has ended and may add text to its result."""


@hookspec
def inarch_end_guards(context: PluginContext) -> Iterable[EndGuard]:  # type: ignore[empty-body]
    """Return end guards, which may hold back the end of a turn with a reason."""


@hookspec
def inarch_late_tools(context: PluginContext) -> Iterable[LateTools]:  # type: ignore[empty-body]
    """Return sources of tools that appear while sessions run."""


@hookspec
def inarch_policies(context: PluginContext) -> Iterable[Policy]:  # type: ignore[empty-body]
    """Return policies."""


@hookspec
def inarch_slash_commands(context: PluginContext) -> Iterable[SlashCommand]:  # type: ignore[empty-body]
    """Return slash commands."""


@hookspec
def inarch_session_extensions(context: PluginContext) -> Iterable[SessionExtension]:  # type: ignore[empty-body]
    """Return session extensions: objects that are created for a session on request."""


@hookspec
def inarch_events(context: PluginContext) -> Iterable[EventKind]:  # type: ignore[empty-body]
    """Return the kinds of events that the plugin records, through the context of a tool or a slash command."""


@hookspec
def inarch_front_ends(context: PluginContext) -> Iterable[FrontEnd | FrontEndSpec]:  # type: ignore[empty-body]
    """Return front ends, or specs that create one on demand; `--output` names the one to use."""


@hookspec
def inarch_checks(context: PluginContext) -> Iterable[SelfCheck]:  # type: ignore[empty-body]
    """Return checks that `inarch doctor` runs for the plugin."""


@hookspec
def inarch_loaders(context: PluginContext) -> Iterable[Loader]:  # type: ignore[empty-body]
    """Return loaders of plugins; `mode` of `[isolation.NAME]` names the one to use.

    Only built-in parts may define loaders: a loader reports what a plugin registers and enforces the user's grants.
    """


@hookspec
def inarch_exporters(context: PluginContext) -> Iterable[Exporter]:  # type: ignore[empty-body]
    """Return exporters: formats in which `inarch sessions export` writes a session."""


@hookspec
def inarch_settings() -> type:  # type: ignore[empty-body]
    """Return the attrs class of `[plugins.NAME]`; its fields become keys, their defaults the defaults."""


HOOKS = tuple(name for name in list(globals()) if name.startswith("inarch_"))
