"""Text of the approval question: what would run, why Inarch asks, and the possible answers; all of it escaped."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from inarch import ApprovalRequest, escape, shorten, width
from inarch.figures import call_title
from inarch_plugins.terminal.front_ends.answers import triable
from inarch_plugins.terminal.rendering.colors import fold

BESIDE = 6
"""Rows for the question's keys, and the lines around it."""
_TAB = 4  # columns of a tab; a literal tab would be wider than its count
_SPACES = re.compile(" {3,}")
_HUNK = re.compile(r"@@ -(\d+)\S* \+(\d+)\S* @@")
_NOTE = re.compile(r"\+\+\+ .*\((.+)\)")
_NO_END = "\\ no newline at the end"
_STYLES = {"+": "green", "-": "red", " ": ""}
_LEAST = 4  # rows of a call: its heading, one line of it, the count of more lines


class ScreenSize(NamedTuple):
    """Rows and columns available for a question."""

    rows: int
    columns: int


class Line(NamedTuple):
    """A line of a question, escaped, no wider than the screen."""

    text: str
    style: str = ""
    part: int = 0
    language: str = ""


GLANCE = ScreenSize(40, 10_000)
"""Assumed size if the size of the screen is unknown."""
LONGEST_ALWAYS, LEAST_WITH_ALWAYS = 24, 76
"""Most columns of what a lasting yes covers, and least of the screen, with which the line of choices names it."""
NARROW = 30
"""Columns below which a diff has no line numbers."""


def question(batch: Sequence[ApprovalRequest], *, whole: bool = False, size: ScreenSize = GLANCE) -> str:
    """Return the question about a batch; `whole` includes everything that does not fit on the screen."""
    lines, below = every_line(batch, size.columns), 0
    if not whole and len(lines) > _room(size):
        below = len(lines) - sum(line.style != "more" for line in _at_a_glance(batch, size))
    keys = "  ".join(f"{key} {words}" for key, words in choices(batch, size.columns - 4, below))
    return "\n".join([*asked_about(batch, whole=whole, size=size), f"{keys} [d] "])


def choices(batch: Sequence[ApprovalRequest], columns: int, below: int = 0) -> list[tuple[str, str]]:
    """Return the keys that answer this batch with their words; those that do not fit on a line are under `?`."""
    one = batch[0] if len(batch) == 1 else None
    lines = f"{below:,} line{'s' * (below > 1)}"
    unseen = f" after the other {lines}" if needs_all_seen(batch) else f", with {lines} unseen"
    unseen = unseen if below else ""
    likely = one is not None and likely_words(one)
    once = ", without" if likely else unseen or ", once"
    found = [("a", f"yes{once}" if one else f"yes to all{once}"), ("d", "no…")]
    if likely:
        found.insert(0, ("i", "yes, with network"))
    if not one:
        found.append(("1 3", "yes to 1 and 3 only"))
    if below:
        found.append(("v", "view all"))
    more = [("e", "edit")] if one else []
    more += [("t", "try in a copy")] if triable(batch) is not None else []
    if one and one.rights is not None:
        more += {right.key: (right.key, f"+{right.name} {right.takes}".strip()) for right in one.rights.rights}.values()
    if all(request.shape for request in batch) and not likely:
        always = f"all session: {covered(one)}" if one is not None and not _is_long(one, columns) else "all session…"
        found.insert(found.index(("d", "no…")), ("A", always))
    for choice in more:
        line = "  ".join(f"{key} {words}" for key, words in [*found, choice, ("?", "more")])
        if width(line) <= columns:
            found.append(choice)
    return [*found, ("?", "more")]


def likely_words(request: ApprovalRequest) -> str:
    """Return the rights that a call plainly needs, in words; empty for none."""
    likely = request.rights.likely if request.rights is not None else {}
    return " and ".join(f"{name} to {' and '.join(map(_plain, values))}" for name, values in likely.items())


def covered(request: ApprovalRequest) -> str:
    """Return what a lasting approval of a call covers."""
    if request.rights is not None and request.shape == request.rights.words:
        return "this exact command"
    return _spaced(_plain(request.shape.removeprefix(f"{request.call.name} on ")))


def _is_long(request: ApprovalRequest, columns: int) -> bool:
    return width(covered(request)) > LONGEST_ALWAYS or columns < LEAST_WITH_ALWAYS


def is_cut(batch: Sequence[ApprovalRequest], size: ScreenSize = GLANCE) -> bool:
    """Return whether part of the batch does not fit on the screen."""
    return len(every_line(batch, size.columns)) > _room(size)


def needs_all_seen(batch: Sequence[ApprovalRequest]) -> bool:
    """Return whether a yes counts only after all of the batch was shown: commands, and files that steer tools."""
    return not all(is_edit(request) and not request.is_persons for request in batch)


