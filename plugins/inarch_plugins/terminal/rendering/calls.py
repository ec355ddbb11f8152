"""Display of calls: one line each with tool, arguments, outcome and duration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import define, field

from inarch import width
from inarch.figures import duration, failure_words, seconds_between
from inarch_plugins.terminal.rendering.colors import Ink
from inarch_plugins.terminal.rendering.diffs import changed_words, draw_diff, edit_lines

Data = Mapping[str, Any]
TAIL_LINES = 4
"""Lines shown of a running call's output."""
_LEAST_LABEL = 24
"""Columns that a label gets before the outcome is dropped: the sign already shows success."""
_TAIL_KEPT = 4_000
_MOST_SAID = 3
TODOS = "todos"
"""Argument of a call that writes a todo list. The list is shown from its event."""
WORTH_SAYING_S = 1.0
"""Seconds; a shorter call is shown without its duration."""


@define(eq=False, repr=False)
class ShownCall:
    """One call, from its first state to its result."""

    id: str
    name: str
    arguments: Data
    title: str = ""
    origin: str = "model"
    status: str = "validating"
    began: float = 0.0
    result: Data | None = None
    files: set[str] = field(factory=set)
    was_shown: bool = False  # whether a question showed its diff
    _tail: str = ""

    @property
    def is_over(self) -> bool:
        """Return whether the call has its result."""
        return self.result is not None

    @property
    def is_plain(self) -> bool:
        """Return whether the call succeeded and changed nothing, so that it may be folded."""
        data = self.result or {}
        result = data.get("result") or {}
        went_well = data.get("status") == "success" and not result.get("error")
        return went_well and not failed_exit(result.get("data")) and not self.changes

    @property
    def changes(self) -> bool:
        """Return whether the call is known to have changed a file."""
        found = ((self.result or {}).get("result") or {}).get("data")
        return bool(self.files or edit_lines(self.arguments, found))

    def said(self, text: str) -> None:
        """Add live output, of which only the end is stored."""
        self._tail = (self._tail + text)[-_TAIL_KEPT:]

    def moving(self, columns: int, ink: Ink, now: float) -> str:
        """Return the line of an unfinished call."""
        if self.status == "awaiting_approval":
            return call_line("asks", "yellow", self, "awaiting approval", columns, ink)
        if self.status == "executing":
            took = now - self.began
            return call_line("live", "dim", self, elapsed(took) if took >= 1 else "", columns, ink)
        return call_line("waits", "dim", self, "", columns, ink)

    def tail(self, columns: int, ink: Ink) -> list[str]:
        """Return the last lines of its output while it runs."""
        if self.status != "executing" or not self._tail.strip():
            return []
        lines = [line for line in self._tail.rstrip().split("\n") if line.strip()][-TAIL_LINES:]
        return [below(ink.plain(line.rstrip("\r").rpartition("\r")[2]), columns, ink, "dim") for line in lines]

    def ended(self, columns: int, ink: Ink) -> Iterator[str]:
        """Yield the lines of a finished call."""
        data = self.result or {}
        result = data.get("result") or {}
        error, found = result.get("error"), result.get("data")
        took = seconds_between(data.get("started"), data.get("ended"))
        mark, style = _mark(str(data.get("status", "")), error, found)
        changes = edit_lines(self.arguments, found) if not error else []
        if error:
            words = ["outcome unknown" if error["code"] == "unknown_outcome" else ""]
        else:
            words = [self._outcome(found, changes, ink)]
        pictures = len((result.get("metadata") or {}).get("images") or ())
        words += [counted(pictures, "picture")] if pictures else []
        words += [duration(took)] if took is not None and took >= WORTH_SAYING_S else []
        yield call_line(mark, style, self, ink.sign("dot").join(filter(None, words)), columns, ink)
        room = columns - width(ink.sign("bar")) - 3
        if error and error["code"] != "cancelled" and self.origin != "user":
            for line in ink.wrapped(ink.plain(failure_words(self.name, error)), room, _MOST_SAID):
                yield below(line, columns, ink, style)
        elif isinstance(found, Mapping) and failed_exit(found) and self.origin != "user":
            lines = [line for line in str(found.get("output") or "").splitlines() if line.strip()]
            yield from (below(ink.plain(line), columns, ink, "dim") for line in lines[-_MOST_SAID:])
        for line in draw_diff([] if self.was_shown else changes, max(room, 4), ink):
            yield f"{ink.paint(ink.sign('bar'), 'dim')}   {line}" if room >= 4 else line

    def _outcome(self, found: Any, changes: list[Any], ink: Ink) -> str:
        said = changed_words(changes, ink) if changes else outcome_words(found)
        if not said and "file_path" in self.arguments and isinstance(text := self.arguments.get("content"), str):
            said = f"{counted(len(text.splitlines()), 'line')} written"
        if self.files and isinstance(found, Mapping) and "exit_code" in found:
            said += f", {counted(len(self.files), 'file')} changed"
        return ink.plain(said)


