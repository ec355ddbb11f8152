"""The hooks: what a plugin module may define. Each one returns records or objects; none does the work.

Hooks are called once per composition, plugin by plugin, in the order of the profile's list. Hookwrappers, `tryfirst`,
`trylast` and `firstresult` are refused: order is the profile's list.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pluggy

from inarch.contract.plugin_events import EventKind
from inarch.contract.ports import (
    ContextSource,
    DecisionStrategy,
    FrontEnd,
    FrontEndSpec,
    ModelProvider,
    Policy,
    StoreSpec,
    Tool,
    Tracer,
    WorkspaceSpec,
)
from inarch.contract.records import PluginContext
from inarch.contract.session_extensions import SessionExtension
from inarch.contract.slash_commands import SlashCommand

if TYPE_CHECKING:
    from inarch.contract.compaction import Compaction  # only where a conversation is too long
    from inarch.contract.findings import SelfCheck  # only doctor looks
    from inarch.contract.intervening import EndGuard, Reviewer, Rewriter  # few profiles have one
    from inarch.contract.late_tools import LateTools  # few plugins have one
    from inarch.contract.loading import Loader  # most plugins are loaded here
    from inarch.contract.transcripts import Exporter  # only an export reads a session

hookspec = pluggy.HookspecMarker("inarch")
hookimpl = pluggy.HookimplMarker("inarch")


@hookspec
def inarch_tools(context: PluginContext) -> Iterable[Tool]:  # type: ignore[empty-body]
    """Return tools.

    `@inarch.tool` functions of the module register without this hook; it is for tools that need settings.

    >>> import inarch
    >>> @inarch.tool
    ... def shout(text: str) -> str:
    ...     "Say it louder."
    ...     return text.upper()
    >>> @inarch.hookimpl
    ... def inarch_tools(context):
    ...     return [shout]
    >>> [tool.name for tool in inarch_tools(inarch.PluginContext("demo", "."))]
    ['shout']
    """


@hookspec
def inarch_models(context: PluginContext) -> Iterable[ModelProvider]:  # type: ignore[empty-body]
    """Return model providers.

    >>> import inarch
    >>> class Echo:
    ...     name, default_model, default_decision_model = "echo", "plain", "plain"
    ...     async def answer(self, request):
    ...         yield inarch.TextDelta(request.messages[-1].text)
    ...         yield inarch.Finish("stop")
    ...     async def models(self): return [inarch.ModelInfo("plain")]
    ...     def limits(self, model): return inarch.Limits()
    ...     def price(self, model): return None
    ...     async def close(self): pass
    >>> @inarch.hookimpl
    ... def inarch_models(context):
    ...     return [Echo()]
    >>> inarch_models(inarch.PluginContext("demo", "."))[0].default_model
    'plain'
    """


@hookspec
def inarch_strategies(context: PluginContext) -> Iterable[DecisionStrategy]:  # type: ignore[empty-body]
    """Return decision strategies.

    >>> import inarch
    >>> class ListFirst:
    ...     name = "list-first"
    ...     async def decide(self, situation):
    ...         return inarch.Decision("call_tools", (inarch.PlannedCall("list_files", {}),))
    >>> @inarch.hookimpl
    ... def inarch_strategies(context):
    ...     return [ListFirst()]
    >>> inarch_strategies(inarch.PluginContext("demo", "."))[0].name
    'list-first'
    """


@hookspec
def inarch_stores(context: PluginContext) -> Iterable[StoreSpec]:  # type: ignore[empty-body]
    """Return kinds of context store; the profile's `store` names the one to open.

    >>> import inarch
    >>> @inarch.hookimpl
    ... def inarch_stores(context):
    ...     return [inarch.StoreSpec("memory", lambda path: inarch.open_store("memory", path))]
    >>> inarch_stores(inarch.PluginContext("demo", "."))[0].name
    'memory'
    """


@hookspec
def inarch_tracers(context: PluginContext) -> Iterable[Tracer]:  # type: ignore[empty-body]
    """Return tracers.

    >>> import inarch
    >>> class CountCalls:
    ...     name, calls = "count-calls", 0
    ...     def saw(self, event): self.calls += event.kind == "call.result"
    ...     def summary(self, turn_id): return f"{self.calls} calls"
    ...     def close(self): pass
    >>> @inarch.hookimpl
    ... def inarch_tracers(context):
    ...     return [CountCalls()]
    >>> inarch_tracers(inarch.PluginContext("demo", "."))[0].summary("t")
    '0 calls'
    """


@hookspec
def inarch_workspaces(context: PluginContext) -> Iterable[WorkspaceSpec]:  # type: ignore[empty-body]
    """Return kinds of workspace; the profile's `workspace` names the one to open.

    >>> import inarch
    >>> def open_it(root): raise inarch.ToolFailed("permission", f"{root} is not for you")
    >>> @inarch.hookimpl
    ... def inarch_workspaces(context):
    ...     return [inarch.WorkspaceSpec("closed", open_it)]
    >>> inarch_workspaces(inarch.PluginContext("demo", "."))[0].name
    'closed'
    """


@hookspec
def inarch_context_sources(context: PluginContext) -> Iterable[ContextSource]:  # type: ignore[empty-body]
    """Return context sources.

    >>> import inarch
    >>> class Greeting:
    ...     name = "greeting"
    ...     async def gather(self, situation): return inarch.Contribution("The user likes short answers.")
    >>> @inarch.hookimpl
    ... def inarch_context_sources(context):
    ...     return [Greeting()]
    >>> inarch_context_sources(inarch.PluginContext("demo", "."))[0].name
    'greeting'
    """


@hookspec
def inarch_compactions(context: PluginContext) -> Iterable[Compaction]:  # type: ignore[empty-body]
    """Return compactions: what becomes of a conversation that is too long for its model.

    >>> import inarch
    >>> class Forgetful:
    ...     name = "forgetful"
    ...     async def compact(self, crowded):
    ...         return inarch.Compacted(tuple(said.dropped() for said in crowded.earlier), crowded.running)
    >>> @inarch.hookimpl
    ... def inarch_compactions(context):
    ...     return [Forgetful()]
    >>> inarch_compactions(inarch.PluginContext("demo", "."))[0].name
    'forgetful'
    """


@hookspec
def inarch_rewriters(context: PluginContext) -> Iterable[Rewriter]:  # type: ignore[empty-body]
    """Return rewriters: they see each call before it is judged, and may make another one of it.

    >>> import inarch
    >>> class Careful:
    ...     name = "careful"
    ...     def rewrite(self, call, tool, context):
    ...         return inarch.Rewrite({**call.arguments, "limit": 10}) if call.name == "search_text" else None
    >>> @inarch.hookimpl
    ... def inarch_rewriters(context):
    ...     return [Careful()]
    >>> inarch_rewriters(inarch.PluginContext("demo", "."))[0].name
    'careful'
    """


@hookspec
def inarch_reviewers(context: PluginContext) -> Iterable[Reviewer]:  # type: ignore[empty-body]
    """Return reviewers: they see each call that has ended, and may add text to its result.

    >>> import inarch
    >>> class Reminder:
    ...     name = "reminder"
    ...     def review(self, call, tool, context):
    ...         return "Run the tests, too." if tool.effects(call.arguments).writes else None
    >>> @inarch.hookimpl
    ... def inarch_reviewers(context):
    ...     return [Reminder()]
    >>> inarch_reviewers(inarch.PluginContext("demo", "."))[0].name
    'reminder'
    """


@hookspec
def inarch_end_guards(context: PluginContext) -> Iterable[EndGuard]:  # type: ignore[empty-body]
    """Return end guards: they may hold back the end of a turn with a reason.

    >>> import inarch
    >>> class Polite:
    ...     name = "polite"
    ...     async def hold(self, ending):
    ...         return None if "thank" in ending.answer else "say thank you"
    >>> @inarch.hookimpl
    ... def inarch_end_guards(context):
    ...     return [Polite()]
    >>> inarch_end_guards(inarch.PluginContext("demo", "."))[0].name
    'polite'
    """


@hookspec
def inarch_late_tools(context: PluginContext) -> Iterable[LateTools]:  # type: ignore[empty-body]
    """Return what knows of tools that come while sessions run.

    >>> import inarch
    >>> class Found:
    ...     name = "found"
    ...     def new_tools(self):
    ...         return []
    >>> @inarch.hookimpl
    ... def inarch_late_tools(context):
    ...     return [Found()]
    >>> inarch_late_tools(inarch.PluginContext("demo", "."))[0].name
    'found'
    """


@hookspec
def inarch_policies(context: PluginContext) -> Iterable[Policy]:  # type: ignore[empty-body]
    """Return policies.

    >>> import inarch
    >>> class NoDeletes:
    ...     name = "no-deletes"
    ...     def judge(self, call, tool):
    ...         if call.name == "delete_file":
    ...             return inarch.Verdict("deny", "this team deletes by hand")
    ...         return inarch.Verdict("allow")
    >>> @inarch.hookimpl
    ... def inarch_policies(context):
    ...     return [NoDeletes()]
    >>> inarch_policies(inarch.PluginContext("demo", "."))[0].name
    'no-deletes'
    """


@hookspec
def inarch_slash_commands(context: PluginContext) -> Iterable[SlashCommand]:  # type: ignore[empty-body]
    """Return slash commands.

    >>> import inarch
    >>> @inarch.hookimpl
    ... def inarch_slash_commands(context):
    ...     return [inarch.SlashCommand("echo", "Say it again.", lambda words: words)]
    >>> inarch_slash_commands(inarch.PluginContext("demo", "."))[0].run("hello")
    'hello'
    """


@hookspec
def inarch_session_extensions(context: PluginContext) -> Iterable[SessionExtension]:  # type: ignore[empty-body]
    """Return what the plugin adds to sessions: objects that are made for a session when they are asked for.

    >>> import inarch
    >>> class Count:
    ...     def __init__(self, session): self.session = session
    ...     def events(self): return sum(1 for _ in self.session.store.load(self.session.session_id))
    >>> @inarch.hookimpl
    ... def inarch_session_extensions(context):
    ...     return [inarch.SessionExtension("count", "Counts its events.", Count)]
    >>> inarch_session_extensions(inarch.PluginContext("demo", "."))[0].name
    'count'
    """


@hookspec
def inarch_events(context: PluginContext) -> Iterable[EventKind]:  # type: ignore[empty-body]
    """Return the kinds of events that the plugin records, through the context of a tool or a slash command.

    >>> import inarch
    >>> @inarch.hookimpl
    ... def inarch_events(context):
    ...     schema = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}
    ...     return [inarch.EventKind("counted", "Words were counted.", schema)]
    >>> inarch_events(inarch.PluginContext("demo", "."))[0].name
    'counted'
    """


@hookspec
def inarch_front_ends(context: PluginContext) -> Iterable[FrontEnd | FrontEndSpec]:  # type: ignore[empty-body]
    """Return front ends, or what opens one when it is wanted; `--output` names the one to use.

    >>> import inarch
    >>> class Dots:
    ...     name = "dots"
    ...     def show(self, event): print(".", end="")
    ...     async def approve(self, batch): return []
    ...     def close(self): print()
    >>> @inarch.hookimpl
    ... def inarch_front_ends(context):
    ...     return [Dots()]
    >>> inarch_front_ends(inarch.PluginContext("demo", "."))[0].name
    'dots'
    """


@hookspec
def inarch_checks(context: PluginContext) -> Iterable[SelfCheck]:  # type: ignore[empty-body]
    """Return checks: what `inarch doctor` asks the plugin about itself.

    >>> import inarch
    >>> def look():
    ...     yield inarch.Finding("demo", "note", "there is no tea", "boil water")
    >>> @inarch.hookimpl
    ... def inarch_checks(context):
    ...     return [inarch.SelfCheck("tea", look)]
    >>> [finding.state for check in inarch_checks(inarch.PluginContext("demo", ".")) for finding in check.run()]
    ['note']
    """


@hookspec
def inarch_loaders(context: PluginContext) -> Iterable[Loader]:  # type: ignore[empty-body]
    """Return loaders of plugins; `mode` of `[isolation.NAME]` names the one to use.

    Only parts of Inarch itself may: a loader says what a plugin registers and holds it to what the user grants it.

    >>> import inarch
    >>> class Nowhere:
    ...     name = "nowhere"
    ...     def begin(self, job):
    ...         raise inarch.PluginError(f"plugin {job.name!r} is loaded nowhere", plugin=job.name)
    >>> @inarch.hookimpl
    ... def inarch_loaders(context):
    ...     return [Nowhere()]
    >>> inarch_loaders(inarch.PluginContext("demo", "."))[0].name
    'nowhere'
    """


@hookspec
def inarch_exporters(context: PluginContext) -> Iterable[Exporter]:  # type: ignore[empty-body]
    """Return exporters: formats in which `inarch sessions export` writes a session.

    >>> import inarch
    >>> class Prompts:
    ...     name, suffixes = "prompts", (".txt",)
    ...     def export(self, session, out):
    ...         out.writelines(f"{one.prompt}\\n" for one in session.exchanges())
    >>> @inarch.hookimpl
    ... def inarch_exporters(context):
    ...     return [Prompts()]
    >>> inarch_exporters(inarch.PluginContext("demo", "."))[0].suffixes
    ('.txt',)
    """


@hookspec
def inarch_settings() -> type:  # type: ignore[empty-body]
    """Return the attrs class of `[plugins.NAME]`; its fields become keys, their defaults the defaults.

    >>> import inarch
    >>> from attrs import frozen
    >>> @frozen
    ... class Settings:
    ...     "Settings of the demo plugin."
    ...     greeting: str = "hello"
    >>> @inarch.hookimpl
    ... def inarch_settings():
    ...     return Settings
    >>> inarch_settings()().greeting
    'hello'
    """


HOOKS: tuple[str, ...] = (
    "inarch_tools", "inarch_models", "inarch_strategies", "inarch_stores", "inarch_tracers", "inarch_workspaces",
    "inarch_context_sources", "inarch_compactions", "inarch_rewriters", "inarch_reviewers", "inarch_end_guards",
    "inarch_late_tools", "inarch_policies", "inarch_slash_commands", "inarch_events",
    "inarch_front_ends", "inarch_session_extensions", "inarch_exporters", "inarch_checks", "inarch_loaders",
    "inarch_settings",
)  # fmt: skip
