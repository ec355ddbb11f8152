"""What the kernel may call in a child, by kind of object and method: arguments from plain data, results into it."""

from __future__ import annotations

import base64
import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from inarch import (
    Ending,
    InarchError,
    ModelRequest,
    ProviderError,
    ToolCall,
    ToolError,
    ToolFailed,
    ToolResult,
    from_data,
    to_data,
)
from inarch.host import OPTIONAL
from inarch_isolation.line import Running
from inarch_isolation.stand_ins import FarContext, FarSlashContext, SeenTool, event_of, situation_of

if TYPE_CHECKING:
    from inarch_isolation.child import Child

_PAGE = 1 << 22
"""Bytes of events that a store's `scan` sends at once."""
Method = Callable[["Child", Any, Any, Running], Any]


def run_tool(child: Child, tool: Any, args: Mapping[str, Any], call: Running) -> Any:
    """Run a tool; what it returns may be awaitable."""
    context = FarContext(
        child.line, call, args["turn_id"], args["call_id"], child.settings, child.root, child.state_dir,
        args["selection"],
    )  # fmt: skip
    return tool.run(args["arguments"], context)


def result_data(value: Any, tool: str, plugin: str) -> dict[str, Any]:
    """Return what a tool returned as plain data.

    Raises:
        ToolFailed: It has no JSON form.
    """
    try:
        if not isinstance(value, ToolResult):
            data = {"data": to_data(value)}
        else:
            data = {"success": value.success, "data": to_data(value.data), "metadata": to_data(value.metadata)}
            error = value.error
            data["error"] = to_data(error) if isinstance(error, ToolError) else str(error) if error else None
    except (TypeError, ValueError, RecursionError) as error:
        text = f"tool {tool!r} of plugin {plugin!r} returned what is not JSON data: {error}"
        raise ToolFailed("execution", text, "report it to the plugin's author") from None
    return data


async def _answer(child: Child, model: Any, args: Any, call: Running) -> None:
    import asyncio

    async for delta in model.answer(from_data(ModelRequest, args)):
        if not call.room.acquire(blocking=False):
            await asyncio.to_thread(call.room.acquire)
        value = {"type": type(delta).__name__, "delta": to_data(delta)}
        child.line.send({"op": "item", "id": call.id, "value": value})


async def _models(_: Child, model: Any, __: Any, ___: Running) -> Any:
    return to_data(list(await model.models()))


async def _find_default(_: Child, model: Any, __: Any, ___: Running) -> Any:
    await model.find_default()
    return model.default_model


async def _decide(child: Child, strategy: Any, args: Any, call: Running) -> Any:
    return to_data(await strategy.decide(situation_of(args, child.line, call, child.root)))


async def _gather(child: Child, source: Any, args: Any, call: Running) -> Any:
    return to_data(await source.gather(situation_of(args, child.line, call, child.root)))


def _judge(child: Child, policy: Any, args: Any, call: Running) -> Any:
    tool = SeenTool(child.line, call, **args["tool"])
    return to_data(policy.judge(from_data(ToolCall, args["call"]), tool))


def _of_call(method: str) -> Method:
    def asked(child: Child, part: Any, args: Any, call: Running) -> Any:
        made = from_data(ToolCall, args["call"])
        context = FarContext(child.line, call, made.turn_id, made.id, child.settings, child.root, child.state_dir)
        said = getattr(part, method)(made, SeenTool(child.line, call, **args["tool"]), context)
        return _plain(said) if inspect.isawaitable(said) else to_data(said)

    return asked


async def _plain(said: Awaitable[Any]) -> Any:
    return to_data(await said)


async def _hold(child: Child, guard: Any, args: Any, call: Running) -> Any:
    situation = situation_of(args["situation"], child.line, call, child.root)
    calls = tuple(from_data(ToolCall, one) for one in args["calls"])
    return to_data(await guard.hold(Ending(situation, args["answer"], calls, args["held"])))


def _saw(_: Child, tracer: Any, args: Any, __: Running) -> None:
    for line in args:
        tracer.saw(event_of(line))


def _copied(_: Child, tracer: Any, args: Any, __: Running) -> None:
    tracer.copied(event_of(args))


def _open(child: Child, spec: Any, args: Any, _: Running) -> Any:
    from inarch.host import opened_fault

    opened = spec.open(args)
    if fault := opened_fault("store", opened):
        raise TypeError(fault)
    return {"number": child.keep(opened), "offers": [name for name in OPTIONAL["stores"] if hasattr(opened, name)]}


def _append(_: Child, store: Any, args: Any, __: Running) -> None:
    store.append(args["session_id"], [event_of(line) for line in args["lines"]])


def _load(_: Child, store: Any, args: Any, __: Running) -> Any:
    return [event.line for event in store.load(args["session_id"], args["after"])]


