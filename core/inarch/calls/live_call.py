"""Mutable record of one call, and shapes, which say which calls are alike.

Its states go forward only, and a terminal one is final:

    validating ─┬─► awaiting_approval ─┐
                ├──────────────────────┴─► scheduled ─► executing ─► success | error | cancelled
                └─► error

Every state that is not terminal can also end in `error` (refused, denied) or `cancelled`. If the arguments change
during approval, the call stays in `awaiting_approval`: Inarch validates it and asks again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field, frozen

from inarch.calls.attempt import hide_secrets
from inarch.calls.call_order import normalised
from inarch.contract.call_events import CallResult, CallState
from inarch.contract.capabilities import OffersRights, Shaped, able
from inarch.contract.errors import InarchError, ToolFailed
from inarch.contract.events import EventData
from inarch.contract.guard import guarded
from inarch.contract.ports import Tool
from inarch.contract.records import (
    TERMINAL,
    CallStatus,
    ChosenRights,
    Effects,
    ToolCall,
    ToolError,
    ToolResult,
)
from inarch_sdk.modes import BYPASS
from inarch_sdk.result_text import CHANGED_BY_USER, REWRITTEN, with_added

if TYPE_CHECKING:
    from inarch.calls.policy import Judgement
    from inarch.contract.approval_records import RightsOffer
    from inarch.contract.ports import Policy
    from inarch.journal.journal import Journal
    from inarch.plugins.registration import Bound


LONGEST_SHAPE = 200
"""Characters of a shape's description; a longer one is hard to read at a glance and is not offered."""


@frozen(eq=False, repr=False)
class Shape:
    """Group of calls that are alike: their `key`s are equal, and `words` describe what they have in common."""

    key: str
    words: str


def digest(name: str, arguments: Mapping[str, Any], rights: ChosenRights | None = None) -> str:
    """Return the SHA-256 of a call's name, final arguments and chosen rights, in canonical JSON."""
    return _hash({"name": name, "arguments": arguments} | ({"rights": rights} if rights else {}))


def offered_shape(call: ToolCall, offer: RightsOffer) -> Shape:
    """Return the shape of a call whose rights can be chosen: this very call, whatever its rights."""
    lead = f"{offer.words} with " if offer.chosen else offer.words
    listed = ", ".join(" ".join((name, *values)) for name, values in offer.chosen.items())
    return Shape(_hash({"tool": call.name, "words": offer.words}), f"{lead}{listed}")


def schema_digest(tool: Tool) -> str:
    """Return the SHA-256 of a tool's input schema in canonical JSON."""
    return _hash(tool.input_schema)


def shape_of(call: ToolCall, bound: Bound[Tool], effects: Effects) -> Shape:
    """Return a call's shape: as its tool describes it, else the files it changes, else this very call."""
    words = _own_words(bound, call.arguments)
    if words is not None:
        return Shape(_hash({"tool": call.name, "shape": words}), words)
    # An edit is like any other edit of the same files by the same tool, whatever it writes.
    if bound.value.category == "file" and effects.writes and not effects.exclusive:
        paths = sorted({normalised(path) for path in effects.writes})
        return Shape(_hash({"tool": call.name, "paths": paths}), f"{call.name} on {_listed(paths)}")
    return Shape(digest(call.name, call.arguments), f"this very call of {call.name}")


def _own_words(bound: Bound[Tool], arguments: Mapping[str, Any]) -> str | None:
    """Return the tool's own description of a shape; None if the tool fails or describes too much."""
    tool = able(bound.value, Shaped)
    if tool is None:
        return None
    try:
        with guarded(bound.plugin, "tool", passes=()):
            words = tool.shape(arguments)
    except InarchError:
        return None
    return words if isinstance(words, str) and words.strip() and len(words) <= LONGEST_SHAPE else None


def _listed(paths: list[str]) -> str:
    return ", ".join(path or "the whole workspace" for path in paths[:5]) + (", …" if len(paths) > 5 else "")


def _hash(value: Any) -> str:
    import hashlib

    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=repr)
    return hashlib.sha256(text.encode()).hexdigest()


