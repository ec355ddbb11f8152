"""Servers of other tools as tables of `[plugins.mcp.servers]`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inarch_plugins.importing.keys import Keys, is_secret
from inarch_plugins.importing.sources import Item

_WORD = re.compile(r"\$\{([^{}]*)\}")
_VARIABLE = re.compile(r"(?:env:)?([A-Za-z_]\w*)(:-.*)?", re.ASCII)
_FLAG = re.compile(r"--?([A-Za-z][\w-]*)(=.*)?", re.DOTALL)
_HEADER = re.compile(r"([A-Za-z][\w-]*):\s*(\S.*)")
_ROOT = ("workspaceFolder", "CLAUDE_PROJECT_DIR")
_SECONDS = {"startup_timeout_sec": "connect_s", "tool_timeout_sec": "timeout_s"}
_LISTS = {"enabled_tools": "allow", "disabled_tools": "deny"}
_KNOWN = frozenset(
    {"type", "transport", "command", "args", "env", "env_vars", "cwd", "url", "headers", "http_headers", "disabled"}
    | {"env_http_headers", "bearer_token_env_var", "enabled", "description", "name", *_SECONDS, *_LISTS}
)
_NO_NAME = re.compile(r"[^A-Za-z0-9_-]+")


class NotImportable(Exception):
    """A server has something without a counterpart here. The message says what."""


def server_name(name: str) -> str:
    """Return a server's name in the form that Inarch accepts."""
    plain = _NO_NAME.sub("-", name).strip("-")
    return (plain if plain[:1].isalpha() else f"x{plain}")[:32]


def ignored_keys(item: Item) -> list[str]:
    """Return the keys of a server that have no counterpart here."""
    return sorted(set(item.content) - _KNOWN)


def server_table(item: Item, keys: Keys) -> dict[str, Any]:
    """Return the settings of a server. Keys in it become variables.

    Raises:
        NotImportable: It has no counterpart here.
    """
    return _Server(item, keys).table()


def summary(item: Item) -> str | None:
    """Return what a server starts or asks, without the keys in it; None if it has no counterpart."""
    if item.kind != "mcp":
        return ""
    try:
        table = server_table(item, Keys({}, lambda id, wanted: None))
    except NotImportable:
        return None
    return str(table.get("url") or shlex.join([table["command"], *table.get("args", ())]))


class _Server:
    def __init__(self, item: Item, keys: Keys) -> None:
        self._item, self._keys, self._given = item, keys, item.content

    def table(self) -> dict[str, Any]:
        given = self._given
        kind = str(given.get("type") or given.get("transport") or "")
        if kind in ("sse", "ws"):
            raise NotImportable(f"it uses the transport {kind}, and Inarch supports stdio and streamable HTTP only")
        if isinstance(given.get("command"), str) and given["command"]:
            table = self._program()
        elif isinstance(given.get("url"), str):
            table = self._address()
        else:
            raise NotImportable("it has neither a command nor a url")
        if given.get("disabled") is True or given.get("enabled") is False:
            table["enabled"] = False
        for names, kind_of in ((_SECONDS, (int, float)), (_LISTS, list)):
            table |= {ours: given[key] for key, ours in names.items() if isinstance(given.get(key), kind_of)}
        return table

    def _program(self) -> dict[str, Any]:
        args = given if isinstance(given := self._given.get("args", []), list) else []
        command = self._command(self._given["command"])
        words = [str(one) for one in args]
        table: dict[str, Any] = {"command": command}
        if written := [self._argument(words, at) for at in range(len(words))]:
            table["args"] = written
        env = [self._entry(name, value) for name, value in self._texts("env").items()]
        passed = self._given.get("env_vars") or []
        env += [one if isinstance(one, str) else str(one.get("name")) for one in passed if isinstance(one, (str, dict))]
        if env:
            table["env"] = list(dict.fromkeys(env))
        if isinstance(folder := self._given.get("cwd"), str) and folder:
            table["cwd"] = self._filled(folder)
        elif self._item.project and any(Path(self._item.project, one).exists() for one in (command, *words) if one):
            table["cwd"] = "{root}"  # these tools start a project's server in the project
        return table

    def _address(self) -> dict[str, Any]:
        url = self._filled(self._given["url"])
        if "{" in url or is_secret("", url):
            raise NotImportable("its address has a variable or a key in it")
        if not url.startswith(("https://", "http://")):
            raise NotImportable(f"its address {url:.60} is not one of http or https")
        headers = {
            name: self._value(name, value)
            for table in ("headers", "http_headers")
            for name, value in self._texts(table).items()
        }
        headers |= {name: f"{{env:{variable}}}" for name, variable in self._texts("env_http_headers").items()}
        if isinstance(variable := self._given.get("bearer_token_env_var"), str):
            headers["Authorization"] = f"Bearer {{env:{variable}}}"
        return {"url": url, **({"headers": headers} if headers else {})}

    def _texts(self, key: str) -> Mapping[str, str]:
        found = self._given.get(key)
        return {name: str(value) for name, value in found.items()} if isinstance(found, dict) else {}

    def _entry(self, name: str, value: str) -> str:
        written = self._value(name, value)
        return name if written == f"{{env:{name}}}" else f"{name}={written}"

    def _argument(self, words: list[str], at: int) -> str:
        """Return an argument. Its name is in it, as in `--key=…` and `Key: …`, or is the flag before it."""
        word, before = words[at], _FLAG.fullmatch(words[at - 1]) if at else None
        if (flag := _FLAG.fullmatch(word)) is not None:
            lead = f"{word.partition('=')[0]}=" if flag[2] else word
            return lead + (self._value(flag[1], flag[2][1:]) if flag[2] else "")
        if (header := _HEADER.fullmatch(word)) is not None and "://" not in word:
            return f"{header[1]}: {self._value(header[1], header[2])}"
        return self._value(before[1] if before is not None and not before[2] else "", word)

    def _value(self, name: str, value: str) -> str:
        written = self._filled(value)
        if "{env:" in written or not is_secret(name, written):
            return written
        return self._keys.moved(name, written, self._item.name)

    def _command(self, text: str) -> str:
        written = self._filled(text)
        for name in re.findall(r"\{env:(\w+)", written):
            if name != "HOME":
                raise NotImportable(f"its command has the variable {name} in it")
        return written.replace("{env:HOME}", self._keys.environ.get("HOME", "~"))

    def _filled(self, text: str) -> str:
        """Return a text with the variables of other tools as those of Inarch."""
        return _WORD.sub(lambda found: self._word(found[1]), text)

    def _word(self, word: str) -> str:
        if word.partition(":-")[0] in _ROOT:
            return "{root}"
        if word == "CLAUDE_PLUGIN_ROOT":
            return str(self._item.place.parent)
        if word in ("pathSeparator", "/"):
            return "/"
        if word == "userHome":
            return self._keys.environ.get("HOME", "~")
        kind, _, name = word.partition(":")
        if kind == "input":
            return self._keys.answer(name, self._item.inputs.get(name) or {})
        if (found := _VARIABLE.fullmatch(word)) is None:
            raise NotImportable(f"${{{word}}} has no counterpart here")
        return f"{{env:{found[1]}{found[2] or ''}}}"
