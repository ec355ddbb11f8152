"""The `INARCH_*` variables: profile keys, plugin settings and the few that steer a run."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from inarch.config.profile import PROFILE_KEYS, Profile
from inarch.config.values import BUILT_IN, Given, Source, read_given
from inarch.contract.errors import ConfigError
from inarch_sdk.settings import Kind, keys_of, plugin_variable
from inarch_sdk.suggestions import nearest

PREFIX = "INARCH_"
PLUGIN_PREFIX = "INARCH_PLUGIN_"
# The program in a copy of the workspace gets CHANGE and APPLY. Benchmarks read BENCH_CACHE.
_STEERING = "CONFIG PROFILE SAFE_MODE LOG BENCH_CACHE CHANGE APPLY"
STEERING = frozenset(PREFIX + name for name in _STEERING.split())
_YES, _NO = frozenset({"1", "true", "yes", "on"}), frozenset({"0", "false", "no", "off"})


def profile_values(environ: Mapping[str, str], problems: list[ConfigError]) -> dict[str, Given]:
    """Return the profile keys from variables; an empty variable counts as not set."""
    known = {PREFIX + key.upper(): key for key in PROFILE_KEYS}
    values: dict[str, Given] = {}
    for name, text in environ.items():
        if not name.startswith(PREFIX) or name in STEERING:
            continue
        source = Source(name)
        if name in known:
            if text:
                key = known[name]
                values[key] = Given(from_text(keys_of(Profile)[key].kind, text), source, (key,))
        elif not name.startswith(PLUGIN_PREFIX):
            problems.append(source.error((), "unknown variable", nearest(name, {*known, *STEERING})))
        elif not all(name.removeprefix(PLUGIN_PREFIX).partition("__")):
            remedy = "write INARCH_PLUGIN_<NAME>__<KEY>, with two underscores before the key"
            problems.append(source.error((), "names no plugin setting", remedy))
    return read_given(Profile, values, Given(None, BUILT_IN), problems)


def plugin_variables(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of the variables that give plugin settings."""
    return tuple(name for name in environ if name.startswith(PLUGIN_PREFIX) and environ[name])


def stray_variables(environ: Mapping[str, str], known: Collection[str]) -> tuple[str, ...]:
    """Return a line for each variable of an unknown plugin."""
    names = {plugin_variable(name).removeprefix(PLUGIN_PREFIX).removesuffix("__"): name for name in known}
    found = []
    for variable in plugin_variables(environ):
        name = variable.removeprefix(PLUGIN_PREFIX).partition("__")[0]
        if name not in names:
            near = nearest(name, names)
            hint = f"; {near}" if near.startswith("did") else ""
            found.append(f"{variable}: is for no plugin that is installed{hint}")
    return tuple(found)


def plugin_values(plugin: str, cls: type, environ: Mapping[str, str], problems: list[ConfigError]) -> dict[str, Given]:
    """Return a plugin's settings from variables, as plain data by the type of each field."""
    beginning = plugin_variable(plugin)
    keys = keys_of(cls)
    names = {name.lower(): name for name in keys}
    values: dict[str, Given] = {}
    for variable in plugin_variables(environ):
        if not variable.startswith(beginning):
            continue
        key = names.get(variable.removeprefix(beginning).lower())
        if key is None:
            known = [f"{beginning}{name.upper()}" for name in names]
            problems.append(Source(variable).error((), "unknown setting", nearest(variable, known)))
            continue
        values[key] = Given(from_text(keys[key].kind, environ[variable]), Source(variable), ("plugins", plugin, key))
    return values


def safe_mode(environ: Mapping[str, str], problems: list[ConfigError]) -> bool:
    """Return whether `INARCH_SAFE_MODE` requests a run without plugins."""
    text = environ.get("INARCH_SAFE_MODE", "").strip().lower()
    if text and text not in _YES | _NO:
        problems.append(Source("INARCH_SAFE_MODE").error((), f"must be 1 or 0, not {text!r}"))
    return text in _YES


def from_text(kind: Kind, text: str) -> Any:
    """Return plain data for a variable's text of this kind; text that does not parse stays text."""
    import json

    if kind.form == "either":
        return text if any(one.type is str for one in kind.of) else from_text(kind.of[0], text)
    if kind.type is bool:
        word = text.strip().lower()
        return True if word in _YES else False if word in _NO else text
    try:
        if kind.type is int or kind.type is float:
            return kind.type(text)
        if kind.form == "list":
            return json.loads(text) if text.lstrip().startswith("[") else _listed(kind, text)
        if kind.form in ("table", "record"):
            return json.loads(text)
        if kind.form == "choice" and kind.type is None and not all(isinstance(item, str) for item in kind.choices):
            return json.loads(text)
    except (ValueError, RecursionError):
        pass
    return text


def _listed(kind: Kind, text: str) -> list[Any]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    return [from_text(kind.of[0], word) for word in words] if kind.of else words
