"""`inarch sessions`: which sessions are kept, and what happened in one."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from inarch.cli.options import composing_options
from inarch.cli.terminal import columns_of, escape, print_json, shorten
from inarch.contract.errors import UsageError

if TYPE_CHECKING:
    from inarch.contract.ports import ContextStore
    from inarch.contract.records import SessionInfo, ToolCall, Turn
    from inarch.journal import History
    from inarch.sessions.app import App

SHORTEST_ID = 8
_GLYPHS = {"turn": "●", "item": "├─", "end": "╰─", "bar": "│ ", "success": "✓", "error": "✗", "cancelled": "⊘"}
_PLAIN = {"turn": "*", "item": "|-", "end": "`-", "bar": "| ", "success": "ok", "error": "failed",
          "cancelled": "stopped"}  # fmt: skip


@click.group("sessions")
def sessions() -> None:
    """List and show the sessions of this directory."""


@sessions.command("list")
@click.option("--all", "everywhere", is_flag=True, help="Those of every directory.")
@click.option("--json", "as_json", is_flag=True, help="One JSON array.")
@composing_options
def list_sessions(everywhere: bool, as_json: bool, **given: Any) -> None:
    """List sessions, the newest first."""
    with _compose(given) as app:
        known = app.store.sessions()
        shown = [info for info in known if everywhere or info.root == app.config.root]
    if as_json:
        from inarch.contract.codec import to_data

        print_json(to_data(shown))
        return
    for line in listing(shown, [info.id for info in known], with_root=everywhere):
        click.echo(line)
    if not shown:
        click.echo("no sessions yet" if everywhere else "no sessions in this directory; --all shows all others")


@sessions.command("show")
@click.argument("session_id", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@composing_options
def show_session(session_id: str, as_json: bool, **given: Any) -> None:
    """Show a session's turns with their calls; the beginning of its id is enough."""
    from inarch.journal import fold

    with _compose(given) as app:
        info = find(app.store, session_id)
        events = app.store.load(info.id)
        history = fold(events)
        damage = [*getattr(app.store, "damage", ())]
    from inarch.contract.codec import to_data
    from inarch.turns.budget.ledger import Ledger

    spent = to_data(Ledger.of(events).rows())
    if as_json:
        shown = {"session": to_data(info), "turns": to_data(history.turns), "spent": spent, "damage": damage}
        print_json(shown)
        return
    for line in story(info, history, _glyphs()):
        click.echo(line)
    if spent:
        from inarch.cli.front_ends.spending import table

        click.echo("")
        for line in table(spent):
            click.echo(escape(line))
    from inarch.cli.context_view import where_lines

    for place, line in enumerate(where_lines(history, events)):
        click.echo(f"{'' if place else chr(10)}{escape(line, keep_newlines=False)}")
    _tell(damage)


def find(store: ContextStore, beginning: str) -> SessionInfo:
    """Return the one session whose id begins so.

    Raises:
        UsageError: None does, or several do.
    """
    fitting = [info for info in store.sessions() if info.id.startswith(beginning)]
    exact = [info for info in fitting if info.id == beginning]
    if len(exact or fitting) == 1:
        return (exact or fitting)[0]
    if not fitting:
        raise UsageError(f"there is no session {beginning!r}", "inarch sessions list --all shows those there are")
    raise UsageError(f"{len(fitting)} sessions begin with {beginning!r}", "write more of the id")


def listing(shown: Sequence[SessionInfo], ids: Sequence[str], *, with_root: bool = False) -> Iterator[str]:
    """Yield a line a session, with as much of its id as tells it from all others."""
    columns = columns_of(sys.stdout) if sys.stdout.isatty() else 10_000
    short = _short_ids(ids)
    wide = max((len(short[info.id]) for info in shown), default=0)
    for info in shown:
        said = f"{info.title or '(no prompt)'}{f'  [{info.root}]' if with_root else ''}"
        line = f"{short[info.id]:<{wide}}  {_local(info.started)}  {info.events:>6} events  {said}"
        yield shorten(escape(line, keep_newlines=False), columns)


def story(info: SessionInfo, history: History, glyphs: dict[str, str]) -> Iterator[str]:
    """Yield the lines of a session, made harmless: its turns as trees, prompts and answers whole."""
    for line in _story(info, history, glyphs):
        yield escape(line).replace("\n", "\\n")  # tabs stay, they are an answer's own


def _story(info: SessionInfo, history: History, glyphs: dict[str, str]) -> Iterator[str]:
    agent_turns = sum(turn.type == "agent" for turn in history.turns)
    yield f"session {info.id}"
    turns = "1 turn" if agent_turns == 1 else f"{agent_turns} turns"
    yield f"{_local(info.started)} · {turns} · {info.events} events · {info.root}"
    for turn in history.turns:
        yield ""
        if turn.type == "user":
            yield from (f"> {line}" for line in _lines(turn.content))
        else:
            yield from _agent_turn(turn, glyphs)


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n")


def _agent_turn(turn: Turn, glyphs: dict[str, str]) -> Iterator[str]:
    yield f"{glyphs['turn']} {turn.model or 'agent'}"
    for call in turn.calls:
        yield from _call(call, glyphs)
    yield f"{glyphs['end']} {_ending(turn)}"
    if turn.error:
        yield f"{turn.status}: {turn.error}"
    if turn.content:
        yield ""
        yield from _lines(turn.content)


def _call(call: ToolCall, glyphs: dict[str, str]) -> Iterator[str]:
    from inarch.cli.front_ends.words import duration, seconds_between, short_arguments

    took = seconds_between(call.started, call.ended)
    arguments = short_arguments(call.arguments)
    end = f" · {duration(took)}" if took is not None else ""
    yield f"{glyphs['item']} {glyphs.get(call.status, call.status)} {call.name} {arguments}".rstrip() + end
    if call.result is not None and call.result.error is not None:
        error = call.result.error
        yield f"{glyphs['bar']}   {error.code}: {error.message}"


def _ending(turn: Turn) -> str:
    from inarch.cli.front_ends.words import duration, seconds_between, usage_words
    from inarch.contract.codec import to_data

    took = seconds_between(turn.started, turn.ended)
    words = [turn.status if not turn.limit else f"{turn.status} ({turn.limit})", usage_words(to_data(turn.usage))]
    return " · ".join([*words, duration(took)] if took is not None else words)


def _short_ids(ids: Sequence[str]) -> dict[str, str]:
    ordered = sorted(ids)
    short: dict[str, str] = {}
    for before, this, after in zip(["", *ordered], ordered, [*ordered[1:], ""], strict=False):
        shared = max(_shared(this, before), _shared(this, after))
        short[this] = this[: max(shared + 1, SHORTEST_ID)]
    return short


def _shared(one: str, other: str) -> int:
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _local(time: str) -> str:
    from datetime import datetime

    return datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d %H:%M")


def _glyphs() -> dict[str, str]:
    try:
        "".join(_GLYPHS.values()).encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return _PLAIN
    return _GLYPHS


def _compose(given: dict[str, Any]) -> App:
    from inarch.cli.composing import Options, compose_app

    return compose_app(Options.of(given))


def _tell(damage: Sequence[str]) -> None:
    from inarch.cli.failure import say

    for sentence in damage:
        say("note", sentence)
