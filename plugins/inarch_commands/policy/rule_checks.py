"""What is wrong with a rule that is well formed: it can't match, it has expired, another always overrules it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from inarch import Tool, ToolFailed
from inarch.host import STRICTNESS

if TYPE_CHECKING:
    from inarch.host import Rule


def faults_of(
    position: int, rules: Sequence[Rule], places: Sequence[str], tools: Mapping[str, Tool], now: datetime
) -> Iterator[str]:
    """Yield what keeps the rule at a position from ever deciding anything; `places` say where each rule stands."""
    rule = rules[position]
    if not rule.counts_at(now):
        yield f"it expired on {rule.expires}"
    named = [tool for name, tool in tools.items() if fnmatchcase(name, rule.tool)]
    if named:
        yield from _unmatchable(rule, named)
    else:
        yield f"no tool is called {rule.tool!r}; {_nearest(rule.tool, tools)}"
    for other, stronger in enumerate(rules):
        if other != position and stronger.counts_at(now) and _overrules(stronger, rule, earlier=other < position):
            word = "stricter" if stronger.decision != rule.decision else "the same for at least as many calls"
            yield f"the rule at {places[other]} is {word}, so this one never decides"
            return


def _unmatchable(rule: Rule, named: Sequence[Tool]) -> Iterator[str]:
    for key, glob in rule.match.items():
        known = {name for tool in named for name in _arguments(tool)}
        if known and key not in known:
            yield f"no tool that it names has an argument {key!r}; {_nearest(key, known)}"
        elif key == "command" and rule.decision == "allow" and (why := _no_command(glob)):
            yield f"no command can match {glob!r}: {why}"
    parts = (rule.path or "").split("/")
    if rule.path is not None and (rule.path.startswith("/") or ".." in parts):
        yield f"no path can match {rule.path!r}: paths are relative to the project and without .."


def _arguments(tool: Tool) -> Mapping[str, Any]:
    found = tool.input_schema.get("properties", {})
    return found if isinstance(found, Mapping) else {}


def _no_command(glob: str) -> str:
    """Return why a glob over commands matches none that the tokenizer takes; empty where some may match."""
    from inarch import split_command

    try:
        split_command(re.sub(r"\[[^]]*\]|[*?]", "x", glob))
    except ToolFailed as error:
        return error.message
    return ""


def _overrules(stronger: Rule, rule: Rule, *, earlier: bool) -> bool:
    """Whether one rule is about every call that another is about, for as long, and at least as strict."""
    more = STRICTNESS[stronger.decision] - STRICTNESS[rule.decision]
    return (
        (more > 0 or (more == 0 and earlier))
        and stronger.expires in (None, rule.expires)
        and (stronger.tool in ("*", rule.tool) or (_is_plain(rule.tool) and fnmatchcase(rule.tool, stronger.tool)))
        and all(rule.match.get(key) == glob for key, glob in stronger.match.items())
        and stronger.path in (None, rule.path)
    )


def _is_plain(text: str) -> bool:
    return not set("*?[").intersection(text)


def _nearest(word: str, known: Any) -> str:
    from inarch_sdk.nearest import nearest

    return nearest(word, known)
