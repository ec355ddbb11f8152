"""Permission rules such as `Bash(git push *)`, of `if` and of `permissions` in Claude Code's settings.

Source of the forms: https://code.claude.com/docs/en/permissions and the changelog of github.com/anthropics/claude-code,
2.1.316, November 2026.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from attrs import frozen

import inarch
from inarch.command_lines import split_line

_FORM = re.compile(r"([\w*.-]+)(?:\((.*)\))?", re.DOTALL)
_WRITING, _READING = ("Edit", "Write", "MultiEdit", "NotebookEdit"), ("Read", "Grep", "Glob", "LS")
_PIECES = re.compile(r"[;&|\n(){}`]|\$\(")
_CARRIERS = re.compile(r"\b(?:eval|exec|xargs|env|sudo|(?:ba|z|da)?sh\s+-\w*c)\b")
"""Words that run a command out of other words."""
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=")
_FIELDS = {"Agent": "subagent_type", "Task": "subagent_type", "Skill": "skill"}


@frozen
class Asked:
    """Call that a rule is compared with.

    Args:
        names: Its names for guards, Claude Code's first.
        given: Its arguments as hooks see them.
    """

    names: tuple[str, ...]
    given: Mapping[str, Any]
    effects: inarch.Effects
    root: str


@frozen
class Rule:
    """Rule about calls: a tool's name, and which of its calls.

    Args:
        tool: The name, perhaps with `*`.
        about: What stands in the parentheses; None for all calls.
        decision: `deny`, `ask` or `allow`; empty for `if`.
        is_users: Whether the file is the user's own. Otherwise `allow` counts after a question.
    """

    text: str
    tool: str
    about: str | None
    decision: str = ""
    source: str = ""
    is_users: bool = True

    @classmethod
    def parse(cls, text: str, decision: str = "", source: str = "", is_users: bool = True) -> Rule:
        """Return a rule. One that cannot be read may be about every call."""
        found = _FORM.fullmatch(text.strip())
        tool, about = (found[1], found[2]) if found is not None else ("*", "\0")
        return cls(text, tool, None if about in (None, "", "*") else about, decision, source, is_users)

    def covers(self, asked: Asked) -> bool | None:
        """Return whether it is about a call; None if that cannot be told."""
        if not any(map(self._names, asked.names)):
            return False
        if self.about is None:
            return True
        if self.tool == "Bash":
            return self._covers_command(asked.given.get("command"))
        if self.tool in (*_WRITING, *_READING):
            return self._covers_files(asked)
        if self.tool == "WebFetch" and self.about.startswith("domain:"):
            host = urlsplit(str(asked.given.get("url", ""))).hostname or ""
            return _glob(self.about.removeprefix("domain:"), ".").fullmatch(host) is not None
        if (name := asked.given.get(_FIELDS.get(self.tool, ""))) is not None:
            return bool(name == self.about)
        return None

    def allows(self, asked: Asked) -> bool:
        """Return whether it certainly is about the whole call: of a command line, each command."""
        if self.about is None or self.tool != "Bash":
            return self.covers(asked) is True
        try:
            parts = split_line(str(asked.given.get("command"))).parts
        except inarch.ToolFailed:
            return False
        return "Bash" in asked.names and all(map(self._commands(), (shlex.join(part.words) for part in parts)))

    def granting(self, tool: str, asked: Asked) -> Mapping[str, Any] | None:
        """Return a rule of Inarch's that allows the calls of this one, with the keys of `[[rules]]`."""
        if self.tool == "Bash" and self.about and "Bash" in asked.names:
            glob = re.sub(r"[\[?]", r"[\g<0>]", re.sub(r":\*$", " *", self.about))
            return {"tool": tool, "decision": "allow", "match": {"command": glob}}
        return {"tool": tool, "decision": "allow"} if self.allows(asked) else None

    def _names(self, name: str) -> bool:
        same = (_WRITING if self.tool in _WRITING else _READING if self.tool == "Read" else ()) if self.about else ()
        if name == self.tool or name in same or name.startswith(f"{self.tool}__"):
            return True
        return "*" in self.tool and _glob(self.tool, "\0").fullmatch(name) is not None

    def _covers_command(self, line: object) -> bool | None:
        if not isinstance(line, str):
            return None
        try:
            pieces, is_plain = [shlex.join(part.words) for part in split_line(line).parts], True
        except inarch.ToolFailed:
            pieces, is_plain = (
                _PIECES.split(re.sub(r"[\"']", "", line)),
                line.count("'") % 2 == line.count('"') % 2 == 0,
            )
        if any(map(self._commands(), pieces)):
            return True
        return False if is_plain and not _CARRIERS.search(line) else None

    def _commands(self) -> Callable[[str], bool]:
        about = self.about or ""
        is_prefix = about.endswith((":*", " *"))
        pattern = _glob(about[:-2] if is_prefix else about, "\0").pattern + (r"(?:\s.*)?" if is_prefix else "")

        def is_covered(command: str) -> bool:
            try:
                words = shlex.split(command)
            except ValueError:
                words = command.split()
            while words and _ASSIGNED.match(words[0]):
                del words[0]
            return re.fullmatch(pattern, " ".join(words), re.DOTALL) is not None

        return is_covered

    def _covers_files(self, asked: Asked) -> bool | None:
        effects = asked.effects
        files = effects.writes if self.tool in _WRITING else effects.reads
        if not files:
            return None if effects.exclusive else False
        patterns = list(self._paths(asked.root))
        paths = [str(Path(asked.root, file.removeprefix("+"))) for file in files]
        return any(pattern.match(path) for path in paths for pattern in patterns)

    def _paths(self, root: str) -> Iterator[re.Pattern[str]]:
        """Yield patterns of absolute paths: `//` begins one, `~/` is home, and everything else is in the project."""
        about = (self.about or "").removeprefix("./")
        home = str(Path.home())
        if about.startswith("//"):
            place = about[1:]
        elif about.startswith("~/"):
            place = home + about[1:]
        elif "/" not in about.removesuffix("/**") and not (self.decision == "" and about.endswith("/**")):
            place = f"{root}/**/{about}"  # as in .gitignore
        else:
            place = f"{root}/{about.lstrip('/')}"
        yield re.compile(_glob(place, "/").pattern + r"(?:/.*)?\Z", re.DOTALL)


