"""Front end of one session, which passes events on and asks through the editor."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

from acp import RequestError, schema
from attrs import define, field
from pydantic import ValidationError

import inarch
from inarch_acp.prompts import fenced
from inarch_acp.tool_calls import Content, ShownCall, absolute, text_content
from inarch_acp.wire import as_json, plain

Request = Callable[[str, Mapping[str, Any]], Awaitable[Any]]
ASK = "session/request_permission"
LIKELY, TRY = "likely", "try"
_SCOPES: dict[str, inarch.Approval] = {
    "once": inarch.Approval("", "approve"),
    "shape": inarch.Approval("", "approve", "shape"),
    "tool": inarch.Approval("", "approve", "tool"),
    "session": inarch.Approval("", "approve", "session"),
    "project": inarch.Approval("", "approve", "project"),
}
_CLOSED = "the editor gave no answer"


@define(eq=False)
class Asking:
    """A front end that asks about one call at a time. A lasting rejection holds for the session."""

    saw: Callable[[inarch.Event], None]
    request: Request
    settled: Callable[[], Awaitable[None]]
    root: str
    session_id: str = ""
    name: str = "acp"
    _rejected: set[str] = field(init=False, factory=set)

    def show(self, event: inarch.Event) -> None:
        """Pass an event on."""
        self.saw(event)

    async def approve(self, batch: Sequence[inarch.ApprovalRequest]) -> Sequence[inarch.Approval]:
        """Ask about each call that an earlier answer of the batch does not cover."""
        await self.settled()
        given: list[inarch.Approval] = []
        covering: list[tuple[inarch.ApprovalRequest, str]] = []
        for asked in batch:
            scope = next((scope for earlier, scope in covering if _covers(scope, earlier, asked)), "")
            answer = _approval(asked, scope) if scope else await self._ask(asked)
            given.append(answer)
            if answer.outcome == "approve":
                covering.append((asked, answer.scope))
        return given

    def close(self) -> None:
        """Do nothing, because the server owns the connection."""

    async def _ask(self, asked: inarch.ApprovalRequest) -> inarch.Approval:
        call = asked.call
        if asked.rights is not None and asked.rights.asks:
            return await self._answers(asked, asked.rights)
        if asked.alike in self._rejected:
            return inarch.Approval(call.id, "deny", reason="rejected for the rest of this session")
        shown, options = self._shown(asked), _options(asked)
        chosen, why_not = await self.choose(shown, options)
        if chosen == TRY and asked.trial is not None:
            content = [*(shown.content or ()), text_content(fenced(await _tried(asked.trial)))]
            rest = [one for one in options if one.option_id != TRY]
            chosen, why_not = await self.choose(shown.model_copy(update={"content": content}), rest)
        if why_not:
            return inarch.Approval(call.id, "deny", reason=why_not)
        if chosen == "reject_always":
            self._rejected.add(asked.alike)
        return _approval(asked, chosen)

    async def _answers(self, asked: inarch.ApprovalRequest, offer: inarch.RightsOffer) -> inarch.Approval:
        """Ask the questions in order and return the choices. Free text needs the next prompt."""
        given: dict[str, tuple[str, ...]] = {}
        for right in offer.rights:
            shown = self._shown(asked).model_copy(update={"content": [text_content(plain(inarch.escape(right.words)))]})
            options = [
                schema.PermissionOption(option_id=str(place), name=plain(inarch.escape(choice)), kind="allow_once")
                for place, choice in enumerate(right.choices)
            ]
            options.append(schema.PermissionOption(option_id="none", name="Answer in a prompt", kind="reject_once"))
            chosen, why_not = await self.choose(shown, options)
            if why_not or chosen not in {str(place) for place in range(len(right.choices))}:
                return inarch.Approval(asked.call.id, "deny", reason=why_not or "the user answers in the next prompt")
            given[right.name] = (right.choices[int(chosen)],)
        return inarch.Approval(asked.call.id, "approve", rights=given)

    async def choose(self, shown: schema.ToolCallUpdate, options: list[schema.PermissionOption]) -> tuple[str, str]:
        """Return the chosen option, or "" and the reason why there is none."""
        message = schema.RequestPermissionRequest(session_id=self.session_id, tool_call=shown, options=options)
        try:
            response = schema.RequestPermissionResponse.model_validate(await self.request(ASK, as_json(message)))
        except (RequestError, ConnectionError, ValidationError):
            return "", _CLOSED
        if isinstance(response.outcome, schema.DeniedOutcome):
            return "", "the question was closed without an answer"
        return response.outcome.option_id, ""

    def _shown(self, asked: inarch.ApprovalRequest) -> schema.ToolCallUpdate:
        call = ShownCall(asked.call.id, asked.call.name, asked.call.arguments, asked.tool.category)
        call.writes = call.category == "file"  # Inarch asks only about calls that change something
        file = asked.file
        if file is not None and not file.argument:
            before = None if file.before is None else plain(file.before)
            place = plain(absolute(self.root, file.path))
            change: Content = schema.FileEditToolCallContent(
                type="diff", path=place, old_text=before, new_text=plain(file.after)
            )
        else:
            words = inarch.escape(asked.preview) if file is not None else fenced(plain(asked.preview), "diff")
            change = text_content(plain(words))
        content = [change]
        said = [asked.remark, asked.why, *(asked.rights.beyond if asked.rights is not None else ())]
        content += [text_content(plain(inarch.escape(words))) for words in said if words]
        return schema.ToolCallUpdate(
            tool_call_id=call.id,
            title=plain(inarch.escape(asked.title, keep_newlines=False)),
            kind=call.kind,
            status="pending",
            content=content,
            locations=call.locations(os.fspath(self.root)),
            raw_input=plain(dict(call.arguments)),
        )


async def _tried(trial: Callable[[], Awaitable[Any]]) -> str:
    """Make a dry run and return what it would change, or why the call can't be tried."""
    try:
        text = "\n".join((await trial()).lines)
    except inarch.InarchError as error:
        text = f"can't be tried: {error}"
    return str(plain(inarch.escape(text)))


