"""The user's `[[rules]]` as a policy: the strictest rule that matches a call holds."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from attrs import define, field

from inarch.calls.ordering import components, normalised
from inarch.contract.ports import Tool
from inarch.contract.records import Effects, ToolCall, Verdict

if TYPE_CHECKING:
    from inarch.config import Rule

PATH_ARGUMENTS = ("file_path", "new_path", "path", "directory", "file_paths", "paths")
_STRICTNESS = {"allow": 0, "ask": 1, "deny": 2}


def _now() -> datetime:
    return datetime.now(UTC)


def _in_order(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    return tuple(rules)


@define(eq=False, repr=False)
class RulesPolicy:
    """Judges by the configured rules; a call that no rule matches is allowed without a reason.

    A rule that allows with `path` needs every path of the call to match; one that asks or denies needs one.
    """

    rules: tuple[Rule, ...] = field(converter=_in_order)
    now: Callable[[], datetime] = _now
    name: str = field(init=False, default="rules")

    def judge(self, call: ToolCall, tool: Tool) -> Verdict:
        """Return the strictest decision among the rules that match and have not expired."""
        found: Rule | None = None
        for rule in self.rules:
            stricter = found is None or _STRICTNESS[rule.decision] > _STRICTNESS[found.decision]
            if stricter and _matches(rule, call, tool) and rule.counts_at(self.now()):
                found = rule
        return Verdict("allow") if found is None else Verdict(found.decision, _said(found))


def _said(rule: Rule) -> str:
    parts = [f"tool = {json.dumps(rule.tool)}"]
    if rule.match:
        parts.append("match = {" + ", ".join(f"{key} = {json.dumps(glob)}" for key, glob in rule.match.items()) + "}")
    if rule.path is not None:
        parts.append(f"path = {json.dumps(rule.path)}")
    told = f"the rule {', '.join(parts)} says {rule.decision}"
    return f"{told}: {rule.reason}" if rule.reason else told


def _matches(rule: Rule, call: ToolCall, tool: Tool) -> bool:
    every = rule.decision == "allow"
    return (
        fnmatchcase(call.name, rule.tool)
        and all(_argument_matches(call.arguments, key, glob, every) for key, glob in rule.match.items())
        and (rule.path is None or _path_matches(rule.path, call, tool, every))
    )


def _argument_matches(arguments: Mapping[str, Any], key: str, glob: str, every: bool) -> bool:
    if key not in arguments:
        return False
    value = arguments[key]
    if not isinstance(value, (list, tuple)):
        return fnmatchcase(_as_text(value), glob)
    hits = [fnmatchcase(_as_text(item), glob) for item in value]
    return bool(hits) and (all(hits) if every else any(hits))


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _path_matches(glob: str, call: ToolCall, tool: Tool, every: bool) -> bool:
    effects = tool.effects(call.arguments)
    paths = {normalised(path) for path in (*effects.reads, *effects.writes, *_given(call.arguments))}
    if every:
        # What a call of unknown effects touches can't be vouched for by its paths.
        return bool(paths) and not effects.exclusive and all(path_matches(path, glob) for path in paths)
    return any(path_matches(path, glob) for path in paths) or _writes_above(effects, glob)


def _given(arguments: Mapping[str, Any]) -> Iterable[str]:
    for name in PATH_ARGUMENTS:
        value = arguments.get(name)
        for item in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(item, str):
                yield item


def _writes_above(effects: Effects, glob: str) -> bool:
    """Whether the call changes a whole folder in which some of the glob's paths may lie."""
    fixed = components(re.split(r"[*?\[]", glob, maxsplit=1)[0].rpartition("/")[0])
    folders = [components(path) for path in effects.writes if path.endswith("/") or not components(path)]
    return any(folder[: len(fixed)] == fixed[: len(folder)] for folder in folders)


def path_matches(path: str, glob: str) -> bool:
    """Whether a path, or a folder it lies in, matches a glob.

    `*` stays within a component and `**` does not; a glob without a slash is tried on every component's name.
    """
    if "/" not in glob.strip("/"):
        return any(_pattern(glob.strip("/")).fullmatch(part) for part in path.split("/"))
    pattern = _pattern(normalised(glob))
    parts = path.split("/")
    return any(pattern.fullmatch("/".join(parts[:count])) for count in range(len(parts), 0, -1))


@lru_cache(maxsize=256)
def _pattern(glob: str) -> re.Pattern[str]:
    text = ""
    for piece in re.findall(r"\*\*/|\*\*|\*|\?|\[[^]]+\]|.", glob, re.DOTALL):
        if piece == "**/":
            text += "(?:.*/)?"
        elif piece == "**":
            text += ".*"
        elif piece == "*":
            text += "[^/]*"
        elif piece == "?":
            text += "[^/]"
        elif len(piece) > 1:
            text += "[" + piece[1:-1].replace("\\", "\\\\").replace("!", "^", 1 if piece[1] == "!" else 0) + "]"
        else:
            text += re.escape(piece)
    return re.compile(text, re.DOTALL)