def _glob(text: str, between: str) -> re.Pattern[str]:
    """Return the pattern of a glob: `*` stays within parts, `**` does not."""
    found = _STAR.sub(lambda part: _STARS[part[0].count("*"), part[0][-1] == "/"], re.escape(text))
    return re.compile(found.replace("<between>", re.escape(between)), re.DOTALL)


_STAR = re.compile(r"\\\*\\\*/|\\\*\\\*|\\\*")
_STARS = {(2, True): "(?:.*/)?", (2, False): ".*", (1, False): "[^<between>]*"}


def read_rules(permissions: Any, source: str, is_users: bool) -> Iterator[Rule]:
    """Yield the rules of a settings file."""
    for decision in ("deny", "ask", "allow") if isinstance(permissions, dict) else ():
        rules = permissions.get(decision)
        texts = [text for text in (rules if isinstance(rules, list) else ()) if isinstance(text, str)]
        yield from (Rule.parse(text, decision, source, is_users) for text in texts)


def judged(rules: Iterable[Rule], asked: Asked) -> tuple[str, str]:
    """Return the decision of permission rules about a call and its reason; empty for none.

    A rule that may be about the call asks.
    """
    found = ("", "")
    for rule in rules:
        if rule.decision == "allow":
            is_allowed = not found[0] and rule.is_users and rule.allows(asked)
            found = ("allow", _why(rule)) if is_allowed else found
            continue
        covers = rule.covers(asked)
        if covers and rule.decision == "deny":
            return "deny", _why(rule)
        if covers is not False:
            found = ("ask", _why(rule))
    return found


def _why(rule: Rule) -> str:
    return f'"{rule.text}" in permissions.{rule.decision} of {rule.source}'
