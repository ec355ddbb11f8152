"""All kinds of events; apart from their classes, for a start makes only those that it needs."""

from __future__ import annotations

from inarch.contract.beside_events import (
    CallReviewed,
    CallRewritten,
    ChildEnded,
    ChildStarted,
    InputEnded,
    InputWaiting,
    TurnHeld,
)
from inarch.contract.call_events import (
    ApprovalAsked,
    ApprovalGiven,
    CallOutput,
    CallResult,
    CallsDone,
    CallState,
    ChangesUndone,
    FileChanged,
    FileChanging,
)
from inarch.contract.events import (
    CommandRan,
    ContextAdded,
    ContextDropped,
    DecisionMade,
    ErrorHappened,
    EventData,
    LimitWait,
    ModelDelta,
    ModelReplied,
    ModelRequested,
    ModelSwitched,
    Note,
    SessionStarted,
    TurnEnded,
    TurnStarted,
)

EVENT_CLASSES: tuple[type[EventData], ...] = (
    SessionStarted, TurnStarted, InputWaiting, InputEnded, ContextAdded, ContextDropped, DecisionMade, ModelRequested,
    ModelDelta, ModelReplied, ModelSwitched, CallState, CallRewritten, CallOutput, CallResult, CallReviewed, CallsDone,
    ApprovalAsked, ApprovalGiven, FileChanging, FileChanged, ChangesUndone, ChildStarted, ChildEnded, LimitWait,
    CommandRan, ErrorHappened, Note, TurnHeld, TurnEnded,
)  # fmt: skip
EVENT_KINDS: dict[str, type[EventData]] = {cls.kind: cls for cls in EVENT_CLASSES}
