"""What the kernel does for a call that runs in a child: the call's own handle does it, so that its rights hold."""

from __future__ import annotations

import base64
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from inarch import ChildTask, FileStat, ModelRequest, Rights, ToolFailed, from_data, to_data
from inarch.host import OPTIONAL
from inarch_isolation.allowing import require_confined, require_nothing_hidden, within

if TYPE_CHECKING:
    from inarch import ChildTurn, Situation, SlashContext, Tool, ToolContext, Workspace

_LOOKING: dict[str, tuple[str, ...]] = {
    "stat": ("path",),
    "read": ("path", "offset", "max_bytes"),
    "digest": ("path",),
    "entries": ("path",),
    "walk": ("pattern", "limit"),
    "search": ("pattern", "path", "glob", "ignore_case", "limit"),
    "confinement": (),
}
_CHANGING: dict[str, tuple[str, ...]] = {
    "remove": ("path", "expected_hash"),
    "move": ("path", "new_path", "expected_hash"),
}
_TYPES: dict[str, tuple[type, ...]] = {
    "offset": (int,), "max_bytes": (int, type(None)), "limit": (int, type(None)), "glob": (str, type(None)),
    "ignore_case": (bool,), "tools": (list, type(None)), "settings": (dict,),
}  # fmt: skip


class ToolAnswers:
    """Answers what a running tool asks.

    Args:
        context: The call's own.
        arguments: The call's.
        send: Hands pieces of a program's output to the child.
        plugin: The tool's plugin.
        job: What its process was started with: the grants of its table.
        child: Runs a child session; None where the call may have none.
    """

    def __init__(
        self,
        context: ToolContext,
        arguments: Mapping[str, Any],
        send: Callable[[Mapping[str, Any]], None],
        plugin: str,
        job: Mapping[str, Any],
        child: Callable[[ChildTask], ChildTurn] | None = None,
    ) -> None:
        self._context = context
        self._arguments = arguments
        self._send = send
        self._plugin = plugin
        self._job = job
        self._have_child = child
        self._stops: dict[Any, _Stop] = {}

    def __call__(self, method: str, message: Mapping[str, Any]) -> Any:
        """Return the answer as plain data."""
        context = self._context
        if method == "earlier":
            return to_data(list(context.earlier))
        if method == "seen":
            return to_data(context.seen)
        arguments = message.get("args") or {}
        if method == "output":
            return to_data(context.output(self._known(_checked("ref", arguments["ref"]))))
        if method == "record":
            return context.record(_checked("name", arguments["name"]), arguments["data"])
        if method == "say":
            return to_data(context.inbox.say(_checked("text", arguments["text"])))
        if method == "unsay":
            return context.inbox.unsay(_checked("id", arguments["id"]))
        if method == "child":
            return self._child(arguments)
        if method == "workspace.run":
            return self._run(message, arguments)
        return changed(context.workspace, method, arguments)

    def stopped(self, message: Mapping[str, Any]) -> None:
        """Take note that the child's tool wants a program ended."""
        number = message.get("ask")
        stop = self._stops.get(number) if type(number) is int else None
        if stop is not None:
            stop.set()

    def _known(self, ref: str) -> str:
        """Return a reference that the call was told of; the images of files have such names as well."""
        told = any(call.result and call.result.metadata.get("output_ref") == ref for call in self._context.earlier)
        if not (told or ref in _texts(self._arguments)):
            raise ToolFailed("permission", f"no output {ref!r} is named in this call or by an earlier one of the turn")
        return ref

    def _child(self, arguments: Mapping[str, Any]) -> Any:
        if self._have_child is None:
            raise ToolFailed(
                "permission", f"plugin {self._plugin!r} runs isolated, and this call of it may have no child session",
                f"children = true in [isolation.{self._plugin}] lets its tools have some",
            )  # fmt: skip
        texts = {key: _checked(key, arguments[key]) for key in ("name", "prompt", "instructions", "session_id")}
        tools = _checked("tools", arguments["tools"])
        named = None if tools is None else [_checked("tools", one) for one in tools]
        task = ChildTask(**texts, tools=named, settings=_checked("settings", arguments["settings"]))
        return to_data(self._have_child(task))

    def _run(self, message: Mapping[str, Any], arguments: Mapping[str, Any]) -> Any:
        number = message.get("ask")
        workspace = self._context.workspace
        rights = within(from_data(Rights, arguments["rights"]), self._plugin, self._job)
        require_nothing_hidden(workspace, self._plugin)
        require_confined(workspace.confinement().level, self._plugin, self._job)

        def show(piece: bytes) -> None:
            self._send({"op": "piece", "id": message.get("id"), "ask": number, "value": to_data(piece)})

        stop = self._stops.setdefault(number, _Stop(self._context.cancelled)) if arguments["stops"] else None
        try:
            ran = workspace.run(
                [_checked("argv", word) for word in arguments["argv"]],
                rights,
                cwd=_checked("cwd", arguments["cwd"]),
                stdin=base64.b64decode(arguments["stdin"]),
                timeout_s=float(arguments["timeout_s"]),
                merged=arguments["merged"] is True,
                on_output=show if arguments["shows"] else None,
                cancelled=stop,
            )
        finally:
            self._stops.pop(number, None)
        return to_data(ran)


