"""The file that an edit would leave: what a person looks at before it is made, and may change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import frozen

from inarch.contract.errors import InarchError
from inarch.contract.ports import Tool, Workspace
from inarch.contract.records import FileStat, ProposedFile, ToolCall

LARGEST_FILE = 200_000
"""Bytes of a present file up to which a diff against it is made."""


@frozen
class Files:
    """The files of the workspace as the person may see them: with placeholders for secrets, as the model has them."""

    workspace: Workspace
    hide: Callable[[str], str]

    def stat(self, path: str) -> FileStat | None:
        """Return what stands at a path; None also where it can't be looked at."""
        try:
            return self.workspace.stat(path)
        except InarchError:
            return None

    def text(self, path: str) -> str | None:
        """Return the text of a file; None where there is none, or none to make a diff with."""
        stat = self.stat(path)
        if stat is None or stat.kind != "file" or stat.size > LARGEST_FILE:
            return None
        try:
            return self.hide(self.workspace.read(path).data.decode("utf-8", "replace"))
        except InarchError:
            return None  # the call itself will say what is wrong with the path


def proposed_file(call: ToolCall, tool: Tool, files: Files) -> ProposedFile | None:
    """Return the file that a call would leave; None where it is no edit of a text, or one that can't be made."""
    given = {name: value for name, value in call.arguments.items() if isinstance(value, str)}
    path = given.get("file_path")
    if path is None or tool.category != "file":
        return None
    before = files.text(path)
    if "search" in given and "replace" in given:
        every = call.arguments.get("replace_all") is True
        after = None if before is None else _patched(before, given["search"], given["replace"], every)
    else:
        after = given.get("content")
    return None if after is None else ProposedFile(path, before, after)


def _patched(present: str, search: str, replace: str, every: bool) -> str | None:
    """Return the text with the replacement made; None where it can't be made."""
    if "\r\n" in present and search not in present:
        search, replace = (text.replace("\r\n", "\n").replace("\n", "\r\n") for text in (search, replace))
    found = present.count(search) if search else 0
    return present.replace(search, replace) if found == 1 or (found and every) else None


def rewritten(arguments: Mapping[str, Any], file: ProposedFile, text: str) -> dict[str, Any] | None:
    """Return the arguments with which the same tool leaves this text in the file; None where it can't."""
    if "content" in arguments:
        return {**arguments, "content": text}
    hunk = _hunk(file.before or "", text)
    if hunk is None:
        return None
    kept = {name: value for name, value in arguments.items() if name != "replace_all"}
    return {**kept, "search": hunk[0], "replace": hunk[1]}


def _hunk(before: str, after: str) -> tuple[str, str] | None:
    """Return the one replacement of whole lines that makes `after` of `before`, its text being there once."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    most = min(len(old), len(new))
    head = next((line for line in range(most) if old[line] != new[line]), most)
    tail = next((line for line in range(most - head) if old[-1 - line] != new[-1 - line]), most - head)
    while not _is_unique(before, search := "".join(old[head : len(old) - tail])):
        if not head and not tail:
            return None
        head, tail = max(head - 1, 0), max(tail - 1, 0)
    return search, "".join(new[head : len(new) - tail])


def _is_unique(text: str, part: str) -> bool:
    """Whether a text is there once, places that overlap counted."""
    first = text.find(part)
    return bool(part) and first >= 0 and text.find(part, first + 1) < 0
