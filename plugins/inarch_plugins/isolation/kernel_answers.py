"""The kernel's answers to a child's requests: the call's own handle makes them, so that its rights apply."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from inarch import ChildTask, Ending, InarchError, PluginError, Situation, ToolFailed, capabilities, to_data
from inarch.host import guarded
from inarch_plugins.isolation.failures import error_data
from inarch_plugins.isolation.methods import ASKED, LENT, LOOKS, data_of, value_of
from inarch_plugins.isolation.run_rights import require_confined, require_nothing_hidden, within


class Answers:
    """Answerer of a child's requests about the objects lent to one of its calls.

    Args:
        plugin: The plugin of the call.
        job: The job of its process: the grants of its table.
        send: Sends pieces of a program's output to the child.
        is_parent: Whether the call may have child sessions. Its requests are answered on the loop.
    """

    def __init__(
        self,
        plugin: str,
        job: Mapping[str, Any],
        send: Callable[[Mapping[str, Any]], None],
        is_parent: bool = False,
    ) -> None:
        self._plugin = plugin
        self._job = job
        self._send = send
        self._is_parent = is_parent
        self._lent: dict[str, Any] = {}
        self._given: Any = None

    def lend(self, takes: Mapping[str, Any], arguments: tuple[Any, ...]) -> list[Any]:
        """Return the arguments of a call as plain data, with references for lent objects."""
        self._given = arguments[0] if arguments else None
        return [self._shown(cls, value) for cls, value in zip(takes.values(), arguments, strict=True)]

    @property
    def cancelled(self) -> threading.Event | None:
        """Return the event that says that the call should stop, if there is one."""
        context = self._lent.get("context")
        return None if context is None else context.cancelled

    def _shown(self, cls: Any, value: Any) -> Any:
        if cls is Ending:
            shown = self._shown(Situation, value.situation)
            return {"situation": shown, "answer": value.answer, "calls": data_of(value.calls), "held": value.held}
        if cls not in LENT:
            return data_of(value)
        name, members = LENT[cls]
        self._lent[name] = value
        data = {member: _plain_or_none(getattr(value, member)) for member in members}
        if name == "tool":
            data["offers"] = [one for one in capabilities.optional("tools") if getattr(value, one, None) is not None]
        return data

    def answered(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a child's request, possibly an error: nothing that it sends raises."""
        head = {"op": "back", "ask": message.get("ask")}
        try:
            with guarded(self._plugin, "tool", (InarchError,)):
                value = self._answer(message)
                return {**head, "value": value if inspect.isawaitable(value) else data_of(value)}
        except InarchError as error:
            return {**head, "error": error_data(_told(error))}

    async def answered_later(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Return the same, after awaiting the answer if needed."""
        reply = self.answered(message)
        if not inspect.isawaitable(value := reply.get("value")):
            return reply
        try:
            with guarded(self._plugin, "tool", (InarchError,)):
                return {**reply, "value": data_of(await value)}
        except InarchError as error:
            return {"op": "back", "ask": message.get("ask"), "error": error_data(_told(error))}

    def _answer(self, message: Mapping[str, Any]) -> Any:
        what, _, name = str(message.get("method")).partition(".")
        target, member = self._target(what), ASKED.get(what, {}).get(name)
        only_looks = what == "workspace" and "situation" in self._lent
        if target is None or member is None or (only_looks and name not in LOOKS):
            raise ToolFailed("permission", f"{message.get('method')!r} is not an allowed request")
        table = message.get("args") or {}
        given = {key: value_of(kind, table[key]) for key, kind in member.takes.items() if key in table}
        if what == "workspace" and name == "run":
            return self._called(partial(self._run, message, **given))
        if what == "context" and name == "child":
            return self._child(given["task"])
        if what == "context" and name == "output":
            return target.output(self._known(given["ref"]))
        if what == "workspace" and name == "replace":
            given["chunks"] = (given["chunks"],)
        found = getattr(target, name)
        if member.is_value:
            return found
        return self._called(partial(found, **given)) if what == "workspace" else found(*given.values())

    def _called(self, request: Callable[[], Any]) -> Any:
        """Answer a request about the workspace, in a thread if the loop would wait for it."""
        if not self._is_parent and "situation" not in self._lent:
            return request()
        import asyncio

        return asyncio.to_thread(request)

    def _target(self, what: str) -> Any:
        if what in ("workspace", "inbox"):
            owner = self._lent.get("context") or (self._lent.get("situation") if what == "workspace" else None)
            return None if owner is None else getattr(owner, what)
        return self._lent.get(what)

    def _known(self, ref: str) -> str:
        """Return a reference that the call knows; files' images have such names as well."""
        earlier = self._lent["context"].earlier
        told = any(call.result and call.result.metadata.get("output_ref") == ref for call in earlier)
        if not (told or ref in _texts(to_data(self._given))):
            raise ToolFailed("permission", f"no output {ref!r} is named in this call or by an earlier one of the turn")
        return ref

    def _child(self, asked: Mapping[str, Any]) -> Any:
        if not self._is_parent:
            raise ToolFailed(
                "permission", f"plugin {self._plugin!r} runs isolated, and this call of it may have no child session",
                f"children = true in [isolation.{self._plugin}] lets its tools have some",
            )  # fmt: skip
        texts = {key: value_of(str, asked[key]) for key in ("name", "prompt", "instructions", "session_id")}
        named = None if asked["tools"] is None else value_of(list[str], asked["tools"])
        return self._lent["context"].child(ChildTask(**texts, tools=named, settings=value_of(dict, asked["settings"])))

    def _run(
        self, message: Mapping[str, Any], argv: list[str], rights: Any, shows: bool, stops: bool, **how: Any
    ) -> Any:
        number, context = message.get("ask"), self._lent["context"]
        workspace = context.workspace
        rights = within(rights, self._plugin, self._job)
        require_nothing_hidden(workspace, self._plugin)
        require_confined(workspace.confinement().level, self._plugin, self._job)

        def show(piece: bytes) -> None:
            self._send({"op": "piece", "id": message.get("id"), "ask": number, "value": to_data(piece)})

        stop = context.cancelled if stops else None
        return workspace.run(argv, rights, **how, on_output=show if shows else None, cancelled=stop)


def _plain_or_none(value: Any) -> Any:
    try:
        return data_of(value)
    except TypeError:  # a value without a data form cannot be shown to another process
        return None


def _texts(data: Any) -> Iterator[str]:
    """Yield the texts in plain data."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, (dict, list)):
        for item in data.values() if isinstance(data, dict) else data:
            yield from _texts(item)


def _told(error: InarchError) -> InarchError:
    """Return an error for the plugin: an error raised by its own request is a wrong request."""
    cause = error.__cause__
    if isinstance(error, PluginError) and cause is not None and not isinstance(cause, InarchError):
        return ToolFailed("validation", f"{type(cause).__name__}: {cause}")
    return error
