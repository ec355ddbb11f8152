"""Scripts and plugin entry points declared in pyproject.toml, setup.cfg, setup.py, package.json and Cargo.toml."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from inarch_brief.tracer.facts.source import decoded
from inarch_lib.toml import loads

MANIFESTS = ("pyproject.toml", "setup.cfg", "setup.py", "package.json", "Cargo.toml")
NPM_SCRIPT, PROGRAM = "npm script", "program"
_DECLARED = re.compile(
    r"['\"]?(?P<group>[\w.]+)['\"]?[ \t]*[=:]\s*[\[('\"]*\s*(?=[\w.'\"-]+\s*=)"
    r"|(?P<name>[\w.-]+)[ \t]*=[ \t]*(?P<target>[\w.]+:[\w.]+)"
)


class Script(NamedTuple):
    """A declared entry point: `name` runs `target` (`package.module:attribute`)."""

    name: str
    target: str
    file: str
    line: int
    how: str

    @property
    def named(self) -> tuple[str, str]:
        """The module and the attribute of its target, without extras; "" for the module itself."""
        if self.how in (NPM_SCRIPT, PROGRAM):
            return self.target, ""
        module, _, attribute = self.target.partition("[")[0].partition(":")
        return module.strip(), attribute.strip()

    @property
    def origin(self) -> str:
        """Its declaration: `console script in pyproject.toml:12`."""
        return f"{self.how} in {self.file}:{self.line}"


def scripts(read: Callable[[str], bytes | None]) -> tuple[list[Script], list[str]]:
    """Return the declared scripts, and notes on unreadable manifests."""
    found: dict[tuple[str, str], Script] = {}
    notes: list[str] = []
    for name, parse in zip(MANIFESTS, (_pyproject, _setup, _setup, _package_json, _cargo), strict=True):
        data = read(name)
        if data is None:
            continue
        try:
            text = decoded(data)
            for how, script, target in parse(text):
                line = _line_of(text, script, target)
                found.setdefault((how, script), Script(script, target, name, line, how))
        except (SyntaxError, ValueError, RecursionError) as error:  # undecodable text and invalid TOML are ValueErrors
            notes.append(f"{name} can't be read: {str(error).splitlines()[0]}")
    return list(found.values()), notes


def _line_of(text: str, name: str, target: str) -> int:
    for number, line in enumerate(text.split("\n"), 1):
        if name.removeprefix("npm run ") in line and (target in line or json.dumps(target) in line):
            return number
    return 1


def _table(data: Any, *keys: str) -> Mapping[str, Any]:
    for key in keys:
        data = data.get(key) if isinstance(data, Mapping) else None
    return data if isinstance(data, Mapping) else {}


def _pyproject(text: str) -> Iterator[tuple[str, str, str]]:
    data = loads(text)
    for how, keys in (
        ("console script", ("project", "scripts")),
        ("gui script", ("project", "gui-scripts")),
        ("console script", ("tool", "poetry", "scripts")),
    ):
        for name, target in _table(data, *keys).items():
            if isinstance(target, str):
                yield how, name, target
    for keys in (("project", "entry-points"), ("tool", "poetry", "plugins")):
        for group in _table(data, *keys):
            for name, target in _table(data, *keys, group).items():
                if isinstance(target, str):
                    yield _group(group), name, target


def _group(name: str) -> str:
    return {"console_scripts": "console script", "gui_scripts": "gui script"}.get(name, f"entry point {name}")


def _setup(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield the declarations of setup.cfg and setup.py that the text shows: groups and `name = module:function`."""
    group = ""
    for found in _DECLARED.finditer(text):
        group = found["group"] or group
        if found["name"] and group:
            yield _group(group), found["name"], found["target"]


def _package_json(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield the programs that a package installs, and the scripts of `npm run`."""
    data = json.loads(text)
    programs = data.get("bin") if isinstance(data, dict) else None
    if isinstance(programs, str) and isinstance(data.get("name"), str):
        programs = {data["name"].rpartition("/")[2]: programs}
    for name, target in programs.items() if isinstance(programs, dict) else ():
        if isinstance(target, str):
            yield PROGRAM, name, target
    for name, command in _table(data, "scripts").items():
        if isinstance(command, str):
            yield NPM_SCRIPT, f"npm run {name}", command


def _cargo(text: str) -> Iterator[tuple[str, str, str]]:
    data = loads(text)
    programs = data.get("bin")
    for program in programs if isinstance(programs, list) else ():
        if isinstance(program, dict) and isinstance(program.get("name"), str):
            yield PROGRAM, program["name"], str(program.get("path", f"src/bin/{program['name']}.rs"))
