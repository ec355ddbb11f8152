"""How `/context` and `/compact` tell where tokens go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from inarch import UsageError
from inarch.figures import money

if TYPE_CHECKING:
    from inarch import ContextView, Session

NAME_COLUMNS = 21
WIDE = 60
"""From this many columns on there is room for bars."""
BAR_COLUMNS = 20


def context_text(session: Session, words: str, columns: int) -> str:
    """Return what `/context` shows.

    Raises:
        UsageError: It takes no words, or the profile's model isn't there.
    """
    if words.strip():
        raise UsageError("/context takes no words")
    lines = (*context_lines(session.context(), columns), *_broken(session, columns))
    return "\n".join(lines)


def compact_text(session: Session, words: str, columns: int) -> str:
    """Do and return what `/compact [KEEP]` does and shows.

    Raises:
        UsageError: KEEP is no number.
    """
    from inarch import to_data
    from inarch.figures import dropped_words

    keep = words.strip() or "1"
    if not (keep.isascii() and keep.isdecimal()):
        raise UsageError(f"/compact takes the number of last turns to keep whole, not {keep!r}", "such as /compact 2")
    dropped = session.compact(int(keep))
    if not dropped:
        return _wrapped("Nothing to leave out: there are no more whole turns than that.", columns)
    said = f"Left out from now on: {dropped_words(to_data(dropped))}."
    return "\n".join(
        [
            _wrapped(said, columns),
            _wrapped(f"Read it back with: inarch sessions show {session.id} (--json has results, too)", columns),
        ]
    )


def context_lines(view: ContextView, columns: int) -> Iterator[str]:
    """Yield the lines of `/context`: what the model sees, in at most `columns` columns."""
    whole = view.window or view.tokens or 1
    yield _wrapped(f"{view.model} · window {f'{view.window:,} tokens' if view.window else 'unknown'}", columns)
    for row in view.rows:
        if row.tokens:
            yield _row(row.name, row.tokens, whole, columns)
    yield _row("in all", view.tokens, whole, columns)
    if view.window:
        yield _row("free", max(0, view.window - view.tokens), whole, columns)
    yield ""
    for said in _remarks(view):
        yield _wrapped(said, columns)


def _row(name: str, tokens: int, whole: int, columns: int) -> str:
    share = tokens / whole
    line = f"{name:<{NAME_COLUMNS}}{tokens:>9,} {share:>5.0%}"
    return f"{line}  {'#' * round(min(1.0, share) * BAR_COLUMNS)}".rstrip() if columns >= WIDE else line


def _remarks(view: ContextView) -> Iterator[str]:
    whole, short, dropped = view.turns
    if whole + short + dropped:
        yield f"earlier turns: {whole} whole, {short} as prompt and answer, {dropped} not seen"
    cost = "unknown" if view.cost_usd is None else f"about {money(view.cost_usd)}" if view.cost_usd else "nothing"
    yield f"the input of one such request costs: {cost}"
    known = view.calibration
    if not known.reports:
        yield f"not calibrated yet: the count may be {known.margin:.0%} off"
        return
    many = "1 report" if known.reports == 1 else f"{known.reports} reports"
    yield f"calibrated on {many} of the service: estimate × {known.ratio:.2f}, at most {known.margin:.0%} off"
    if view.last is not None:
        yield f"last request: counted at most {view.last.counted:,}, reported {view.last.reported:,}"


def _broken(session: Session, columns: int) -> Iterator[str]:
    """Yield where the context began anew."""
    from inarch.host import contents_of
    from inarch_sdk.context_breaks import break_lines

    breaks = contents_of(session.state.journal.store, session.id).breaks
    yield from (_wrapped(line, columns) for line in break_lines(breaks.found))


def _wrapped(text: str, columns: int) -> str:
    from textwrap import fill

    return fill(text, max(20, columns), break_on_hyphens=False)
