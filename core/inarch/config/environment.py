"""The `INARCH_*` variables: profile keys, plugin settings and the few that steer a run."""

from __future__ import annotations

import types
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, Union, get_args, get_origin

from inarch.config.scalars import ARRAYS, Wrong
from inarch.config.sources import Given, Source, nearest
from inarch.config.tables import PROFILE_KEYS, Profile
from inarch.config.values import fields_of, hints, read_field
from inarch.contract.errors import ConfigError

PREFIX = "INARCH_"
PLUGIN_PREFIX = "INARCH_PLUGIN_"
STEERING = frozenset({"INARCH_CONFIG", "INARCH_PROFILE", "INARCH_SAFE_MODE", "INARCH_LOG", "INARCH_BENCH_CACHE"})
_YES, _NO = frozenset({"1", "true", "yes", "on"}), frozenset({"0", "false", "no", "off"})


def profile_values(environ: Mapping[str, str], problems: list[ConfigError]) -> dict[str, Given]:
    """Return the profile keys that variables give; an empty variable counts as not set."""
    known = {PREFIX + key.upper(): key for key in PROFILE_KEYS}
    values: dict[str, Given] = {}
    for name, text in environ.items():
        if not name.startswith(PREFIX) or name in STEERING:
            continue
        source = Source(name)
        if name in known:
            if text:
                _read_profile_key(known[name], text, source, values, problems)
        elif not name.startswith(PLUGIN_PREFIX):
            problems.append(source.error((), "unknown variable", nearest(name, {*known, *STEERING})))
        elif not all(name.removeprefix(PLUGIN_PREFIX).partition("__")):
            remedy = "write INARCH_PLUGIN_<NAME>__<KEY>, with two underscores before the key"
            problems.append(source.error((), "names no plugin setting", remedy))
    return values


def _read_profile_key(
    key: str, text: str, source: Source, values: dict[str, Given], problems: list[ConfigError]
) -> None:
    annotation = hints(Profile)[key]
    try:
        value = read_field(annotation, fields_of(Profile)[key], from_text(annotation, text))
    except Wrong as wrong:
        problems.append(source.error((key, *wrong.path), wrong.message, wrong.remedy))
    else:
        values[key] = Given(value, source, (key,))


def plugin_variable(plugin: str) -> str:
    """Return the beginning that the variables of a plugin's settings share."""
    return f"{PLUGIN_PREFIX}{plugin.upper().replace('-', '_').replace('.', '_')}__"


def plugin_variables(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of the variables that give plugin settings."""
    return tuple(name for name, text in environ.items() if name.startswith(PLUGIN_PREFIX) and text)


def stray_variables(environ: Mapping[str, str], known: Collection[str]) -> tuple[str, ...]:
    """Return a line for each variable of a plugin that is not among the known ones."""
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
    """Return the settings of a plugin that variables give, as plain data by the type of each field."""
    beginning = plugin_variable(plugin)
    fields = {name.lower(): name for name in fields_of(cls)}
    values: dict[str, Given] = {}
    for variable in plugin_variables(environ):
        if not variable.startswith(beginning):
            continue
        key = fields.get(variable.removeprefix(beginning).lower())
        if key is None:
            known = [f"{beginning}{name.upper()}" for name in fields]
            problems.append(Source(variable).error((), "unknown setting", nearest(variable, known)))
            continue
        annotation = hints(cls)[fields_of(cls)[key].name]
        values[key] = Given(from_text(annotation, environ[variable]), Source(variable), ("plugins", plugin, key))
    return values


def safe_mode(environ: Mapping[str, str], problems: list[ConfigError]) -> bool:
    """Whether `INARCH_SAFE_MODE` asks for a run without plugins."""
    text = environ.get("INARCH_SAFE_MODE", "").strip().lower()
    if text and text not in _YES | _NO:
        problems.append(Source("INARCH_SAFE_MODE").error((), f"must be 1 or 0, not {text!r}"))
    return text in _YES


def from_text(annotation: Any, text: str) -> Any:
    """Return plain data for a variable's text, by the type it is for; what does not parse stays text."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        kinds = [item for item in arguments if item is not type(None)]
        return text if str in kinds else from_text(kinds[0], text)
    kind = origin or annotation
    if kind is bool:
        word = text.strip().lower()
        return True if word in _YES else False if word in _NO else text
    try:
        if kind is int or kind is float:
            return kind(text)
        if kind in ARRAYS or kind in (Sequence, Collection):
            return _json(text) if text.lstrip().startswith("[") else _listed(arguments, text)
        if isinstance(kind, type) and (issubclass(kind, Mapping) or hasattr(kind, "__attrs_attrs__")):
            return _json(text)
        if kind is Literal and not all(isinstance(item, str) for item in arguments):
            return _json(text)
    except (ValueError, RecursionError):
        pass
    return text


def _json(text: str) -> Any:
    import json

    return json.loads(text)


def _listed(arguments: tuple[Any, ...], text: str) -> list[Any]:
    item = arguments[0] if arguments else str
    return [from_text(item, word.strip()) for word in text.split(",") if word.strip()]
