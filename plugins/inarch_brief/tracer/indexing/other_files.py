"""Files in other languages than Python: the readable ones, their reader, and their facts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

from attrs import define, field

from inarch_brief.tracer.facts.file_facts import (
    CLASS,
    FULL,
    FUNCTION,
    LIGHT,
    METHOD,
    NESTED,
    TESTING,
    Call,
    Facts,
    Import,
    Shown,
    Symbol,
)
from inarch_brief.tracer.facts.parser import as_text
from inarch_brief.tracer.facts.source import first_paragraph, sound

if TYPE_CHECKING:
    from inarch_brief.languages import Apart, Entry, FileFacts
    from inarch_brief.languages import Symbol as Read


_TESTING = re.compile(r"#\[(?:cfg\((?:all\()?test\b|(?:\w+::)*test\b|rstest\b)")
"""Attributes above a Rust test, and above a module of tests in product code."""


def facts_of_other(found: FileFacts) -> Facts:
    """Convert the facts that a language reader found."""
    kinds = {symbol.name: symbol.kind for symbol in found.symbols}
    return Facts(
        LIGHT if found.problem else FULL,
        tuple([_symbol(symbol, kinds) for symbol in found.symbols]),
        tuple([Import(item.name, item.source, item.target, item.line) for item in found.imports]),
        tuple([Call(sound(call.callee), call.line, call.scope) for call in found.calls]),
        unparsable=found.problem,
        language=found.language,
        package=found.package,
        shown=tuple([_shown(entry) for entry in found.entries]),
        handed=(*found.exports, *[(item.name, item.name) for item in found.imports if item.exported]),
    )


def _shown(entry: Entry) -> Shown:
    kind, name, scope, line, how, target = entry
    return Shown(kind, sound(name), scope, line, sound(how), sound(target))


def _symbol(symbol: Read, kinds: dict[str, str]) -> Symbol:
    around = kinds.get(symbol.name.rpartition(".")[0], "")
    flags = NESTED if around in (FUNCTION, METHOD) and symbol.kind in (FUNCTION, CLASS) else 0
    flags |= TESTING if any(map(_TESTING.match, symbol.annotations)) else 0
    return Symbol(
        symbol.kind, sound(symbol.name), symbol.line, symbol.end, sound(symbol.signature),
        first_paragraph(sound(symbol.doc)), tuple(map(sound, symbol.annotations)), symbol.bases, flags, symbol.first,
    )  # fmt: skip


INSTALLING = "pip install 'inarch[languages]'"


class Others(NamedTuple):
    """Files in readable languages, and the number of files in each unreadable one."""

    paths: list[str]
    unread: Mapping[str, int]

    @property
    def note(self) -> str:
        """A note on the unreadable files and the package to install."""
        if not self.unread:
            return ""
        parts = [f"{count:,} {name}" for name, count in sorted(self.unread.items(), key=lambda item: -item[1])]
        total = sum(self.unread.values())
        return f"{' and '.join(parts)} file{'s are' if total != 1 else ' is'} not indexed: {INSTALLING}"


def looked_at(paths: Iterable[str]) -> Others:
    """Return which files have an installed grammar."""
    # Imported here, so that a pure Python tree does not load it.
    from inarch_brief.languages.table import language_of

    kept: list[str] = []
    unread: Counter[str] = Counter()
    for path in paths:
        language = language_of(path)
        if language is None:
            continue
        if _is_installed(language.grammar):
            kept.append(path)
        else:
            unread[language.name] += 1
    return Others(kept, unread)


@cache
def _is_installed(grammar: str) -> bool:
    return find_spec("tree_sitter") is not None and find_spec(grammar) is not None


@define(eq=False, repr=False)
class OtherReader:
    """Reader of other languages in a separate process, started by the first file."""

    _apart: Apart | None = field(default=None, init=False)

    def read(self, path: str, data: bytes) -> tuple[Facts, str]:
        """Return the facts of a file and its text. Large or binary files have neither symbols nor words."""
        if self._apart is None:
            from inarch_brief.languages import Apart

            self._apart = Apart()
        facts = facts_of_other(self._apart.read(path, data))
        return facts, "" if facts.unparsable else as_text(data).replace("\r\n", "\n").replace("\r", "\n")

    def close(self) -> None:
        """End the process."""
        if self._apart is not None:
            self._apart.close()
            self._apart = None