class _Stop(threading.Event):
    """Set when the child says so, and when the call is cancelled, whatever the child says."""

    def __init__(self, cancelled: threading.Event) -> None:
        super().__init__()
        self._cancelled = cancelled

    def is_set(self) -> bool:
        """Whether the program is to end."""
        return super().is_set() or self._cancelled.is_set()


def looked(workspace: Workspace, method: str, arguments: Mapping[str, Any], known: Any = _LOOKING) -> Any:
    """Look at something in a workspace and return what was found as plain data.

    Raises:
        ToolFailed: The workspace's own, or that there is no such thing to do.
        TypeError: An argument is of a wrong type.
    """
    name = method.removeprefix("workspace.")
    if not method.startswith("workspace.") or name not in known:
        raise ToolFailed("permission", f"{method!r} is nothing that may be asked")
    given = {key: _checked(key, arguments[key]) for key in known[name] if key in arguments}
    return to_data(getattr(workspace, name)(**given))


def changed(workspace: Workspace, method: str, arguments: Mapping[str, Any]) -> Any:
    """Look at something in a workspace, or change it; only a call's own handle says whether that was declared.

    Raises:
        ToolFailed: The workspace's own, or that there is no such thing to do.
        TypeError: An argument is of a wrong type.
    """
    name = method.removeprefix("workspace.")
    if name == "replace":
        known = arguments["expected_hash"]
        data = base64.b64decode(arguments["data"])
        return to_data(workspace.replace(_checked("path", arguments["path"]), (data,), _hash(known)))
    if name == "restore":
        entry = from_data(FileStat, arguments["entry"])
        blob = base64.b64decode(arguments["data"])
        return to_data(workspace.restore(_checked("path", arguments["path"]), entry, blob))
    return looked(workspace, method, arguments, {**_LOOKING, **_CHANGING})


def _texts(data: Any) -> Iterator[str]:
    """Yield the texts in plain data."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, (Mapping, list, tuple)):
        for item in data.values() if isinstance(data, Mapping) else data:
            yield from _texts(item)


def _hash(value: object) -> str | None:
    return None if value is None else str(_checked("expected_hash", value))


def _checked(name: str, value: Any) -> Any:
    kinds = _TYPES.get(name, (str,))
    if type(value) not in kinds:
        raise TypeError(f"{name} must be {' or '.join(kind.__name__ for kind in kinds)}, not {type(value).__name__}")
    return value


def situation_data(situation: Situation) -> dict[str, Any]:
    """Return what a strategy or a context source looks at as plain data; workspace and `ask` are asked for."""
    return {
        "turn": to_data(situation.turn),
        "messages": to_data(situation.messages),
        "tools": to_data(situation.tools),
        "decision_model": situation.decision_model,
        "effectful_calls": situation.effectful_calls,
        "seen": to_data(situation.seen),
        "happened": [event.line for event in situation.happened],
    }


def situation_answers(situation: Situation) -> Callable[[str, Mapping[str, Any]], Any]:
    """Return what answers a strategy or a context source; some answers are to be awaited."""

    async def in_thread(method: str, arguments: Mapping[str, Any]) -> Any:
        import asyncio

        return await asyncio.to_thread(looked, situation.workspace, method, arguments)

    async def ask(arguments: Any) -> Any:
        return to_data(await situation.ask(from_data(ModelRequest, arguments)))

    def answer(method: str, message: Mapping[str, Any]) -> Any:
        arguments = message.get("args") or {}
        if method == "record":
            return situation.record(_checked("name", arguments["name"]), arguments["data"])
        return ask(arguments) if method == "ask" else in_thread(method, arguments)

    return answer


def slash_answers(context: SlashContext) -> Callable[[str, Mapping[str, Any]], Any]:
    """Return what answers a slash command; a call of a tool is to be awaited."""

    async def call(tool: str, arguments: Any) -> Any:
        if not isinstance(arguments, Mapping):
            raise TypeError(f"arguments must be a mapping, not {type(arguments).__name__}")
        return to_data(await context.call(tool, arguments))

    def answer(method: str, message: Mapping[str, Any]) -> Any:
        given = message["args"]
        if method == "call":
            return call(_checked("tool", given["tool"]), given["arguments"])
        if method == "show":
            return context.show(_checked("text", given["text"]))
        if method == "record":
            return context.record(_checked("name", given["name"]), given["data"])
        if method == "ask_model":
            return context.ask_model(_checked("name", given["name"]))
        if method == "submit":
            return context.submit(_checked("prompt", given["prompt"]))
        raise ToolFailed("permission", f"{method!r} is nothing that may be asked")

    return answer


def tool_answers(tool: Tool) -> Callable[[str, Mapping[str, Any]], Any]:
    """Return what answers a policy about the tool that it judges."""

    def answer(method: str, message: Mapping[str, Any]) -> Any:
        if method == "tool.input_schema":
            return to_data(tool.input_schema)
        if method == "tool.output_schema":
            return to_data(tool.output_schema)
        name = method.removeprefix("tool.")
        if name in OPTIONAL["tools"] and method != name:
            return to_data(getattr(tool, name)(dict(message.get("args") or {})))
        if method == "tool.effects":
            return to_data(tool.effects(dict(message.get("args") or {})))
        raise ToolFailed("permission", f"{method!r} is nothing that may be asked")

    return answer