def call_line(mark: str, style: str, call: ShownCall, end: str, columns: int, ink: Ink) -> str:
    """Return the line of a call; its end is cut last."""
    lead = f"{ink.sign('item')} " if call.origin != "user" else ""
    sign, dot = ink.sign(mark), ink.sign("dot")
    room = columns - width(lead) - width(sign) - 1
    title = ink.plain(call.title)
    least = min(width(title), _LEAST_LABEL)
    if mark == "ok" and room - width(dot + end) < least:
        end = ""
    if end:
        end = f"{dot}{end}" if width(dot + end) <= room - 8 else ""
    label = ink.cut_middle(title, max(1, room - width(end)))
    if room < 4:
        return ink.paint(ink.cut(f"{sign} {label}", columns), style)
    return f"{ink.paint(lead, 'dim')}{ink.paint(f'{sign} ', style)}{label}{ink.paint(end, 'dim')}"


def tree_line(mark: str, style: str, text: str, columns: int, ink: Ink) -> str:
    """Return a line of the tree that is not a call; `text` is already escaped."""
    lead, said = f"{ink.sign('item')} ", f"{ink.sign(mark)} {text}"
    if columns < width(lead) + 4:
        return ink.paint(ink.cut(said, columns), style)
    return ink.paint(lead, "dim") + ink.paint(ink.cut(said, columns - width(lead)), style)


def below(text: str, columns: int, ink: Ink, style: str) -> str:
    """Return a line that belongs to the one above."""
    bar = f"{ink.sign('bar')}   " if columns >= 12 else ""
    return ink.paint(bar, "dim") + ink.paint(ink.cut(text.expandtabs(4), columns - width(bar)), style)


def elapsed(seconds: float) -> str:
    """Format a running time in whole seconds."""
    whole = int(max(seconds, 0))
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60:02d} s"


def _mark(status: str, error: Data | None, found: Any) -> tuple[str, str]:
    code = error["code"] if error else ""
    if code == "unknown_outcome":
        return "unknown", "yellow"
    if status == "cancelled" or code in ("denied", "unreviewed", "cancelled"):
        return "stopped", "yellow"
    if status == "success":
        return ("failed", "yellow") if failed_exit(found) else ("ok", "green")
    return "failed", "red"


_LISTS = {
    "files": "file", "entries": "entry", "hits": "hit", "commits": "commit", "lines": "line", "callers": "caller",
    "entry_points": "entry point", "symbols": "symbol", "functions": "function", "paths": "path", "notes": "note",
}  # fmt: skip
_TEXTS = ("content", "diff", "output", "text")


def outcome_words(data: Any) -> str:
    """Summarize the result of a successful call; return an empty text if there is nothing to report."""
    if isinstance(data, str):
        return counted(len(data.splitlines()), "line") if data else "nothing"
    if isinstance(data, (list, tuple)):
        are_files = bool(data) and all(isinstance(one, Mapping) and {"path"} < one.keys() for one in data)
        return counted(len(data), "file" if are_files else "item")
    if not isinstance(data, Mapping):
        return ""
    if "exit_code" in data:
        return f"exit {data['exit_code']}"
    for key, noun in _LISTS.items():
        if isinstance(data.get(key), (list, tuple)):
            return counted(len(data[key]), noun) + (", cut" if data.get("truncated") else "")
    if isinstance(data.get("start_line"), int) and isinstance(data.get("end_line"), int) and "content" in data:
        read, whole = max(0, data["end_line"] - data["start_line"] + 1), data.get("total_lines")
        return counted(read, "line") + (f" of {whole:,}" if isinstance(whole, int) and whole != read else "")
    for key in _TEXTS:
        if isinstance(data.get(key), str):
            return counted(len(data[key].splitlines()), "line")
    if isinstance(data.get("commit"), str):
        return str(data["commit"])[:10]
    note = data.get("note")
    return note if isinstance(note, str) and len(note) <= 24 else ""


def counted(number: int, noun: str) -> str:
    """Return a number with its noun."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") and not noun.endswith("ey") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def failed_exit(data: Any) -> int:
    """Return the exit code of a command that ran and failed, else 0."""
    code = data.get("exit_code") if isinstance(data, Mapping) else None
    return code if isinstance(code, int) else 0


def size_words(text: str) -> str:
    """Return the length of a text in words."""
    size = len(text)
    return f"{size:,} characters" if size < 1_000 else f"{size / 1000:.1f} k characters"
