"""Tool calls as an editor shows them: kind, title, locations and changes of files."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from acp import schema
from attrs import define, evolve, field

import inarch
from inarch.figures import call_title, failure_words
from inarch_acp.prompts import fenced
from inarch_acp.wire import plain

Content = schema.ContentToolCallContent | schema.FileEditToolCallContent | schema.TerminalToolCallContent
LARGEST_DIFF = 2_000_000
"""Largest side of a change that is shown as a diff, in bytes."""
LONGEST_TEXT = 50_000
"""Longest result or live output that is shown, in characters."""
_LONGEST_TITLE = 160
_KINDS: dict[str, schema.ToolKind] = {
    "search": "search", "nav": "search", "command": "execute", "git": "read", "memory": "think", "trace": "search",
    "delete_file": "delete", "move_file": "move", "git_commit": "execute", "read_output": "read",
}  # fmt: skip
_PATHS = ("file_path", "new_path", "path", "directory")
_PATCHED = re.compile(r"^\*\*\* (?:Update|Delete) File: (.+?)\s*$", re.M)


@define(eq=False)
class ShownCall:
    """A call that an editor shows."""

    id: str
    name: str
    arguments: Mapping[str, Any]
    category: str = "other"
    writes: bool = False
    output: str = ""
    changes: dict[str, tuple[bytes | None, bytes | None]] = field(factory=dict)
    remarks: list[str] = field(factory=list)
    is_done: bool = False
    tool: inarch.Tool | None = None

    @property
    def kind(self) -> schema.ToolKind:
        """Return the kind, by which the editor picks an icon."""
        if self.name in _KINDS or self.category in _KINDS:
            return _KINDS.get(self.name) or _KINDS[self.category]
        if self.category == "file":
            return "edit" if self.writes else "read"
        return "other"

    @property
    def title(self) -> str:
        """Return the call in people's words, on one line."""
        line = call_title(self.name, self.arguments, self.tool)
        shown: str = plain(inarch.escape(line, keep_newlines=False))
        return shown if len(shown) <= _LONGEST_TITLE else f"{shown[: _LONGEST_TITLE - 1]}…"

    def locations(self, root: str) -> list[schema.ToolCallLocation]:
        """Return the files of the call, which the editor can open."""
        found: dict[str, int | None] = {}
        for key in _PATHS:
            if isinstance(path := self.arguments.get(key), str) and path and "\0" not in path:
                line = self.arguments.get("start_line") if key == "file_path" else None
                found[path] = line if isinstance(line, int) and line > 0 else None
        for path in self.arguments.get("file_paths") or () if self.category == "file" else ():
            if isinstance(path, str):
                found.setdefault(path, None)
        for path, (before, after) in self.changes.items():
            found[path] = _first_difference(before or b"", after or b"")
        return [
            schema.ToolCallLocation(path=plain(os.path.normpath(absolute(root, path))), line=line)
            for path, line in found.items()
        ]

    def live(self) -> list[Content]:
        """Return the output so far."""
        return [text_content(fenced(plain(self.output[-LONGEST_TEXT:])))]

    def outcome(self, result: inarch.ToolResult, root: str) -> list[Content]:
        """Return the call's changes as diffs, or its result as text."""
        shown: list[Content] = []
        for path, (before, after) in self.changes.items():
            change = diff(path, before, after, root)
            if change is not None:
                shown.append(change)
            else:
                self.remarks.append(f"{path} was changed; it is no text, or too big to show.")
        shown += [text_content(plain(remark)) for remark in self.remarks]
        if not shown or not result.success:
            if (error := result.error) is not None:
                words = failure_words(self.name, {"code": error.code, "message": error.message})
                result = evolve(result, error=evolve(error, message=words))
            text = plain(inarch.result_text(result))
            cut = f"{text[:LONGEST_TEXT]}\n…" if len(text) > LONGEST_TEXT else text
            shown.append(text_content(fenced(cut)))
        return shown


def text_content(text: str) -> schema.ContentToolCallContent:
    """Return Markdown as content of a call."""
    return schema.ContentToolCallContent(type="content", content=schema.TextContentBlock(type="text", text=text))


def paths_of(arguments: Mapping[str, Any]) -> list[str]:
    """Return the paths that a call's arguments name, those in a patch too."""
    named = [arguments.get(key) for key in _PATHS]
    named += [path for path in arguments.get("file_paths") or () if isinstance(path, str)]
    named += _PATCHED.findall(patch) if isinstance(patch := arguments.get("patch"), str) else ()
    return [path for path in named if isinstance(path, str) and path and "\0" not in path]


def absolute(root: str, path: str) -> str:
    """Return a workspace path as an absolute one, without disk access. `+/` marks an added folder."""
    return path[1:] if path.startswith("+/") else os.path.join(root, path)  # noqa: PTH118


def diff(path: str, before: bytes | None, after: bytes | None, root: str) -> schema.FileEditToolCallContent | None:
    """Return a file's change as its two exact texts, or None if one is binary or too long."""
    if max(len(before or b""), len(after or b"")) > LARGEST_DIFF:
        return None
    try:
        old = None if before is None else before.decode()
        new = "" if after is None else after.decode()
        place = absolute(root, path)
        return schema.FileEditToolCallContent(type="diff", path=plain(place), old_text=old, new_text=new)
    except UnicodeDecodeError:
        return None


def _first_difference(before: bytes, after: bytes) -> int | None:
    """Return the number of the first changed line, or None for a new or removed file."""
    if not before or not after:
        return None
    old, new = before.split(b"\n"), after.split(b"\n")
    same: Sequence[bool] = [one == other for one, other in zip(old, new, strict=False)]
    return same.index(False) + 1 if False in same else min(len(old), len(new))
