"""Additions to the text of `config.toml`. Everything else in it keeps its bytes."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

import inarch
from inarch_lib.toml import loads

_ENTRY = re.compile(r"(\w+)(?:\((.*)\))?", re.DOTALL)
_SERVERS = ("plugins", "mcp", "servers")


def with_server(text: str, name: str, table: Mapping[str, Any]) -> str:
    """Return a configuration with a server, in place of one of the same name.

    Raises:
        ValueError: It cannot be changed safely; the message has the lines to write.
    """
    written = f"[{'.'.join(_SERVERS)}.{name}]\n{_lines(table)}"
    wanted = _parsed(text, written)
    inner = wanted
    for key in _SERVERS:
        inner = inner.setdefault(key, {}) if isinstance(inner, dict) else {}
    if name in inner:
        text = "".join(_without(text, (*_SERVERS, name)))
    inner[name] = tomllib.loads(written)["plugins"]["mcp"]["servers"][name]
    return _checked(_below(text, written), wanted, written)


def with_rules(text: str, permissions: Mapping[str, Any], told: list[str]) -> str:
    """Return a configuration with the denials and questions of Claude Code's `permissions` as rules.

    Args:
        text: The configuration.
        permissions: Lists of entries such as `Bash(git push *)`, in `deny`, `ask` and `allow`.
        told: Gets the entries that are left out.

    Raises:
        ValueError: It cannot be changed safely; the message has the lines to write.
    """
    found = [(one, decision) for decision in ("deny", "ask") for one in _listed(permissions, decision)]
    rules = [rule for entry, decision in found for rule in _rules(entry, decision, told)]
    if many := len(_listed(permissions, "allow")):
        told.append(f"{many} entries of permissions.allow are left out: rules that allow are yours to write")
    wanted = _parsed(text, "")
    known = wanted.setdefault("rules", []) if rules else []
    new = [one for index, one in enumerate(rules) if one not in known and one not in rules[:index]]
    written = "\n".join("[[rules]]\n" + _lines(rule) for rule in new)
    known += new
    return _checked(_below(text, written), wanted, written) if new else text


def _listed(permissions: Mapping[str, Any], key: str) -> list[str]:
    found = permissions.get(key)
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def _rules(entry: str, decision: str, told: list[str]) -> Iterator[dict[str, Any]]:
    """Yield the rules for an entry: a tool's name, with a command or a path in parentheses."""
    found = _ENTRY.fullmatch(entry.strip())
    tools = inarch.granted_tools(found[1]) if found else ()
    what = (found[2] or "*").strip() if found else ""
    is_foreign = what.startswith(("/", "~", "domain:"))  # paths outside the workspace, and hosts
    if not tools or is_foreign:
        told.append(f"permissions.{decision}: {entry!r:.80} has no counterpart and is left out")
        return
    for tool in tools:
        rule: dict[str, Any] = {"tool": tool}
        if what != "*" and tool == "execute_command":
            rule["match"] = {"command": re.sub(r"(?::| )\*$", "*", what)}
        elif what != "*":
            rule["path"] = what.removeprefix("./")
        yield {**rule, "decision": decision}


def _below(text: str, written: str) -> str:
    return f"{text.rstrip()}\n\n{written}".lstrip() if text.strip() else written


def _without(text: str, path: tuple[str, ...]) -> Iterator[str]:
    """Yield the lines of a text without a table and its inner ones."""
    inside = False
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("["):
            inside = _header(line)[: len(path)] == path
        if not inside:
            yield line


def _header(line: str) -> tuple[str, ...]:
    try:
        table: Any = tomllib.loads(line)
    except ValueError:
        return ()
    names = []
    while isinstance(table, dict) and table:
        name, table = next(iter(table.items()))
        names.append(name)
    return tuple(names)


def _parsed(text: str, written: str) -> dict[str, Any]:
    try:
        return deepcopy(loads(text.replace("\r\n", "\n")))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"config.toml is not valid TOML: {error}{_by_hand(written)}") from error


def _checked(text: str, wanted: Mapping[str, Any], written: str) -> str:
    try:
        is_right = loads(text.replace("\r\n", "\n")) == wanted
    except (ValueError, RecursionError):
        is_right = False
    if not is_right:
        raise ValueError(f"config.toml is written in a way that can't be changed safely{_by_hand(written)}")
    return text


def _by_hand(written: str) -> str:
    return f"; write it by hand:\n{written}" if written else ""


def _lines(table: Mapping[str, Any]) -> str:
    return "".join(f"{_key(key)} = {_value(value)}\n" for key, value in table.items())


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(name)} = {_value(one)}" for name, one in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)
