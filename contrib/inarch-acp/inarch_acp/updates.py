"""Conversion of a session's events to the updates that an editor shows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any, Self

from acp import schema
from attrs import define, field

import inarch
from inarch.figures import child_words, held_words, reviewed_words, rewritten_words
from inarch_acp.tool_calls import ShownCall
from inarch_acp.wire import plain

Update = (
    schema.UserMessageChunk
    | schema.AgentMessageChunk
    | schema.AgentThoughtChunk
    | schema.ToolCallStart
    | schema.ToolCallProgress
    | schema.AvailableCommandsUpdate
    | schema.CurrentModeUpdate
    | schema.ConfigOptionUpdate
    | schema.SessionInfoUpdate
    | schema.UsageUpdate
    | schema.AgentPlanUpdate
)
_LOOKING = frozenset({"Read", "Grep", "Glob", "LS"})


@define(eq=False)
class Updates:
    """A converter from events to updates, which tracks how much of the reply was shown."""

    root: str
    tool: Callable[[str], inarch.Tool | None]
    blob: Callable[[str], bytes]
    tracers: frozenset[str] = frozenset()
    """Names of tracers, whose summaries are not part of the answer."""
    replays: bool = False
    calls: dict[str, ShownCall] = field(init=False, factory=dict)
    finish: str = field(init=False, default="")
    failure: str = field(init=False, default="")
    _said: str = field(init=False, default="")
    _reply: str = field(init=False, default="")

    async def of(self, event: inarch.Event) -> AsyncIterator[Update]:
        """Yield the updates for an event."""
        kind, data = event.kind, event.data
        if kind == "file.changed":
            await self._changed(data)
        elif kind == "call.result":
            for update in self._ended(data):
                yield update
        elif (handler := _HANDLERS.get(kind)) is not None:
            for update in handler(self, event):
                yield update
        elif (plan := _plan(data)) is not None:
            yield plan
        elif notice := data.get("notice"):
            yield _quoted(str(notice))

    def cut_off(self) -> list[Update]:
        """Return the ends of calls that have no recorded result."""
        open_calls = [call for call in self.calls.values() if not call.is_done]
        return [schema.ToolCallProgress(session_update="tool_call_update", tool_call_id=call.id, status="failed")
                for call in open_calls]  # fmt: skip

    def _turn_started(self, event: inarch.Event) -> list[Update]:
        turn = event.data["turn"]
        self._said, self.finish, self.failure = "", "", ""
        if turn["type"] == "user" and self.replays:
            return [user_chunk(turn["content"], turn["id"])]
        return []

    def _input(self, event: inarch.Event) -> list[Update]:
        """Show injected text at its place. In a stored session the prompt may already contain it."""
        data = event.data
        shown = data["outcome"] == "added" or (data["outcome"] == "prompt" and not self.replays)
        who = f"{data['by']}: " if data["by"] else ""
        return [user_chunk(f"{who}{data['text']}", data["id"])] if shown else []

    def _requested(self, event: inarch.Event) -> list[Update]:
        if event.data["purpose"] == "turn":
            self._said, self._reply = "", f"{event.turn_id}-{event.seq}"
        return []

    def _delta(self, event: inarch.Event) -> list[Update]:
        text, reasoning = event.data["text"], event.data["reasoning"]
        self._said += text
        shown: list[Update] = [thought_chunk(reasoning, f"{self._reply}-thought")] if reasoning else []
        return [*shown, agent_chunk(text, self._reply)] if text else shown

    def _replied(self, event: inarch.Event) -> list[Update]:
        if event.data["purpose"] != "turn":
            return []
        self.finish, self.failure = event.data["finish"], event.data["error"]
        if not self.replays:
            return []
        shown: list[Update] = []
        for part in event.data["message"]["parts"]:
            if part["type"] == "reasoning" and part["text"]:
                shown.append(thought_chunk(part["text"], f"{self._reply}-thought"))
            elif part["type"] == "text" and part["text"]:
                self._said += part["text"]
                shown.append(agent_chunk(part["text"], self._reply))
        return shown

    def _call_state(self, event: inarch.Event) -> list[Update]:
        data = event.data
        call = self.calls.get(data["call_id"])
        if call is None:
            return self._begun(data)
        if (effects := data.get("effects")) is not None:
            call.writes = bool(effects["writes"] or effects["exclusive"])
        status: schema.ToolCallStatus = "in_progress" if data["status"] == "executing" else "pending"
        update = schema.ToolCallProgress(
            session_update="tool_call_update", tool_call_id=call.id, status=status, kind=call.kind
        )
        return [update]

    def _begun(self, data: Mapping[str, Any]) -> list[Update]:
        arguments = (data.get("call") or {}).get("arguments") or {}
        tool = self.tool(data["name"])
        call = ShownCall(data["call_id"], data["name"], arguments, tool.category if tool is not None else "other")
        call.tool = tool
        call.writes = tool is not None and _LOOKING.isdisjoint(inarch.guarding_names(tool, inarch.Effects()))
        self.calls[call.id] = call
        start = schema.ToolCallStart(
            session_update="tool_call",
            tool_call_id=call.id,
            title=call.title,
            kind=call.kind,
            status="pending",
            locations=call.locations(self.root),
            raw_input=plain(arguments),
        )
        return [start]

    def _output(self, event: inarch.Event) -> list[Update]:
        call = self.calls.get(event.data["call_id"])
        if call is None or self.replays:
            return []
        call.output += event.data["text"]
        return [schema.ToolCallProgress(session_update="tool_call_update", tool_call_id=call.id, content=call.live())]

    async def _changed(self, data: Mapping[str, Any]) -> None:
        """Remember both sides of a change until its call ends."""
        call = self.calls.get(data["call_id"])
        if call is None or (data["before"] is None and data["after"] is None):
            return  # an undo, or a directory
        path, new_path = data["path"], data.get("new_path")
        if not data["kept"]:
            call.remarks.append(f"{path} was changed; its bytes are not kept.")
        elif new_path is not None:
            call.remarks.append(f"{path} is {new_path} now.")
        else:
            before, after = await asyncio.gather(*(self._bytes(data[side]) for side in ("before", "after")))
            first = call.changes[path][0] if path in call.changes else before
            call.changes[path] = (first, after)

    async def _bytes(self, ref: str | None) -> bytes | None:
        return None if ref is None else await asyncio.to_thread(self.blob, ref)

    def _ended(self, data: Mapping[str, Any]) -> list[Update]:
        call = self.calls.get(data["call_id"])
        if call is None:
            return []
        call.is_done = True
        given = data["result"]
        result = inarch.from_data(inarch.ToolResult, given)
        update = schema.ToolCallProgress(
            session_update="tool_call_update",
            tool_call_id=call.id,
            status="completed" if data["status"] == "success" else "failed",
            content=call.outcome(result, self.root),
            locations=call.locations(self.root),
            raw_output=plain(given["data"] if result.success else {"error": given["error"], "data": given["data"]}),
        )
        return [update]

    def _rewritten(self, event: inarch.Event) -> list[Update]:
        """Show who changed a call, and the call as it is now."""
        shown, call = self._remark(event), self.calls.get(event.data["call_id"])
        if call is None or event.data.get("arguments") is None:
            return shown
        call.arguments = event.data["arguments"]
        now = schema.ToolCallProgress(
            session_update="tool_call_update", tool_call_id=call.id, title=call.title,
            locations=call.locations(self.root), raw_input=plain(call.arguments),
        )  # fmt: skip
        return [*shown, now]

    def _turn_ended(self, event: inarch.Event) -> list[Update]:
        """Send the rest of the answer, if no model streamed it or a limit ended the turn."""
        turn = event.data["turn"]
        content = turn["content"] if turn["type"] == "agent" else ""
        said, self._said = self._said, ""
        rest = content.removeprefix(said) if content.startswith(said) else content
        return [agent_chunk(rest, self._reply or turn["id"])] if rest.strip() else []

    def _remark(self, event: inarch.Event) -> list[Update]:
        """Show a remark as a separate quote."""
        data = event.data
        if (words := _WORDS.get(event.kind)) is not None:
            call = self.calls.get(data.get("call_id", "")) if event.kind in _OF_CALLS else None
            text = words({**data, "name": call.title} if call is not None else data)
        elif event.kind == "note":
            text = "" if data["source"] in ("repair", *self.tracers) else data["text"]
        elif event.kind == "limit.wait":
            text = f"waiting {data['seconds']:.0f} s: {data['reason']}"
        elif event.kind == "model.switched":
            text = f"{data['new']} goes on in place of {data['old']}: {data['reason']}"
        else:  # a provider's failure is the turn's error if it ends the turn
            text = "" if data["door"] == "provider" else " ".join(filter(None, (data["message"], data["remedy"])))
        return [_quoted(text)] if text else []


def _quoted(text: str) -> Update:
    """Return a remark as a separate quote."""
    quoted = "\n> ".join(text.splitlines())
    return agent_chunk(f"> {quoted}\n\n", inarch.new_id())


_WORDS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "call.rewritten": rewritten_words,
    "call.reviewed": reviewed_words,
    "turn.held": held_words,
    "child.started": child_words,
    "child.ended": child_words,
}
"""Functions that describe an event in words: interventions of plugins, and child sessions."""
_OF_CALLS = ("call.rewritten", "call.reviewed")
_HANDLERS: dict[str, Callable[[Updates, inarch.Event], list[Update]]] = {
    "turn.started": Updates._turn_started,
    "input.ended": Updates._input,
    "model.requested": Updates._requested,
    "model.delta": Updates._delta,
    "model.replied": Updates._replied,
    "call.state": Updates._call_state,
    "call.output": Updates._output,
    "turn.ended": Updates._turn_ended,
    "note": Updates._remark,
    "limit.wait": Updates._remark,
    "model.switched": Updates._remark,
    "error": Updates._remark,
    **dict.fromkeys(_WORDS, Updates._remark),
    "call.rewritten": Updates._rewritten,
}


def _plan(data: Mapping[str, Any]) -> schema.AgentPlanUpdate | None:
    """Return the plan in the `todos` of a plugin's event, or None if there is none."""
    todos = data.get("todos")
    listed = [one for one in todos if isinstance(one, Mapping)] if isinstance(todos, list | tuple) else None
    if listed is None:
        return None
    states: Mapping[Any, Any] = {"completed": "completed", "in_progress": "in_progress"}
    entries = [
        schema.PlanEntry(
            content=plain(str(one.get("content", ""))),
            priority="medium",
            status=states.get(one.get("status"), "pending"),
        )
        for one in listed
    ]
    return schema.AgentPlanUpdate(session_update="plan", entries=entries)