def is_edit(request: ApprovalRequest) -> bool:
    """Return whether a call would leave a known file."""
    return request.file is not None and not request.file.argument


def asked_about(batch: Sequence[ApprovalRequest], *, whole: bool = False, size: ScreenSize = GLANCE) -> list[str]:
    """Return an empty line, then lines with what would run and why Inarch asks.

    Unless `whole` is set, they fit on the screen.
    """
    lines = every_line(batch, size.columns) if whole or not is_cut(batch, size) else _at_a_glance(batch, size)
    return ["", *(line.text for line in lines)]


def every_line(batch: Sequence[ApprovalRequest], columns: int) -> list[Line]:
    """Return all lines about a batch."""
    return [line for part in parts(batch, columns) for line in part]


def _room(size: ScreenSize) -> int:
    return max(size.rows - BESIDE, _LEAST)


def _at_a_glance(batch: Sequence[ApprovalRequest], size: ScreenSize) -> list[Line]:
    """Return the question with all heads and as many other lines as fit, else its beginning."""
    room, found = _room(size), parts(batch, size.columns)
    most = max(room // max(len(found), 1), _LEAST - 1)
    lines = [line for part in found for line in _first(part, most, size.columns)]
    return lines if len(lines) <= room else _first(lines, room, size.columns)


def _first(lines: Sequence[Line], most: int, columns: int) -> list[Line]:
    if len(lines) <= most:
        return [*lines]
    count = shorten(f"… {len(lines) - most + 1:,} more lines (v shows them)", columns)
    return [*lines[: most - 1], Line(count, "more")]


def parts(batch: Sequence[ApprovalRequest], columns: int) -> list[list[Line]]:
    """Return the wrapped lines of each call: what it does, what an edit reaches, why Inarch asks, the whole of it."""
    return [[*_part(request, number if len(batch) > 1 else 0, columns)] for number, request in enumerate(batch, 1)]


def _part(request: ApprovalRequest, number: int, columns: int) -> Iterator[Line]:
    body = [*(_diff(request, columns) if is_edit(request) else _body(request, columns))]
    yield from _head(request, f"{number}. " if number else "", body, columns)
    margin = "   " if number else ""
    why = request.why or ("" if request.title else request.reason)
    yield from _wrapped(f"{margin}{_plain(request.remark)}" if request.remark else "", columns, margin, "bold")
    yield from _wrapped(f"{margin}{_spaced(_plain(why))}" if why else "", columns, margin)
    offer = request.rights
    for line in (offer.beyond if offer.usual or offer.beyond else offer.may) if offer is not None else ():
        yield from _wrapped(f"{margin}{_spaced(_plain(line))}", columns, f"{margin}  ", "yellow")
    if likely := likely_words(request):
        yield from _wrapped(f"{margin}It needs {likely}: i allows only that.", columns, margin)
    yield from body
    if request.shape and (number or _is_long(request, columns)):
        yield from _wrapped(f"{margin}A covers: {covered(request)}", columns, f"{margin}  ", "dim")


def _head(request: ApprovalRequest, lead: str, body: Sequence[Line], columns: int) -> Iterator[Line]:
    title = request.title or call_title(request.call.name, request.call.arguments, request.tool)
    title = f"{lead}{_spaced(_plain(title))}"
    note = request.rights.usual if request.rights is not None else ""
    if is_edit(request):
        added, gone = (sum(line.style == style for line in body) for style in ("green", "red"))
        note = "  ".join([f"+{added}"] * bool(added) + [f"−{gone}"] * bool(gone))
    gap = min(columns, 80) - width(title) - width(note)
    if note and gap >= 2:
        yield Line(f"{title}{' ' * gap}{note}", "title", len(title) + gap)
    else:
        yield from _wrapped(title, columns, "  ", "title")
        yield from _wrapped(f"   {note}" if note else "", columns, "   ", "dim")


def _body(request: ApprovalRequest, columns: int) -> Iterator[Line]:
    """Yield the lines of a preview, without the command and the rights that are shown above them."""
    lines = _lines(request)
    command = request.call.arguments.get("command")
    may = len(request.rights.may) if request.rights is not None else 0
    if request.tool.category == "command" and isinstance(command, str):
        stands = "\n" not in command.strip("\n") and command.strip("\n") in request.title
        others = [] if lines[0].startswith("$ ") else _given({**request.call.arguments, "command": None})
        told = lines[1 + may :] if lines[0].startswith("$ ") else others
        lines = [*([] if stands else escape(command).expandtabs(_TAB).split("\n")), *told]
    elif may and lines[0].startswith("$ "):
        lines = lines[1 + may :]
    is_diff = any(line.startswith(("--- ", "+++ ", "@@ ")) for line in lines[:1])
    for line in lines:
        style = _STYLES.get(line[:1], "dim") if is_diff else ""
        shown = _spaced(line) if request.tool.category == "command" else line
        yield from _wrapped(f"   {shown}", columns, "     ", style)


def _diff(request: ApprovalRequest, columns: int) -> Iterator[Line]:
    """Yield the lines of an edit's diff with their numbers."""
    head, *lines = _lines(request)
    if head.startswith("--- ") and lines:
        head, *lines = lines
    if (note := _NOTE.fullmatch(head)) and note[1] != "a new file":
        yield from _wrapped(f"   {note[1]}", columns, "   ", "dim")
    old = new = 1 if head.endswith("(a new file)") or (note and note[1].startswith("in place of")) else 0
    digits = len(str(len(lines) + max((int(found[2]) for line in lines if (found := _HUNK.match(line))), default=0)))
    language = request.file.path.rpartition(".")[2] if request.file is not None else ""
    is_first = True
    for line in lines if head.startswith("+++ ") else [head, *lines]:
        if found := _HUNK.match(line):
            old, new = int(found[1]), int(found[2])
            yield from () if is_first else [Line("   ⋮", "dim")]
            is_first = False
            continue
        sign, text = line[:1], line[1:]
        at = old if sign == "-" else new
        number = str(at) if at and sign in _STYLES and sign and text != _NO_END else ""
        lead = f"  {number:>{digits}} {sign} " if columns >= NARROW and sign in _STYLES else f"  {sign} "
        old, new = old + (sign in "- " and old > 0), new + (sign in "+ " and new > 0)
        for place, piece in enumerate(fold(text, max(columns - len(lead), 15))):
            shown = lead if not place else " " * len(lead)
            yield Line(f"{shown}{piece}", _STYLES.get(sign, "dim"), len(lead), language)


def _wrapped(line: str, columns: int, later: str, style: str = "") -> Iterator[Line]:
    """Wrap a line to the screen, at a space if one is near; nothing is cut."""
    first, *rest = fold(line, max(columns if len(line) <= columns else columns - len(later), 15)) if line else ("",)
    if line:
        yield Line(first, style)
    yield from (Line(f"{later}{one}", style) for one in rest)


def _spaced(line: str) -> str:
    """Replace a run of spaces by its length: it could push the rest out of sight."""
    lead = len(line) - len(line.lstrip(" "))
    return line[:lead] + _SPACES.sub(lambda found: f" ␣×{len(found[0])} ", line[lead:])


def explained(batch: Sequence[ApprovalRequest]) -> str:
    """Return an explanation of each answer for this batch."""
    rows = answer_rows(batch)
    wide = max(len(answer) for answer, _ in rows)
    lines = [f"{answer:<{wide}}  {meaning}" for answer, meaning in rows]
    return "\n".join([*lines, "Enter, or the end of input, denies; Ctrl-C cancels the turn.\n"])


def answer_rows(batch: Sequence[ApprovalRequest]) -> list[tuple[str, str]]:
    """Return every answer for this batch with its effect."""
    shapes = "; ".join(dict.fromkeys(covered(request) for request in batch if request.shape)) or "such a call"
    names = ", ".join(dict.fromkeys(_tool_words(request) for request in batch))
    rows = [
        ("a", "yes, this once" if len(batch) == 1 else "yes to all, this once"),
        ("d [REASON]", "no; the reason goes to the model"),
        ("A", f"yes, and always for the rest of this session: {shapes}"),
        ("A tool", f"the same for {names}"),
        ("A session", "the same for everything, commands included"),
        ("A project", f"yes, and always in this project (see: inarch policy list): {shapes}"),
        ("e", "edit the file it would write, else its arguments, in $VISUAL or $EDITOR; Inarch then asks again"),
        ("e args", "edit the arguments, as JSON"),
        ("v", "view everything that would run"),
    ]
    if len(batch) == 1 and (likely := likely_words(batch[0])):
        rows.insert(0, ("i", f"yes, this once, with {likely} only"))
    if (request := triable(batch)) is not None:
        which = "it" if len(batch) == 1 else _tool_words(request)
        rows.append(("t", f"try {which} in a copy of the workspace and show what would change; Inarch then asks again"))
    offered = {right for request in batch if request.rights is not None for right in request.rights.rights}
    rows += [
        (f"{right.key} {right.takes}".strip(), f"add or remove the right: {right.words}; Inarch then asks again")
        for right in sorted(offered, key=lambda right: right.key)
    ]
    if len(batch) > 1:
        rows.append(("1 3", "yes to these, no to the rest"))
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
    return _given(request.call.arguments) or [""]


def _given(arguments: Mapping[str, Any]) -> list[str]:
    lines: list[str] = []
    for name, value in arguments.items():
        if value is not None:
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            first, *rest = escape(text).expandtabs(_TAB).split("\n")
            lines += [f"{_plain(name)} = {first}", *(f"    {line}" for line in rest)]
    return lines
