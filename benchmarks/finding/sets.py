"""The sets that finding is measured on, as records: questions, and things that are not there.

`questions/*.toml` has one file a package: questions in a user's own words with the places that implement the behaviour,
and questions about what the package does not have. A place is `path/from/the/root.py::Class.method`. Outside Python the
last part of the name decides. Only the half "tune" may be looked at while anything is tuned.

    python benchmarks/finding/sets.py       counts the questions and checks each against the sources
"""

from __future__ import annotations

import ast
import functools
import re
import sys
import tomllib
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from fetch import fetch_npm, fetch_sdist  # noqa: E402

from inarch_brief.languages import language_of, read  # noqa: E402

HALVES = ("tune", "held", "fresh")
ASIDE = re.compile(
    r"(^|/)(tests?|testing|__tests__|spec|docs?|examples?|benchmarks?|bench|dist|build|node_modules|tools|scripts|"
    r"templates|_?vendor(ed)?|third_?party|deps)/|(^|/)(test_[^/]*|conftest|setup)\.py$|_test\.(py|go)$|\.d\.ts$|\.min\.js$"
)


class Place(NamedTuple):
    """A function, method or class: its file from the root of the tree, its dotted name inside the file."""

    file: str
    name: str

    def __str__(self) -> str:
        """Write it as the sets do."""
        return f"{self.file}::{self.name}"

    @classmethod
    def read(cls, text: str) -> Place:
        """Take it apart."""
        file, _, name = text.partition("::")
        return cls(file, name)

    def answers(self, right: Place) -> bool:
        """Whether this is the right place or part of it; names of other languages count by their last part."""
        if self.file != right.file:
            return False
        if self.name == right.name or self.name.startswith(f"{right.name}."):
            return True
        mine, theirs = (re.findall(r"\w+", name) for name in (self.name, right.name))
        agree = len(mine) < 2 or len(theirs) < 2 or mine[-2] == theirs[-2]
        return not self.file.endswith(".py") and mine[-1:] == theirs[-1:] and agree


class Source(NamedTuple):
    """A package as it is fetched."""

    registry: str
    package: str
    version: str

    def root(self) -> Path:
        """Return the folder of its unpacked sources."""
        return (fetch_npm if self.registry == "npm" else fetch_sdist)(self.package, self.version)


class Question(NamedTuple):
    """A question in a user's own words; without right places it asks for what is not there."""

    text: str
    source: Source
    language: str
    half: str
    expected: tuple[Place, ...]
    nowhere: tuple[str, ...] = ()


class Definition(NamedTuple):
    """Something defined in a file, with its first and last line."""

    place: Place
    first: int
    last: int


@functools.cache
def questions() -> tuple[Question, ...]:
    """Return all questions in users' own words, and those about what is not there."""
    return tuple(question for path in sorted((HERE / "questions").glob("*.toml")) for question in questions_of(path))


def questions_of(path: Path) -> Iterator[Question]:
    """Read the questions of one file."""
    data = tables(path)
    source = Source(data.get("registry", "pypi"), data["package"], data["version"])
    language = data.get("language", "Python")
    for row in [*data["questions"], *data.get("absent", ())]:
        expected = tuple(Place.read(text) for text in row.get("expected", ()))
        yield Question(row["question"], source, row.get("language", language), row.get("half", ""), expected,
                       tuple(row.get("nowhere", ())))  # fmt: skip


def short_questions() -> Iterator[Question]:
    """Return the questions of `short_questions.toml`, as people type them."""
    for group in tables(HERE / "short_questions.toml")["packages"]:
        source = Source(group["registry"], group["package"], group["version"])
        for row in group["questions"]:
            right = tuple(place for name in row["right"] for place in named(source.root(), name))
            yield Question(row["asked"], source, "", "short", right)


def named(root: Path, name: str) -> Iterator[Place]:
    """Return the places that a qualified name may mean: module and name inside it, in any folder."""
    parts = name.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        module = "/".join(parts[:cut])
        for tail in (f"{module}.py", f"{module}/__init__.py", f"{module}.js"):
            for path in root.rglob(tail):
                yield Place(path.relative_to(root).as_posix(), ".".join(parts[cut:]))


def tables(path: Path) -> dict[str, Any]:
    """Read a TOML file."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def product_files(root: Path, *suffixes: str) -> list[str]:
    """Return the paths of a tree's own code: no tests, documentation, built or vendored files."""
    found = (path.relative_to(root).as_posix() for path in root.rglob("*.*") if path.is_file())
    kept = (file for file in found if not ASIDE.search(file) and (file.endswith(".py") or language_of(file)))
    return sorted(file for file in kept if not suffixes or file.endswith(suffixes))


@functools.lru_cache(maxsize=4096)
def definitions(root: Path, file: str) -> tuple[Definition, ...]:
    """Return what a file defines: functions, methods and classes."""
    data, language = (root / file).read_bytes(), language_of(file)
    if language:
        return tuple(Definition(Place(file, one.name), one.line, one.end) for one in read(data, language).symbols[1:])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return tuple(_in_tree(file, ast.parse(data), ""))
    except (SyntaxError, ValueError):
        return ()


def _in_tree(file: str, node: ast.AST, prefix: str) -> Iterator[Definition]:
    for child in ast.iter_child_nodes(node):
        name = prefix
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            first = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
            yield Definition(Place(file, prefix + child.name), first, child.end_lineno or first)
            name = f"{prefix}{child.name}."
        yield from _in_tree(file, child, name)


def faults() -> Iterator[str]:
    """Report what the sets promise and the sources do not have, and what they ask twice."""
    asked = Counter((row.source.package, row.text) for row in questions())
    yield from (f"{package}: asked {count} times: {text}" for (package, text), count in asked.items() if count > 1)
    for question in questions():
        root = question.source.root()
        for place in question.expected:
            path = root / place.file
            there = path.is_file() and any(one.place.answers(place) for one in definitions(root, place.file))
            # What a call defines, as a getter of JavaScript, is checked by its name alone.
            if not there and (path.suffix == ".py" or f"'{place.name}'" not in path.read_text("utf-8", "replace")):
                yield f"{question.source.package}: {place} is not defined there"
        for words in question.nowhere:
            for file in product_files(root):
                if re.search(words, (root / file).read_text("utf-8", "replace"), re.IGNORECASE):
                    yield f"{question.source.package}: {words!r} is in {file}"


def main() -> int:
    """Print how many questions there are, and what is wrong."""
    rows = questions()
    print("questions:", dict(Counter(row.half for row in rows if row.expected)), "in",
          dict(Counter(row.language for row in rows if row.expected)))  # fmt: skip
    print("not there:", dict(Counter(row.half for row in rows if not row.expected)))
    found = list(faults())
    print(*found, sep="\n")
    return bool(found)


if __name__ == "__main__":
    raise SystemExit(main())
