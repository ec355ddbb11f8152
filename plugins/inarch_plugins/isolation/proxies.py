"""Proxies in the kernel's process for the objects of an isolated plugin: the child runs each method."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any

from attrs import evolve

import inarch
from inarch import (
    Delta,
    Effects,
    Event,
    Finding,
    PluginError,
    Review,
    SlashContext,
    ToolContext,
    ToolError,
    ToolResult,
    Verdict,
    capabilities,
)
from inarch.host import blame
from inarch_plugins.isolation.methods import DOORS, METHODS, Member, data_of, value_of
from inarch_plugins.isolation.process import PluginProcess
from inarch_plugins.isolation.run_rights import bounds, is_granted

_REASON = 300
_BATCH = 32
"""Events sent to a tracer together."""
_DELTAS: Mapping[str, Any] = {
    cls.__name__: cls
    for cls in (
        inarch.TextDelta, inarch.ReasoningDelta, inarch.CallDelta, inarch.PartData, inarch.UsageDelta, inarch.Finish,
        inarch.AnsweredBy, inarch.ProviderNote,
    )
}  # fmt: skip


def checked(process: PluginProcess, cls: Any, data: Any) -> Any:
    """Return the value that a child sent.

    Raises:
        PluginError: It is not a value of this class.
    """
    try:
        return value_of(cls, data)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise wrong(process, f"not a {getattr(cls, '__name__', cls)}: {error}: {data!r}") from None


def wrong(process: PluginProcess, what: str) -> PluginError:
    """Return the error for an invalid answer."""
    return blame(process.plugin, "tool", f"answered with {what:.200}")


class Far:
    """Object of an isolated plugin.

    Args:
        process: The plugin's process.
        kind: The hook that returned it.
        number: Its number among those of the hook.
        told: The attributes that the child sent.
        offers: The optional methods that it has.
    """

    def __init__(self, process: PluginProcess, kind: str, number: int, told: Any, offers: frozenset[str]) -> None:
        self._process, self._kind, self._offers = process, kind, offers
        self._target = f"{kind}/{number}"
        vars(self).update(told)

    def __getattr__(self, name: str) -> Any:
        member = None if name.startswith("_") else METHODS[self._kind].get(name)
        if member is None or (name in capabilities.optional(self._kind) and name not in self._offers):
            raise AttributeError(name)
        return partial(self._later if member.is_async else self._now, name, member)

    def _now(self, name: str, member: Member, *arguments: Any) -> Any:
        process, answers = self._process, self._process.answers()
        given = answers.lend(member.takes, arguments)
        data = process.call(
            self._target, name, given, door=DOORS[self._kind][0], seconds=member.seconds, answers=answers,
            cancelled=answers.cancelled,
        )  # fmt: skip
        return checked(process, member.gives, data)

    async def _later(self, name: str, member: Member, *arguments: Any) -> Any:
        if name == "close" and not self._process.runs:
            return None
        answers, door = self._process.answers(self._kind == "tools"), DOORS[self._kind][0]
        given = answers.lend(member.takes, arguments)
        data = await self._process.call_async(
            self._target, name, given, door=door, seconds=member.seconds, answers=answers
        )
        return checked(self._process, member.gives, data)


class FarTool(Far):
    """Proxy of a tool."""

    _effects: Effects | None = None
    """The effects of every call, if they are known without asking."""

    def effects(self, arguments: Mapping[str, Any]) -> Effects:
        """Return what a call with these arguments reads and writes."""
        known: Effects | None = self._effects
        return known if known is not None else self._now("effects", METHODS["tools"]["effects"], arguments)

    def isolated_bounds(self, effects: Effects) -> str:
        """Return the maximum effects of such a call, whatever the plugin says: for the person who approves."""
        return bounds(effects, self._process.plugin, self._process.launch.job)

    @property
    def given_values(self) -> frozenset[str]:
        """Return the secrets that its plugin has anyway: it receives no others."""
        return frozenset(self._process.launch.job["environ"].values())

    def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Any:
        """Run it in the child; this thread answers the tool's requests meanwhile."""
        return self._result(self._now("run", METHODS["tools"]["run"], arguments, context))

    def _result(self, data: Any) -> Any:
        process = self._process
        if not isinstance(data, dict) or "data" not in data:
            raise wrong(process, f"no result: {data!r}")
        if "success" not in data:
            return data["data"]
        error, metadata = data.get("error"), data.get("metadata")
        if isinstance(error, dict):
            error = ToolError(*(checked(process, str, error.get(name)) for name in ("code", "message", "remedy")))
        images = checked(process, tuple[inarch.Image, ...], data.get("images") or [])
        return ToolResult(data["success"], data["data"], error, metadata if isinstance(metadata, dict) else {}, images)


