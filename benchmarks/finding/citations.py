"""Whether what answers without a model cite is there: each citation is compared with the file that it names.

    python benchmarks/finding/citations.py [--wrong] [PACKAGE ...]

Some forty questions a package are asked through the offline planner: fixed wordings, and wordings about functions that
are drawn from the sources with a fixed seed. The line of each `path:line` in an answer has to be there, and what
precedes it has to be true of it:

- the code or sentence that is quoted is in the file, in its order, and begins on that line or in the comment above it;
- a definition that is named is made on that line.

All else is counted as "line only". `--wrong` prints each citation that is not true.
"""

from __future__ import annotations

import argparse
import asyncio
import functools
import os
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import sets
from sets import Source

import inarch

PACKAGES = (
    "click==8.3.1", "httpx==0.28.1", "flask==3.1.2", "requests==2.32.5", "jinja2==3.1.6", "rich==14.2.0",
    "pluggy==1.6.0", "attrs==24.2.0", "tomlkit==0.13.3", "gunicorn==22.0.0", "werkzeug==3.1.3", "gojsonnet==0.20.0",
    "npm:express==4.19.2", "npm:@tanstack/query-core==5.40.0",
)  # fmt: skip
FIXED = (
    "summarize this codebase", "what is the architecture?", "what are the entry points?", "which commands are there?",
    "list the dependencies", "how do I run the tests?", "are there any TODOs?", "how are errors handled?",
    "which environment variables are read?", "what changed in the last version?", "where are names checked?",
)  # fmt: skip
DRAWN = ("how does {} work?", "who calls {}?", "what does {} call?", "where is {} defined?", "explain {} in full")
NAMES = 6
CITED = re.compile(r"\(?(?P<file>[^\s(),:`]+\.\w+):(?P<line>\d+)\)?")
QUOTED = re.compile(r"(`+)(?P<text>.+?)(?:\1(?!`)|…$)", re.DOTALL)
DEFINED = re.compile(
    r"^(?:[-*•]\s+|\d+\.\s+)?(?:(?:class|function|method|property|constant) `*|`defines )(?P<name>[\w./#@$-]+)"
)
CUT = re.compile(r"…|\.\.\.| — |; |: ")
"""Between the parts of a step that is made of several statements; some of them may be left out."""
SHORTEST = 12
"""Letters and digits from which on a quotation is compared."""
FOLLOWING = 40
"""Lines after the one that is cited in which the rest of a quotation may be."""


class Citation(NamedTuple):
    """What is said of a place, and the place."""

    said: str
    file: str
    line: int


def citations(text: str) -> Iterator[Citation]:
    """Return what an answer cites, joined over its wrapped lines."""
    for block in re.split(r"\n(?=\S)|\n\n", text):
        joined, begin = " ".join(block.split()), 0
        for found in CITED.finditer(joined):
            yield Citation(joined[begin : found.start()].strip(" ;,("), found["file"], int(found["line"]))
            begin = found.end()


@functools.cache
def lines_of(path: Path) -> list[str]:
    """Return the lines of a file, letters and digits only: marks of markup are not what is cited."""
    return [plain(line) for line in path.read_text("utf-8", "replace").splitlines()]


def plain(text: str) -> str:
    """Keep letters and digits only."""
    return re.sub(r"[\W_]+", "", text)


def judged(one: Citation, root: Path) -> tuple[str, bool]:
    """Return how a citation was compared, and whether it is true."""
    path = root / one.file
    if not path.is_file() or not 1 <= one.line <= max(1, len(lines_of(path))):
        return "line only", False
    if found := DEFINED.match(one.said):
        last = found["name"].rpartition(".")[2]
        around = sets.definitions(root, one.file)
        made = any(one.line in (it.first, it.last) or it.first <= one.line <= it.last
                   for it in around if it.place.name.rpartition(".")[2] == last)  # fmt: skip
        return "definition", made or plain(last) in lines_of(path)[one.line - 1]
    if "module `" not in one.said and (found := QUOTED.search(one.said)) and len(plain(found["text"])) >= SHORTEST:
        return "quotation", is_there(found["text"], lines_of(path), one.line)
    return "line only", True


def is_there(quote: str, rows: list[str], line: int) -> bool:
    """Whether the pieces of a quotation are in a file in their order, the first on the line or in the text above it."""
    above = line - 1
    while above > 0 and rows[above - 1] and line - above < FOLLOWING:
        above -= 1
    text, position = "".join(rows[above : line - 1 + FOLLOWING]), 0
    for piece in filter(None, map(plain, CUT.split(quote))):
        found = text.find(piece, position)
        if found < 0:
            return False
        position = found + len(piece)
    return True


def questions(root: Path, seed: int) -> list[str]:
    """Return what is asked about a tree."""
    found = (one for file in sets.product_files(root) for one in sets.definitions(root, file))
    names = {one.place.name.rpartition(".")[2] for one in found if one.last - one.first > 4}
    known = sorted(name for name in names if not name.startswith("_") and len(name) > 3)
    drawn = random.Random(seed).sample(known, min(NAMES, len(known)))
    return [*FIXED, *(wording.format(name) for name in drawn for wording in DRAWN)]


async def answers(root: Path, asked: list[str]) -> list[str]:
    """Ask everything in sessions of their own and return the texts."""
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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*")
    parser.add_argument("--wrong", action="store_true")
    chosen = parser.parse_args()
    counts: Counter[tuple[str, bool]] = Counter()
    for seed, pinned in enumerate(PACKAGES):
        name, _, version = pinned.removeprefix("npm:").partition("==")
        if chosen.packages and name not in chosen.packages:
            continue
        root = Source("npm" if pinned.startswith("npm:") else "pypi", name, version).root()
        asked = questions(root, seed)
        for question, text in zip(asked, asyncio.run(answers(root, asked)), strict=True):
            for one in citations(text):
                how, true = judged(one, root)
                counts[how, true] += 1
                if chosen.wrong and not true:
                    print(f"{name}: {question}\n   {how}: {one.said} ({one.file}:{one.line})")
    for how in sorted({how for how, _ in counts}):
        print(f"{how:12} {counts[how, True] + counts[how, False]:6}   true {counts[how, True]:6}")


if __name__ == "__main__":
    main()
