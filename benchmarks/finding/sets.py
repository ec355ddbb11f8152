"""The sets that finding is measured on, as records: questions, things that are not there, issues.

`questions/*.toml` has one file a package: questions in a user's own words with the places where the behaviour is
implemented, and questions about what the package does not have. `issues/*.toml` has entries of public changelogs with
the files and functions that the fixing release changed for them. A place is `path/from/the/root.py::Class.method`;
outside Python the last part of the name decides. Only the half "tune" may be looked at while anything is tuned.

    python benchmarks/finding/sets.py       says how much there is and checks each entry against the sources
"""

from __future__ import annotations

import ast
import functools
import re
import sys
import tomllib
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from fetch import fetch_npm, fetch_sdist  # noqa: E402

HALVES = ("tune", "held", "fresh")
SUFFIXES = {
    "Python": (".py",),
    "JavaScript": (".js", ".mjs", ".cjs"),
    "TypeScript": (".ts", ".tsx"),
    "Go": (".go",),
    "Rust": (".rs",),
    "Java": (".java",),
    "C": (".c", ".h"),
    "C++": (".cpp", ".hpp", ".cc", ".h"),
}
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
        """Say whether this is the right place or part of it; names of other languages count by their last part."""
        if self.file != right.file:
            return False
        if self.name == right.name or self.name.startswith(f"{right.name}."):
            return True
        mine, theirs = _parts(self.name), _parts(right.name)
        return not self.file.endswith(".py") and mine[-1:] == theirs[-1:] and _agree(mine[:-1], theirs[:-1])


def _parts(name: str) -> list[str]:
    return [part for part in re.split(r"\W+", name) if part]


