"""Whether what answers without a model cite is there: each citation is compared with the file that it names.

    python benchmarks/finding/citations.py [--wrong]

Some forty questions a package are asked in one session through the offline planner: fixed wordings, and wordings about
functions that are drawn from the sources with a fixed seed. Of each `path:line` in an answer the line has to be there,
and what stands before it has to be true of it:

- a quotation stands in the file and begins on that line (cut ends and steps of several statements by their pieces);
- a definition that is named is made on that line;
- a sentence stands in the file within the lines that follow;
- a quotation that is told of a function lies in that function.

What has no form of these is counted as "line only". `--wrong` prints each citation that isn't true.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import functools
import os
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from fetch import fetch_npm, fetch_sdist

PACKAGES = (
    ("click", "8.3.1"),
    ("httpx", "0.28.1"),
    ("flask", "3.1.2"),
    ("requests", "2.32.5"),
    ("jinja2", "3.1.6"),
    ("rich", "14.2.0"),
    ("pluggy", "1.6.0"),
    ("attrs", "24.2.0"),
    ("marshmallow", "4.1.0"),
    ("tomlkit", "0.13.3"),
    ("gunicorn", "22.0.0"),
    ("packaging", "24.2"),
    ("werkzeug", "3.1.3"),
    ("npm:express", "4.19.2"),
    ("npm:@tanstack/query-core", "5.40.0"),
    ("gojsonnet", "0.20.0"),
    ("maturin", "1.5.1"),
)
FIXED = (
    "summarize this codebase",
    "what is the architecture?",
    "what are the entry points?",
    "which commands are there?",
    "list the dependencies",
    "how do I run the tests?",
    "are there any TODOs?",
    "which environment variables are read?",
    "which exceptions are there?",
    "what changed in the last version?",
    "how are errors handled?",
    "where is the configuration read?",
    "where are names checked?",
)
DRAWN = ("how does {} work?", "who calls {}?", "what does {} call?", "where is {} defined?", "explain {} in full")
NAMES = 6
ASIDE = {"tests", "docs", "examples", "build", "dist"}
OTHER_ENDS = (".js", ".ts", ".go", ".rs")
OTHER_FUNCTION = re.compile(r"^(?:export |pub )*(?:function|func|fn)\s+(?:\([^)]*\)\s*)?([A-Za-z]\w{3,})\s*[(<]", re.M)
CITED = re.compile(r"\((?P<places>[^\s(),:]+:\d+(?:,\s+[^\s(),:]+:\d+)*)\)")
PLACE = re.compile(r"([^\s(),:]+):(\d+)")
QUOTED = re.compile(r"(`+)(?P<text>.+?)(?:\1(?!`)|…$)", re.DOTALL)
DEFINED = re.compile(
    r"^(?:(?:class|function|method|property|constant|variable|module)\s+`*|`defines )(?P<name>[\w./#@$…-]+)"
)
CALLED = re.compile(r"^(?P<name>[\w.<>/#@$…-]+), defined at (?P<file>\S+):(?P<line>\d+)$")
TOLD_OF = re.compile(r"(?:^|\s)(?P<name>\w+(?:\.\w+)+): $")
MARK = re.compile(r"^(?:[-*•]|\d+\.)\s+")
MORE = re.compile(r"\d+ (?:more|smaller)")
NAME = re.compile(r"[\w.\[\]@/-]+(?: ?[=<>~!^*\d][^ ]*)?")
LABEL = re.compile(r"^\S+(?: \S+){0,2}\s{2,}|^Made with \(|^[^`:]+ (?:by|with|from) (?=`)|^command `\S+` → \S+$")
"""What stands before the thing itself: the first column of a list, some fixed words."""
SUMMED = re.compile(r"^[\w./@-]+(?: [\d.]+)?: |^class [\w.]+(?:\([\w., ]*\))?(?:: [^—]*)? — ")
"""What a package is, told as `NAME VERSION: SENTENCE`."""
OF_THE_TREE = re.compile(
    r"\b\d+ (?:more )?(?:[\w.]+ )*(?:files?|lines?|functions?|handlers?|modules?|commands?|hooks?|routes?|points?)\b|"
    r"no docstring|looked at |`(?:npm|yarn|pnpm|go|cargo) |by its manifest|by convention|^Languages"
)
"""What is counted, where the place is an example only."""
CUT = re.compile(r"…|\.\.\.| — ")
STEP = re.compile(r"…|\.\.\.| — |; |: ")
"""Between the parts of a step that is made of several statements; some of them may be left out."""
ROLE = re.compile(r":[\w:]+:(?=`)|\bself,\s*|\]\([^)]*\)|<[^>]*>(?=`)|\b[rbf]{1,2}(?=[\"'])")
ROLE_AND_PATH = re.compile(rf"{ROLE.pattern}|(?<=`)[~!][\w.]*\.(?=\w)")
"""Marks of docstrings and pages that are left out where they are told."""
NO_MARKS = re.compile("(?!)")
"""Nothing is left out: code may look like a mark."""
COMMENT = re.compile(r"(?:^|\s)#.*")
FOLLOWING = 40
"""Lines after the one that is cited in which the rest of a quotation may stand."""


class Citation(NamedTuple):
    """What is said of a place, and the place."""

    said: str
    file: str
    line: int


def citations(text: str) -> Iterator[Citation]:
    """Give what an answer cites, joined over its wrapped lines; of a chain of places the first carries what is said."""
    for block in blocks(text):
        begin = 0
        for found in CITED.finditer(block):
            places = PLACE.findall(found["places"])
            said = block[begin : found.start()].strip(" ;,") if len(places) == 1 else ""
            yield from (Citation(said, file, int(line)) for file, line in places)
            begin = found.end()


def blocks(text: str) -> Iterator[str]:
    """Give the lines of an answer, each with those that go on with it: indented deeper, after an open parenthesis."""
    block, indent = "", 0
    for line in text.splitlines():
        deep = len(line) - len(line.lstrip())
        if block and line.strip() and deep > indent and (block.count("`") % 2 or not block.endswith((":", ")"))):
            block += f" {line.strip()}"
            continue
        if block:
            yield block
        block, indent = line.strip(), deep
    if block:
        yield block


@functools.cache
def lines_of(path: Path) -> list[str]:
    """Give the lines of a file as answers show them: without what their white space looks like."""
    return [" ".join(line.split()) for line in path.read_text("utf-8", "replace").splitlines()]


@functools.cache
def definitions(path: Path) -> list[tuple[str, int, int]]:
    """Give name, first and last line of each definition of a Python file; the decorators belong to it."""
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return []
    found = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            found.append((node.name, first, node.end_lineno or first))
    return found


def judged(one: Citation, root: Path) -> tuple[str, bool]:
    """Give how a citation was compared, and whether it is true."""
    path = root / one.file
    if not path.is_file() or not 1 <= one.line <= max(1, len(lines_of(path))):
        return "line only", False
    bare = MARK.sub("", one.said)
    said = LABEL.sub("", bare)
    if OF_THE_TREE.search(one.said) or "→" in said:
        return "line only", True
    if found := CALLED.match(said):
        there = _defined(found["name"], root / found["file"], int(found["line"]))
        statement = " ".join(lines_of(path)[one.line - 1 : one.line + 6])
        return "call", there and _named(found["name"], statement)
    if (found := DEFINED.match(said)) and not found["name"].endswith("…"):
        return "definition", _defined(found["name"], path, one.line)
    if found := QUOTED.search(said):
        return "quotation", _quoted(said, found, path, one.line)
    listed = said.rpartition(" — ")[2].removeprefix("and ").rstrip("…")
    names = [name for name in re.split(r",\s+|\s+and\s+", listed) if name and not MORE.search(name)]
    if (len(names) > 1 or listed != said) and names and all(NAME.fullmatch(name) for name in names):
        return "names", all(_there(name, path, root) for name in names)
    sentence = SUMMED.sub("", said)
    if len(sentence.split()) >= 4:
        label = bare[: len(bare) - len(said)].strip()  # a definition, told by a line of its docstring
        told = bool(label) and _stands(sentence, path, one.line, begins=False)
        return "sentence", told or _stands(sentence, path, one.line)
    return "line only", True


def _quoted(said: str, found: re.Match[str], path: Path, line: int) -> bool:
    """Say whether a quotation, what it is told of and the comment before it are true of a line."""
    if _stands(said, path, line):  # the sentence of a docstring that has marks itself
        return True
    told = said[: found.start()]
    teller = TOLD_OF.search(told)
    if teller and path.suffix == ".py" and not _inside(teller["name"], path, line):
        return False
    text = said[found.start() :].strip("`")
    if told.endswith(" — "):
        return _stands(told, path, line) and _stands(text, path, line, begins=False)
    return _stands(text, path, line) or _stands(found["text"], path, line)


def _defined(name: str, path: Path, line: int) -> bool:
    """Say whether a name is defined on a line: by its definition, by being written there, by being the module."""
    last = name.rpartition(".")[2]
    here = any(first <= line <= end and one == last for one, first, end in definitions(path))
    return here or _named(name, lines_of(path)[line - 1]) or _is_module(path, last, line)


def _named(name: str, line: str) -> bool:
    """Say whether a line names what is called; a special method is called by a sign or a built-in function."""
    last = name.rpartition(".")[2].lstrip("#")
    return last in line or last == "<lambda>" or (last.startswith("__") and last.endswith("__"))


def _there(name: str, path: Path, root: Path) -> bool:
    """Say whether a file has a name, or the tree a module of that name."""
    name = re.split(r"[=<>~\[ ]", name)[0]
    if re.search(rf"(?<!\w){re.escape(name.lstrip('.'))}(?!\w)", " ".join(lines_of(path))):
        return True
    if (root / name).is_file():
        return True
    tail = name.strip(".").replace(".", "/")
    return any(next(root.rglob(one), None) for one in (f"{tail}.py", f"{tail}/__init__.py"))


def _is_module(path: Path, name: str, line: int) -> bool:
    return line == 1 and name.rpartition("/")[2] in (path.stem, path.parent.name)


def _inside(name: str, path: Path, line: int) -> bool:
    last = name.rpartition(".")[2]
    module = last in (path.stem, path.parent.name)
    return module or any(one == last and first <= line <= end for one, first, end in definitions(path))


def _stands(quote: str, path: Path, line: int, *, begins: bool = True) -> bool:
    """Say whether the pieces of a quotation stand in a file in their order, the first on the line itself.

    A step is cited by its statement, and told by the comment above it.
    """
    return any(
        _begins([marks.sub("", row) for row in lines_of(path)], marks.sub("", quote), line, begins)
        for marks in (ROLE, ROLE_AND_PATH, NO_MARKS)
    )


def _begins(rows: Sequence[str], quote: str, line: int, begins: bool) -> bool:
    above = line - 1
    while above > 0 and not rows[above - 1]:  # between a comment and what it is about
        above -= 1
    while above > 0 and rows[above - 1].startswith(("#", "//", "*", "/*")):
        above -= 1
    for start in {line - 1, above}:
        shown = rows[start : line - 1 + FOLLOWING]
        head = len("".join(map(_plain, rows[start:line]))) if begins else sys.maxsize
        bare = [COMMENT.sub("", row) for row in shown]
        for text in ("".join(map(_plain, shown)), "".join(map(_plain, bare))):
            if any(_in_order(pieces, text, head) for pieces in (_pieces(CUT, quote), _pieces(STEP, quote))):
                return True
    return False


def _pieces(cut: re.Pattern[str], quote: str) -> list[str]:
    return [piece for piece in (_plain(one) for one in cut.split(quote)) if piece]


def _in_order(pieces: Sequence[str], text: str, head: int) -> bool:
    position = 0
    for piece in pieces:
        found = text.find(piece, position)
        if found < 0 or (position == 0 and found > head):
            return False
        position = found + len(piece)
    return bool(pieces)


def _plain(text: str) -> str:
    """Leave letters and digits only: marks of comments, quotes and markup are not what is cited."""
    return re.sub(r"[\W_]+", "", text)


def questions(root: Path, seed: int) -> list[str]:
    """Give what is asked about a tree: of its functions in Python or, where there are few, in other languages."""
    paths = [path for path in root.rglob("*.*") if not ASIDE & set(path.relative_to(root).parts)]
    names = sorted(
        {
            name
            for path in paths
            if path.suffix == ".py"
            for name, first, end in definitions(path)
            if not name.startswith("_") and end - first > 4
        }
    )
    if len(names) < 2 * NAMES:
        texts = (path.read_text("utf-8", "replace") for path in paths if path.suffix in OTHER_ENDS)
        names = sorted({name for text in texts for name in OTHER_FUNCTION.findall(text)})
    drawn = random.Random(seed).sample(names, min(NAMES, len(names)))
    return [*FIXED, *(wording.format(name) for name in drawn for wording in DRAWN)]


async def answers(root: Path, asked: list[str]) -> list[str]:
    """Ask everything in sessions of their own and give the texts."""
    import inarch

    with tempfile.TemporaryDirectory() as scratch:
        environ = {"XDG_CACHE_HOME": f"{scratch}/cache", "XDG_STATE_HOME": f"{scratch}/state"}
        environ["PATH"] = os.environ["PATH"]
        flags = {"model": "offline/extractive"}
        app = inarch.compose(root=root, config={}, flags=flags, environ=environ, journal=False)
        try:
            return [(await app.session().run(question)).content for question in asked]
        finally:
            await app.aclose()


def main() -> None:
    """Ask, compare and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wrong", action="store_true")
    wrong = parser.parse_args().wrong
    counts: Counter[tuple[str, bool]] = Counter()
    for seed, (name, version) in enumerate(PACKAGES):
        root = fetch_npm(name[4:], version) if name.startswith("npm:") else fetch_sdist(name, version)
        asked = questions(root, seed)
        for question, text in zip(asked, asyncio.run(answers(root, asked)), strict=True):
            for one in citations(text):
                how, true = judged(one, root)
                counts[how, true] += 1
                if wrong and not true:
                    print(f"{name}: {question}\n   {how}: {one.said} ({one.file}:{one.line})")
    total = sum(counts.values())
    for how in sorted({how for how, _ in counts}):
        mine = counts[how, True] + counts[how, False]
        print(f"{how:12} {mine:6}   true {counts[how, True]:6}")
    print(f"{'all':12} {total:6}   true {sum(n for (_, true), n in counts.items() if true):6}")


if __name__ == "__main__":
    main()
