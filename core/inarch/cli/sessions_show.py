"""`inarch sessions show`: what happened in one session."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from inarch.cli.options import composing_options
from inarch.cli.session_ids import local_time
from inarch.cli.terminal import escape, print_json, shorten
from inarch.contract.result_text import result_text
from inarch.sessions.finding import find_session

if TYPE_CHECKING:
    from inarch.contract.events import Event
    from inarch.contract.records import SessionInfo, ToolCall, Turn
    from inarch.journal import History

GLYPHS = {"turn": "●", "item": "├─", "end": "╰─", "bar": "│ ", "success": "✓", "error": "✗", "cancelled": "⊘"}
PLAIN = {"turn": "*", "item": "|-", "end": "`-", "bar": "| ", "success": "ok", "error": "failed",
         "cancelled": "stopped"}  # fmt: skip


OUTPUT_LINES, OUTPUT_COLUMNS = 4, 160
"""How much of a call's output is shown at a glance."""


@click.command("show")
@click.argument("session_id", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.option("--full", is_flag=True, help="The outputs of calls whole, not only their first lines.")
@composing_options
def show_session(session_id: str, as_json: bool, full: bool, **given: Any) -> None:
    """Show a session's turns with their calls, what those brought and when; the beginning of its id is enough."""
    from inarch.cli.composing import Options, compose_app
    from inarch.journal import fold

    with compose_app(Options.of(given)) as app:
        info = find_session(app.store, session_id)
        events = app.store.load(info.id)
        damage = [*getattr(app.store, "damage", ())]
    history = fold(events)
    from inarch.contract.codec import to_data
    from inarch.turns.budget.ledger import Ledger

    spent = to_data(Ledger.of(events).rows())
    if as_json:
        print_json(_as_json(info, history, events) | {"spent": spent, "damage": damage})
        return
    for line in story(info, history, glyphs(), full=full):
        click.echo(line)
    if spent:
        from inarch.cli.front_ends.spending import table

        click.echo("")
        for line in table(spent):
            click.echo(escape(line))
    from inarch.cli.context_view import where_lines

    for place, line in enumerate(where_lines(history, events)):
        click.echo(f"{'' if place else chr(10)}{escape(line, keep_newlines=False)}")
    _tell_gaps(events)


def _as_json(info: SessionInfo, history: History, events: Sequence[Event]) -> dict[str, Any]:
    from inarch.contract.codec import to_data
    from inarch.journal.event_log import missing
    from inarch.turns.context.viewing import where_tokens_went

    rows = where_tokens_went(history, events)
    return {
        "session": to_data(info),
        "turns": to_data(history.turns),
        "tokens": [{"what": name, "count": many, "tokens": tokens} for name, many, tokens in rows],
        "left_out": to_data(history.left_out),
        "unknown": to_data(history.unknown),
        "missing": to_data(missing(event.seq for event in events)),
    }


def _tell_gaps(events: Sequence[Event]) -> None:
    """Say which events are missing without any trace; what was found damaged is said when the store is closed."""
    from inarch.cli.failure import say
    from inarch.journal.event_log import gap_words, missing
    from inarch.sessions.mending import WAY_ON

    gaps = missing(event.seq for event in events)
    for first, last in gaps:
        say("note", gap_words(first, last))
    if gaps:
        say("note", WAY_ON)


def story(info: SessionInfo, history: History, glyphs: dict[str, str], *, full: bool = False) -> Iterator[str]:
    """Yield the lines of a session, made harmless: its turns as trees, prompts and answers whole.

    Of what a call brought the first lines are shown, all of them with `full`.
    """
    for line in _story(info, history, glyphs, None if full else OUTPUT_LINES):
        yield escape(line).replace("\n", "\\n")  # tabs stay, they are an answer's own


def _story(info: SessionInfo, history: History, glyphs: dict[str, str], most: int | None) -> Iterator[str]:
    agent_turns = sum(turn.type == "agent" for turn in history.turns)
    yield f"session {info.id}"
    turns = "1 turn" if agent_turns == 1 else f"{agent_turns} turns"
    yield f"{local_time(info.started)} · {turns} · {info.events} events · {info.root}"
    for turn in history.turns:
        yield ""
        if turn.type == "user":
            yield from (f"> {line}" for line in _lines(turn.content))
        else:
            yield from _agent_turn(turn, glyphs, most)


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n")


def _agent_turn(turn: Turn, glyphs: dict[str, str], most: int | None) -> Iterator[str]:
    yield f"{glyphs['turn']} {turn.model or 'agent'} · {local_time(turn.started, seconds=True)}"
    for call in turn.calls:
        yield from _call(call, glyphs, most)
    yield f"{glyphs['end']} {_ending(turn)}"
    if turn.error:
        yield f"{turn.status}: {turn.error}"
    if turn.content:
        yield ""
        yield from _lines(turn.content)


def _call(call: ToolCall, glyphs: dict[str, str], most: int | None) -> Iterator[str]:
    from inarch.cli.front_ends.words import duration, short_arguments

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
        shown = lines[:most] if left > 1 else lines  # a line that says one line is missing is no shorter
        yield from (f"{glyphs['bar']}   {line if most is None else shorten(line, OUTPUT_COLUMNS)}" for line in shown)
        if left > 1:
            yield f"{glyphs['bar']}   … {left:,} more lines (--full shows them)"


def _ending(turn: Turn) -> str:
    from inarch.cli.front_ends.words import duration, usage_words
    from inarch.contract.codec import to_data

    took = _seconds(turn.started, turn.ended)
    words = [turn.status if not turn.limit else f"{turn.status} ({turn.limit})", usage_words(to_data(turn.usage))]
    return " · ".join([*words, duration(took)] if took is not None else words)


def glyphs() -> dict[str, str]:
    """Return the signs of the tree that standard output can show."""
    try:
        "".join(GLYPHS.values()).encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return PLAIN
    return GLYPHS


def _seconds(started: str | None, ended: str | None) -> float | None:
    from inarch.cli.front_ends.words import seconds_between

    try:
        return seconds_between(started, ended)
    except (ValueError, TypeError):  # a damaged record
        return None