def _covers(scope: str, earlier: inarch.ApprovalRequest, asked: inarch.ApprovalRequest) -> bool:
    """Return whether an answer to an earlier call also covers this one, by the session's own rules."""
    if scope == "once":
        return False
    is_of_tool = scope == "tool" and earlier.call.name == asked.call.name and asked.tool.category != "command"
    is_wide = (scope == "session" or is_of_tool) and not (earlier.is_persons or asked.is_persons)
    return is_wide or earlier.alike == asked.alike


def _approval(asked: inarch.ApprovalRequest, scope: str) -> inarch.Approval:
    """Return the approval that an option means. An unknown option denies the call."""
    known, rights = _SCOPES.get(scope), _rights(asked).get(scope)
    if rights is not None:
        return inarch.Approval(asked.call.id, "approve", rights=rights)
    if known is None:
        return inarch.Approval(asked.call.id, "deny", reason="the answer was none of those that were offered")
    return inarch.Approval(asked.call.id, known.outcome, known.scope)


def _rights(asked: inarch.ApprovalRequest) -> dict[str, inarch.ChosenRights]:
    """Return the sets of rights by option id: those that the call plainly needs, and those that take no values."""
    offer = asked.rights
    if offer is None:
        return {}
    names = [right.name for right in offer.rights if not right.takes]
    some = (chosen for count in range(1, len(names) + 1) for chosen in combinations(names, count))
    sets: dict[str, inarch.ChosenRights] = {"+".join(("once", *chosen)): dict.fromkeys(chosen, ()) for chosen in some}
    return {LIKELY: {**offer.chosen, **offer.likely}, **sets} if offer.likely else sets


def _options(asked: inarch.ApprovalRequest) -> list[schema.PermissionOption]:
    name, offer = asked.call.name, asked.rights
    shape = plain(inarch.escape(asked.shape.removeprefix(f"{name} on "), keep_newlines=False))
    offered: list[tuple[str, str, schema.PermissionOptionKind]] = [("once", "Yes", "allow_once")]
    words = {right.name: right.words for right in offer.rights} if offer is not None else {}
    for key, chosen in _rights(asked).items():
        said = " and ".join(
            f"{one} to {' and '.join(values)}" if values else words[one] for one, values in chosen.items()
        )
        offered.append((key, plain(inarch.escape(f"Yes, with {said}")), "allow_once"))
    offered.sort(key=lambda option: option[0] != LIKELY)
    if asked.trial is not None:
        offered.append((TRY, "Try it first, in a copy", "allow_once"))
    if shape:
        offered.append(("shape", f"Always in this session: {shape}", "allow_always"))
        if offer is None or offer.lasting:
            offered.append(("project", f"Always in this project: {shape}", "allow_always"))
    if asked.tool.category != "command" and not asked.is_persons:
        offered.append(("tool", f"Always in this session: every call of {name}", "allow_always"))
    if not asked.is_persons:  # otherwise the answer would cover only calls of this shape
        offered.append(("session", "Always in this session: everything", "allow_always"))
    offered.append(("reject_once", "No", "reject_once"))
    offered.append(("reject_always", f"Never in this session: {shape or asked.title}", "reject_always"))
    return [schema.PermissionOption(option_id=key, name=name, kind=kind) for key, name, kind in offered]