def _scan(_: Child, store: Any, args: Any, __: Running) -> Any:
    lines, size = [], 0
    kinds = args.get("kinds")
    for event in (
        store.scan(args["session_id"], args["after"])
        if kinds is None
        else store.scan_kinds(args["session_id"], kinds, args["after"])
    ):
        lines.append(event.line)
        size += len(lines[-1])
        if size > _PAGE:
            return {"lines": lines, "more": True}
    return {"lines": lines, "more": False}


def _fork(_: Child, store: Any, args: Any, __: Running) -> None:
    store.fork(args["source_id"], event_of(args["first"]), args["last"])


def _put_snapshot(_: Child, store: Any, args: Any, __: Running) -> None:
    store.put_snapshot(args["session_id"], args["name"], args["seq"], base64.b64decode(args["data"]))


def _put_blob(_: Child, store: Any, args: Any, __: Running) -> Any:
    return store.put_blob(args["session_id"], base64.b64decode(args["data"]))


def _start(child: Child, command: Any, args: Any, call: Running) -> Any:
    return command.start(args["words"], FarSlashContext(child.line, call, args["session_id"], args["columns"]))


METHODS: dict[tuple[str, str], Method] = {
    ("tools", "run"): run_tool,
    ("tools", "effects"): lambda _, tool, args, __: to_data(tool.effects(args)),
    ("tools", "shape"): lambda _, tool, args, __: tool.shape(args),
    ("tools", "allowed_by"): lambda _, tool, args, __: tool.allowed_by(args),
    ("tools", "preview"): lambda _, tool, args, __: tool.preview(args),
    ("tools", "offered"): lambda _, tool, args, __: bool(tool.offered(args)),
    ("models", "answer"): _answer,
    ("models", "models"): _models,
    ("models", "find_default"): _find_default,
    ("models", "check_key"): lambda _, model, args, __: model.check_key(args),
    ("models", "takes_effort"): lambda _, model, args, __: bool(model.takes_effort(args)),
    ("models", "limits"): lambda _, model, args, __: to_data(model.limits(args)),
    ("models", "price"): lambda _, model, args, __: to_data(model.price(args)),
    ("models", "close"): lambda _, model, __, ___: model.close(),
    ("strategies", "decide"): _decide,
    ("context_sources", "gather"): _gather,
    ("rewriters", "rewrite"): _of_call("rewrite"),
    ("reviewers", "review"): _of_call("review"),
    ("end_guards", "hold"): _hold,
    ("policies", "judge"): _judge,
    ("tracers", "saw"): _saw,
    ("tracers", "copied"): _copied,
    ("tracers", "forked"): lambda _, tracer, args, __: bool(tracer.forked(event_of(args))),
    ("tracers", "files"): lambda _, tracer, args, __: to_data(list(tracer.files(args))),
    ("tracers", "logs"): lambda _, tracer, __, ___: to_data(list(map(str, tracer.logs()))),
    ("tracers", "remarks"): lambda _, tracer, __, ___: to_data(list(tracer.remarks())),
    ("tracers", "summary"): lambda _, tracer, args, __: tracer.summary(args),
    ("tracers", "close"): lambda _, tracer, __, ___: tracer.close(),
    ("slash_commands", "start"): _start,
    ("checks", "run"): lambda _, check, __, ___: to_data(list(check.run())),
    ("stores", "open"): _open,
    ("opened", "append"): _append,
    ("opened", "scan"): _scan,
    ("opened", "scan_kinds"): _scan,
    ("opened", "fork"): _fork,
    ("opened", "put_snapshot"): _put_snapshot,
    ("opened", "get_snapshot"): lambda _, store, args, __: to_data(store.get_snapshot(*args)),
    ("opened", "damage"): lambda _, store, __, ___: list(map(str, store.damage)),
    ("opened", "set_aside"): lambda _, store, __, ___: list(map(str, store.set_aside)),
    ("opened", "sync"): lambda _, store, __, ___: store.sync(),
    ("opened", "load"): _load,
    ("opened", "sessions"): lambda _, store, args, __: to_data(list(store.sessions(args))),
    ("opened", "delete"): lambda _, store, args, __: store.delete(args),
    ("opened", "put_blob"): _put_blob,
    ("opened", "get_blob"): lambda _, store, args, __: to_data(store.get_blob(*args)),
    ("opened", "close"): lambda _, store, __, ___: store.close(),
}
"""Everything that can be called; a value that is awaitable is awaited."""

_USUAL = (ProviderError, ToolFailed)
DOORS: dict[str, tuple[Any, tuple[type[BaseException], ...]]] = {
    "tools": ("tool", _USUAL),
    "models": ("provider", _USUAL),
    "strategies": ("strategy", _USUAL),
    "context_sources": ("source", _USUAL),
    "rewriters": ("rewriter", ()),
    "reviewers": ("reviewer", ()),
    "end_guards": ("end guard", ()),
    "policies": ("policy", ()),
    "tracers": ("tracer", ()),
    "slash_commands": ("command", (InarchError,)),
    "checks": ("check", ()),
    "stores": ("store", (InarchError,)),
    "opened": ("store", (InarchError,)),
}
"""What each kind is called for, and the errors that go through as they are."""
