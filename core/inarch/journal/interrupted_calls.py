"""Outcomes of calls whose process ended while they ran, derived from announcements and files; pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from attrs import asdict, define, field

from inarch.contract.call_events import FileChanged
from inarch.contract.errors import ToolFailed
from inarch.contract.events import Event
from inarch.contract.records import ToolError, ToolResult
from inarch.contract.replacements import Settled

Look = Callable[[str], tuple[str | None, int]]
"""Function that returns the hash and the whole mode of a path, (None, 0) if it does not exist.

It raises `ToolFailed`.
"""
Verdict = Literal["happened", "not", "unclear"]
NOTHING = (None, 0)


@define
class OpenCall:
    """Call without a result, with the paths it may write, its announced changes, and its reported ones.

    `announces` says that it only changed files and announced each change.
    """

    id: str
    turn_id: str
    name: str
    writes: frozenset[str] = frozenset()
    announces: bool = False
    intents: list[Mapping[str, Any]] = field(factory=list)
    changes: list[Mapping[str, Any]] = field(factory=list)


Settle = Callable[[OpenCall], Settled]


def nobody_knows(call: OpenCall) -> Settled:
    """Return an unknown outcome."""
    return Settled()


@define(eq=False, repr=False)
class OpenCalls:
    """Calls without a result so far, by id."""

    calls: dict[str, OpenCall] = field(factory=dict)

    def take(self, event: Event) -> None:
        """Process an event; skip shapes that are not understood."""
        handler = _HANDLERS.get(event.kind)
        if handler is not None:
            try:
                handler(self, event, str(event.data["call_id"]))
            except (KeyError, TypeError, ValueError, AttributeError):
                return

    def state(self, event: Event, call_id: str) -> None:
        """Note the state of a call."""
        call = self._call(event, call_id)
        call.name, call.announces = str(event.data["name"]), bool(event.data.get("announces"))
        if event.data.get("effects") is not None:
            call.writes = frozenset(map(str, event.data["effects"].get("writes") or ()))

    def changing(self, event: Event, call_id: str) -> None:
        """Note an announced change of a call."""
        self._call(event, call_id).intents.append(event.data)

    def changed(self, event: Event, call_id: str) -> None:
        """Note a completed change of a call."""
        if (call := self.calls.get(call_id)) is not None:
            call.changes.append(event.data)
            place = (event.data["path"], event.data.get("new_path"))
            call.intents = [one for one in call.intents if (one["path"], one.get("new_path")) != place]

    def ended(self, event: Event, call_id: str) -> None:
        """Note that a call has ended."""
        self.calls.pop(call_id, None)

    def to_data(self) -> Any:
        """Return the state needed to continue, as plain JSON data."""
        return [{**asdict(call), "writes": sorted(call.writes)} for call in self.calls.values()]

    def go_on_from(self, data: Any) -> None:
        """Restore it from the data of `to_data`."""
        self.calls = {one["id"]: OpenCall(**{**one, "writes": frozenset(one["writes"])}) for one in data}

    def _call(self, event: Event, call_id: str) -> OpenCall:
        return self.calls.setdefault(call_id, OpenCall(call_id, event.turn_id or "", ""))


_HANDLERS: Mapping[str, Callable[[OpenCalls, Event, str], None]] = {
    "call.state": OpenCalls.state,
    "file.changing": OpenCalls.changing,
    "file.changed": OpenCalls.changed,
    "call.result": OpenCalls.ended,
}


def settle(call: OpenCall, look: Look) -> Settled:
    """Return a call's outcome, derived from the present state of its announced paths."""
    found: list[FileChanged] = []
    verdicts: set[Verdict] = set()
    for intent in call.intents:
        try:
            verdict, changes = _outcome(intent, look)
        except (ToolFailed, KeyError, TypeError, ValueError):
            verdict, changes = "unclear", []
        verdicts.add(verdict)
        found += changes
    is_known = call.announces and "unclear" not in verdicts
    return Settled(tuple(found), _result(call, found) if is_known else None)


def _outcome(intent: Mapping[str, Any], look: Look) -> tuple[Verdict, list[FileChanged]]:
    """Return whether an announced change happened, and the events to record for it."""
    folders = _folders_made(intent, look)
    verdict, change = _move(intent, look) if intent.get("new_path") is not None else _replacement(intent, look)
    return verdict, [*folders, *([change] if change is not None else [])]


def _replacement(intent: Mapping[str, Any], look: Look) -> tuple[Verdict, FileChanged | None]:
    path, before, after = intent["path"], intent["before"], intent["after"]
    present, mode = look(path)
    if present == after and (mode or after is None):
        return "happened", _change(intent, mode)
    if present == before and bool(mode) is (before is not None):
        return "not", None
    if before is not None and after:
        # It was changed again since. An undo merges those lines with the earlier bytes in either case:
        # if the change had not happened, there is nothing to revert.
        return "unclear", _change(intent, int(intent.get("before_mode") or 0))
    return "unclear", None


def _move(intent: Mapping[str, Any], look: Look) -> tuple[Verdict, FileChanged | None]:
    here, there = look(intent["path"]), look(intent["new_path"])
    if here == NOTHING:
        return ("happened", _change(intent, there[1])) if there != NOTHING else ("unclear", None)
    if there[0] != intent["before"] or here[0] != there[0]:
        return "not", None
    # Without a rename that never overwrites, a file has both names for a moment.
    call_id, kept = str(intent["call_id"]), bool(intent.get("kept"))
    return "unclear", FileChanged(call_id, intent["new_path"], None, there[0], None, 0, there[1], kept)


def _change(intent: Mapping[str, Any], mode: int) -> FileChanged:
    after = intent["after"]
    return FileChanged(
        str(intent["call_id"]), intent["path"], intent["before"], after, intent.get("new_path"),
        int(intent.get("before_mode") or 0), mode if after is not None else 0, bool(intent.get("kept")),
    )  # fmt: skip


def _folders_made(intent: Mapping[str, Any], look: Look) -> list[FileChanged]:
    made = ((folder, look(folder)[1]) for folder in intent.get("folders") or ())
    return [
        FileChanged(str(intent["call_id"]), folder, None, None, None, 0, mode, True) for folder, mode in made if mode
    ]


def _result(call: OpenCall, found: Iterable[FileChanged]) -> ToolResult:
    files: dict[str, str | None] = {}
    done = [*call.changes, *({"path": one.path, "after": one.after, "new_path": one.new_path} for one in found)]
    for change in done:
        files[change["path"]] = change["after"]
        if change.get("new_path") is not None:
            files |= {change["path"]: None, change["new_path"]: change["after"]}
    if not files:
        error = ToolError(
            "cancelled", "the session stopped before this call changed anything", "call it again if needed"
        )
        return ToolResult(False, error=error)
    if not call.writes <= files.keys():
        error = ToolError(
            "cancelled",
            f"the session stopped while this call ran; it had changed {', '.join(files)} and nothing else",
            "look at the present state before you continue",
        )
        return ToolResult(False, error=error)
    known = {path: digest for path, digest in files.items() if path in call.writes}
    changed = next((path for path, digest in known.items() if digest is not None), next(iter(files)))
    data = {"path": changed, "note": "done; the session stopped right after it"}
    return ToolResult(True, data, metadata={"files": known})
