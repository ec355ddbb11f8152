"""Measure how plainly Inarch is written: docs, docstrings and messages, against the limits of CONTRIBUTING.md.

    python docs/prose.py             print each measure with its limit; fail above one
    python docs/prose.py --list      print the sentences behind each measure
    python docs/prose.py FILE ...    print what is wrong in these files, by line
    python docs/prose.py --subject FILE    check the subject of a commit message

Rates are per 1,000 words. Code, tables of figures and quoted output do not count. The standard library is all it needs.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
DOCS_WORDS = 72_000
LONGEST = 40
SUBJECT = 72
FIRST = "prose: measure how plainly we write"
"""The subject of the commit that added this file: subjects after it are measured."""


class Sentence(NamedTuple):
    """A sentence with its place."""

    path: str
    line: int
    text: str

    @property
    def words(self) -> int:
        """Return how many words it has."""
        return len(re.findall(r"[\w'’-]*\w", self.text))


class Measure(NamedTuple):
    """Something to avoid: what it is called, how it is found, and how often it may occur in 1,000 words."""

    name: str
    pattern: re.Pattern[str]
    limit: float
    docs_only: bool = False


_PRONOUNS = "there|nobody|somebody|nothing|something|none|it|they|one|no"
MEASURES = (
    Measure("stands, stood", re.compile(r"\b(?:stands|stood)\b", re.I), 0.3),
    Measure("told, tells", re.compile(r"\b(?:told|tells)\b", re.I), 0.3),
    Measure(
        "a clause as the subject", re.compile(r"^(?:What|Who|Whoever|Whatever|That which|Which)\b[^?]{9,}[.:]$"), 0.4
    ),
    Measure("where for if or when", re.compile(rf"\bwhere (?:{_PRONOUNS})\b", re.I), 0.5),
    Measure("nobody, somebody", re.compile(r"\b(?:nobody|somebody|everybody|anybody)\b", re.I), 0.3),
    Measure("semicolons", re.compile(";"), 3.0, docs_only=True),
)


def files(*patterns: str) -> list[Path]:
    """Return files of the project, in order, without what is not written for readers of it."""
    found = {path for pattern in patterns for path in ROOT.glob(pattern) if path.is_file()}
    left_out = re.compile(
        r"/(?:\.[^/]*|node_modules|build|dist|[^/]*\.egg-info)/|docs/changes/|CHANGELOG\.md|docs/example/"
    )
    return sorted(path for path in found if not left_out.search(f"/{path.relative_to(ROOT)}"))


def split(path: str, line: int, text: str) -> Iterator[Sentence]:
    """Yield the sentences of a paragraph."""
    text = " ".join(text.split())
    for part in re.split(r"(?<=[.!?:])[)\"”]?\s+(?=[A-Z`\"“(*\[])|(?<=\.)\s+", text):
        if re.search(r"[A-Za-z]{2}", part):
            yield Sentence(path, line, part.strip())


def plain(text: str) -> str:
    """Return Markdown without code, addresses and marks."""
    text = re.sub(r"``[^`]+``|`[^`]*`", "X", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"&#?\w+;", "", text)
    return re.sub(r"\*\*|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)|<[^>]+>", "", text)


def of_markdown(path: Path) -> Iterator[Sentence]:
    """Yield the sentences of a page: paragraphs, items of lists, cells of tables."""
    name = str(path.relative_to(ROOT))
    text = re.sub(r"<!--.*?-->", lambda m: "\n" * m[0].count("\n"), path.read_text("utf-8"), flags=re.S)
    paragraph: list[str] = []
    start, fence = 1, ""

    def ended() -> Iterator[Sentence]:
        if paragraph:
            yield from split(name, start, plain(" ".join(paragraph)))
            paragraph.clear()

    for number, line in enumerate(text.splitlines(), 1):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if mark and (not fence or mark[1].startswith(fence)):
            yield from ended()
            fence = "" if fence else mark[1]
        elif fence:
            continue
        elif line.lstrip().startswith("|"):
            yield from ended()
            for cell in re.split(r"(?<!\\)\|", line.strip().strip("|")):
                yield from split(name, number, plain(cell))
        elif not line.strip() or re.match(r"#|:::|---", line):
            yield from ended()
        else:
            item = re.match(r"\s*(?:[-*>]|\d+\.)\s+", line)
            if item:
                yield from ended()
            if not paragraph:
                start = number
            paragraph.append(line[item.end() if item else 0 :].strip())
    yield from ended()


@cache
def tree(path: Path) -> ast.Module:
    """Return the syntax tree of a module, which two readers want."""
    return ast.parse(path.read_text("utf-8"))


def of_docstrings(path: Path) -> Iterator[Sentence]:
    """Yield the sentences of a module's docstrings, those of attributes included, without examples."""
    name = str(path.relative_to(ROOT))
    for node in ast.walk(tree(path)):
        body = getattr(node, "body", None)
        for child in body if isinstance(body, list) else ():  # a lambda has an expression there
            value = child.value if isinstance(child, ast.Expr) else None
            if not isinstance(value, ast.Constant) or not isinstance(value.value, str):
                continue
            text = re.sub(r"(?ms)^( *)>>>.*?(?=^\s*$|\Z)|^ *```.*?```", "", value.value)
            text = re.sub(r"(?m)^( *)(?:Args|Returns|Raises|Yields|Attributes|Example|Examples|Note):\s*$", "", text)
            for paragraph in re.split(r"\n\s*\n|\n(?= *(?:[\w.]+(?: \([^)]*\))?: |[-*] |\|))", text):
                paragraph = re.sub(r"^\s*(?:[-*] |[\w.]+(?: \([^)]*\))?: )", "", paragraph)
                if not paragraph.lstrip().startswith("|"):
                    yield from split(name, child.lineno, plain(paragraph))


