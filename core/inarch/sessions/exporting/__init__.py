"""A session as a file for people or programs: its events as JSON lines, a Markdown text, or one HTML page.

Events are exported as they were kept: without secrets, and without the bytes that a store keeps beside them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, get_args

from inarch.contract.errors import UsageError
from inarch.contract.events import Event

Format = Literal["jsonl", "markdown", "html"]
FORMATS: tuple[Format, ...] = get_args(Format)
ENDINGS: dict[str, Format] = {
    ".jsonl": "jsonl", ".md": "markdown", ".markdown": "markdown", ".html": "html", ".htm": "html",
}  # fmt: skip


def format_of(name: str) -> Format | None:
    """Return the format that a file's name ends in, None where the ending says nothing."""
    return next((form for ending, form in ENDINGS.items() if name.lower().endswith(ending)), None)


def export(events: Iterable[Event], form: Format) -> Iterator[str]:
    """Yield the pieces of an exported session, one after the other; only one turn is held at a time.

    Args:
        events: The session's events in order. They are gone over up to three times: a list, not an iterator.
        form: `jsonl`, `markdown` or `html`.

    Raises:
        UsageError: There is no such format.
    """
    if form == "jsonl":
        from inarch.sessions.exporting.jsonl import lines

        return lines(events)
    if form == "markdown":
        from inarch.sessions.exporting.markdown import document

        return document(events)
    if form == "html":
        from inarch.sessions.exporting.html.page import page

        return page(events)
    raise UsageError(f"there is no format {form!r}", f"name one of {', '.join(FORMATS)}")
