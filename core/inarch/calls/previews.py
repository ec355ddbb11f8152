"""Preview of a call for the user: its diff, its command words, or its arguments."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

from attrs import frozen

from inarch.calls.rules import canonical, words_of
from inarch.contract.capabilities import Edits, Foresees, Isolated, Previews, able
from inarch.contract.errors import InarchError, PluginError
from inarch.contract.guard import guarded
from inarch.contract.ports import Tool, Tracer
from inarch.contract.records import Effects, FileStat, ProposedFile, ToolCall
from inarch.contract.workspaces import Workspace
from inarch.plugins.registration import Bound
from inarch_lib.secrets.secret_names import end_from

LARGEST_FILE = 200_000
"""Bytes of a present file up to which a diff against it is made."""


@frozen(eq=False, repr=False)
class Files:
    """Workspace files as the user and the model see them, with placeholders for secrets."""

    workspace: Workspace
    hide: Callable[[str], str]

    def stat(self, path: str) -> FileStat | None:
        """Return the state of a path; None also if it cannot be read."""
        try:
            return self.workspace.stat(path)
        except InarchError:
            return None

    def text(self, path: str) -> str | None:
        """Return the text of a file; None if it does not exist or cannot be part of a diff."""
        stat = self.stat(path)
        if stat is None or stat.kind != "file" or stat.size > LARGEST_FILE:
            return None
        try:
            return self.hide(self.workspace.read(path).data.decode("utf-8", "replace"))
        except InarchError:
            return None  # the call itself will report what is wrong with the path


def proposed_file(call: ToolCall, tool: Tool, files: Files) -> ProposedFile | None:
    """Return the file that a call would leave; None unless it is a possible edit of a text."""
    given = {name: value for name, value in call.arguments.items() if isinstance(value, str)}
    edits = able(tool, Edits)
    if edits is not None and edits.text in given:
        return ProposedFile(f"{edits.text}.md", None, given[edits.text], edits.text)
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
    # The tool does the same: models write any line ends.
    if "\r\n" in present and search not in present:
        search, replace = (text.replace("\r\n", "\n").replace("\n", "\r\n") for text in (search, replace))
    found = present.count(search) if search else 0
    return present.replace(search, replace) if found == 1 or (found and every) else None


MOST_LINES = 2_000
LONGEST_LINE = 2_000
"""Characters shown of a line; the rest is counted."""
LONGEST_REMARK_S = 2.0
"""Seconds that a question waits for a tracer's remark."""
_CLAIMED = "what its arguments say; what an isolated plugin makes of them can't be shown:"
_NO_NEWLINE = "\\ no newline at the end"


def preview(call: ToolCall, tool: Tool, effects: Effects, files: Files) -> tuple[str, ProposedFile | None]:
    """Return a preview of a call for the user, and the file that it would leave; long parts are counted."""
    proposed = proposed_file(call, tool, files)
    lines = _lines(call, tool, effects, files, proposed)
    return _cut([_CLAIMED, *lines] if able(tool, Isolated) is not None else lines), proposed


async def remark_on(file: ProposedFile | None, tracers: Iterable[Bound[Tracer]]) -> str:
    """Return what an edit would reach, from the first tracer that knows; empty for none."""
    if file is None or file.argument:
        return ""
    for bound in tracers:
        if (knowing := able(bound.value, Foresees)) is None:
            continue
        with suppress(PluginError, TimeoutError):
            async with asyncio.timeout(LONGEST_REMARK_S):
                with guarded(bound.plugin, "tracer", passes=(TimeoutError,)):
                    if text := await asyncio.to_thread(knowing.foresee, file):
                        return str(text)
    return ""


def _lines(call: ToolCall, tool: Tool, effects: Effects, files: Files, proposed: ProposedFile | None) -> Iterable[str]:
    words = words_of(call, tool)
    if words is not None:
        return _command(words, call.arguments)
    if (own := able(tool, Previews)) is not None:
        with suppress(PluginError), guarded(tool.name, "tool", passes=()):
            if (text := own.preview(call.arguments)) is not None:
                return files.hide(str(text)).split("\n")
    if proposed is not None and proposed.argument:
        return proposed.after.split("\n")
    if proposed is not None:
        return _diff(proposed, files)
    given = {name: value for name, value in call.arguments.items() if isinstance(value, str)}
    path = given.get("file_path")
    if path is None and tool.category == "file" and "patch" in given:
        return given["patch"].splitlines()
    if path is not None and tool.category == "file":
        if "search" in given and "replace" in given:
            return _unpatched(path, given["search"], given["replace"], files)
        if "new_path" in given:
            return _move(path, given["new_path"], files)
        if effects.removes:
            return _deletion(path, files)
    if tool.category == "git" and "message" in given and isinstance(call.arguments.get("paths"), list):
        return _commit(call.arguments)
    return json.dumps(dict(call.arguments), ensure_ascii=False, indent=2, default=repr).splitlines()