def of_messages(path: Path) -> Iterator[Sentence]:
    """Yield the sentences of strings that people read: at least four words, and not a docstring."""
    name = str(path.relative_to(ROOT))
    inside: set[int] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Expr):
            inside.add(id(node.value))
        if isinstance(node, ast.JoinedStr):
            inside.update(id(value) for value in node.values)
            text = "".join(v.value if isinstance(v, ast.Constant) else "X" for v in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
            text = node.value
        else:
            continue
        is_sql = re.match(r"\s*(?:SELECT|CREATE|INSERT)", text)
        if not is_sql and len(re.findall(r"(?<!\S)[A-Za-z',.]+(?!\S)", text)) >= 4:
            yield from split(name, node.lineno, plain(text))


SOURCES: tuple[tuple[str, Callable[[Path], Iterator[Sentence]], tuple[str, ...]], ...] = (
    ("docs", of_markdown, ("*.md", "docs/**/*.md", "contrib/*/README.md", "benchmarks/README.md")),
    ("docstrings", of_docstrings, ("core/**/*.py", "plugins/**/*.py", "contrib/*/inarch_*/**/*.py")),
    ("messages", of_messages, ("core/**/*.py", "plugins/**/*.py", "contrib/*/inarch_*/**/*.py")),
)


def sentences(reader: Callable[[Path], Iterator[Sentence]], paths: Sequence[Path]) -> list[Sentence]:
    """Return the sentences of files."""
    return [sentence for path in paths for sentence in reader(path)]


def row(what: str, value: float, limit: float, found: Sequence[str] = ()) -> bool:
    """Print a measure with its limit; return whether it is within."""
    print(f"{'ok  ' if value <= limit else 'FAIL'} {what:48} {value:>10.2f} of {limit:g}")
    if "--list" in sys.argv:
        print(*(f"       {one}" for one in found), sep="\n")
    return value <= limit


def report() -> bool:
    """Print all measures; return whether all are within their limits."""
    good = True
    for kind, reader, patterns in SOURCES:
        found = sentences(reader, files(*patterns))
        words = sum(sentence.words for sentence in found) or 1
        for one in MEASURES:
            if one.docs_only and kind != "docs":
                continue
            hits = [(s, count) for s in found if (count := len(one.pattern.findall(s.text)))]
            rate = 1000 * sum(count for _, count in hits) / words
            shown = [f"{s.path}:{s.line}: {s.text}" for s, _ in hits]
            good &= row(f"{kind}: {one.name}", rate, one.limit, shown)
        if kind != "messages":
            long = sorted((s for s in found if s.words > LONGEST), key=lambda s: -s.words)
            longest = max((s.words for s in found), default=0)
            shown = [f"{s.path}:{s.line}: {s.words} words: {s.text}" for s in long]
            good &= row(f"{kind}: longest sentence, words", longest, LONGEST, shown)
    counts = {str(path.relative_to(ROOT)): len(path.read_text("utf-8").split()) for path in files(*SOURCES[0][2])}
    shown = [f"{count} {name}" for name, count in sorted(counts.items(), key=lambda one: -one[1])]
    good &= row("docs: words in all", sum(counts.values()), DOCS_WORDS, shown)
    long_subjects = [subject for subject in subjects() if len(subject) > SUBJECT]
    return good & row(f"commit subjects over {SUBJECT} characters", len(long_subjects), 0, long_subjects)


def subjects() -> list[str]:
    """Return the subjects of commits since this check exists; none without Git or its history."""
    try:
        log = subprocess.run(
            ["git", "-C", str(ROOT), "log", "--no-merges", "--format=%s"], capture_output=True, text=True, check=True
        ).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        return []
    return log[: log.index(FIRST)] if FIRST in log else []


def check(paths: Sequence[Path]) -> bool:
    """Print what is wrong in single files."""
    good = True
    for path in map(Path.resolve, paths):
        is_page = path.suffix == ".md"
        for sentence in of_markdown(path) if is_page else (*of_docstrings(path), *of_messages(path)):
            wrong = [one.name for one in MEASURES if one.pattern.search(sentence.text) and is_page >= one.docs_only]
            if sentence.words > LONGEST:
                wrong.append(f"{sentence.words} words")
            if wrong:
                good = False
                print(f"{sentence.path}:{sentence.line}: {', '.join(wrong)}: {sentence.text}")
    return good


def check_subject(path: Path) -> bool:
    """Check the first line of a commit message; a merge's own may be longer."""
    subject = path.read_text("utf-8").partition("\n")[0]
    if len(subject) <= SUBJECT or subject.startswith("Merge "):
        return True
    print(f"the subject has {len(subject)} characters, {SUBJECT} at most: {subject}")
    return False


def main() -> int:
    """Run the check."""
    if sys.argv[1:2] == ["--subject"]:
        return 0 if check_subject(Path(sys.argv[2])) else 1
    paths = [Path(word) for word in sys.argv[1:] if not word.startswith("-")]
    return 0 if (check(paths) if paths else report()) else 1


if __name__ == "__main__":
    sys.exit(main())
