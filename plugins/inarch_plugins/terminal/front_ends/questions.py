"""Text of the approval question: what would run, why Inarch asks, and the possible answers; all of it escaped."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from inarch import ApprovalRequest, escape, shorten
from inarch_plugins.terminal.front_ends.answers import triable
from inarch_plugins.terminal.rendering.colors import fold

_BESIDE = 6  # rows for the question, its keys and the line below
_TAB = 4  # columns of a tab; a literal tab would be wider than its count
_SPACES = re.compile(" {3,}")
_LEAST = 4  # rows of a call: its heading, one line of it, the count of more lines, and the "always" shape


class ScreenSize(NamedTuple):
    """Rows and columns available for a question."""

    rows: int
    columns: int


GLANCE = ScreenSize(40, 10_000)
"""Assumed size if the size of the screen is unknown."""


def question(batch: Sequence[ApprovalRequest], *, whole: bool = False, size: ScreenSize = GLANCE) -> str:
    """Return the question about a batch; `whole` includes everything that does not fit on the screen."""
    one = len(batch) == 1
    choices = "a approve, d deny (a reason may follow)" if one else "a approve all, d deny all, numbers (1 3) these"
    edit = "e edit" if one else "(1 e) edit"
    rights = "".join(f"{key} {words}, " for key, words in right_keys(batch)) if one else ""
    tries = "t try, " if triable(batch) is not None else ""
    cut = "v view all, " if is_cut(batch, size) and not whole else ""
    ask = f"Run {'it' if one else 'them'}? {choices}, {tries}{rights}A always, {edit}, {cut}? help [d] "
    return "\n".join([*asked_about(batch, whole=whole, size=size), ask])


def is_cut(batch: Sequence[ApprovalRequest], size: ScreenSize = GLANCE) -> bool:
    """Return whether part of the batch is hidden; then an approval shows everything first."""
    return sum(map(len, _parts(batch, None, size.columns))) > _room(size)


def asked_about(batch: Sequence[ApprovalRequest], *, whole: bool = False, size: ScreenSize = GLANCE) -> list[str]:
    """Return an empty line, then lines with what would run and why Inarch asks.

    Unless `whole` is set, they fit on the screen.
    """
    if whole or not is_cut(batch, size):
        return ["", *(line for part in _parts(batch, None, size.columns) for line in part)]
    return _at_a_glance(batch, size)


def _room(size: ScreenSize) -> int:
    return max(size.rows - _BESIDE, _LEAST)


def _at_a_glance(batch: Sequence[ApprovalRequest], size: ScreenSize) -> list[str]:
    """Return the question with all important lines and as many others as fit, else its beginning."""
    room = _room(size)
    bare = sum(map(len, _parts(batch, 0, size.columns)))
    most = max((room - bare) // max(len(batch), 1), 1)
    lines = [line for part in _parts(batch, most, size.columns) for line in part]
    return ["", *(lines if len(lines) <= room else _first(lines, room - 1, size.columns))]


def _parts(batch: Sequence[ApprovalRequest], most: int | None, columns: int) -> Iterator[list[str]]:
    """Yield the wrapped lines of each call: all important ones, and `most` lines of a diff or of arguments."""
    for number, request in enumerate(batch, 1):
        lines = _lines(request)
        counted = _counting(request, lines)
        rest = [part for line in lines[counted:] for part in _wrapped(f"   {line}", columns, "     ")]
        always = f"   always: {_spaced(_plain(request.shape))}"
        yield [
            *_wrapped(_spaced(_head(request, number if len(batch) > 1 else 0)), columns, "   "),
            *(part for line in lines[:counted] for part in _wrapped(f"   {_spaced(line)}", columns, "     ")),
            *(rest if most is None else _first(rest, most, columns, "   ")),
            *(_wrapped(always, columns, "     ") if request.shape else ()),
        ]


def _head(request: ApprovalRequest, number: int) -> str:
    lead = f"{number}. " if number else ""
    return f"{lead}{request.call.name}: {_plain(request.reason or 'needs approval')}"


def _counting(request: ApprovalRequest, lines: Sequence[str]) -> int:
    """Return how many of the first lines show the command and its rights."""
    may = len(request.rights.may) if request.rights is not None else 0
    return 1 + may if may or (lines and lines[0].startswith("$ ")) else 0


def _spaced(line: str) -> str:
    """Replace a run of spaces by its length: it could push the rest out of sight."""
    lead = len(line) - len(line.lstrip(" "))
    return line[:lead] + _SPACES.sub(lambda found: f" ␣×{len(found[0])} ", line[lead:])


def _wrapped(line: str, columns: int, later: str) -> list[str]:
    """Wrap a line to the screen, at a space if one is near; nothing is cut."""
    first, *rest = fold(line, max(columns - len(later), 15))
    return [first, *(f"{later}{one}" for one in rest)]


def right_keys(batch: Sequence[ApprovalRequest]) -> list[tuple[str, str]]:
    """Return the keys that choose rights for calls of the batch, with the names of the rights."""
    offered = (right for request in batch if request.rights is not None for right in request.rights.rights)
    return list({right.key: (f"{right.key} {right.takes}".strip(), right.name) for right in offered}.values())


def explained(batch: Sequence[ApprovalRequest]) -> str:
    """Return an explanation of each answer for this batch."""
    rows = answer_rows(batch)
    wide = max(len(answer) for answer, _ in rows)
    lines = [f"{answer:<{wide}}  {meaning}" for answer, meaning in rows]
    return "\n".join([*lines, "Enter, or the end of input, denies; Ctrl-C cancels the turn.\n"])


def answer_rows(batch: Sequence[ApprovalRequest]) -> list[tuple[str, str]]:
    """Return every answer for this batch with its effect."""
    shapes = "; ".join(dict.fromkeys(_plain(request.shape) for request in batch if request.shape)) or "such a call"
    names = ", ".join(dict.fromkeys(_tool_words(request) for request in batch))
    rows = [
        ("a", "approve, this once" if len(batch) == 1 else "approve all, this once"),
        ("d [REASON]", "deny; the reason goes to the model"),
        ("A", f"approve, and allow for the rest of this session: {shapes}"),
        ("A tool", f"the same for {names}"),
        ("A session", "the same for everything, commands included"),
        ("A project", f"approve, and always allow in this project (see: inarch policy list): {shapes}"),
        ("e", "edit the file it would write, else its arguments, in $VISUAL or $EDITOR; Inarch then asks again"),
        ("e args", "edit the arguments, as JSON"),
        ("v", "view everything that would run"),
    ]
    if (request := triable(batch)) is not None:
        which = "it" if len(batch) == 1 else _tool_words(request)
        rows.append(("t", f"try {which} in a copy of the workspace and show what would change; Inarch then asks again"))
    offered = {right for request in batch if request.rights is not None for right in request.rights.rights}
    rows += [
        (f"{right.key} {right.takes}".strip(), f"add or remove the right: {right.words}; Inarch then asks again")
        for right in sorted(offered, key=lambda right: right.key)
    ]
    if len(batch) > 1:
        rows.append(("1 3", "approve these, deny the rest"))
        rows.append(("1 a; 2 d REASON; 3 e", "an answer for each; Inarch asks again about the others"))
    return rows


def _tool_words(request: ApprovalRequest) -> str:
    if request.tool.category == "command":
        return f"commands like this one ({_plain(request.shape)})"
    return f"every call of {request.call.name}"


def _plain(text: str) -> str:
    return escape(text, keep_newlines=False)


def _lines(request: ApprovalRequest) -> list[str]:
    if request.preview:
        return escape(request.preview).rstrip("\n").expandtabs(_TAB).split("\n")
    return [
        line
        for name, value in request.call.arguments.items()
        for line in _argument(name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    ]


def _argument(name: str, text: str) -> list[str]:
    first, *rest = escape(text).expandtabs(_TAB).split("\n")
    return [f"{_plain(name)} = {first}", *(f"    {line}" for line in rest)]


def _first(lines: Sequence[str], most: int, columns: int, margin: str = "") -> list[str]:
    left = len(lines) - most
    more = [shorten(f"{margin}… {left:,} more lines (v shows them)", columns)] if left > 0 else []
    return [*lines[:most], *more]
