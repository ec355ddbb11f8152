"""What a newcomer has to read, and whether the kernel is one: the house's measures, each a JSON line.

    python benchmarks/house.py [--list]

The kernel is `core/inarch`. Code lines are lines without blank ones, comments and docstrings. `--list` prints what the
counts consist of. The last rows run Inarch against a scripted server on loopback: what a prompt with three calls enters
(functions that were called; the bodies of modules don't count), and how many modules start-up imports.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple, get_args

import grimp
from programs import Place
from serving import serving

from inarch.config.tables import Approve
from inarch.contract.records import Category

KEY = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*_(API_KEY|KEY|TOKEN)")
DISTINCTIVE = re.compile(r"\w+[-_]\w+")
CATEGORIES = frozenset((*get_args(Category), *get_args(Approve)))
NO_CODE = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER,
}  # fmt: skip

ENTERED = """
import runpy, sys, threading
entered = set()
def saw(frame, event, argument, entered=entered):
    if event == "call" and frame.f_code.co_name != "<module>":
        entered.add(frame.f_code)
threading.setprofile(saw)
sys.setprofile(saw)
told, sys.argv = sys.argv[1], ["inarch", *sys.argv[2:]]
try:
    runpy.run_module("inarch", run_name="__main__")
finally:
    sys.setprofile(None)
    with open(told, "w") as file:
        file.writelines(f"{code.co_filename}\\n" for code in entered)
"""
IMPORTED = """
import runpy, sys
told, sys.argv = sys.argv[1], ["inarch", *sys.argv[2:]]
try:
    runpy.run_module("inarch", run_name="__main__")
finally:
    with open(told, "w") as file:
        file.writelines(f"{name}\\n" for name in sys.modules)
"""


class Row(NamedTuple):
    """A measure, and the figure to reach where there is one."""

    what: str
    value: int
    consists_of: Sequence[str] = ()
    reach: int | None = None


def texts(tree: ast.AST) -> Iterator[ast.Constant]:
    """Yield the strings that stand as statements: docstrings."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value


def code_lines(source: str) -> int:
    """Return how many lines hold code."""
    prose = {line for text in texts(ast.parse(source)) for line in range(text.lineno, (text.end_lineno or 0) + 1)}
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - prose)


def circles(package: str) -> list[list[str]]:
    """Return the modules that reach each other through imports at run time, those inside functions included."""
    graph = grimp.build_graph(package, exclude_type_checking_imports=True, cache_dir=None)
    found: set[frozenset[str]] = set()
    for module in graph.modules:
        if around := graph.find_downstream_modules(module) & graph.find_upstream_modules(module):
            found.add(frozenset({module, *around}))
    return sorted(map(sorted, found))


