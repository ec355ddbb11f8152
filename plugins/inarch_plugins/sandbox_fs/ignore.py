"""Rules of `.gitignore` files: one regular expression for all names of a kind.

Meaning: gitignore(5). A rule with a slash has two parts. The directories are decided once for each directory. The last
name is decided like a rule without a slash.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from attrs import define, evolve, field

from inarch_plugins.sandbox_fs.globs import folder_regex, name_regex


@define(eq=False, repr=False)
class Rule:
    """One line: the names it matches, and in which directories (None: all below the file)."""

    name: str
    negated: bool
    folders_only: bool
    folders: Callable[[str], object] | None
    _matches: Callable[[str], object] | None = None

    def matches(self, name: str) -> bool:
        """Return whether a name matches, regardless of directory and kind."""
        if self._matches is None:
            self._matches = re.compile(name_regex(self.name, strict=True)).fullmatch
        return self._matches(name) is not None


def parse_rules(text: str) -> list[Rule]:
    """Read the rules of a file in order."""
    lines = text.removeprefix("\ufeff").split("\n")
    return [rule for line in lines if (rule := _parse_line(line.removesuffix("\r"))) is not None]


def _parse_line(line: str) -> Rule | None:
    line = _without_trailing_spaces(line)
    if not line or line.startswith("#"):
        return None
    negated = line.startswith("!")
    line = line[negated:]
    folders_only = line.endswith("/")
    line = line.removesuffix("/")
    if not line:
        return None
    if "/" not in line:
        return Rule(line, negated, folders_only, None)
    *components, name = line.removeprefix("/").split("/")
    if not name:
        return None  # `//`, `a//`: names are never empty
    if name == "**":
        components, name = [*components, "**"], "*"
    if components == ["**"]:
        return Rule(name, negated, folders_only, None)
    return Rule(name, negated, folders_only, re.compile(folder_regex(components, strict=True)).fullmatch)


def _without_trailing_spaces(line: str) -> str:
    end = len(line)
    while end and line[end - 1] == " ":
        if (end - len(line[: end - 1].rstrip("\\")) - 1) % 2:
            break
        end -= 1
    return line[:end]


@define(eq=False, repr=False)
class RuleFile:
    """Rules of one file; `base` is its directory with a `/` at the end, empty for the root."""

    base: str
    rules: Sequence[Rule]
    everywhere: bool = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.everywhere = all(rule.folders is None for rule in self.rules)

    def active(self, folder: str) -> list[Rule]:
        """Return the rules for names in a directory below the base (written with `/` at its end)."""
        below = folder[len(self.base) :]
        return [rule for rule in self.rules if rule.folders is None or rule.folders(below)]


def _any_of(names: Sequence[str]) -> Callable[[str], object] | None:
    return re.compile("|".join(name_regex(one, strict=True) for one in names)).fullmatch if names else None


@define(eq=False, repr=False)
class Matcher:
    """Matcher for names of one kind by a fixed list of rules; the last match wins."""

    rules: Sequence[Rule]
    _ignoring: Callable[[str], object] | None = field(init=False)
    _keeping: Callable[[str], object] | None = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._ignoring = _any_of([rule.name for rule in self.rules if not rule.negated])
        self._keeping = _any_of([rule.name for rule in self.rules if rule.negated])

    def ignored(self, names: Sequence[str]) -> set[str]:
        """Return the ignored names among those given."""
        found = set(filter(self._ignoring, names)) if self._ignoring else set()
        # Only names matched by rules of both kinds need the rules in order.
        return {name for name in found if not (self._keeping and self._keeping(name)) or self._decided(name)}

    def _decided(self, name: str) -> bool:
        return not next(rule for rule in reversed(self.rules) if rule.matches(name)).negated


@define(eq=False, repr=False)
class Ignore:
    """All rules in force in one directory."""

    files: tuple[RuleFile, ...] = ()
    in_repository: bool = False
    """Whether the directory is in a Git repository; outside one, rule files do not count."""
    _rules: tuple[Rule, ...] = ()
    _matchers: dict[tuple[Rule, ...], tuple[Matcher, Matcher]] = field(factory=dict)

    def enter(self, folder: str) -> Ignore:
        """Return the rules in force in a directory below (written with `/` at its end)."""
        if all(file.everywhere for file in self.files):
            return self
        rules = tuple(rule for file in self.files for rule in file.active(folder))
        return self if rules == self._rules else evolve(self, rules=rules)

    def add(self, folder: str, text: str) -> Ignore:
        """Return the rules plus those of another file of this directory; nearer files win."""
        file = RuleFile(folder, parse_rules(text))
        return evolve(self, files=(*self.files, file), rules=(*self._rules, *file.active(folder)))

    def found_repository(self) -> Ignore:
        """Return the rules in force in a directory that begins a repository."""
        return self if self.in_repository else evolve(self, in_repository=True)

    def ignored(self, names: Sequence[str], folders: bool) -> set[str]:
        """Return the names in this directory that are ignored."""
        if not self._rules or not names:
            return set()
        pair = self._matchers.get(self._rules)
        if pair is None:
            for_files = Matcher([rule for rule in self._rules if not rule.folders_only])
            pair = self._matchers[self._rules] = (for_files, Matcher(self._rules))
        return pair[folders].ignored(names)
