"""Typed records of rules, commands and isolation; loaded only if a file has such tables."""

# ruff: noqa: RUF009 - key is attrs.field with a sentence for people
from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal

from attrs import field, frozen

from inarch.config.profile import COUNT, NAME, POSITIVE, Profile
from inarch_lib.confinement.hosts import is_host
from inarch_sdk.settings import Check, key


def _is_inside(text: str) -> bool:
    return "\0" not in text and not text.startswith("/") and ".." not in text.split("/")


def _is_argv(words: Sequence[str]) -> bool:
    from unicodedata import category  # unused without grants

    hidden = (char for word in words for char in word if category(char) in _UNSEEN and char not in "\t\n")
    if not words or not all(words) or next(hidden, ""):
        return False
    return ANY_FURTHER not in words[:-1] and words[0] != ANY_FURTHER


_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Character categories that a command must not contain, so that such a grant would never match."""
_SEEN = r"^[^\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\ufeff]*$"
ANY_FURTHER = "*"
"""Last word of a grant: any further words, or none."""
_ARGV = Check(
    _is_argv,
    "a list of words without hidden characters, such as ['pytest', '-q', '*']; a last '*' means any further ones",
    {"minItems": 1, "items": {"type": "string", "pattern": _SEEN}},
)
_INSIDE = Check(_is_inside, "a path inside the project", {"pattern": r"^(?!/)(?!(.*/)?\.\.(/|$)).*$"})
_HOST = Check(
    is_host,
    "a host such as 'pypi.org', '*.example.org', 'example.org:8443' or '127.0.0.1:5000' (a name beyond ASCII as xn--…)",
    {"pattern": r"^((\*\.)?[A-Za-z0-9_][A-Za-z0-9_.-]*(/[0-9]+)?|\[?[0-9A-Fa-f:.]*:[0-9A-Fa-f:./]*\]?)(:[0-9]+)?$"},
)


def _network() -> Any:
    doc = "Whether it may use the network; a list names the hosts that it may reach, through a proxy."
    return key(doc, False, _HOST, each=True)


@frozen
class Rule:
    """One of `[[rules]]`: the decision about the calls it matches; the strictest matching rule holds."""

    tool: str = key("The tool's name, or a glob over names.", check=NAME)
    decision: Literal["allow", "ask", "deny"] = key("The decision about a call that matches.")
    match: Mapping[str, str] = key("Argument names and globs over their values; all must match.", {})
    path: str | None = key("A glob over the paths that the call touches.", None)
    reason: str = key("Shown with the decision.", "")
    expires: date | datetime | None = key("The last day, or the moment, the rule applies; unset: always.", None)

    def counts_at(self, now: datetime) -> bool:
        """Return whether the rule has not expired at `now` (aware); days and times without a zone are local."""
        if self.expires is None:
            return True
        if isinstance(self.expires, datetime):
            return now < (self.expires if self.expires.tzinfo else self.expires.astimezone())
        end = datetime.combine(self.expires + timedelta(days=1), time()).astimezone()
        return now.astimezone(UTC) < end.astimezone(UTC)

    def __str__(self) -> str:
        """Return the rule as its line of a file, with its decision and reason."""
        parts = [f"tool = {json.dumps(self.tool)}"]
        if self.match:
            parts.append(
                "match = {" + ", ".join(f"{key} = {json.dumps(glob)}" for key, glob in self.match.items()) + "}"
            )
        if self.path is not None:
            parts.append(f"path = {json.dumps(self.path)}")
        line = f"the rule {', '.join(parts)} says {self.decision}"
        return f"{line}: {self.reason}" if self.reason else line


@frozen
class CommandGrant:
    """One of `[commands.NAME]`: a command that runs without a question."""

    name: str = field(metadata={"key": False})
    argv: tuple[str, ...] = key("The words of the command; a last `*` means any further ones.", check=_ARGV)
    writes: tuple[str, ...] = key(
        "Paths it may write; a trailing / is a subtree, an empty one the whole workspace.", ("",), _INSIDE, each=True
    )
    network: bool | tuple[str, ...] = _network()
    env: tuple[str, ...] = key("Variables that are passed on to it.", (), NAME, each=True)
    stdin: bool = key("Whether exact words may read what another command pipes into them.", False)

    @property
    def reaches(self) -> str:
        """Description of the reachable network; empty for none."""
        return ", ".join(self.network) if isinstance(self.network, tuple) else "the network" if self.network else ""

    def covers(self, words: Sequence[str], *, fed: bool = False) -> bool:
        """Return whether this grants a command of these words; `fed` is one that reads from a pipe."""
        *begin, last = self.argv
        if last == ANY_FURTHER:
            return list(words[: len(begin)]) == begin
        return tuple(words) == self.argv and (self.stdin or not fed)


@frozen
class Isolation:
    """One of `[isolation.NAME]`: where a plugin runs and what it may do there."""

    mode: Literal["in-process", "process"] = key("Where the plugin's code runs.", "in-process")
    network: bool | tuple[str, ...] = _network()
    write: tuple[str, ...] = key(
        "Paths it may write; a trailing / is a subtree, an empty one the whole project, '*' anywhere.",
        (),
        _INSIDE,
        each=True,
    )
    env: tuple[str, ...] = key("Variables that are passed on to it.", (), NAME, each=True)
    children: bool = key("Whether its tools may have child sessions, whose calls are judged as any model's.", False)
    memory_mb: int | None = key("Memory it may use, in MiB; unset: no limit.", None, COUNT)
    seconds: float | None = key("Processor time it may use; unset: no limit.", None, POSITIVE)


TABLES: Mapping[str, type] = {"profiles": Profile, "isolation": Isolation, "rules": Rule, "commands": CommandGrant}
"""The class of each kind of table in a file, except `[plugins.NAME]`, whose classes are the plugins'."""
