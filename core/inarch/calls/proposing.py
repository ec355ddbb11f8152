"""The file that an edit would leave: what a person looks at before it is made, and may change."""

from __future__ import annotations

from collections.abc import Callable

from attrs import frozen

from inarch.contract.errors import InarchError
from inarch.contract.ports import Tool, Workspace
from inarch.contract.records import FileStat, ProposedFile, ToolCall

LARGEST_FILE = 200_000
"""Bytes of a present file up to which a diff against it is made."""


@frozen(eq=False, repr=False)
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
    name = getattr(tool, "text", "")
    if name and name in given:
        return ProposedFile(f"{name}.md", None, given[name], name)
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
