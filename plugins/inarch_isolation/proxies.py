"""What stands in the kernel's process for the objects of an isolated plugin: each method is done by its child."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any

from attrs import define, evolve

import inarch
from inarch import (
    ChildTask,
    ChildTurn,
    Contribution,
    Decision,
    Delta,
    Effects,
    Finding,
    Limits,
    ModelInfo,
    ModelRequest,
    PluginError,
    Price,
    Situation,
    SlashContext,
    Tool,
    ToolCall,
    ToolContext,
    ToolError,
    ToolResult,
    Verdict,
    from_data,
    to_data,
)
from inarch.host import OPTIONAL, blame
from inarch_isolation.allowing import bounds
from inarch_isolation.answering import (
    ToolAnswers,
    situation_answers,
    situation_data,
    slash_answers,
    tool_answers,
)
from inarch_isolation.process import ANSWER_S, PluginProcess

ASKED_S = 60.0
"""Seconds that a model provider has to ask its service what models there are."""
_REASON = 300
_FLAGS = ("exclusive", "programs", "removes")
_DELTAS: Mapping[str, Any] = {
    cls.__name__: cls
    for cls in (
        inarch.TextDelta, inarch.ReasoningDelta, inarch.CallDelta, inarch.PartData, inarch.UsageDelta, inarch.Finish,
        inarch.AnsweredBy, inarch.ProviderNote,
    )
}  # fmt: skip


def checked(process: PluginProcess, cls: Any, data: Any) -> Any:
    """Return the record that a child sent.

    Raises:
        PluginError: It is none.
    """
    try:
        return from_data(cls, data)
    except (ValueError, TypeError, AttributeError) as error:
        raise wrong(process, f"not a {getattr(cls, '__name__', cls)}: {error}") from None


def wrong(process: PluginProcess, what: str) -> PluginError:
    """Return the error for an answer that is none."""
    return blame(process.plugin, "tool", f"answered with {what:.200}")


async def _asked(process: PluginProcess, target: str, method: str, situation: Situation, door: str, cls: Any) -> Any:
    """Return the record that the plugin answers with in a situation, or None."""
    answers = situation_answers(situation)
    data = await process.call_async(target, method, situation_data(situation), door=door, answer=answers)
    return None if data is None else checked(process, cls, data)


@define(eq=False, repr=False, slots=False)
class FarTool:
    """A tool of an isolated plugin."""

    _process: PluginProcess
    _target: str
    name: str
    description: str
    category: Any
    input_schema: Mapping[str, Any]
    output_schema: Mapping[str, Any] | None
    timeout_s: float
    max_retries: int
    requires_confirmation: bool
    receives_secrets: bool
    _effects: Effects | None = None

    def effects(self, arguments: Mapping[str, Any]) -> Effects:
        """Return what a call with these arguments reads and writes."""
        if self._effects is not None:
            return self._effects
        return effects_of(self._process, self._process.call(self._target, "effects", to_data(arguments)))

    def isolated_bounds(self, effects: Effects) -> str:
        """Return what such a call can come to, whatever the plugin says of it: for the person who is asked."""
        return bounds(effects, self._process.plugin, self._process.launch.job)

    @property
    def given_values(self) -> frozenset[str]:
        """The secrets that its plugin has anyway: it receives no others."""
        return frozenset(self._process.launch.job["environ"].values())

    def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Any:
        """Run it in the child; this thread does what the tool asks for meanwhile."""
        return self._run(arguments, context, None)

    def _run(
        self, arguments: Mapping[str, Any], context: ToolContext, child: Callable[[ChildTask], ChildTurn] | None
    ) -> Any:
        process = self._process
        channel = process.channel()
        answers = ToolAnswers(context, arguments, channel.send, process.plugin, process.launch.job, child)
        given = {
            "arguments": to_data(arguments), "turn_id": context.turn_id, "call_id": context.call_id,
            "selection": _plain_or_none(context.selection),
        }  # fmt: skip
        data = process.call(
            self._target, "run", given,
            seconds=None, answer=answers, item=context.emit, cancelled=context.cancelled, stop=answers.stopped,
        )  # fmt: skip
        return result_of(process, data)


def _plain_or_none(value: Any) -> Any:
    try:
        return to_data(value)
    except TypeError:  # what can't be said in data can't be shown to another process
        return None


def effects_of(process: PluginProcess, data: Any) -> Effects:
    """Return the effects that a child sent.

    Raises:
        PluginError: They are none.
    """
    if isinstance(data, Mapping) and all(type(data.get(name)) is bool for name in _FLAGS):
        reads, writes = data.get("reads"), data.get("writes")
        if are_texts(reads) and are_texts(writes):
            return Effects(frozenset(reads or ()), frozenset(writes or ()), **{name: data[name] for name in _FLAGS})
    raise wrong(process, f"no effects: {data!r}")


def are_texts(value: Any) -> bool:
    """Whether a child sent a list of texts."""
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def result_of(process: PluginProcess, data: Any) -> Any:
    """Return what a tool returned.

    Raises:
        PluginError: It sent something else.
    """
    if not isinstance(data, dict) or "data" not in data:
        raise wrong(process, f"no result: {data!r}")
    if "success" not in data:
        return data["data"]
    error, metadata = data.get("error"), data.get("metadata")
    if isinstance(error, dict):
        parts = [error.get(name) for name in ("code", "message", "remedy")]
        if not all(isinstance(part, str) for part in parts):
            raise wrong(process, f"no error: {error!r}")
        error = ToolError(*parts)  # type: ignore[arg-type]
    return ToolResult(data["success"], data["data"], error, metadata if isinstance(metadata, dict) else {})


@define(eq=False, repr=False, slots=False)
class FarModel:
    """A model provider of an isolated plugin."""

    _process: PluginProcess
    _target: str
    name: str
    default_model: str
    default_decision_model: str

    async def answer(self, request: ModelRequest) -> AsyncIterator[Delta]:
        """Stream the reply."""
        stream = self._process.stream(self._target, "answer", to_data(request), door="provider")
        try:
            async for operation, value in stream:
                if operation == "item":
                    cls = _DELTAS.get(str(value.get("type"))) if isinstance(value, dict) else None
                    if cls is None:
                        raise wrong(self._process, f"no delta: {value!r}")
                    yield checked(self._process, cls, value.get("delta"))
        finally:
            await stream.aclose()

    async def models(self) -> Sequence[ModelInfo]:
        """Return the models on offer."""
        data = await self._process.call_async(self._target, "models", door="provider", seconds=ASKED_S)
        return tuple(checked(self._process, list[ModelInfo], data))

    def limits(self, model: str) -> Limits:
        """Return what is known of a model's limits."""
        found: Limits = checked(
            self._process, Limits, self._process.call(self._target, "limits", model, door="provider")
        )
        return found

    def price(self, model: str) -> Price | None:
        """Return a model's price, None if unknown."""
        data = self._process.call(self._target, "price", model, door="provider")
        return None if data is None else checked(self._process, Price, data)

    async def close(self) -> None:
        """Let go of connections."""
        if not self._process.runs:
            return
        await self._process.call_async(self._target, "close", door="provider", seconds=ANSWER_S)


