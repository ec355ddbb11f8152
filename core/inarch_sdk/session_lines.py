"""Sessions as people read them in a list, by as much of their ids as is needed."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence

from inarch.contract.records import SessionInfo
from inarch_output.columns import shorten
from inarch_output.escaping import escape
from inarch_output.printing import columns_of
from inarch_sdk.figures import local_time

SHORTEST_ID = 8


def short_ids(ids: Sequence[str]) -> dict[str, str]:
    """Return for each id as much of its beginning as tells it from all others."""
    ordered = sorted(ids)
    short: dict[str, str] = {}
    for before, this, after in zip(["", *ordered], ordered, [*ordered[1:], ""], strict=False):
        shared = max(_shared(this, before), _shared(this, after))
        short[this] = this[: max(shared + 1, SHORTEST_ID)]
    return short


def listing(
    shown: Sequence[SessionInfo], ids: Sequence[str], *, with_root: bool = False, names: Mapping[str, str] | None = None
) -> Iterator[str]:
    """Yield a line a session, with as much of its id as tells it from all others, and its name; `names` has the ids."""
    named = {session_id: f"{name}: " for name, session_id in (names or {}).items()}
    columns = columns_of(sys.stdout) if sys.stdout.isatty() else 10_000
    short = short_ids(ids)
    wide = max((len(short[info.id]) for info in shown), default=0)
    for info in shown:
        said = f"{named.get(info.id, '')}{info.title or '(no prompt)'}{f'  [{info.root}]' if with_root else ''}"
        line = f"{short[info.id]:<{wide}}  {local_time(info.started)}  {info.events:>6} events  {said}"
        yield shorten(escape(line, keep_newlines=False), columns)


def _shared(one: str, other: str) -> int:
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
