"""Files in other languages than Python: which of them can be looked at here, and what reads them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

from attrs import define, field

from inarch_brief_tracer.facts.file_facts import Facts
from inarch_brief_tracer.facts.other_languages import facts_of_other
from inarch_brief_tracer.facts.parsing import as_text

if TYPE_CHECKING:
    from inarch_languages import Apart

INSTALLING = "pip install 'inarch[languages]'"


class Others(NamedTuple):
    """Files whose language can be read, and how many of each language can't."""

    paths: list[str]
    unread: Mapping[str, int]

    @property
    def note(self) -> str:
        """Say what is not looked at, and what to install."""
        if not self.unread:
            return ""
        parts = [f"{count:,} {name}" for name, count in sorted(self.unread.items(), key=lambda item: -item[1])]
        total = sum(self.unread.values())
        return f"{' and '.join(parts)} file{'s are' if total != 1 else ' is'} not looked at: {INSTALLING}"


def looked_at(paths: Iterable[str]) -> Others:
    """Tell which files have a grammar here."""
    # Here: where everything is Python, nothing of this is loaded.
    from inarch_languages.table import language_of

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
    """Reads files of other languages in a process of its own, which begins with the first one."""

    _apart: Apart | None = field(default=None, init=False)

    def read(self, path: str, data: bytes) -> tuple[Facts, str]:
        """Give the facts of a file and its text; what is too large or is no text has neither symbols nor words."""
        if self._apart is None:
            from inarch_languages import Apart

            self._apart = Apart()
        facts = facts_of_other(self._apart.read(path, data))
        return facts, "" if facts.unparsable else as_text(data).replace("\r\n", "\n").replace("\r", "\n")

    def close(self) -> None:
        """End the process."""
        if self._apart is not None:
            self._apart.close()
            self._apart = None
