"""The text of the question for approval: what would run, why it is asked, what can be answered; all of it escaped."""

from __future__ import annotations

import json
from collections.abc import Sequence

from inarch.cli.terminal import escape
from inarch.contract.ports import ApprovalRequest

_PREVIEW_LINES = 30


def question(batch: Sequence[ApprovalRequest], *, whole: bool = False) -> str:
    """Return the question about a batch; `whole` shows what is too long for a glance."""
    one = len(batch) == 1
    choices = "a approve, d deny (a reason may follow)" if one else "a approve all, d deny all, numbers (1 3) these"
    edit = "e edit" if one else "(1 e) edit"
    cut = "v view all, " if is_cut(batch) and not whole else ""
    ask = f"Run {'it' if one else 'them'}? {choices}, A always, {edit}, {cut}? help [d] "
    return "\n".join([*asked_about(batch, whole=whole), ask])


def is_cut(batch: Sequence[ApprovalRequest]) -> bool:
    """Whether something of the batch is too long for a glance."""
    return any(len(_lines(request)) > _PREVIEW_LINES for request in batch)


def asked_about(batch: Sequence[ApprovalRequest], *, whole: bool = False) -> list[str]:
    """Return the lines that say what would run and why it is asked about, after an empty one."""
    lines = [""]
    for number, request in enumerate(batch, 1):
        lead = f"{number}. " if len(batch) > 1 else ""
        lines.append(f"{lead}{request.call.name}: {_plain(request.reason or 'needs a yes')}")
        lines += [f"   {line}" for line in _shown(request, whole)]
        if request.shape:
            lines.append(f"   always: {_plain(request.shape)}")
    return lines


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


def _shown(request: ApprovalRequest, whole: bool) -> list[str]:
    lines = _lines(request)
    if whole or len(lines) <= _PREVIEW_LINES:
        return lines
    return [*lines[:_PREVIEW_LINES], f"… {len(lines) - _PREVIEW_LINES:,} more lines (v shows them)"]