def _text(text: str) -> schema.TextContentBlock:
    return schema.TextContentBlock(type="text", text=plain(text))


def agent_chunk(text: str, message_id: str) -> schema.AgentMessageChunk:
    """Return a piece of the agent's answer."""
    return schema.AgentMessageChunk(session_update="agent_message_chunk", content=_text(text), message_id=message_id)


def thought_chunk(text: str, message_id: str) -> schema.AgentThoughtChunk:
    """Return a piece of the model's reasoning."""
    return schema.AgentThoughtChunk(session_update="agent_thought_chunk", content=_text(text), message_id=message_id)


def user_chunk(text: str, message_id: str) -> schema.UserMessageChunk:
    """Return a user's message, for a loaded session."""
    return schema.UserMessageChunk(session_update="user_message_chunk", content=_text(text), message_id=message_id)


@define(eq=False)
class Spending:
    """The cost of a session so far and the last known use of its context window."""

    known: Decimal = Decimal(0)
    unknown: int = 0
    used: int = 0
    window: int = 0

    @classmethod
    def of(cls, rows: Iterable[inarch.transcripts.Spent]) -> Self:
        """Return the spending of a stored session."""
        spending = cls()
        for row in rows:
            spending._add(row.cost_usd, row.unknown)
        return spending

    def saw(self, event: inarch.Event) -> bool:
        """Add an event and return whether the editor needs an update."""
        data = event.data
        if event.kind == "child.ended":
            for row in data["spent"]:
                self._add(Decimal(row["cost_usd"]), row["unknown"])
            return True
        if event.kind != "model.replied":
            return False
        usage = data["usage"]
        cost = usage["cost_usd"]
        self._add(Decimal(cost or 0), int(cost is None))
        if data["purpose"] == "turn" and data["finish"] != "error":
            self.used = usage["input_tokens"] + usage["output_tokens"]
        return True

    @property
    def cost(self) -> schema.Cost | None:
        """Return the session's cost, or None if a request's cost is unknown."""
        return None if self.unknown else schema.Cost(amount=float(self.known), currency="USD")

    @property
    def update(self) -> schema.UsageUpdate | None:
        """Return the update for the editor, or None if the window's size is unknown, which it requires."""
        if not self.window:
            return None
        return schema.UsageUpdate(session_update="usage_update", used=self.used, size=self.window, cost=self.cost)

    def _add(self, cost: Decimal, unknown: int) -> None:
        self.known += cost
        self.unknown += unknown


def prompt_response(turn: inarch.Turn, updates: Updates, spending: Spending) -> schema.PromptResponse:
    """Return the protocol's response for a turn that has ended, or that the service has filtered."""
    is_refused = turn.status == "failed"  # else it was raised as an error
    reason: schema.StopReason = "refusal" if is_refused else "end_turn"
    if turn.status == "limited":
        reason = "max_tokens" if turn.limit == "max_tokens" else "max_turn_requests"
    elif updates.finish == "length":
        reason = "max_tokens"
    elif turn.status == "cancelled":
        reason = "cancelled"
    used = turn.usage
    given, made = used.input_tokens, used.output_tokens
    usage = None
    if given is not None and made is not None:
        usage = schema.Usage(
            total_tokens=given + made, input_tokens=given, output_tokens=made,
            cached_read_tokens=used.cached_tokens, thought_tokens=used.reasoning_tokens,
        )  # fmt: skip
    cost = spending.cost
    meta = {"inarch": {"turn_id": turn.id, "status": turn.status, "limit": turn.limit,
                       "session_cost_usd": cost and cost.amount}}  # fmt: skip
    return schema.PromptResponse(stop_reason=reason, usage=usage, field_meta=meta)
