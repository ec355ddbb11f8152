"""What each mechanism of linking adds and costs: everything, and everything but one.

`python benchmarks/tracing/ablation.py` prints, for each mechanism switched off: the PyCG micro-benchmark (complete and
sound snippets), recall of direct, property and outside pairs pooled over the recordings, static edges per recorded
one, and CPU seconds of linking the four packages.
"""

from __future__ import annotations

from typing import NamedTuple

from micro import expected_edges, found_edges
from recorded import measure, packages
from sources import fetch_sdist

from inarch_brief_tracer.linking.budget import MECHANISMS, Budget


class Row(NamedTuple):
    """The figures without a mechanism."""

    complete: int
    sound: int
    direct: float
    properties: float
    outside: float
    ratio: float
    seconds: float


def figures(without: frozenset[str]) -> Row:
    root = fetch_sdist("pycg", "0.0.8") / "micro-benchmark" / "snippets"
    complete = sound = 0
    for path in sorted(root.glob("*/*/callgraph.json")):
        expected, found = expected_edges(path.parent), found_edges(path.parent, without)
        complete += found <= expected
        sound += expected <= found
    results = [measure(name, source, where, Budget(without=without)) for name, source, where in packages()]
    shares = []
    for pairs in ("direct", "properties", "via"):
        rows = [result.recall(getattr(result.recorded, pairs, result.properties)) for result in results]
        shares.append(100 * sum(found for found, _ in rows) / sum(total for _, total in rows))
    recorded = sum(len(result.recorded.direct | result.recorded.via) for result in results)
    ratio = sum(result.out for result in results) / recorded
    return Row(complete, sound, shares[0], shares[1], shares[2], ratio, sum(result.seconds for result in results))


def main() -> int:
    print(f"{'without':12} complete sound  direct  properties  outside  static/recorded  CPU s")
    for name in ("", *sorted(MECHANISMS)):
        row = figures(frozenset((name,) if name else ()))
        print(
            f"{name or '(nothing)':12} {row.complete:8} {row.sound:5} {row.direct:7.1f} {row.properties:11.1f} "
            f"{row.outside:8.1f} {row.ratio:16.2f} {row.seconds:6.2f}",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
