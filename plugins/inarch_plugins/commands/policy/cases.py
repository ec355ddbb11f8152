"""Checks of `inarch policy test`: calls with expected decisions, and rules without effect."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from attrs import frozen

from inarch import Tool, ToolFailed, UsageError
from inarch_sdk.suggestions import nearest

if TYPE_CHECKING:
    from inarch import App
    from inarch.host import Rule

_LENIENT_FIRST = ("allow", "ask", "deny")
EXPECTED = (*_LENIENT_FIRST, "invalid")
_KEYS = {"tool", "arguments", "command", "expected", "note"}


@frozen
class Case:
    """One call with its expected decision; `place` is its position in the file. Without a tool it is a command line."""

    place: str
    tool: str
    arguments: Mapping[str, Any]
    expected: str


def read_cases(file: str) -> list[Case]:
    """Return the cases of a file: `[[cases]]` of TOML, or a JSON array or object with `cases`."""
    from pathlib import Path

    from inarch_lib.toml import loads

    try:
        text = Path(file).read_text("utf-8-sig")
        found: Any = json.loads(text) if file.endswith(".json") else loads(text)
    except FileNotFoundError:
        raise UsageError(f"there is no file {file}") from None
    except OSError as error:
        raise UsageError(f"{file} can't be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file} is not {'JSON' if file.endswith('.json') else 'valid TOML'}: {error}") from None
    listed = found.get("cases") if isinstance(found, dict) else found
    if not isinstance(listed, list) or not listed:
        raise UsageError(f"{file} has no cases", 'write [[cases]] with tool, arguments and expected = "allow"')
    return [_case(f"{file}: case {number}", item) for number, item in enumerate(listed, 1)]


def _case(place: str, item: Any) -> Case:
    if not isinstance(item, dict) or not set(item) <= _KEYS or item.get("expected") not in EXPECTED:
        raise UsageError(f"{place}: needs tool and arguments, or command; and expected: {', '.join(EXPECTED)}")
    if isinstance(item.get("command"), str) and not {"tool", "arguments"} & set(item):
        return Case(place, "", {"command": item["command"]}, item["expected"])
    arguments = item.get("arguments", {})
    if not isinstance(item.get("tool"), str) or not isinstance(arguments, dict) or "command" in item:
        raise UsageError(f"{place}: tool must be a name with arguments as a table, or command a command line")
    return Case(place, item["tool"], arguments, item["expected"])


def command_call(app: App, line: str) -> tuple[str, dict[str, Any]]:
    """Return the tool and the arguments that run a command line."""
    if not app.parts.tools.runners:
        raise UsageError("this profile has no tool that runs commands", "add a plugin with one, such as sandbox-fs")
    return app.parts.tools.runners[0], {"command": line}


def told(case: Case, app: App) -> str | None:
    """Return the decision about a call if it is not the expected one."""
    tool, arguments = case.tool, case.arguments
    if not tool:
        tool, arguments = command_call(app, arguments["command"])
    found = app.parts.tools.explain(tool, arguments, app.workspace)
    if found.decision == case.expected:
        return None
    call = f"{tool} {json.dumps(dict(arguments), ensure_ascii=False, default=str)}"
    return f"{case.place}: {call}: expected {case.expected}, got {found.decision}: {found.reason}"


def faults_of(
    position: int, rules: Sequence[Rule], places: Sequence[str], tools: Mapping[str, Tool], now: datetime
) -> Iterator[str]:
    """Yield why the rule at a position never decides; `places` are the sources of all rules."""
    rule = rules[position]
    if not rule.counts_at(now):
        yield f"it expired on {rule.expires}"
    named = [tool for name, tool in tools.items() if fnmatchcase(name, rule.tool)]
    if named:
        yield from _unmatchable(rule, named)
    else:
        yield f"there is no tool {rule.tool!r}; {nearest(rule.tool, tools)}"
    for other, stronger in enumerate(rules):
        if other != position and stronger.counts_at(now) and _overrules(stronger, rule, earlier=other < position):
            word = "is stricter" if stronger.decision != rule.decision else "already covers its calls"
            yield f"the rule at {places[other]} {word}, so this one never decides"
            return


def _unmatchable(rule: Rule, named: Sequence[Tool]) -> Iterator[str]:
    from inarch.command_lines import split_command

    for key, glob in rule.match.items():
        known = {name for tool in named for name in tool.input_schema.get("properties") or ()}
        if known and key not in known:
            yield f"no matching tool has an argument {key!r}; {nearest(key, known)}"
        elif key == "command" and rule.decision == "allow":
            try:
                split_command(re.sub(r"\[[^]]*\]|[*?]", "x", glob))
            except ToolFailed as error:
                yield f"no command can match {glob!r}: {error.message}"
    parts = (rule.path or "").split("/")
    if rule.path is not None and (rule.path.startswith("/") or ".." in parts):
        yield f"no path can match {rule.path!r}: paths are relative to the project and without .."


def _overrules(stronger: Rule, rule: Rule, *, earlier: bool) -> bool:
    """Return whether one rule covers every call of another, for as long, and is at least as strict."""
    is_plain = not set("*?[") & set(rule.tool)
    more = _LENIENT_FIRST.index(stronger.decision) - _LENIENT_FIRST.index(rule.decision)
    return (
        (more > 0 or (more == 0 and earlier))
        and stronger.expires in (None, rule.expires)
        and (stronger.tool in ("*", rule.tool) or (is_plain and fnmatchcase(rule.tool, stronger.tool)))
        and all(rule.match.get(key) == glob for key, glob in stronger.match.items())
        and stronger.path in (None, rule.path)
    )
