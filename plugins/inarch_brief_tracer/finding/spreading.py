"""What a function is said to do is done in part by what it calls: scores spread along calls."""

from __future__ import annotations

from collections.abc import Sequence

from inarch_brief_tracer.facts.file_facts import CLASS, FUNCTION, METHOD
from inarch_brief_tracer.finding.hits import Hit, order
from inarch_brief_tracer.linking.resolver import Place, Resolver
from inarch_brief_tracer.store.kept_files import Shelf

CALLERS = 12
"""The best functions whose calls are followed."""
SHARE = 0.35
"""How much of a caller's score what it calls gets."""
LEAST = 0.25
"""What is called has to answer this well itself, against the caller."""

OVERTAKING = 1.15
"""How much better than a class that answers best by itself another has to get to come before it."""


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
    lifted = [hit._replace(score=hit.score + raised[hit.key]) if hit.key in raised else hit for hit in hits[1:]]
    rest = sorted(lifted, key=order)
    return first_of(hits[0], rest) if hits else []


def first_of(best: Hit, rest: list[Hit]) -> list[Hit]:
    """Put what answers best by itself first, unless it is a class and something answers much better by now."""
    if best.kind == CLASS and rest and rest[0].score > OVERTAKING * best.score:
        return [rest[0], best, *rest[1:]]
    return [best, *rest]
