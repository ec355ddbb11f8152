"""The text of the question for approval: what would run, why it is asked, what can be answered; all of it escaped."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from inarch import ApprovalRequest, escape, shorten, width

_PREVIEW_LINES = 30
_BESIDE = 6  # rows for the question, its keys and what stands below
_LEAST = 4  # rows that a call takes: what it is, one line of it, that there is more, what "always" means


class ScreenSize(NamedTuple):
    """How much of a question is on the screen at once."""

    rows: int
    columns: int


GLANCE = ScreenSize(10_000, 10_000)


def question(batch: Sequence[ApprovalRequest], *, whole: bool = False, size: ScreenSize = GLANCE) -> str:
    """Return the question about a batch; `whole` shows what is too long for a glance."""
    one = len(batch) == 1
    choices = "a approve, d deny (a reason may follow)" if one else "a approve all, d deny all, numbers (1 3) these"
    edit = "e edit" if one else "(1 e) edit"
    rights = "".join(f"{key} {words}, " for key, words in right_keys(batch)) if one else ""
    cut = "v view all, " if is_cut(batch, size) and not whole else ""
    ask = f"Run {'it' if one else 'them'}? {choices}, {rights}A always, {edit}, {cut}? help [d] "
    return "\n".join([*asked_about(batch, whole=whole, size=size), ask])


def is_cut(batch: Sequence[ApprovalRequest], size: ScreenSize = GLANCE) -> bool:
    """Whether something of the batch is too long for a glance."""
    return asked_about(batch, size=size) != asked_about(batch, whole=True)


def asked_about(batch: Sequence[ApprovalRequest], *, whole: bool = False, size: ScreenSize = GLANCE) -> list[str]:
    """Return the lines that say what would run and why it is asked about, after an empty one.

    Unless `whole` is wanted they are no more than the screen has room for.
    """
    rows = max(size.rows - _BESIDE, _LEAST)
    shown = batch if whole else batch[: max(rows // _LEAST, 1)]
    most = None if whole else min(_PREVIEW_LINES, max(rows // len(shown) - _LEAST + 1, 1))
    lines = [""]
    for number, request in enumerate(shown, 1):
        lead = f"{number}. " if len(batch) > 1 else ""
        about = [f"{lead}{request.call.name}: {_plain(request.reason or 'needs a yes')}"]
        about += [f"   {line}" for line in _shown(request, most, size.columns - 3)]
        about += [f"   always: {_plain(request.shape)}"] if request.shape else []
        lines += about if whole else [shorten(line, size.columns) for line in about]
    left = len(batch) - len(shown)
    return [*lines, f"… and {left:,} more calls (v shows them)"] if left else lines


def right_keys(batch: Sequence[ApprovalRequest]) -> list[tuple[str, str]]:
    """Return what chooses a right for a call of the batch, with the right's name."""
    offered = (right for request in batch if request.rights is not None for right in request.rights.rights)
    return list({right.key: (f"{right.key} {right.takes}".strip(), right.name) for right in offered}.values())


def explained(batch: Sequence[ApprovalRequest]) -> str:
    """Return what each answer does, for this batch."""
    rows = answer_rows(batch)
    wide = max(len(answer) for answer, _ in rows)
    lines = [f"{answer:<{wide}}  {meaning}" for answer, meaning in rows]
    return "\n".join([*lines, "Enter, or the end of input, denies; Ctrl-C cancels the turn.\n"])


def answer_rows(batch: Sequence[ApprovalRequest]) -> list[tuple[str, str]]:
    """Return every answer with what it does, for this batch."""
    shapes = "; ".join(dict.fromkeys(_plain(request.shape) for request in batch if request.shape)) or "such a call"
    names = ", ".join(dict.fromkeys(_tool_words(request) for request in batch))
    rows = [
        ("a", "approve, this once" if len(batch) == 1 else "approve all, this once"),
        ("d [REASON]", "deny; the reason goes to the model"),
        ("A", f"approve, and for the rest of this session no question about: {shapes}"),
        ("A tool", f"the same for {names}"),
        ("A session", "the same for everything, commands included"),
        ("A project", f"approve, and in this project for good (see: inarch policy list): {shapes}"),
        ("e", "edit the file that it would leave, else its arguments, in $VISUAL or $EDITOR; then be asked again"),
        ("e args", "edit the arguments, as JSON"),
        ("v", "view everything that would run"),
    ]
    offered = {right for request in batch if request.rights is not None for right in request.rights.rights}
    rows += [
        (f"{right.key} {right.takes}".strip(), f"also let it have {right.words}, or not; then be asked again")
        for right in sorted(offered, key=lambda right: right.key)
    ]
    if len(batch) > 1:
        rows.append(("1 3", "approve these, deny the rest"))
        rows.append(("1 a; 2 d REASON; 3 e", "an answer for each; the others are asked about again"))
    return rows


def _tool_words(request: ApprovalRequest) -> str:
    if request.tool.category == "command":
        return f"commands like this one ({_plain(request.shape)})"
    return f"every call of {request.call.name}"


def _plain(text: str) -> str:
    return escape(text, keep_newlines=False)


def _lines(request: ApprovalRequest) -> list[str]:
    if request.preview:
        return escape(request.preview).rstrip("\n").split("\n")
    return [
        line
        for name, value in request.call.arguments.items()
        for line in _argument(name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    ]


def _argument(name: str, text: str) -> list[str]:
    first, *rest = escape(text).split("\n")
    return [f"{_plain(name)} = {first}", *(f"    {line}" for line in rest)]


def _shown(request: ApprovalRequest, most: int | None, columns: int) -> list[str]:
    lines = _lines(request)
    if most is None:
        return lines
    if len(lines) <= most and all(width(line) <= columns for line in lines):
        return lines
    kept = [shorten(line, columns) for line in lines[:most]]
    left = len(lines) - len(kept)
    return [*kept, f"… {left:,} more lines (v shows them)"] if left else kept
