"""Symbols and callers of other languages: against universal-ctags, and against callers that were looked up by hand.

`python benchmarks/finding/languages.py` prints, for each package, how many of the classes, functions and methods that
ctags names are among ours, and what is missing (`--missing`); then how many of the callers in `callers.toml` are found
by the graph, and how many of those it gives are wrong. ctags is `universal-ctags`; packages are fetched once.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))
import fetch

import inarch
from inarch_brief_tracer.facts.modules import CODE
from inarch_brief_tracer.graph.call_graph import Graph
from inarch_brief_tracer.indexing.index import Index
from inarch_brief_tracer.indexing.looking import Look
from inarch_brief_tracer.store.database import Store
from inarch_languages import Symbol, language_of, read
from inarch_sandbox_fs import inarch_workspaces

PACKAGES = (
    ("npm", "express", "4.19.2"),
    ("npm", "commander", "12.1.0"),
    ("npm", "@tanstack/query-core", "5.40.0"),
    ("pypi", "gojsonnet", "0.20.0"),
    ("pypi", "maturin", "1.5.1"),
    ("pypi", "orjson", "3.10.3"),
    ("npm", "cordova-android", "13.0.0"),
    ("pypi", "ujson", "5.10.0"),
    ("pypi", "libsass", "0.23.0"),
)
KINDS = frozenset(
    "class function method generator interface enum struct union func type typedef annotation trait".split()  # noqa: SIM905
)
"""Kinds of ctags that are symbols here: no fields, variables, enumerators, packages or plain macros."""
_LANGUAGES = "JavaScript,TypeScript,Go,Rust,Java,C,C++"
_NEAR = 2
"""Lines that a definition may begin apart: on its name or on its type or annotation."""


class Tag(NamedTuple):
    """A definition that ctags names."""

    path: str
    line: int
    name: str
    kind: str


def root_of(registry: str, package: str, version: str) -> Path:
    """Fetch a package."""
    return fetch.fetch_npm(package, version) if registry == "npm" else fetch.fetch_sdist(package, version)


def tags(root: Path) -> Iterator[Tag]:
    """Give what ctags names in the files that are read."""
    program = shutil.which("ctags")
    if program is None:
        sys.exit("universal-ctags is missing: apt-get install universal-ctags")
    command = [program, "-R", "--output-format=json", "--fields=NFnK", f"--languages={_LANGUAGES}", "-f", "-", "."]
    for row in subprocess.run(command, cwd=root, capture_output=True, check=True).stdout.splitlines():
        found: dict[str, Any] = json.loads(row)
        name = re.sub(r"^operator ", "operator", found["name"].rpartition("::")[2].strip())
        tag = Tag(found["path"].removeprefix("./"), found["line"], name, found["kind"])
        if tag.kind in KINDS and not tag.name.startswith(("__anon", "Anonymous", "anonymous")) and _is_one(root, tag):
            yield tag


def _is_one(root: Path, tag: Tag) -> bool:
    """Whether a class of JavaScript is one: ctags calls each variable so that holds an object."""
    if tag.kind != "class" or not tag.path.endswith(("js", "ts", "tsx")):
        return True
    line = (root / tag.path).read_text("utf-8", "replace").splitlines()[tag.line - 1]
    return "class" in line


def missing_tags(root: Path) -> tuple[list[Tag], list[Tag], int]:
    """Give the tags that are not ours, all tags, and the number of our symbols, in files that are parsed."""
    own: dict[str, dict[str, list[tuple[int, int]]]] = {}
    parsed: set[str] = set()
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in names:
            path = Path(folder, name).relative_to(root).as_posix()
            language = language_of(path)
            if language is None:
                continue
            facts = read(Path(folder, name).read_bytes(), language)
            if not facts.problem:
                parsed.add(path)
            for symbol in facts.symbols[1:]:
                last = symbol.name.rpartition(".")[2].lstrip("#")
                own.setdefault(path, {}).setdefault(last, []).append(_span(symbol))
    wanted = [tag for tag in tags(root) if tag.path in parsed]
    missing = [
        tag
        for tag in wanted
        if not any(first - _NEAR <= tag.line <= last for first, last in own.get(tag.path, {}).get(tag.name, ()))
    ]
    return missing, wanted, sum(len(lines) for names in own.values() for lines in names.values())


def _span(symbol: Symbol) -> tuple[int, int]:
    """Give the lines on which a tag may stand: of a type all, since `typedef` has its name at the end."""
    return symbol.line, symbol.end if symbol.kind == "class" else symbol.line + _NEAR


def symbols(show: bool) -> None:
    """Print the comparison with ctags."""
    total, lost = 0, 0
    for registry, package, version in PACKAGES:
        missing, wanted, ours = missing_tags(root_of(registry, package, version))
        total += len(wanted)
        lost += len(missing)
        share = 1 - len(missing) / max(1, len(wanted))
        print(f"{package:24} ctags {len(wanted):6,}  found {share:6.1%}  symbols of ours {ours:6,}")
        for tag in missing[:400] if show else ():
            print(f"    {tag.path}:{tag.line} {tag.kind} {tag.name}")
        if show:
            print("   ", Counter((tag.path.rpartition(".")[2], tag.kind) for tag in missing).most_common(8))
    print(f"{'all':24} ctags {total:6,}  found {1 - lost / max(1, total):6.1%}")


def callers_of(root: Path, wanted: list[str]) -> dict[str, set[str] | None]:
    """Give the callers of functions as the graph has them; None for a function that is not found."""
    (spec,) = inarch_workspaces(inarch.PluginContext("sandbox-fs", str(root)))
    workspace = spec.open(str(root))
    index = Index(Store("", str(root)), 600.0, 600.0)
    try:
        return Look(workspace).graph(index, lambda graph, _: {name: _callers(graph, name) for name in wanted})
    finally:
        index.close()
        workspace.close()


def _callers(graph: Graph, wanted: str) -> set[str] | None:
    path, _, name = wanted.partition("::")
    row = graph.connection.execute(
        "SELECT s.id FROM symbols s JOIN files f ON f.id = s.file WHERE f.path = ? AND s.dotted = ? ORDER BY s.place",
        (path, name),
    ).fetchall()
    if not row:
        return None
    numbers = {arc.caller for (number,) in row for arc in graph.callers(number)}
    nodes = graph.nodes(numbers).values()
    found = {
        f"{node.file}::{node.qualname[len(node.file.rpartition('.')[0]) + 1 :]}" for node in nodes if node.role == CODE
    }
    return {caller for caller in found if caller != wanted and not caller.startswith(("build/", f"{wanted}."))}


def callers(show: bool) -> None:
    """Print how many callers are found, and how many of those given are wrong."""
    lists: dict[str, dict[str, list[str]]] = tomllib.loads(Path(__file__).with_name("callers.toml").read_text("utf-8"))
    right, given, wrong, missing = 0, 0, 0, 0
    for registry, package, version in PACKAGES:
        known = lists.get(package, {})
        for name, found in callers_of(root_of(registry, package, version), list(known)).items() if known else ():
            if found is None:
                print(f"    {package}: no function {name}")
            told = {_whole(caller, known[name]) for caller in found or ()}
            lost, extra = set(known[name]) - told, told - set(known[name])
            right += len(known[name]) - len(lost)
            missing += len(lost)
            given += len(told)
            wrong += len(extra)
            for caller in (*lost, *extra) if show else ():
                print(f"    {package}: {name} {'lacks' if caller in lost else 'has'} {caller}")
    share = wrong / max(1, given)
    known_of = right + missing
    print(f"callers: {right} of {known_of} found ({right / known_of:.0%}), {wrong} of {given} wrong ({share:.0%})")


def _whole(caller: str, known: list[str]) -> str:
    """Give the function that counts for one inside it."""
    return next((name for name in known if caller.startswith(f"{name}.")), caller)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--missing", action="store_true", help="name what ctags has and we don't")
    arguments = parser.parse_args()
    symbols(arguments.missing)
    callers(arguments.missing)


if __name__ == "__main__":
    main()
