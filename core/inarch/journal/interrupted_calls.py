"""What a call did whose process ended while it ran: the files say whether what it announced happened. Pure."""

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
"""Returns the hash and the whole mode of what stands at a path; (None, 0) for nothing. Raises `ToolFailed`."""
Verdict = Literal["happened", "not", "unclear"]
NOTHING = (None, 0)


@define
class OpenCall:
    """A call without a result: where it may write, what it was about to change, and what it has told of that.

    `announces` says that it did nothing but change files and announced each change.
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
    """Settle nothing."""
    return Settled()


@define(eq=False, repr=False)
class OpenCalls:
    """The calls that have no result so far, by id."""

    calls: dict[str, OpenCall] = field(factory=dict)

    def take(self, event: Event) -> None:
        """Take in one event; shapes that are not understood are passed over."""
        handler = _HANDLERS.get(event.kind)
        if handler is not None:
            try:
                handler(self, event, str(event.data["call_id"]))
            except (KeyError, TypeError, ValueError, AttributeError):
                return

    def state(self, event: Event, call_id: str) -> None:
        """Note how far a call came."""
        call = self._call(event, call_id)
        call.name, call.announces = str(event.data["name"]), bool(event.data.get("announces"))
        if event.data.get("effects") is not None:
            call.writes = frozenset(map(str, event.data["effects"].get("writes") or ()))

    def changing(self, event: Event, call_id: str) -> None:
        """Note what a call is about to change."""
        self._call(event, call_id).intents.append(event.data)

    def changed(self, event: Event, call_id: str) -> None:
        """Note what a call has changed."""
        if (call := self.calls.get(call_id)) is not None:
            call.changes.append(event.data)
            place = (event.data["path"], event.data.get("new_path"))
            call.intents = [one for one in call.intents if (one["path"], one.get("new_path")) != place]

    def ended(self, event: Event, call_id: str) -> None:
        """Note that nothing of a call is open any more."""
        self.calls.pop(call_id, None)

    def to_data(self) -> Any:
        """Return what goes on from here needs, as plain JSON data."""
        return [{**asdict(call), "writes": sorted(call.writes)} for call in self.calls.values()]

    def go_on_from(self, data: Any) -> None:
        """Take over what `to_data` gave."""
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
    """Return what a call did, by what stands at the paths that it was about to change."""
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
    """Say whether an announced change happened, with what is to be recorded of it."""
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
        # Somebody has changed it since. An undo brings their lines and the earlier bytes together in either case:
        # where the change had not happened there is nothing that it would take back.
        return "unclear", _change(intent, int(intent.get("before_mode") or 0))
    return "unclear", None


def _move(intent: Mapping[str, Any], look: Look) -> tuple[Verdict, FileChanged | None]:
    here, there = look(intent["path"]), look(intent["new_path"])
    if here == NOTHING:
        return ("happened", _change(intent, there[1])) if there != NOTHING else ("unclear", None)
    if there[0] != intent["before"] or here[0] != there[0]:
        return "not", None
    # Without a rename that never overwrites a file has both names for a moment.
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
            "look at the present state before going on",
        )
        return ToolResult(False, error=error)
    known = {path: digest for path, digest in files.items() if path in call.writes}
    changed = next((path for path, digest in known.items() if digest is not None), next(iter(files)))
    data = {"path": changed, "note": "done; the session stopped right after it"}
    return ToolResult(True, data, metadata={"files": known})
