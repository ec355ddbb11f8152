"""The cases of `inarch policy test FILE`: calls, and what is expected of the policy."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import frozen

from inarch import ConfigError, UsageError

if TYPE_CHECKING:
    from inarch import App

EXPECTED = ("allow", "ask", "deny", "invalid")
_KEYS = {"tool", "arguments", "command", "expected", "note"}


@frozen
class Case:
    """One call and what is expected; `place` is where it stands. One without a tool is a command line."""

    place: str
    tool: str
    arguments: Mapping[str, Any]
    expected: str


def read_cases(file: str) -> list[Case]:
    """Return the cases of a file: `[[cases]]` of TOML, or a JSON array or object with `cases`.

    Raises:
        UsageError: It can't be read, or is not made of cases.
    """
    from pathlib import Path

    from inarch.host import Unreadable, parse, read_user_file

    try:
        data = read_user_file(Path(file))
    except Unreadable as error:
        raise UsageError(f"{file} {error}") from None
    if data is None:
        raise UsageError(f"there is no file {file}")
    try:
        found: Any = json.loads(data) if file.endswith(".json") else parse(data, file)[1]
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file} is not JSON: {error}") from None
    except ConfigError as error:
        raise UsageError(str(error)) from None
    listed = found.get("cases") if isinstance(found, dict) else found
    if not isinstance(listed, list) or not listed:
        raise UsageError(f"{file} has no cases", 'write [[cases]] with tool, arguments and expected = "allow"')
    return [_case(f"{file}: case {number}", item) for number, item in enumerate(listed, 1)]


def _case(place: str, item: Any) -> Case:
    if not isinstance(item, dict) or not set(item) <= _KEYS or item.get("expected") not in EXPECTED:
        raise UsageError(f"{place}: must have tool and arguments, or command, and expected: {', '.join(EXPECTED)}")
    if isinstance(item.get("command"), str) and not {"tool", "arguments"} & set(item):
        return Case(place, "", {"command": item["command"]}, item["expected"])
    arguments = item.get("arguments", {})
    if not isinstance(item.get("tool"), str) or not isinstance(arguments, dict) or "command" in item:
        raise UsageError(f"{place}: must have tool, a name, and arguments, a table; or command, a command line")
    return Case(place, item["tool"], arguments, item["expected"])


def command_call(app: App, line: str) -> tuple[str, dict[str, Any]]:
    """Return the tool and the arguments that run a command line.

    Raises:
        UsageError: No tool does.
    """
    if not app.runners:
        raise UsageError("no tool of this profile runs commands", "the plugin that brings the workspace may have one")
    return app.runners[0], {"command": line}


def told(case: Case, app: App) -> str | None:
    """Return how a call is judged where that is not what was expected.

    Raises:
        UsageError: It is a command line, and no tool runs one.
    """
    from inarch.host import explain

    tool, arguments = case.tool, case.arguments
    if not tool:
        tool, arguments = command_call(app, arguments["command"])
    tools, mode = app.composition.tools, app.config.profile.approve
    found = explain(tool, arguments, tools=tools, policies=app.policies, mode=mode, root=app.config.root)
    if found.decision == case.expected:
        return None
    call = f"{tool} {json.dumps(dict(arguments), ensure_ascii=False, default=str)}"
    return f"{case.place}: {call} is judged {found.decision}, not {case.expected}: {found.reason}"