class FarParent(FarTool):
    """Proxy of a tool that may have child sessions, which run on the loop and end with the call."""

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Any:
        """Run it in the child process."""
        return self._result(await self._later("run", METHODS["tools"]["run"], arguments, context))


class FarModel(Far):
    """Proxy of a model provider."""

    async def answer(self, request: inarch.ModelRequest) -> AsyncIterator[Delta]:
        """Stream the reply."""
        stream = self._process.stream(self._target, "answer", [data_of(request)], door="provider")
        try:
            async for operation, value in stream:
                if operation == "piece":
                    cls = _DELTAS.get(str(value.get("type"))) if isinstance(value, dict) else None
                    if cls is None:
                        raise wrong(self._process, f"no delta: {value!r}")
                    yield checked(self._process, cls, value.get("delta"))
        finally:
            await stream.aclose()

    async def _later(self, name: str, member: Member, *arguments: Any) -> Any:
        found = await super()._later(name, member, *arguments)
        if name == "find_default":
            self.default_model = found
        return found


class FarPolicy(Far):
    """Proxy of a policy."""

    def _now(self, name: str, member: Member, *arguments: Any) -> Any:
        verdict: Verdict = super()._now(name, member, *arguments)
        return evolve(verdict, reason=_line_of(verdict.reason), remedy=_line_of(verdict.remedy))


def _line_of(words: str) -> str:
    """Return a policy's text as one line: it becomes part of a question, or of a message to the model."""
    line = " ".join(words.split())
    return line if len(line) <= _REASON else f"{line[:_REASON]}…"


class FarReviewer(Far):
    """Proxy of a reviewer; the kernel checks that its additions are text."""

    def _now(self, name: str, member: Member, *arguments: Any) -> Any:
        data = super()._now(name, member, *arguments)
        return checked(self._process, Review, data) if isinstance(data, Mapping) else data


class FarTracer(Far):
    """Proxy of a tracer, which gets events in batches and is never waited for."""

    def __init__(self, *how: Any) -> None:
        super().__init__(*how)
        self._events: list[Event] = []

    def saw(self, event: Event) -> None:
        """Record an event."""
        self._events.append(event)
        if len(self._events) >= _BATCH or event.kind in ("turn.ended", "session.started"):
            self._flush()

    def _flush(self) -> None:
        events, self._events = self._events, []
        if events:
            self._process.post(self._target, "saw", [data_of(events)])

    def _now(self, name: str, member: Member, *arguments: Any) -> Any:
        if name == "close" and not self._process.runs:
            return None
        if name in ("summary", "close"):
            self._flush()
        found = super()._now(name, member, *arguments)
        if name == "summary" and (fault := self._process.fault_of(self._target)) is not None:
            raise fault
        return [*map(self._own, found)] if name in ("files", "logs") else found

    def _own(self, path: str) -> str:
        """Return a tracer's path; a path outside its own folders is refused."""
        folder, name = os.path.split(path)
        if "\0" in path or not os.path.isabs(path) or not is_granted(folder, self._process.launch.job):
            raise wrong(self._process, f"a file that is none of its own: {path!r}")
        return os.path.join(os.path.realpath(folder), name)


def slash_runner(far: Far) -> Callable[..., Awaitable[str]]:
    """Return the `run` of a slash command."""

    async def run(words: str, context: SlashContext | None = None) -> str:
        text: str = await far.start(words, context if context is not None else _NOWHERE)
        return text

    return run


class _Nowhere:
    """Empty loan for a command that no session runs."""

    session_id, columns = "", 0


_NOWHERE = _Nowhere()


def check_runner(far: Far) -> Callable[[], Sequence[Finding]]:
    """Return the `run` of a check."""
    return lambda: far.run()
