"""Text of a configuration: JSON data, and lines of TOML with their origins."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attrs import asdict

from inarch import to_data
from inarch.host import Config
from inarch_sdk.settings import dotted, plugin_variable

_SECRET_WORDS = ("key", "token", "secret", "password")


def as_data(loaded: Config, installed: Iterable[str] = ()) -> dict[str, Any]:
    """Return the configuration as plain JSON data; values of plugin keys that look like secrets are masked."""
    given = _from_variables(loaded, installed)
    names = [*loaded.plugin_tables, *(name for name in given if name not in loaded.plugin_tables)]
    tables = {
        name: {**loaded.plugin_tables.get(name, {}), **{key: text for key, (text, _) in given.get(name, {}).items()}}
        for name in names
    }
    variables = {
        dotted(("plugins", name, key)): {"source": variable, "line": None}
        for name, table in given.items()
        for key, (_, variable) in table.items()
    }
    origins = {key: {"source": origin.source, "line": origin.line} for key, origin in loaded.origins.items()}
    return {
        "path": str(loaded.config_path),
        "root": loaded.root,
        "trusted": loaded.trusted,
        "safe_mode": loaded.safe_mode,
        "profile": to_data(loaded.profile),
        "profiles": sorted(loaded.profiles),
        "plugins": _dated(_hidden("", tables)),
        "isolation": to_data(loaded.isolation),
        "commands": to_data(loaded.commands),
        "rules": [_dated(asdict(rule)) for rule in loaded.rules],
        "origins": origins | variables,
        "notes": list(loaded.notes),
    }


def _from_variables(loaded: Config, installed: Iterable[str]) -> dict[str, dict[str, tuple[str, str]]]:
    """Return the values that environment variables give to plugins, by plugin and key, each with its variable."""
    found: dict[str, dict[str, tuple[str, str]]] = {}
    for name in sorted({*installed, *loaded.plugin_tables}):
        beginning = plugin_variable(name)
        for variable, text in loaded.environ.items():
            key = variable.removeprefix(beginning).lower()
            if text and key and variable.startswith(beginning):
                found.setdefault(name, {})[key] = (text, variable)
    return found


def _dated(value: Any) -> Any:
    """Return plain JSON data; dates in rules and plugin tables become text."""
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, dict):
        return {str(key): _dated(item) for key, item in value.items()}
    return [_dated(item) for item in value] if isinstance(value, (list, tuple)) else value


def _hidden(key: str, value: Any) -> Any:
    if isinstance(value, dict):
        return {inner: _hidden(inner, item) for inner, item in value.items()}
    secret = isinstance(value, str) and key.lower().rpartition("_")[2] in _SECRET_WORDS
    return "(hidden)" if secret else value


def as_rows(loaded: Config, installed: Iterable[str] = ()) -> list[tuple[str, str]]:
    """Return the lines of the configuration as TOML, each with its origin; `installed` as for `as_data`."""
    data = as_data(loaded, installed)
    origins = {
        key: one["source"] if one["line"] is None else f"{one['source']}:{one['line']}"
        for key, one in data["origins"].items()
    }
    rows = [(f"profile = {json.dumps(loaded.profile.name)}", origins["profile"])]

    def table(header: str, values: Mapping[str, Any], base: str) -> None:
        rows.extend((("", ""), (header, origins.get(base, ""))))  # a rule or command has one source as a whole
        for key, value in values.items():
            where = origins.get(f"{base}.{dotted((key,))}", "")
            if key != "name" and value is not None and (where or value not in ("", {})):
                rows.append((f"{key} = {_toml(value)}", where))

    for kind, tables in (
        ("profiles", {loaded.profile.name: data["profile"]}),
        ("plugins", data["plugins"]),
        ("isolation", data["isolation"]),
        ("commands", data["commands"]),
    ):
        for name, values in tables.items():
            table(f"[{dotted((kind, name))}]", values, dotted((kind, name)))
    for index, rule in enumerate(data["rules"]):
        table("[[rules]]", rule, f"rules[{index}]")
    return rows


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(item)}" for key, item in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)


_LOADING = re.compile(
    r"(?:LD|DYLD|GLIBC)_.*"
    r"|BASH_ENV|ENV|PYTHON(?:STARTUP|PATH|HOME|INSPECT)|NODE_(?:OPTIONS|PATH)|PERL5(?:OPT|LIB|DB)|RUBY(?:OPT|LIB)"
    r"|(?:_JAVA|JAVA_TOOL|JDK_JAVA)_OPTIONS|LUA_INIT.*|PHPRC|PHP_INI_SCAN_DIR|GCONV_PATH|PYTEST_(?:ADDOPTS|PLUGINS)",
    re.S | re.I,
)


def loading_notes(loaded: Config) -> Iterator[str]:
    """Yield a warning for each granted variable that can make a program load other code than the grant names."""
    for kind, tables in (("commands", loaded.commands), ("isolation", loaded.isolation)):
        for name, table in tables.items():
            where = loaded.origins.get(dotted((kind, name))) or loaded.origins.get(dotted((kind, name, "env")))
            for variable in filter(_LOADING.fullmatch, table.env):
                place = f"{where}: " if where else ""
                yield (
                    f"{place}{kind}.{name}.env: {variable} can load code that the grant does not name; "
                    "remove it, unless any code may run there"
                )
