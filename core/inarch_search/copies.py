"""Scripts that are made from others, told by where the source stands: `lib/a.js` and `src/a.ts`."""

from __future__ import annotations

import re
from collections.abc import Iterable

# Both are compiled where there is such a source: each question on the command line is a process.
_SOURCE = r"(?P<above>(?:.*/)?)src/(?P<rest>.+)\.(?:[mc]?ts|tsx|coffee)$"
_MADE = r"(?P<stem>.+?)(?:\.d)?\.(?:[mc]?js|[mc]?ts)$"
_WRITTEN_IN = ("ts", "tsx", "coffee")
_INTO = frozenset(
    ("lib", "dist", "build", "out", "es", "esm", "cjs", "umd", "mjs", "module", "commonjs", "browser", "node")
)
"""Folders that compilers write into."""


def compiled(paths: Iterable[str]) -> set[str]:
    """Give the scripts among some files whose source stands in `src` under the same name."""
    known = list(paths)
    written = (path for path in known if "src/" in path and path.endswith(_WRITTEN_IN) and ".d." not in path)
    sources = {found["above"] + found["rest"] for path in written if (found := re.match(_SOURCE, path))}
    if not sources:
        return set()
    return {path for path in known if (made := re.match(_MADE, path)) and not sources.isdisjoint(_beside(made["stem"]))}


def _beside(stem: str) -> list[str]:
    """Give what the source of a script may be called: as it is, or without the folder that it was written into."""
    parts = stem.split("/")
    if "src" in parts:
        return []
    shorter = ("/".join(parts[:place] + parts[place + 1 :]) for place, part in enumerate(parts[:-1]) if part in _INTO)
    return [stem, *shorter]
