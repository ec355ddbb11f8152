"""Scripts that are made from others, told by where the source stands: `lib/a.js` and `src/a.ts`."""

from __future__ import annotations

import re
from collections.abc import Iterable

_SOURCE = re.compile(r"(?P<above>(?:.*/)?)src/(?P<rest>.+)\.(?:[mc]?ts|tsx|coffee)$")
_MADE = re.compile(r"(?P<stem>.+?)(?:\.d)?\.(?:[mc]?js|[mc]?ts)$")
_INTO = frozenset(
    ("lib", "dist", "build", "out", "es", "esm", "cjs", "umd", "mjs", "module", "commonjs", "browser", "node")
)
"""Folders that compilers write into."""


def compiled(paths: Iterable[str]) -> set[str]:
    """Give the scripts among some files whose source stands in `src` under the same name."""
    known = list(paths)
    read = (
        _SOURCE.match(path) for path in known if "src/" in path and not path.endswith((".d.ts", ".d.mts", ".d.cts"))
    )
    sources = {found["above"] + found["rest"] for found in read if found}
    if not sources:
        return set()
    return {path for path in known if (made := _MADE.match(path)) and not sources.isdisjoint(_beside(made["stem"]))}


def _beside(stem: str) -> list[str]:
    """Give what the source of a script may be called: as it is, or without the folder that it was written into."""
    parts = stem.split("/")
    if "src" in parts:
        return []
    shorter = ("/".join(parts[:place] + parts[place + 1 :]) for place, part in enumerate(parts[:-1]) if part in _INTO)
    return [stem, *shorter]
