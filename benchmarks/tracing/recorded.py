"""Static edges against the calls that were seen while packages' own tests ran.

`python benchmarks/tracing/recorded.py [-v] [PACKAGE ...]`. A recording holds pairs of functions: "direct" where the
callee's frame was right above the caller's, "via" where frames of outside code stood between. Recall is over pairs;
the ratio is static edges out of executed callers to executed or unexecuted functions, by recorded pairs.
`record_calls.py` makes more recordings; `--recording FILE --root FOLDER` measures one. `--untouched` measures packages
that nobody tunes on: of them nothing but totals is printed.
"""

from __future__ import annotations

import ast
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from sources import HERE, fetch_sdist, read_tree

from inarch_brief_tracer.facts.link_facts import LinkFacts
from inarch_brief_tracer.linking.budget import Budget
from inarch_brief_tracer.linking.edges import Linked
from inarch_brief_tracer.linking.link import link

PACKAGES = {"click": "8.3.1", "flask": "3.1.2", "sqlparse": "0.5.3", "rich": "14.2.0"}
UNTOUCHED = {"markdown": "3.5.2", "packaging": "24.1", "pygments": "2.18.0", "structlog": "24.1.0"}
Pair = tuple[str, str]


class Recorded(NamedTuple):
    """What a recording holds."""

    direct: frozenset[Pair]
    via: frozenset[Pair]
    executed: frozenset[str]


class Result(NamedTuple):
    """One package's figures."""

    name: str
    recorded: Recorded
    found: frozenset[Pair]
    getters: frozenset[str]
    linked: Linked
    seconds: float

    def recall(self, pairs: Iterable[Pair]) -> tuple[int, int]:
        pairs = set(pairs)
        return len(pairs & self.found), len(pairs)

    @property
    def properties(self) -> set[Pair]:
        return {pair for pair in self.recorded.direct if pair[1] in self.getters}

    @property
    def out(self) -> int:
        return sum(pair[0] in self.recorded.executed for pair in self.found)


def recording(path: Path) -> Recorded:
    data = json.loads(path.read_text())
    pairs: dict[str, set[Pair]] = {"direct": set(), "via": set()}
    for caller, callee, kind, *_ in data["edges"]:
        pairs[kind].add((caller, callee))
    executed = {*data["functions"], *(caller for caller, _ in pairs["direct"] | pairs["via"])}
    return Recorded(frozenset(pairs["direct"]), frozenset(pairs["via"]), frozenset(executed))


def getters_of(root: Path, paths: Iterable[str], modules: dict[str, str]) -> frozenset[str]:
    """Give the qualified names of methods with a decorator that makes a property."""
    found = set()
    for path in paths:
        body = ast.parse((root / path).read_text()).body
        waiting: list[tuple[str, ast.AST]] = [(modules[path], node) for node in body]
        while waiting:
            prefix, node = waiting.pop()
            name = prefix
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = f"{prefix}.{node.name}"
                for decorator in node.decorator_list:
                    text = ast.unparse(decorator)
                    if text.endswith(("property", ".setter", ".deleter")):
                        found.add(name)
            waiting += [(name, child) for child in ast.iter_child_nodes(node)]
    return frozenset(found)


def measure(name: str, source: Path, root: Path, budget: Budget | None = None) -> Result:
    files = read_tree(root, name)
    started = time.process_time()
    linked = link(files, budget or Budget())
    seconds = time.process_time() - started
    functions = set(linked.edges.names) - classes_and_modules(files)
    found = frozenset((edge.caller, edge.callee) for edge in linked.edges if edge.callee in functions)
    getters = getters_of(root, files, {path: module for path, (module, _) in files.items()})
    return Result(name, recording(source), found, getters, linked, seconds)


def classes_and_modules(files: dict[str, tuple[str, LinkFacts]]) -> set[str]:
    names: set[str] = set()
    for module, facts in files.values():
        names.update(f"{module}.{scope.name}" for scope in facts.scopes if scope.kind == 1)
        names.add(module)
    return names


def packages(
    chosen: Iterable[str] = (), pinned: Mapping[str, str] = MappingProxyType(PACKAGES)
) -> list[tuple[str, Path, Path]]:
    rows = []
    for name, version in pinned.items():
        if not chosen or name in chosen:
            root = fetch_sdist(name, version)
            rows.append((name, HERE / f"{name}.json", root / "src" if (root / "src").is_dir() else root))
    return rows


def share(found: int, total: int) -> str:
    return f"{100 * found / max(1, total):5.1f} % of {total}"


def kind_of(result: Result, pair: Pair) -> str:
    """Say what a missed pair is, roughly: by the callee's name."""
    last = pair[1].rpartition(".")[2]
    if pair[1] in result.getters:
        return "property"
    if last.startswith("__") and last.endswith("__"):
        return "dunder"
    if last == "<lambda>" or pair[1].rpartition(".")[0] in result.recorded.executed:
        return "lambda or nested function"
    return "method" if pair[1].rpartition(".")[0].rpartition(".")[2][:1].isupper() else "function"


def main(arguments: list[str]) -> int:
    chosen = [word for word in arguments if not word.startswith("-")]
    untouched = "--untouched" in arguments
    if "--recording" in arguments:
        source, root = Path(chosen[0]), Path(chosen[1])
        rows = [(json.loads(source.read_text())["pkg"].partition(",")[0], source, root)]
    else:
        rows = packages(chosen, UNTOUCHED if untouched else PACKAGES)
    pooled: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    for name, source, root in rows:
        result = measure(name, source, root)
        direct, via = result.recall(result.recorded.direct), result.recall(result.recorded.via)
        properties = result.recall(result.properties)
        ratio = result.out / max(1, len(result.recorded.direct | result.recorded.via))
        only = result.out / max(1, len(result.recorded.direct))
        kinds = Counter(kind_of(result, pair) for pair in result.recorded.direct - result.found)
        print(
            f"{name:10} direct {share(*direct)}; static per recorded {ratio:.2f} (per direct {only:.2f}); "
            f"properties {share(*properties)}; through outside {share(*via)}; "
            f"{result.seconds:.2f} s, {'no' if result.linked.complete else 'some'} statements at the limit of visits"
        )
        for key, (found, total) in {"direct": direct, "properties": properties, "outside": via}.items():
            pooled[key] += found
            pooled[f"all {key}"] += total
        missed += kinds
        if "-v" in arguments and not untouched:
            for label, pairs in (("direct", result.recorded.direct), ("outside", result.recorded.via)):
                for caller, callee in sorted(pairs - result.found):
                    print(f"    missed {label} {caller} -> {callee}")
        if "-e" in arguments and not untouched:
            kinds_out = Counter(
                (edge.kind, edge.confidence)
                for edge in result.linked.edges
                if edge.caller in result.recorded.executed and (edge.caller, edge.callee) in result.found
            )
            right = Counter(
                (edge.kind, edge.confidence)
                for edge in result.linked.edges
                if (edge.caller, edge.callee) in result.recorded.direct | result.recorded.via
            )
            for row, count in kinds_out.most_common():
                print("   ", *row, count, "recorded", right[row])
    for key in ("direct", "properties", "outside"):
        print(f"pooled {key:10} {share(pooled[key], pooled['all ' + key])}")
    print("missed direct, by kind:", ", ".join(f"{kind} {count}" for kind, count in missed.most_common()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