def _agree(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    """Say whether two qualifications don't contradict each other: one may be missing."""
    return not mine or not theirs or mine[-1] == theirs[-1]


class Source(NamedTuple):
    """A package as it is fetched."""

    registry: str
    package: str
    version: str

    def root(self) -> Path:
        """Give the folder of its unpacked sources."""
        return (fetch_npm if self.registry == "npm" else fetch_sdist)(self.package, self.version)


class Question(NamedTuple):
    """A question in a user's own words; without right places it asks for what is not there."""

    text: str
    source: Source
    language: str
    half: str
    expected: tuple[Place, ...]
    nowhere: tuple[str, ...]


class Named(NamedTuple):
    """A question whose right places are qualified names as the tracer gives them, with what stands in them or not."""

    text: str
    source: Source
    names: tuple[str, ...]
    inside: bool

    def is_answered_by(self, qualified: str) -> bool:
        """Tell whether a place is right."""
        inside = any(qualified.startswith(f"{name}.") for name in self.names)
        return qualified in self.names or (self.inside and inside)


class Issue(NamedTuple):
    """What a changelog says of a fault, and what the release that mended it changed."""

    title: str
    text: str
    source: Source
    after: str
    half: str
    files: frozenset[str]
    functions: frozenset[Place]

    @property
    def whole(self) -> str:
        """Its title and what is said below it."""
        return f"{self.title}\n\n{self.text}".strip()


def questions(half: str | None = "tune") -> list[Question]:
    """Give what can be answered, of one half or of both (None)."""
    return [question for question in _all_questions() if question.expected and half in (None, question.half)]


def absent(half: str | None = "tune") -> list[Question]:
    """Give the questions about what is not there."""
    return [question for question in _all_questions() if not question.expected and half in (None, question.half)]


def issues(half: str | None = "tune") -> list[Issue]:
    """Give the issues of one half, or of both."""
    return [issue for issue in _all_issues() if half in (None, issue.half)]


def short_questions() -> Iterator[Named]:
    """Give the questions of `short_questions.toml`: as people type them, judged by reading."""
    for group in _read(HERE / "short_questions.toml")["packages"]:
        source = Source(group["registry"], group["package"], group["version"])
        for row in group["questions"]:
            yield Named(row["asked"], source, tuple(row["right"]), False)


def older_questions(half: str = "tune") -> Iterator[Named]:
    """Give the older questions of a half, nearer to the code's own words."""
    for row in _read(HERE.parent / "offline_questions.toml")["questions"]:
        if row["half"] == half:
            yield Named(row["question"], Source("pypi", row["package"], row["version"]), tuple(row["expected"]), True)


@functools.cache
def _all_questions() -> tuple[Question, ...]:
    return tuple(question for path in sorted((HERE / "questions").glob("*.toml")) for question in _questions(path))


def _questions(path: Path) -> Iterator[Question]:
    data = _read(path)
    source = Source(data["registry"], data["package"], data["version"])
    for row in [*data["questions"], *data.get("absent", ())]:
        expected = tuple(Place.read(text) for text in row.get("expected", ()))
        language = row.get("language", data["language"])
        yield Question(row["question"], source, language, row["half"], expected, tuple(row.get("nowhere", ())))


@functools.cache
def _all_issues() -> tuple[Issue, ...]:
    return tuple(issue for path in sorted((HERE / "issues").glob("*.toml")) for issue in _issues(path))


def _issues(path: Path) -> Iterator[Issue]:
    data = _read(path)
    for row in data["issues"]:
        functions = frozenset(Place.read(text) for text in row["functions"])
        files = frozenset({place.file for place in functions} | set(row.get("files", ())))
        source = Source("pypi", data["package"], row["before"])
        yield Issue(row["title"], row.get("text", ""), source, row["after"], data["half"], files, functions)


def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def product_files(root: Path, language: str) -> list[str]:
    """Give the paths of a tree's own code in a language: no tests, documentation, built or vendored files."""
    found = (path.relative_to(root).as_posix() for path in root.rglob("*") if path.suffix in SUFFIXES[language])
    return sorted(file for file in found if not ASIDE.search(file) and (root / file).is_file())


class Definition(NamedTuple):
    """Something defined in a file, with its first and last line."""

    place: Place
    first: int
    last: int


def definitions(root: Path, file: str, *, classes: bool = False) -> list[Definition]:
    """Give what a file defines: from the syntax tree in Python, by the look of lines in other languages."""
    source = (root / file).read_text(encoding="utf-8", errors="replace")
    if not file.endswith(".py"):
        return _by_lines(file, source)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except SyntaxError:
        return []
    return [Definition(Place(file, name), first, last) for name, first, last in _in_tree(tree, "", classes)]


def _in_tree(node: ast.AST, prefix: str, classes: bool) -> Iterator[tuple[str, int, int]]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield from _in_tree(child, prefix, classes)
            continue
        if classes or not isinstance(child, ast.ClassDef):
            first = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
            yield prefix + child.name, first, child.end_lineno or child.lineno
        yield from _in_tree(child, f"{prefix}{child.name}.", classes)


# What begins a definition, roughly, in the languages with braces. The name is the group.
_KEYWORD = re.compile(
    r"^\s*(?:export\s+|default\s+|pub(?:\([a-z]+\))?\s+|public\s+|private\s+|protected\s+|static\s+|abstract\s+|final\s+|"
    r"async\s+|unsafe\s+|const\s+|extern\s+\"C\"\s+|template\s*<[^>]*>\s*)*"
    r"(?:function\*?|class|interface|struct|enum|trait|impl(?:<[^>]*>)?|fn|func(?:\s*\([^)]*\))?|type|namespace|union)\s+"
    r"([A-Za-z_$][\w$]*)"
)
_ASSIGNED = re.compile(
    r"^\s*(?:export\s+)?(?:(?:const|let|var)\s+)?(?:[\w$]+\s*\.\s*)*([A-Za-z_$][\w$]*)\s*(?::[^=]*)?[=:]\s*"
    r"(?:async\s*)?(?:function\b|\([^()]*\)\s*(?::[^=]*)?=>|[\w$]+\s*=>)"
)
_GETTER = re.compile(r"^\s*defineGetter\([^,]*,\s*'([\w$]+)'")
_GENERIC = re.compile(
    r"^[ \t]{0,8}(?:(?:async|static|public|private|protected|readonly)\s+)*#?([A-Za-z_$][\w$]*)<[^()]*>\("
)
_CALLABLE = re.compile(
    r"^[ \t]{0,8}(?![^(]*[=;.?])(?:[\w$:<>,\[\]*&~@]+[\s*&]+)*(?:[\w<>]+::)*~?#?"
    r"([A-Za-z_$][\w$]*)\s*(?:<.*>)?\([^;]*$"
)
_NO_NAME = frozenset(
    ["if", "for", "while", "switch", "catch", "return", "else", "do", "new", "sizeof", "match", "super"]
)


def _by_lines(file: str, source: str) -> list[Definition]:
    lines = source.splitlines()
    starts = [(number, name) for number, line in enumerate(lines, 1) if (name := _defined(line))]
    ends = [*(number - 1 for number, _ in starts[1:]), len(lines)][: len(starts)]
    return [Definition(Place(file, name), first, last) for (first, name), last in zip(starts, ends, strict=True)]


def _defined(line: str) -> str | None:
    """Give the name that a line begins to define."""
    if len(line) > 400:
        return None
    for pattern in (_KEYWORD, _ASSIGNED, _GETTER, _GENERIC, _CALLABLE):
        if (match := pattern.match(line)) and match[1] not in _NO_NAME:
            return match[1]
    return None


def faults() -> Iterator[str]:
    """Say what the sets promise and the sources don't have, and what they ask twice."""
    asked = Counter((row.source.package, row.text) for row in _all_questions())
    asked += Counter((row.source.package, row.whole) for row in _all_issues())
    yield from (f"{package}: asked {count} times: {text}" for (package, text), count in asked.items() if count > 1)
    for question in _all_questions():
        root = question.source.root()
        for place in question.expected:
            if not _defines(root, place):
                yield f"{question.source.package}: {place} is not defined there"
        for words in question.nowhere:
            for file in product_files(root, question.language):
                text = (root / file).read_text(encoding="utf-8", errors="replace")
                if match := re.search(words, text, re.IGNORECASE):
                    yield f"{question.source.package}: {words!r} is in {file}: {_line(text, match.start())}"
    for issue in _all_issues():
        root = issue.source.root()
        for place in issue.functions:
            if not _defines(root, place):
                yield f"{issue.source.package} {issue.source.version}: {place} is not defined there"
        yield from (f"{issue.source}: no file {file}" for file in issue.files if not (root / file).is_file())


def _defines(root: Path, place: Place) -> bool:
    if not (root / place.file).is_file():
        return False
    known = {definition.place.name for definition in definitions(root, place.file, classes=True)}
    if place.file.endswith(".py"):
        return place.name in known
    # An arrow function in a class whose parameters take several lines is none by the look of a line.
    text = (root / place.file).read_text(encoding="utf-8", errors="replace")
    arrows = set(re.findall(r"^\s*(?:private )?(\w+) = (?:async )?(?:<|\()", text, re.MULTILINE))
    return {*_parts(place.name)} <= known | arrows


def _line(text: str, at: int) -> str:
    return text[text.rfind("\n", 0, at) + 1 : text.find("\n", at)].strip()[:100]


def main() -> int:
    """Print how much there is, by language and half, and what is wrong."""
    for what, rows in (("questions", questions(None)), ("not there", absent(None)), ("issues", issues(None))):
        halves = Counter(row.half for row in rows)
        packages = len({row.source.package for row in rows})
        print(f"{what}: {len(rows)} about {packages} packages, {', '.join(f'{n} {h}' for h, n in halves.items())}")
    languages = Counter(question.language for question in questions(None))
    print("questions by language:", ", ".join(f"{count} {name}" for name, count in languages.most_common()))
    found = list(faults())
    print(*found, sep="\n")
    return bool(found)


if __name__ == "__main__":
    raise SystemExit(main())