class FarAskedModel(FarModel):
    """One whose default model is known only once the service was asked."""

    async def find_default(self) -> None:
        """Ask the service for its default model."""
        name = await self._process.call_async(self._target, "find_default", door="provider", seconds=ASKED_S)
        if not isinstance(name, str):
            raise wrong(self._process, f"no name: {name!r}")
        self.default_model = name


@define(eq=False, repr=False)
class FarStrategy:
    """A decision strategy of an isolated plugin."""

    _process: PluginProcess
    _target: str
    name: str

    async def decide(self, situation: Situation) -> Decision | None:
        """Return a decision, or None."""
        decision: Decision | None = await _asked(self._process, self._target, "decide", situation, "strategy", Decision)
        return decision


@define(eq=False, repr=False)
class FarSource:
    """A context source of an isolated plugin."""

    _process: PluginProcess
    _target: str
    name: str

    async def gather(self, situation: Situation) -> Contribution | None:
        """Return what to add, or None."""
        added: Contribution | None = await _asked(
            self._process, self._target, "gather", situation, "source", Contribution
        )
        return added


def _line_of(words: str) -> str:
    """Return a policy's words as one line: they become part of a question, or of what the model is told."""
    line = " ".join(words.split())
    return line if len(line) <= _REASON else f"{line[:_REASON]}…"


def shown_tool(tool: Tool) -> dict[str, Any]:
    """Return what a child is shown of a tool at once; the rest it asks for."""
    members = ("name", "description", "category", "timeout_s", "max_retries", "requires_confirmation")
    shown = {member: getattr(tool, member) for member in (*members, "receives_secrets")}
    return {**shown, "offers": [name for name in OPTIONAL["tools"] if getattr(tool, name, None) is not None]}


@define(eq=False, repr=False)
class FarPolicy:
    """A policy of an isolated plugin."""

    _process: PluginProcess
    _target: str
    name: str

    def judge(self, call: ToolCall, tool: Tool) -> Verdict:
        """Return what the policy says of a call."""
        given = {"call": to_data(call), "tool": shown_tool(tool)}
        data = self._process.call(self._target, "judge", given, door="policy", answer=tool_answers(tool))
        verdict: Verdict = checked(self._process, Verdict, data)
        if not (isinstance(verdict.reason, str) and isinstance(verdict.remedy, str) and type(verdict.person) is bool):
            raise wrong(self._process, "no reason or remedy in words, or no `person` of yes or no")
        return evolve(verdict, reason=_line_of(verdict.reason), remedy=_line_of(verdict.remedy))


def slash_runner(process: PluginProcess, target: str) -> Callable[..., Awaitable[str]]:
    """Return the `run` of a slash command."""

    async def run(words: str, context: SlashContext | None = None) -> str:
        session_id, columns = (context.session_id, context.columns) if context else ("", 0)
        arguments = {"words": words, "session_id": session_id, "columns": columns}
        answer = slash_answers(context) if context else None
        text = await process.call_async(target, "start", arguments, door="command", answer=answer)
        if not isinstance(text, str):
            raise wrong(process, f"no text: {text!r}")
        return text

    return run


def check_runner(process: PluginProcess, target: str) -> Callable[[], Sequence[Finding]]:
    """Return the `run` of a check."""

    def run() -> Sequence[Finding]:
        return tuple(checked(process, list[Finding], process.call(target, "run", None, door="check")))

    return run


def check_key_of(model: FarModel) -> Callable[[str], str]:
    """Return the provider's `check_key`."""

    def check_key(name: str) -> str:
        said = model._process.call(model._target, "check_key", name, door="provider")
        return said if isinstance(said, str) else ""

    return check_key


def said_of_models(process: PluginProcess, target: str, method: str, door: str) -> Callable[[str], bool]:
    """Return a method that says yes or no of a model's name."""
    return lambda name: process.call(target, method, name, door=door) is True


def words_of(tool: FarTool, method: str) -> Callable[[Mapping[str, Any]], str | None]:
    """Return the tool's `shape`, `allowed_by` or `preview`."""

    def words(arguments: Mapping[str, Any]) -> str | None:
        text = tool._process.call(tool._target, method, to_data(arguments))
        if text is not None and not isinstance(text, str):
            raise wrong(tool._process, f"no text: {text!r}")
        return text

    return words
