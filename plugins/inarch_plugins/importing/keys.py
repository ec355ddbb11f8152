"""Variables of imported servers: their names, and the keys that move into the keyring."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Any

from attrs import define, field

from inarch_lib.secrets.patterns import patterns_in
from inarch_lib.secrets.secret_names import secrets_of

_NAME = re.compile(r"(?i)(?:^|[_-])(?:key|token|password|passwd|pat|auth)$|apikey$|secret|^authorization$")
_SCHEME = re.compile(r"(?i)((?:bearer|basic|token)\s+)(\S+)")
_VARIABLE = "{{env:{}}}"
Ask = Callable[[str, Mapping[str, Any]], "str | None"]
"""Asks for the value of an input by its id; None if nobody answers."""


def is_secret(name: str, value: str) -> bool:
    """Return whether a value is a key, by its name or by its looks."""
    if _NAME.search(name):
        return bool(value)
    found = (match for one in patterns_in(value) for match in one.find(value, 0, len(value), frozenset()))
    return any(match.is_real for match in found) or any(secrets_of(name, value, True))


@define
class Keys:
    """The variables that the imported servers need."""

    environ: Mapping[str, str] = field(repr=False)
    ask: Ask
    new: dict[str, str] = field(factory=dict, repr=False)
    missing: dict[str, str] = field(factory=dict)
    _answers: dict[str, str] = field(factory=dict)

    def moved(self, name: str, value: str, server: str) -> str:
        """Return a value in which a variable replaces the key; the scheme of a header stays."""
        found = _SCHEME.fullmatch(value)
        scheme, key = (found[1], found[2]) if found else ("", value)
        return scheme + _VARIABLE.format(self._variable(name, key, server))

    def answer(self, id: str, wanted: Mapping[str, Any]) -> str:
        """Return the answer to an input of VS Code, or the variable that holds a secret one."""
        if id not in self._answers:
            name = _upper(f"MCP_{id}")
            is_hidden = wanted.get("password") is True
            given = None if is_hidden and self.environ.get(name) else self.ask(id, wanted)
            if given is not None and not is_hidden:
                self._answers[id] = given
                return given
            if given:
                self.new[name] = given
            elif not self.environ.get(name):
                self.missing[name] = "nobody was asked for it"
            self._answers[id] = _VARIABLE.format(name)
        return self._answers[id]

    def _variable(self, name: str, value: str, server: str) -> str:
        """Return the name of a variable that has this value, or no value yet."""
        longer = _upper(f"{server}_{name or 'key'}")
        bare = [name] if re.fullmatch(r"[A-Z][A-Z0-9_]{0,99}", name) and not name.startswith("INARCH_") else []
        for variable in (*bare, longer, *(f"{longer}_{number}" for number in range(2, 100))):
            if (self.new.get(variable) or self.environ.get(variable, value)) == value:
                break
        if self.environ.get(variable) != value:
            self.new[variable] = value
        return variable


def store(new: Mapping[str, str]) -> dict[str, str]:
    """Store keys as `inarch auth set` does; return those that are not stored, with reasons."""
    failed = {}
    for name, value in new.items():
        command = [sys.executable, "-P", "-m", "inarch", "auth", "set", name]
        done = subprocess.run(command, input=f"{value}\n", capture_output=True, text=True, check=False)
        if done.returncode:
            failed[name] = " ".join(done.stderr.removeprefix("inarch: error:").split()) or "inarch auth failed"
    return failed


def _upper(name: str) -> str:
    plain = re.sub(r"[^A-Z0-9]+", "_", name.upper()).strip("_")
    return plain if plain[:1].isalpha() and not plain.startswith("INARCH_") else f"MCP_{plain}"
