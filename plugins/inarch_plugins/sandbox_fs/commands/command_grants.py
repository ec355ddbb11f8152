"""The user's `[commands.NAME]`: the words that one takes, and the one that would allow a command."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Mapping, Sequence
from typing import Any

Grants = Mapping[str, Any]
"""Grants by name; each has `argv`, whose last `*` matches any further words, `writes`, `network`, `env` and `stdin`."""


def matching(words: Sequence[str], grants: Grants, fed: bool = False) -> tuple[str, int] | None:
    """Return the name of the grant that takes these words and how many of them it names; exact ones go first.

    A command that is `fed`, so after a pipe, is not an exact one without `stdin`: its input may be code.
    """
    best: tuple[str, int] | None = None
    for name, grant in grants.items():
        argv = tuple(grant.argv)
        if argv == tuple(words) and (grant.stdin or not fed):
            return name, len(words)
        fixed = argv[:-1]
        if argv[-1:] == ("*",) and fixed and tuple(words[: len(fixed)]) == fixed and (not best or len(fixed) > best[1]):
            best = name, len(fixed)
    return best


def network(grant: Any) -> dict[str, Any]:
    """Return a grant's network settings as fields of `Rights`."""
    granted = grant.network
    return {"network": granted} if isinstance(granted, bool) else {"hosts": tuple(granted)}


def allowing(words: Sequence[str], grants: Container[str], fed: bool = False) -> str:
    """Return the configuration lines that would allow exactly these words, under a name of their own."""
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", words[0].rpartition("/")[2]).strip("-") or "command"
    name, count = stem, 2
    while name in grants:
        name, count = f"{stem}-{count}", count + 1
    return f"[commands.{name}]\nargv = {json.dumps(list(words), ensure_ascii=False)}" + "\nstdin = true" * fed
