"""`inarch sessions search`: finds stored sessions by words in prompts and answers."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import click
from attrs import define, field

from inarch import UsageError, escape, shorten
from inarch.commands import composing_options
from inarch.output import columns_of, print_json
from inarch_sdk.figures import listing

if TYPE_CHECKING:
    from inarch import App, Event, SessionInfo

KINDS = ("turn.started", "turn.ended")
"""Event kinds that contain a whole prompt or answer."""
EXCERPTS = 3
"""Matches shown per session."""
BEFORE, AFTER = 40, 100
"""Characters of an excerpt around the match."""


@define(eq=False, repr=False)
class Found:
    """A session and its matches: who wrote it (person or agent), the time, and an excerpt."""

    info: SessionInfo
    places: list[tuple[str, str, str]] = field(factory=list)
    count: int = 0


@click.command("search")
@click.argument("words", nargs=-1, required=True)
@click.option("--all", "everywhere", is_flag=True, help="Of every directory.")
@click.option("--most", type=click.IntRange(min=1), default=20, show_default=True, help="Maximum number of sessions.")
@click.option("--json", "as_json", is_flag=True, help="One JSON array.")
@composing_options
def search_sessions(words: tuple[str, ...], everywhere: bool, most: int, as_json: bool, **given: Any) -> None:
    """Search prompts and answers, the newest session first.

    Finds prompts and answers that contain all words, ignoring case.
    """
    from inarch.commands import compose_given

    patterns = [re.compile(re.escape(word.strip()), re.IGNORECASE) for word in words if word.strip()]
    if not patterns:
        raise UsageError("there is nothing to look for", "give a word, such as: inarch sessions search migration")
    with compose_given(given, tells=False) as app:
        known = app.store.sessions(None if everywhere else app.config.root)
        found = list(islice(_search(app, known, patterns), most))
        ids, names = [info.id for info in app.store.sessions()], app.session_names
    if as_json:
        from inarch import to_data

        rows = []
        for one in found:
            places = [{"who": who, "time": time, "excerpt": excerpt} for who, time, excerpt in one.places]
            rows.append({"session": to_data(one.info), "count": one.count, "found": places})
        print_json(rows)
        return
    columns = columns_of(sys.stdout) if sys.stdout.isatty() else 10_000
    lines = listing([one.info for one in found], ids, with_root=everywhere, names=names)
    for one, line in zip(found, lines, strict=True):
        click.echo(line)
        for who, _, excerpt in one.places:
            click.echo(shorten(escape(f"    {who}: {excerpt}", keep_newlines=False), columns))
        if one.count > len(one.places):
            click.echo(f"    and {one.count - len(one.places):,} more")
    if not found:
        click.echo(
            "nothing was found" if everywhere else "nothing was found in this directory; --all looks in all others"
        )


def _search(app: App, known: Sequence[SessionInfo], patterns: Sequence[re.Pattern[str]]) -> Iterator[Found]:
    for info in known:
        found = Found(info)
        for event in app.kept.transcript(info).events(KINDS):
            who, text = _said(event)
            if text and all(pattern.search(text) for pattern in patterns):
                found.count += 1
                if found.count <= EXCERPTS:
                    match = patterns[0].search(text)
                    assert match is not None
                    start, end = max(0, match.start() - BEFORE), min(len(text), match.end() + AFTER)
                    words = " ".join(text[start:end].split())
                    excerpt = f"{'…' if start else ''}{words}{'…' if end < len(text) else ''}"
                    found.places.append((who, event.time, excerpt))
        if found.count:
            yield found


def _said(event: Event) -> tuple[str, str]:
    """Return author and text: a prompt at the start of a turn, or an answer at its end."""
    turn = event.data.get("turn")
    if not isinstance(turn, dict) or not isinstance(turn.get("content"), str):
        return "", ""
    is_prompt = turn.get("type") == "user"
    if is_prompt != (event.kind == "turn.started"):
        return "", ""
    return ("you" if is_prompt else str(turn.get("model") or "agent")), turn["content"]
