"""Static edges against the calls that were seen while packages' own tests ran.

    python benchmarks/tracing/recorded.py [-v] [--untouched] [PACKAGE ...]

A recording holds pairs of functions: "direct" if the callee's frame was right above the caller's, "via" if frames of
outside code were between them. Recall is over pairs. The bloat is the static edges out of executed callers, as a
multiple of the recorded pairs. `record_calls.py` makes more recordings; `--recording FILE ROOT` measures one.
`--untouched` measures packages that are never tuned on: of them only totals are printed.
"""

from __future__ import annotations

import ast
import json
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "plugins"), str(HERE.parents[1] / "core")]

from fetch import fetch_sdist as fetch_sdist  # noqa: E402

from inarch_brief.tracer.facts.link_facts import NOTHING, LinkFacts  # noqa: E402
from inarch_brief.tracer.facts.source import Undecodable, decoded  # noqa: E402
from inarch_brief.tracer.facts.statement_codes import link_facts  # noqa: E402
from inarch_brief.tracer.linking.link import link  # noqa: E402

PACKAGES = {"click": "8.3.1", "flask": "3.1.2", "sqlparse": "0.5.3", "rich": "14.2.0"}
UNTOUCHED = {"markdown": "3.5.2", "packaging": "24.1", "pygments": "2.18.0", "structlog": "24.1.0"}
Pair = tuple[str, str]


class Recorded(NamedTuple):
    """The pairs of a recording, and the functions that ran."""

    direct: frozenset[Pair]
    via: frozenset[Pair]
    executed: frozenset[str]


def recording(path: Path) -> Recorded:
    """Read a recording."""
    data = json.loads(path.read_text())
    pairs: dict[str, set[Pair]] = {"direct": set(), "via": set()}
    for caller, callee, kind, *_ in data["edges"]:
        pairs[kind].add((caller, callee))
    executed = {*data["functions"], *(caller for caller, _ in pairs["direct"] | pairs["via"])}
    return Recorded(frozenset(pairs["direct"]), frozenset(pairs["via"]), frozenset(executed))


def module_of(path: str) -> str:
    """Return the module name of a path below the folder that is imported from."""
    name = path[:-3].replace("/", ".")
    return name.removesuffix(".__init__") if name != "__init__" else name


def facts_of(data: bytes) -> LinkFacts:
    """Return the link facts of a file's bytes."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return link_facts(ast.parse(decoded(data)))
    except (SyntaxError, ValueError, RecursionError, MemoryError, Undecodable):
        return NOTHING


def static_pairs(root: Path, package: str) -> tuple[frozenset[Pair], float]:
    """Link a package; return its pairs of functions, and the CPU seconds of linking."""
    paths = {path.relative_to(root).as_posix(): path for path in sorted((root / package).rglob("*.py"))}
    files = {name: (module_of(name), facts_of(path.read_bytes())) for name, path in paths.items()}
    started = time.process_time()
    linked = link(files)
    seconds = time.process_time() - started
    aside = {module for module, _ in files.values()}
    for module, facts in files.values():
        aside.update(f"{module}.{scope.name}" for scope in facts.scopes if scope.kind == 1)
    return frozenset((edge.caller, edge.callee) for edge in linked.edges if edge.callee not in aside), seconds


def sources(arguments: list[str]) -> list[tuple[str, Path, Path]]:
    """Return name, recording and root of what is to be measured."""
    chosen = [word for word in arguments if not word.startswith("-")]
    if "--recording" in arguments:
        source, root = map(Path, chosen)
        return [(json.loads(source.read_text())["pkg"].partition(",")[0], source, root)]
    pinned = UNTOUCHED if "--untouched" in arguments else PACKAGES
    roots = {name: fetch_sdist(name, pinned[name]) for name in chosen or pinned}
    return [(name, HERE / f"{name}.json", root / "src" if (root / "src").is_dir() else root)
            for name, root in roots.items()]  # fmt: skip


def share(found: int, total: int) -> str:
    """Write a share of some pairs."""
    return f"{100 * found / max(1, total):5.1f} % of {total}"


def main(arguments: list[str]) -> int:
    """Measure packages and print a row each, and all together."""
    pooled: Counter[str] = Counter()
    for name, source, root in sources(arguments):
        recorded = recording(source)
        found, seconds = static_pairs(root, name)
        out = sum(pair[0] in recorded.executed for pair in found)
        pairs: dict[str, Iterable[Pair]] = {"direct": recorded.direct, "outside": recorded.via}
        shares = {label: (len(found.intersection(some)), len(list(some))) for label, some in pairs.items()}
        bloat = out / max(1, len(recorded.direct | recorded.via))
        row = "; ".join(f"{label} {share(*values)}" for label, values in shares.items())
        print(f"{name:10} {row}; static per recorded {bloat:.2f}; {seconds:.2f} s", flush=True)
        for label, (right, total) in shares.items():
            pooled[label] += right
            pooled[f"all {label}"] += total
        for label, some in pairs.items() if "-v" in arguments and "--untouched" not in arguments else ():
            for caller, callee in sorted(set(some) - found):
                print(f"    missed {label} {caller} -> {callee}")
    for label in ("direct", "outside"):
        print(f"pooled {label:10} {share(pooled[label], pooled['all ' + label])}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