def class_names(trees: dict[Path, ast.Module]) -> list[str]:
    """Return the names of classes that more than one class has."""
    names = Counter(node.name for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    return sorted(name for name, count in names.items() if count > 1)


def plugin_names(root: Path) -> set[str]:
    """Return the names of the shipped plugins."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    return set(project["entry-points"]["inarch.plugins"])


def named(trees: dict[Path, ast.Module], names: set[str]) -> Iterator[str]:
    """Yield each string literal that is such a name or a key's variable, or has one with `-` or `_` among its words.

    Words that are categories of tools or approve modes are left out, and so is the file that has the table of prices.
    """
    distinctive = "|".join(sorted(filter(DISTINCTIVE.fullmatch, names)))
    within = re.compile(rf"(?<![\w-])({distinctive}|{KEY.pattern})(?![\w-])")
    for path, tree in trees.items():
        prose = {id(text) for text in texts(tree)}
        for node in ast.walk(tree):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or id(node) in prose:
                continue
            if node.value in CATEGORIES or path.name == "prices.py":
                continue
            if node.value in names or within.search(node.value):
                yield f"{path}:{node.lineno}: {node.value[:60]!r}"


def ran(place: Place, program: str, words: list[str]) -> list[str]:
    """Return what a run of Inarch told of itself."""
    told = place.folder / "told"
    place.run([sys.executable, "-P", "-c", program, str(told), *words])
    return told.read_text("utf-8").splitlines()


class Running:
    """Inarch as a person starts it, beside a server whose replies call a tool three times."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.told = place.folder / "told"

    def said(self, *words: str) -> str:
        """Return what a command prints."""
        argv = [sys.executable, "-P", "-m", "inarch", *words]
        return subprocess.run(argv, cwd=self.place.workspace, env=self.place.environ, capture_output=True,
                              text=True, check=True).stdout  # fmt: skip

    def tools(self) -> set[str]:
        """Return the names of the tools that a composition of the shipped plugins has."""
        return {tool["name"] for tool in json.loads(self.said("tools", "list", "--json"))}

    def watched(self, program: str, *words: str) -> list[str]:
        """Return what a program tells of a run of Inarch."""
        self.place.run([sys.executable, "-P", "-c", program, str(self.told), *words])
        return self.told.read_text("utf-8").splitlines()


def of_source(root: Path, tools: set[str]) -> Iterator[Row]:
    """Yield the rows of what is read."""
    kernel = root / "core" / "inarch"
    sources = {path.relative_to(kernel): path.read_text("utf-8") for path in sorted(kernel.rglob("*.py"))}
    trees = {path: ast.parse(source) for path, source in sources.items()}
    folders: Counter[str] = Counter()
    for path, source in sources.items():
        folders[path.parts[0]] += code_lines(source)
    yield Row(
        "code lines of the kernel", folders.total(), [f"{name} {lines}" for name, lines in folders.items()], 13_000
    )
    yield Row("files of the kernel", len(sources), [], 150)
    twice = class_names(trees)
    yield Row("class names defined more than once", len(twice), twice, 4)
    around = [", ".join(modules) for modules in circles("inarch")]
    yield Row("import circles", len(around), around, 0)
    names = list(named(trees, plugin_names(root) | tools))
    yield Row("literals that name a plugin, a tool or a key", len(names), names, 0)
    yield Row("files with such a literal", len({line.partition(":")[0] for line in names}), [], 0)
    stubs = {path.stem: path.read_text("utf-8") for path in sorted(kernel.rglob("*.pyi"))}
    made = {name: code_lines(source) for name, source in stubs.items()}
    what = "code lines of stubs that are made of the kernel's tables"
    yield Row(what, sum(made.values()), [f"{name} {lines}" for name, lines in made.items()])
    lent = [
        alias.name for node in ast.parse(stubs["host"]).body if isinstance(node, ast.ImportFrom) for alias in node.names
    ]
    yield Row("names that parts of our own need beyond the public ones", len(lent), lent)


def of_runs(root: Path, inarch: Running) -> Iterator[Row]:
    """Yield the rows of what is entered and imported."""
    prompt = "read the note"
    inarch.said(prompt)  # plugins are probed and files compiled
    ours = (root / "core", root / "plugins")
    entered = [path for path in inarch.watched(ENTERED, prompt) if any(map(Path(path).is_relative_to, ours))]
    files = set(entered)
    kernel = {path for path in files if Path(path).is_relative_to(root / "core" / "inarch")}
    yield Row("files that a prompt with three calls enters", len(files), sorted(files))
    yield Row("files of the kernel that it enters", len(kernel))
    yield Row("functions that it enters", len(entered))
    for words in "--version", "--help", prompt:
        modules = inarch.watched(IMPORTED, words)
        yield Row(f"modules that `inarch {words}` imports", len(modules), sorted(modules))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true", help="what the counts consist of")
    whole = parser.parse_args().list
    root = Path(__file__).resolve().parents[1]
    packages = [str(root / "core"), str(root / "plugins")]
    sys.path[:0] = packages  # this source, whatever is installed
    with serving() as server, tempfile.TemporaryDirectory() as folder:
        place = Place(folder, files=True)
        place.configure(server, "3", "openai-compatible")
        place.environ["PYTHONPATH"] = os.pathsep.join(packages)
        inarch = Running(place)
        for row in chain(of_source(root, inarch.tools()), of_runs(root, inarch)):
            reach = {} if row.reach is None else {"reach": row.reach}
            print(json.dumps({"what": row.what, "value": row.value, **reach}), flush=True)
            for line in row.consists_of if whole else ():
                print(f"  {line}")


if __name__ == "__main__":
    main()
