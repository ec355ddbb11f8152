"""All kinds of events, apart from their classes because a start creates only those that it needs."""

from __future__ import annotations

from inarch.contract import approval_records as asked
from inarch.contract import call_events as calls
from inarch.contract import events
from inarch.contract import other_events as beside
from inarch.contract.events import EventData

EVENT_CLASSES: tuple[type[EventData], ...] = (
    events.SessionStarted, events.TurnStarted, beside.InputWaiting, beside.InputEnded, events.ContextAdded,
    beside.ContextDropped, events.ContextFixed, events.ContextBroken,
    events.DecisionMade, events.ModelRequested, events.ModelDelta, events.ModelReplied,
    beside.ModelSwitched, calls.CallState, beside.CallRewritten, calls.CallOutput, calls.CallResult,
    beside.CallReviewed, calls.CallsDone, asked.ApprovalAsked, asked.ApprovalGiven, calls.FileChanging,
    calls.FileChanged, calls.ChangesUndoing, calls.ChangesUndone, beside.ChildStarted, beside.ChildEnded,
    events.LimitWait, beside.CommandRan, events.ErrorHappened, events.Note, beside.TurnHeld, events.TurnEnded,
)  # fmt: skip
EVENT_KINDS: dict[str, type[EventData]] = {cls.kind: cls for cls in EVENT_CLASSES}
