"""Completions for a `!` line: programs of the search path, then paths of the workspace; runs nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from attrs import frozen

from inarch_plugins.terminal.conversation.path_index import PathIndex

MOST_SHOWN = 100
MOST_FOLDERS = 100
MOST_NAMES = 20_000
"""Maximum number of names read from one folder of the search path."""

_WORD = re.compile(r"(?:\\.|[^\s\\|&;])*\\?\Z", re.S)
_ASSIGNMENTS = re.compile(r"\s*(?:[A-Za-z_][A-Za-z0-9_]*=\S*\s+)*")
_SPECIAL = re.compile(r"([^\w@%+=:,./-])")


@frozen
class Typed:
    """The word before the cursor: as typed, unquoted, and whether it names a program."""

    raw: str
    meant: str
    is_program: bool


def last_word(line: str) -> Typed:
    """Return the word that is being typed; the first word of a command names a program, also after `VAR=value`."""
    found = _WORD.search(line)
    raw = found[0] if found else ""
    before = re.split(r"[|&;]", line.removesuffix(raw))[-1]
    return Typed(raw, re.sub(r"\\(.?)", r"\1", raw, flags=re.S), bool(_ASSIGNMENTS.fullmatch(before)))


def completed(line: str, paths: PathIndex) -> Iterator[tuple[str, str, str]]:
    """Yield replacement, name and plain word for each completion of the last word."""
    word = last_word(line)
    if word.is_program and "/" not in word.meant:
        names = programs(word.meant, os.environ.get("PATH", "")) if word.meant else []
    else:
        names = [path for path in paths.below(word.meant) if path.isprintable()]
    end = " " if len(names) == 1 and not names[0].endswith("/") else ""
    for name in names[:MOST_SHOWN]:
        yield _SPECIAL.sub(r"\\\1", name) + end, name, word.raw


def programs(typed: str, search_path: str) -> list[str]:
    """Return the programs with this prefix in order; relative folders of the search path are ignored."""
    found: set[str] = set()
    for folder in dict.fromkeys(search_path.split(os.pathsep)[:MOST_FOLDERS]):
        if Path(folder).is_absolute():
            found.update(_programs_in(folder, typed))
    return sorted(found)


def _programs_in(folder: str, typed: str) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            for entry in islice(entries, MOST_NAMES):
                if entry.name.startswith(typed) and entry.name.isprintable() and _can_run(Path(entry.path)):
                    yield entry.name
    except OSError:
        return


def _can_run(path: Path) -> bool:
    return os.access(path, os.X_OK) and path.is_file()
