"""Completions for a `!` line: programs of the search path, then paths of the workspace; runs nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

from inarch_plugins.terminal.conversation.path_index import PathIndex

MOST_SHOWN = 100
MOST_FOLDERS = 100
MOST_NAMES = 20_000
"""Maximum number of names read from one folder of the search path."""

_WORD = re.compile(r"(?:\\.|[^\s\\|&;])*\\?\Z", re.S)
_ASSIGNMENTS = re.compile(r"\s*(?:[A-Za-z_][A-Za-z0-9_]*=\S*\s+)*")
_SPECIAL = re.compile(r"([^\w@%+=:,./-])")


def completed(line: str, paths: PathIndex) -> Iterator[tuple[str, str, str]]:
    """Yield replacement, name and plain word for each completion of the last word."""
    found = _WORD.search(line)
    raw = found[0] if found else ""
    meant = re.sub(r"\\(.?)", r"\1", raw, flags=re.S)
    before = re.split(r"[|&;]", line.removesuffix(raw))[-1]
    if _ASSIGNMENTS.fullmatch(before) and "/" not in meant:
        names = programs(meant, os.environ.get("PATH", "")) if meant else []
    else:
        names = [path for path in paths.below(meant) if path.isprintable()]
    end = " " if len(names) == 1 and not names[0].endswith("/") else ""
    for name in names[:MOST_SHOWN]:
        yield _SPECIAL.sub(r"\\\1", name) + end, name, raw


def programs(typed: str, search_path: str) -> list[str]:
    """Return the programs with this prefix in order; relative folders of the search path are ignored."""
    found: set[str] = set()
    for folder in dict.fromkeys(search_path.split(os.pathsep)[:MOST_FOLDERS]):
        if Path(folder).is_absolute():
            with suppress(OSError), os.scandir(folder) as entries:
                some = (entry for entry in islice(entries, MOST_NAMES) if entry.name.startswith(typed))
                can_run = (one for one in some if one.is_file() and os.access(one, os.X_OK))
                found.update(one.name for one in can_run if one.name.isprintable())
    return sorted(found)
