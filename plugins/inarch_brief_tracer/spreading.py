"""What a function is said to do is done in part by what it calls: scores spread along calls."""

from __future__ import annotations

from collections.abc import Sequence

from inarch_brief_tracer.facts import FUNCTION, METHOD
from inarch_brief_tracer.hits import Hit, order
from inarch_brief_tracer.resolve import Place, Resolver
from inarch_brief_tracer.rows import Shelf

CALLERS = 12
"""The best functions whose calls are followed."""
SHARE = 0.35
"""How much of a caller's score what it calls gets."""
LEAST = 0.25
"""What is called has to answer this well itself, against the caller."""


def spread(shelf: Shelf, hits: Sequence[Hit]) -> list[Hit]:
    """Raise those hits that the best ones call, behind the one that answers best by itself."""
    scores = {hit.key: hit.score for hit in hits}
    resolver = Resolver(shelf)
    raised: dict[tuple[int, int], float] = {}
    for hit in [hit for hit in hits if hit.kind in (FUNCTION, METHOD)][:CALLERS]:
        file = resolver.file(hit.file)
        for call in file.facts.calls:
            if call.scope != hit.place:
                continue
            for callee in resolver.callees(file, hit.place, call.callee)[:1]:
                own = scores.get((callee.file, callee.place), 0.0)
                if own >= LEAST * hit.score and callee != Place(hit.file, hit.place):
                    key = (callee.file, callee.place)
                    raised[key] = max(raised.get(key, 0.0), SHARE * hit.score)
    rest = (hit._replace(score=hit.score + raised.get(hit.key, 0.0)) for hit in hits[1:])
    return [*hits[:1], *sorted(rest, key=order)]
