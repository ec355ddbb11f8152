"""Completion of typed paths, and their escapes behind an `@`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from heapq import nsmallest

MOST_SHOWN = 50


def ranked(typed: str, paths: Sequence[str]) -> list[str]:
    """Return the paths that contain `typed`: first those that begin with it, then those with a name that does."""
    wanted = typed.lower()
    if not wanted:
        return nsmallest(MOST_SHOWN, paths, key=_shallow_first)
    fitting = [(path, path.lower()) for path in paths if wanted in path.lower()]
    first = nsmallest(MOST_SHOWN, fitting, key=lambda both: (_rank(wanted, both[1]), *_shallow_first(both[0])))
    return [path for path, _ in first]


def _rank(wanted: str, path: str) -> int:
    if path.startswith(wanted):
        return 0
    return 1 if f"/{wanted}" in path else 2


def _shallow_first(path: str) -> tuple[int, str]:
    return path.rstrip("/").count("/"), path


def escaped(path: str) -> str:
    """Escape a path for use behind an `@`."""
    return re.sub(r"([\\\s])", r"\\\1", path)


def unescaped(word: str) -> str:
    """Return the path that a word after an `@` means. The last escape may be incomplete."""
    return re.sub(r"\\(.?)", r"\1", word, flags=re.DOTALL)


def with_folders(paths: Iterable[str]) -> Iterator[str]:
    """Yield the paths, and each folder with a final slash before its first path."""
    known: set[str] = set()
    for path in paths:
        place = path.rfind("/")
        while place > 0 and path[: place + 1] not in known:
            known.add(path[: place + 1])
            yield path[: place + 1]
            place = path.rfind("/", 0, place)
        yield path
