"""What a call came to, in a word or two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Data = Mapping[str, Any]
_LISTS = {
    "files": "file", "entries": "entry", "hits": "hit", "commits": "commit", "lines": "line", "callers": "caller",
    "entry_points": "entry point", "symbols": "symbol", "functions": "function", "paths": "path", "notes": "note",
}  # fmt: skip
_TEXTS = ("content", "diff", "output", "text")


def outcome_words(data: Any) -> str:
    """Return the result of a successful call in short, empty where there is nothing to say."""
    if isinstance(data, str):
        return counted(len(data.splitlines()), "line") if data else "nothing"
    if isinstance(data, (list, tuple)):
        are_files = bool(data) and all(isinstance(one, Mapping) and {"path"} < one.keys() for one in data)
        return counted(len(data), "file" if are_files else "item")
    if not isinstance(data, Mapping):
        return ""
    return _of_mapping(data)


def _of_mapping(data: Data) -> str:
    if "exit_code" in data:
        return f"exit {data['exit_code']}"
    for key, noun in _LISTS.items():
        if isinstance(data.get(key), (list, tuple)):
            return counted(len(data[key]), noun) + (", cut" if data.get("truncated") else "")
    if isinstance(data.get("start_line"), int) and isinstance(data.get("end_line"), int) and "content" in data:
        return _lines_read(data)
    for key in _TEXTS:
        if isinstance(data.get(key), str):
            return counted(len(data[key].splitlines()), "line")
    if isinstance(data.get("commit"), str):
        return str(data["commit"])[:10]
    note = data.get("note")
    return note if isinstance(note, str) and len(note) <= 24 else ""


def _lines_read(data: Data) -> str:
    first, last, whole = data["start_line"], data["end_line"], data.get("total_lines")
    read = max(0, last - first + 1)
    return counted(read, "line") + (f" of {whole:,}" if isinstance(whole, int) and whole != read else "")


def counted(number: int, noun: str) -> str:
    """Return a number with its noun."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") and not noun.endswith("ey") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def failed_exit(data: Any) -> int:
    """Return the exit code of a command that ran and failed, else 0."""
    code = data.get("exit_code") if isinstance(data, Mapping) else None
    return code if isinstance(code, int) else 0


def size_words(text: str) -> str:
    """Return how long a text is."""
    size = len(text)
    return f"{size:,} characters" if size < 1_000 else f"{size / 1000:.1f} k characters"
