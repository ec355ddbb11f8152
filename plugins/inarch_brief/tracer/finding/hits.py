"""Symbols as answers: read from the index, and weighted by kind and role."""

from __future__ import annotations

from typing import Any, NamedTuple

from inarch_brief.search.formats import APART
from inarch_brief.tracer.facts.file_facts import (
    ALIAS,
    CLASS,
    CONSTANT,
    DEPRECATED,
    FUNCTION,
    METHOD,
    MODULE,
    NESTED,
    OVERLOAD,
    STUB,
)
from inarch_brief.tracer.facts.modules import CODE, EXAMPLE, TEST, TEXT, VENDORED
from inarch_brief.tracer.facts.source import first_sentence

_ROLES = {CODE: 1.0, TEST: 0.35, EXAMPLE: 0.5, VENDORED: 0.4, TEXT: 0.3}
_KINDS = {MODULE: 0.55, CLASS: 0.75, FUNCTION: 1.0, METHOD: 1.0, CONSTANT: 0.6}
_FLAGS = {OVERLOAD: 0.2, STUB: 0.5, DEPRECATED: 0.5, NESTED: 0.8, ALIAS: 0.6}

JOINED = (
    "SELECT s.id, f.path, f.module, f.role, f.id, s.place, s.dotted, s.kind, s.line, s.end, s.signature, s.doc, s.flags"
    " FROM symbols s JOIN files f ON f.id = s.file"
)
"""The query for the fields of `Hit`."""


SCANNED = -1
"""The place of a symbol without facts: one of a test, a section, a setting."""


class Hit(NamedTuple):
    """A symbol with its place and its score as an answer."""

    id: int
    path: str
    module: str
    role: str
    file: int
    place: int
    dotted: str
    kind: str
    line: int
    end: int
    signature: str
    doc: str
    flags: int
    score: float = 0.0
    reasons: tuple[str, ...] = ()
    """The words, or the name, that matched."""

    @property
    def qualname(self) -> str:
        """Module and name: `click.core.Command.invoke`; for a text its path and headings: `README.md > Usage`."""
        if self.role == TEXT:
            return self.dotted
        return f"{self.module}.{self.dotted}" if self.dotted else self.module

    @property
    def key(self) -> tuple[int, int, str]:
        """The identity of a symbol: file, line and name."""
        return self.file, self.line, self.dotted

    @property
    def name(self) -> str:
        """The last part of the qualified name."""
        if self.role == TEXT:
            return self.dotted.rpartition(APART)[2]
        return self.qualname.rpartition(".")[2]


def order(hit: Hit) -> tuple[float, str, int]:
    """Return the sort key: score, then place, so that the order never depends on the index's history."""
    return -round(hit.score, 6), hit.path, hit.line


def preference(hit: Hit, is_bare: bool) -> float:
    """Return the weight of a symbol by kind and role. For a bare name, a class is as likely as a function."""
    name = hit.name
    special = 0.8 if name.startswith("__") and name.endswith("__") else 1.0
    return _ROLES[hit.role] * (1.0 if is_bare and hit.kind == CLASS else _KINDS[hit.kind]) * _worth(hit) * special


def flagged(hit: Hit) -> Hit:
    """Lower the score of aliases, stubs, and deprecated or nested symbols."""
    return hit._replace(score=hit.score * _worth(hit))


def _worth(hit: Hit) -> float:
    return next((factor for flag, factor in _FLAGS.items() if hit.flags & flag), 1.0)


def described(hit: Hit) -> dict[str, Any]:
    """Return a symbol as the tools show it."""
    return {
        "qualname": hit.qualname,
        "kind": hit.kind,
        "file": hit.path,
        "line": hit.line,
        "end_line": hit.end,
        "signature": hit.signature,
        "doc": first_sentence(hit.doc),
        "score": round(hit.score, 3),
        "test": hit.role == TEST,
        "reasons": list(hit.reasons),
    }
