"""Text of a session's turns: complete prompts and answers, calls as a tree."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from inarch import EVENT_KINDS, escape, result_text, shorten
from inarch.figures import answered_words, child_words, held_words, local_time, reviewed_words, rewritten_words

if TYPE_CHECKING:
    from inarch import Event, SessionInfo, ToolCall, Turn

GLYPHS = {"turn": "●", "item": "├─", "end": "╰─", "bar": "│ ", "success": "✓", "error": "✗", "cancelled": "⊘"}
PLAIN = {"turn": "*", "item": "|-", "end": "`-", "bar": "| ", "success": "ok", "error": "failed",
         "cancelled": "stopped"}  # fmt: skip


def _input_words(data: Mapping[str, Any]) -> str:
    who = f"plugin {data['by']}" if data.get("by") else "you"
    return f"{who}: {' '.join(str(data['text']).split())}"


WORDS = {
    "call.rewritten": rewritten_words, "call.reviewed": reviewed_words, "turn.held": held_words,
    "input.ended": _input_words, "child.started": child_words, "child.ended": child_words,
}  # fmt: skip
"""Descriptions of events of a turn other than requests and calls."""
OUTPUT_LINES, OUTPUT_COLUMNS = 4, 160
"""Lines shown of a call's output by default."""


def heading(info: SessionInfo, turns: int) -> Iterator[str]:
    """Yield the heading of a session, escaped."""
    yield _harmless(f"session {info.id}")
    many = "1 turn" if turns == 1 else f"{turns} turns"
    yield _harmless(f"{local_time(info.started)} · {many} · {info.events} events · {info.root}")


def told(
    turns: Iterable[Turn],
    glyphs: dict[str, str],
    *,
    full: bool = False,
    events: Iterable[Event] = (),
    recovered: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[str]:
    """Yield the lines of turns, escaped."""
    said: dict[str | None, list[str]] = {}
    for event in events:
        said.setdefault(event.turn_id, []).append(line_of(event))
    for turn in turns:
        yield ""
        if turn.type == "user":
            yield from (_harmless(f"> {line}") for line in _lines(turn.content))
        else:
            lines = _agent_turn(turn, glyphs, None if full else OUTPUT_LINES, said.pop(turn.id, ()), recovered)
            yield from map(_harmless, lines)
    if said:
        yield ""
    yield from map(_harmless, chain.from_iterable(said.values()))


def _harmless(line: str) -> str:
    return escape(line).replace("\n", "\\n")  # tabs stay, because answers contain them


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n")


def _agent_turn(
    turn: Turn, glyphs: dict[str, str], most: int | None, said: Iterable[str], recovered: Mapping[str, str]
) -> Iterator[str]:
    from inarch import to_data
    from inarch.figures import duration, usage_words

    who = [turn.model or "agent", answered_words(turn.model, turn.answered_by, turn.company)]
    who += [f"prompt by {turn.mode}" if turn.mode != "text" else "", local_time(turn.started, seconds=True)]
    yield f"{glyphs['turn']} {' · '.join(filter(None, who))}"
    known = {call.id: call for call in turn.calls}
    for call in turn.calls:
        yield from _call(call, glyphs, most)
        if (later := known.get(recovered.get(call.id, ""))) is not None:
            when = f" at {local_time(later.started, seconds=True)[-8:]}" if later.started else ""
            yield f"{glyphs['bar']}   recovered by {later.name}{when}"
    yield from (f"{glyphs['item']} {line}" for line in said)
    took = _seconds(turn.started, turn.ended)
    words = [turn.status if not turn.limit else f"{turn.status} ({turn.limit})", usage_words(to_data(turn.usage))]
    yield f"{glyphs['end']} {' · '.join([*words, duration(took)] if took is not None else words)}"
    if turn.error:
        yield f"{turn.status}: {turn.error}"
    if turn.content:
        yield ""
        yield from _lines(turn.content)


def _call(call: ToolCall, glyphs: dict[str, str], most: int | None) -> Iterator[str]:
    from inarch.figures import duration, short_arguments

    took = _seconds(call.started, call.ended)
    arguments = short_arguments(call.arguments)
    end = f" · {local_time(call.started or '', seconds=True)[-8:]} · {duration(took)}" if took is not None else ""
    yield f"{glyphs['item']} {glyphs.get(call.status, call.status)} {call.name} {arguments}".rstrip() + end
    if call.result is not None and call.result.error is not None:
        error = call.result.error
        yield f"{glyphs['bar']}   {error.code}: {error.message}"
    elif call.result is not None:
        lines = _lines(result_text(call.result).rstrip())
        left = len(lines) - most if most is not None else 0
        shown = lines[:most] if left > 1 else lines  # the line about one missing line is as long as that line
        yield from (f"{glyphs['bar']}   {line if most is None else shorten(line, OUTPUT_COLUMNS)}" for line in shown)
        if left > 1:
            yield f"{glyphs['bar']}   … {left:,} more lines (--full shows them)"


def glyphs() -> dict[str, str]:
    """Return the characters of the tree that standard output supports."""
    try:
        "".join(GLYPHS.values()).encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return PLAIN
    return GLYPHS


def _seconds(started: str | None, ended: str | None) -> float | None:
    from inarch.figures import seconds_between

    try:
        return seconds_between(started, ended)
    except (ValueError, TypeError):  # a damaged record
        return None


def is_told(event: Event) -> bool:
    """Return whether an event has its own line."""
    if event.kind == "input.ended":
        return bool(event.data.get("outcome") == "added")
    return event.kind in WORDS or event.kind not in EVENT_KINDS  # the others are events of plugins


def line_of(event: Event) -> str:
    """Return an event as text; for a plugin's event its kind and its `text`, or else its data."""
    if event.kind in WORDS:
        return WORDS[event.kind](event.data)
    text = event.data.get("text")
    said = text if isinstance(text, str) and text.strip() else json.dumps(event.data, ensure_ascii=False)
    return f"{event.kind}: {' '.join(said.split())}"