def _command(words: tuple[str, ...], arguments: Mapping[str, Any]) -> list[str]:
    """Show the tokenizer's reading of a command: as one line, then word by word if a line leaves a doubt."""
    is_plain = all(canonical((word,)) == word for word in words)
    numbered = [] if is_plain else [f"  · {canonical((word,))}" for word in words]
    others = [f"{name} = {json.dumps(value, default=repr)}" for name, value in arguments.items() if name != "command"]
    return [f"$ {canonical(words)}", *numbered, *others]


def _commit(arguments: Mapping[str, Any]) -> list[str]:
    paths = [f"  {path}" for path in arguments["paths"]]
    return ["commit of", *paths, "with the message", *(f"  {line}" for line in str(arguments["message"]).split("\n"))]


def _move(path: str, new_path: str, files: Files) -> list[str]:
    lines = [f"move {path} ({_size(path, files)})", f"  to {new_path}"]
    return [*lines, "  where a file exists already"] if files.stat(new_path) is not None else lines


def _deletion(path: str, files: Files) -> list[str]:
    head = f"delete {path} ({_size(path, files)})"
    present = files.text(path)
    return [head] if present is None else [head, *_unified(path, present, "", "gone")]


def _unpatched(path: str, search: str, replace: str, files: Files) -> list[str]:
    """Show both texts of a replacement if a diff cannot be made, and why."""
    present = files.text(path)
    found = 0 if present is None or not search else present.count(search)
    why = "its present text can't be shown" if present is None else f"the text to replace is there {found} times"
    return [f"--- {path}", f"+++ {path} ({why})", *_marked("-", search), *_marked("+", replace)]


def _diff(proposed: ProposedFile, files: Files) -> list[str]:
    path = proposed.path
    if proposed.before is not None:
        return _unified(path, proposed.before, proposed.after) or [f"{path} stays as it is"]
    is_new = files.stat(path) is None
    note = "a new file" if is_new else f"in place of {_size(path, files)}"
    return [f"+++ {path} ({note})", *_marked("+", proposed.after)]


def _unified(path: str, before: str, after: str, new_name: str = "") -> list[str]:
    from inarch_lib.output.line_matches import unified

    old, new = _split(before), _split(after)
    return list(unified(_ends_shown(old, new), _ends_shown(new, old), (path, new_name or path)))


def _ends_shown(lines: list[str], others: list[str]) -> list[str]:
    """Return the lines, showing carriage returns unless every line of both texts has one."""
    if all(line.endswith("\r") for line in (*lines, *others) if line != _NO_NEWLINE):
        return lines
    return [f"{line[:-1]}\\r" if line.endswith("\r") else line for line in lines]


def _marked(mark: str, text: str) -> list[str]:
    return [f"{mark}{line}" for line in _split(text)]


def _split(text: str) -> list[str]:
    lines = text.split("\n")
    if lines[-1]:
        lines.append(_NO_NEWLINE)
    else:
        lines.pop()
    return lines


def _size(path: str, files: Files) -> str:
    stat = files.stat(path)
    if stat is None:
        return "which is not there"
    return f"{stat.size:,} bytes" if stat.kind == "file" else f"a {stat.kind}"


def _cut(lines: Iterable[str]) -> str:
    shown = [_shortened(line) for line in lines]
    left = len(shown) - MOST_LINES
    return "\n".join(shown[:MOST_LINES] + ([f"… {left:,} more lines"] if left > 0 else []))


def _shortened(line: str) -> str:
    end = end_from(line, LONGEST_LINE, LONGEST_LINE)  # half a secret would not be recognised
    return line if end == len(line) else f"{line[:end]}… ({len(line) - end:,} more characters)"
