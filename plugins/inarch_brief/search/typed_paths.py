"""The paths that fit what was typed of one, and how one is written behind an `@`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from heapq import nsmallest

MOST_SHOWN = 50


def ranked(typed: str, paths: Sequence[str]) -> list[str]:
    """Return the paths that `typed` fits: beginning with it, then with a name that does, then with it anywhere."""
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
    """Return a path as it is written after an `@`."""
    return re.sub(r"([\\\s])", r"\\\1", path)


def unescaped(word: str) -> str:
    """Return the path that a word after an `@` means; what is still typed may end in half an escape."""
    return re.sub(r"\\(.?)", r"\1", word, flags=re.DOTALL)


def with_folders(paths: Iterable[str]) -> Iterator[str]:
    """Yield the paths, and before the first one in it each folder, with a slash at its end."""
    known: set[str] = set()
    for path in paths:
        place = path.rfind("/")
        while place > 0 and path[: place + 1] not in known:
            known.add(path[: place + 1])
            yield path[: place + 1]
            place = path.rfind("/", 0, place)
        yield path
