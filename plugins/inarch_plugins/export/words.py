"""Format of times, money and amounts in an export."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from inarch.figures import money

LONGEST = 20_000
"""Maximum characters of an argument or a result in an export for people; JSON lines hold all that was stored."""
SCOPES = {"once": "once", "shape": "for such calls", "tool": "for this tool", "session": "for the session",
          "project": "for the project"}  # fmt: skip
OUTCOMES = {"approve": "approved", "deny": "denied", "modify": "changed", "ask": "left to the user",
            "stop": "left to the user"}  # fmt: skip
_ASKED_BY = {"user": "by the user", "mode": "by the approval mode", "headless": "because no person could be asked",
             "reviewer": "by an approver"}  # fmt: skip
MODES = {"voice": "by voice", "command": "by a slash command", "selection": "with an element of the page selected"}
"""Ways in which a prompt was given, if not only typed."""
PURPOSES = {"turn": "answers", "decision": "decisions", "summary": "summaries", "check": "checks",
            "approval": "approvals"}  # fmt: skip


def answered(outcome: str, scope: str, by: str, reason: str) -> str:
    """Return the answer to an approval request as a sentence."""
    said = OUTCOMES.get(outcome, outcome).capitalize()
    who = _ASKED_BY.get(by, f"by {by}" if by else "")
    reach = SCOPES.get(scope, scope) if outcome == "approve" else ""
    return f"{' '.join(filter(None, (said, who)))}{f', {reach}' if reach else ''}{f': {reason}' if reason else ''}"


def added_by(review: Mapping[str, Any]) -> str:
    """Return the author of a text below a result, from the data of a `call.reviewed`."""
    return f"Added by {review.get('plugin')}{', which ends the turn' if review.get('stop') else ''}:"


def one_line(text: str, length: int) -> str:
    """Return `text` on one line of at most `length` characters."""
    words = " ".join(text[: 4 * length].split())
    return words if len(words) <= length else words[: length - 1] + "…"


def local(seconds: float, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    """Return a moment in the local time zone."""
    return datetime.fromtimestamp(seconds).astimezone().strftime(form)


def as_json(value: Any, indent: int | None = None) -> str:
    """Return a value as JSON; one nested too deeply is replaced by a note."""
    try:
        return json.dumps(value, ensure_ascii=False, indent=indent, default=repr)
    except RecursionError:
        return "(nested too deeply to be shown)"


def many(count: int, one: str, several: str = "") -> str:
    """Return a number with its noun."""
    return f"{count:,} {one if count == 1 else several or f'{one}s'}"


def left_out(pictures: int) -> str:
    """Return the remark on pictures, "" for none."""
    return f"{many(pictures, 'picture')}, not exported" if pictures else ""


def amount_of(value: Any) -> Decimal | None:
    """Return money from a record, None if it is unknown."""
    try:
        return None if value is None else Decimal(str(value))
    except InvalidOperation:
        return None


def count_of(data: Mapping[str, Any], name: str) -> int:
    """Return a whole number from a record, 0 if there is none."""
    value = data.get(name)
    return value if type(value) is int else 0


def tokens(data: Mapping[str, Any]) -> str:
    """Return the tokens of a usage record, empty if there are none."""
    told, said = count_of(data, "input_tokens"), count_of(data, "output_tokens")
    cached = count_of(data, "cached_tokens")
    kept = f" ({cached:,} cached)" if cached else ""
    about = "about " if data.get("estimated") else ""
    return f"{about}{told:,} in{kept}, {said:,} out" if told or said else ""


def cost(known: Decimal | None, unknown: int = 0) -> str:
    """Return a cost, and for how many requests it is unknown."""
    if known is None or (unknown and not known):
        return "cost unknown"
    return f"{money(known)} + {many(unknown, 'request')} of unknown cost" if unknown else money(known)


def cut(text: str, longest: int = LONGEST) -> tuple[str, str]:
    """Return the text, cut to about `longest` characters, and a sentence on any omission."""
    if len(text) <= longest:
        return text, ""
    head, tail = longest * 3 // 4, longest // 4
    left = len(text) - head - tail
    first, last = text[:head], text[-tail:]
    return f"{first}\n…\n{last}", f"{left:,} characters left out of the middle; an export as JSON lines has all of it"