@define(eq=False, repr=False)
class LiveCall:
    """A call with its tool and the journal that records every step.

    `proposed` are the arguments before the user changed them, `original` those before a plugin rewrote them. `offer`
    are rights that the user can give. `said` are rewriters' questions and denials, `allowed_by` says why a rewriter
    answers the mode's question, `needs_person` why no mode, grant or earlier approval does. `stop` is the plugin that
    ends the turn, and why. `is_first` calls wait for no other one of the batch. `then` is the approval mode that the
    user chose to follow. `unreviewed` says why an approver leaves the question to the user.
    """

    call: ToolCall
    bound: Bound[Tool] | None
    journal: Journal
    effects: Effects = field(factory=Effects)
    judgement: Judgement | None = None
    approved: str | None = None
    refused: bool = False
    repaired: tuple[str, ...] = ()
    proposed: Mapping[str, Any] | None = None
    hidden: tuple[str, ...] = ()
    offer: RightsOffer | None = None
    original: Mapping[str, Any] | None = None
    rewritten_by: str = ""
    allowed_by: str = ""
    said: tuple[Bound[Policy], ...] = ()
    needs_person: str | None = None
    stop: tuple[str, str] | None = None
    is_first: bool = False
    then: str = ""
    unreviewed: str = ""

    @property
    def rights(self) -> ChosenRights:
        """Rights that the user gave the call in addition to its own."""
        return self.offer.chosen if self.offer is not None else {}

    @property
    def rights_now(self) -> ChosenRights | None:
        """Rights to run with: None unless the user, a rule or a grant let it run, `BYPASS` in that mode."""
        if self.judgement is not None and self.judgement.passed:
            return {BYPASS: ()} if self.judgement.passed_in == BYPASS else None
        return self.rights if self.approved is not None or self.is_persons else None

    @property
    def is_persons(self) -> bool:
        """Whether only the user's own answer to this very call, a rule or a grant lets it run."""
        return self.judgement is not None and self.judgement.by == "person"

    @property
    def digest(self) -> str:
        """Digest that an answer is bound to: everything that decides what would run."""
        return digest(self.call.name, self.call.arguments, self.rights)

    def choose(self, rights: ChosenRights) -> None:
        """Ask the tool which rights the user can give this call, and give it the chosen ones.

        Raises:
            ToolFailed: The tool offers no rights, or not these.
        """
        tool = able(self.tool.value, OffersRights)
        if tool is None and not rights:
            self.offer = None
            return
        from inarch.contract.approval_records import RightsOffer

        with guarded(self.tool.plugin, "tool", passes=(ToolFailed,)):
            offer = tool.rights(self.call.arguments, rights) if tool is not None else None
        if rights and not isinstance(offer, RightsOffer):
            raise ToolFailed("validation", f"there are no rights to choose for {self.call.name}")
        self.offer = offer if isinstance(offer, RightsOffer) else None

    @property
    def is_done(self) -> bool:
        """Whether the call is terminal."""
        return self.call.status in TERMINAL

    @property
    def tool(self) -> Bound[Tool]:
        """The call's tool; only for calls that passed validation."""
        assert self.bound is not None
        return self.bound

    @property
    def shape(self) -> Shape:
        """The calls that a lasting approval of this one would cover; its arguments may still change."""
        # Such an approval is for this very call: the tool's description would cover others, too.
        if self.offer is not None and (self.rights or self.is_persons):
            return offered_shape(self.call, self.offer)
        return shape_of(self.call, self.tool, self.effects)

    @property
    def changed_by_user(self) -> dict[str, Any]:
        """Arguments that the user changed, with their new values; None for removed ones."""
        return _changed(self.proposed, self.call.arguments)

    @property
    def rewritten(self) -> dict[str, Any]:
        """Arguments that plugins changed, with their new values; None for removed ones."""
        return _changed(self.original, self.call.arguments if self.proposed is None else self.proposed)

    @property
    def has_effects(self) -> bool:
        """Whether the call may change something."""
        return bool(self.effects.writes) or self.effects.exclusive or self.effects.programs

    def is_still_approved(self) -> bool:
        """Return whether the arguments that are about to run are those that were approved."""
        return self.approved is None or self.digest == self.approved

    def begin(self) -> None:
        """Record the call's first state, with the whole call."""
        self.record(CallState(self.call.id, self.call.name, "validating", call=self.call))

    def go(self, status: CallStatus, announces: bool = False) -> None:
        """Enter a state that is not terminal; `announces` is as in `CallState`."""
        assert not self.is_done
        started = self.journal.clock.utc_now() if status == "executing" else self.call.started
        self.call = evolve(self.call, status=status, started=started)
        # A resume and a replay need the arguments that ran, if they differ from the first record.
        whole = self.call if status == "scheduled" and (self.changed_by_user or self.rewritten) else None
        # The journal has the effects before the call changes anything: a resume must know what may have happened.
        # With an error they tell a front end what kind of call failed.
        effects = self.effects if status in ("awaiting_approval", "scheduled", "error") else None
        self.record(CallState(self.call.id, self.call.name, status, whole, effects, self.call.after, announces))

    def end(self, status: CallStatus, result: ToolResult) -> None:
        """Enter a terminal state with a result, which reports to the model what became of its own arguments."""
        assert not self.is_done
        # In the order of events; values from plugins and the user may contain secrets.
        more: dict[str, Any] = {}
        if self.rewritten:
            more[REWRITTEN] = {"by": self.rewritten_by, "arguments": self.rewritten}
        if self.changed_by_user:
            more[CHANGED_BY_USER] = self.changed_by_user
        more = self.journal.redactor.redact(more)
        if self.repaired:
            more["repaired"] = list(self.repaired)
        if more:
            result = evolve(result, metadata={**result.metadata, **more})
        self.call = evolve(self.call, status=status, result=result, ended=self.journal.clock.utc_now())
        self.record(CallResult(self.call.id, self.call.name, status, result, self.call.started, self.call.ended))

    def fail(self, error: ToolError) -> None:
        """End the call with an error."""
        self.end("error", hide_secrets(ToolResult(False, error=error), self.journal.redactor))

    def cancel(self, message: str = "cancelled before it ran") -> None:
        """End the call as cancelled, if it hasn't ended."""
        if not self.is_done:
            self.end("cancelled", ToolResult(False, error=ToolError("cancelled", message)))

    def add(self, by: str, text: str, data: Any = None) -> None:
        """Add text to the result of a call that has ended, and replace its data."""
        assert self.call.result is not None
        self.call = evolve(self.call, result=with_added(self.call.result, by, text, data))

    def record(self, payload: EventData) -> None:
        """Record an event in the call's turn."""
        self.journal.record(payload, self.call.turn_id)


def _changed(before: Mapping[str, Any] | None, now: Mapping[str, Any]) -> dict[str, Any]:
    if before is None:
        return {}
    names = [*now, *(name for name in before if name not in now)]
    return {name: now.get(name) for name in names if name not in before or before[name] != now.get(name)}
