"""First statements of `inarch "summarize this codebase"` about well-known projects, each beside an accepted fact.

    python benchmarks/famous.py FOLDER [PROJECT ...] [--lines 3]

FOLDER holds checkouts, named as below. Others in it are printed without being counted. A project holds if its first two
statements contain the words. Reach: 20 of 20.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path

import inarch

FACTS = {
    "requests": "http library", "flask": "wsgi web application framework", "celery": "distributed task queue",
    "rich": "rich text and beautiful formatting in the terminal", "attrs": "classes without boilerplate",
    "express": "minimalist web framework for node.js", "got": "http request library for node.js",
    "lodash": "makes javascript easier", "vite": "build tool", "prettier": "opinionated code formatter",
    "cobra": "library for creating powerful modern cli applications", "gin": "http web framework",
    "hugo": "static site generator", "bubbletea": "framework for building rich terminal user interfaces",
    "fzf": "command-line fuzzy finder", "ripgrep": "recursively searches the current directory",
    "tokio": "platform for writing asynchronous i/o backed applications", "serde": "deserializing rust data structures",
    "clap": "command line argument parser", "bat": "a cat(1) clone with wings",
}  # fmt: skip
"""Key words of each project's own sentence, in lower case, read on 2026-11-29 in its repository."""
_ABOUT = 2


async def _first_lines(root: Path, cache: str) -> list[str]:
    """Return the statements above the layout, each on one line."""
    environ = {"XDG_CACHE_HOME": cache, "XDG_STATE_HOME": cache}
    flags = {"model": "offline/extractive"}
    app = inarch.compose(root=root, config={}, flags=flags, environ=environ, journal=False)
    try:
        turn = await app.session().run("summarize this codebase")
    finally:
        await app.aclose()
    above = turn.content.partition("\n\n")[2].partition("\n\n")[0]
    return above.replace("\n  ", " ").split("\n")


def main() -> None:
    """Print the first lines of each project, and how many of the known ones hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("projects", nargs="*")
    parser.add_argument("--lines", type=int, default=3)
    given = parser.parse_args()
    held, known = 0, 0
    for root in sorted(path for path in given.folder.iterdir() if path.is_dir()):
        if given.projects and root.name not in given.projects:
            continue
        with tempfile.TemporaryDirectory() as cache:
            lines = asyncio.run(_first_lines(root, cache))
        fact = FACTS.get(root.name)
        is_held = fact is not None and fact in " ".join(lines[:_ABOUT]).lower()
        known, held = known + bool(fact), held + is_held
        print(f"{'ok  ' if is_held else 'FAIL' if fact else '    '} {root.name}")
        for line in lines[: given.lines]:
            print(f"       {line}")
    print(f"{held} of {known} say what a maintainer accepts")


if __name__ == "__main__":
    main()
