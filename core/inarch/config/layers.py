"""One layer of configuration: a file's tables, checked key by key, and the merging of two layers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

from inarch.config.files import parse
from inarch.config.profile import PROFILE_KEYS, Profile, Tables, laid_over
from inarch.config.values import MANY, Given, Source, plain, read_table
from inarch.contract.errors import ConfigError
from inarch_sdk.settings import KeyPath, shown
from inarch_sdk.suggestions import nearest

TOP_LEVEL = ("version", "profile", "profiles", "plugins", "isolation", "rules", "commands", "may_allow")
VERSION = 1
"""Version of the file's keys; a file without a version has the first."""


@frozen(eq=False, repr=False)
class Layer:
    """Values of one source, each with its place."""

    profile: Given | None = None
    profiles: Tables = field(factory=dict)
    plugins: Tables = field(factory=dict)
    isolation: Tables = field(factory=dict)
    rules: tuple[Given, ...] = ()
    commands: dict[str, Given] = field(factory=dict)
    may_allow: Given | None = None

    def under(self, upper: Layer) -> Layer:
        """Return this layer with `upper` over it: key by key, commands whole, rules of both."""
        return Layer(
            upper.profile or self.profile,
            _profiles_joined(self.profiles, upper.profiles),
            _joined(self.plugins, upper.plugins),
            _joined(self.isolation, upper.isolation),
            self.rules + upper.rules,
            {**self.commands, **upper.commands},
            self.may_allow,  # only the user's own file has it: the file is below all other layers
        )


def _profiles_joined(lower: Tables, upper: Tables) -> Tables:
    return {**lower, **{name: laid_over(lower.get(name, {}), table) for name, table in upper.items()}}


def _joined(lower: Tables, upper: Tables) -> Tables:
    return {**lower, **{name: {**lower.get(name, {}), **table} for name, table in upper.items()}}


def read_file(data: bytes | None, name: str, problems: list[ConfigError]) -> Layer:
    """Return a file's values, none for a missing file; errors go to `problems`."""
    if data is None:
        return Layer()
    try:
        return read_layer(*parse(data, name), problems)
    except ConfigError as error:
        problems.append(error)
        return Layer()


def read_layer(source: Source, tables: Mapping[str, Any], problems: list[ConfigError]) -> Layer:
    """Check a file's tables; errors go to `problems`, the rest into the layer."""
    if (wrong := _wrong_version(source, tables.get("version", VERSION))) is not None:
        problems.append(wrong)
        return Layer()  # the meaning of its keys is unknown
    unknown = [str(key) for key in tables if key not in TOP_LEVEL]
    problems += [_unknown_top(source, key, index < MANY) for index, key in enumerate(unknown)]
    return Layer(
        _profile_name(source, tables, problems),
        {
            name: _profile(source, name, table, problems)
            for name, table in _named(source, tables, "profiles", problems).items()
        },
        {
            name: {key: Given(value, source, ("plugins", name, key)) for key, value in table.items()}
            for name, table in _named(source, tables, "plugins", problems).items()
        },
        _isolation(source, tables, problems),
        _rules(source, tables, problems),
        _commands(source, tables, problems),
        _may_allow(source, tables, problems),
    )


def _wrong_version(source: Source, found: object) -> ConfigError | None:
    if type(found) is int and found > VERSION:  # `true` is an int, too
        message = f"was written for a newer Inarch (version {found}; this one knows {VERSION})"
        return source.error(("version",), message, "upgrade Inarch, or use another file with INARCH_CONFIG")
    return None if found == VERSION and type(found) is int else source.error(("version",), f"must be {VERSION}")


def _unknown_top(source: Source, key: str, hint: bool) -> ConfigError:
    if key in PROFILE_KEYS or key == "extends":
        return source.error((key,), "belongs to a profile", "put it under [profiles.default]")
    return source.error((key,), "unknown key", nearest(key, TOP_LEVEL) if hint else "")


def _named(
    source: Source, tables: Mapping[str, Any], key: str, problems: list[ConfigError]
) -> dict[str, Mapping[str, Any]]:
    """Return the tables `[key.NAME]`, without values that are not tables."""
    outer = tables.get(key, {})
    if not isinstance(outer, Mapping):
        problems.append(source.error((key,), f"must be tables [{key}.NAME], not {shown(outer)}"))
        return {}
    found: dict[str, Mapping[str, Any]] = {}
    for name, table in outer.items():
        if isinstance(table, Mapping):
            found[name] = table
        else:
            problems.append(source.error((key, name), f"must be a table [{key}.NAME], not {shown(table)}"))
    return found


def _profile_name(source: Source, tables: Mapping[str, Any], problems: list[ConfigError]) -> Given | None:
    name = tables.get("profile")
    if name is None:
        return None
    if not isinstance(name, str):
        hint = f"did you mean [profiles.{next(iter(name), 'NAME')}]?" if isinstance(name, Mapping) else ""
        problems.append(source.error(("profile",), f"must be the name of a profile, not {shown(name)}", hint))
        return None
    return Given(name, source, ("profile",))


def _profile(source: Source, name: str, table: Mapping[str, Any], problems: list[ConfigError]) -> dict[str, Given]:
    path: KeyPath = ("profiles", name)
    rest = {key: value for key, value in table.items() if key != "extends"}
    values = read_table(Profile, rest, source, path, problems, also=("extends",))
    if "extends" in table:
        if isinstance(table["extends"], str):
            values["extends"] = Given(table["extends"], source, (*path, "extends"))
        else:
            problems.append(source.error((*path, "extends"), "must be the name of a profile"))
    return values


def _isolation(source: Source, tables: Mapping[str, Any], problems: list[ConfigError]) -> Tables:
    named = _named(source, tables, "isolation", problems)
    if not named:
        return {}
    from inarch.config.grants import Isolation

    return {name: read_table(Isolation, table, source, ("isolation", name), problems) for name, table in named.items()}


def _rules(source: Source, tables: Mapping[str, Any], problems: list[ConfigError]) -> tuple[Given, ...]:
    listed = tables.get("rules", [])
    if not isinstance(listed, (list, tuple)):
        problems.append(source.error(("rules",), "must be tables [[rules]]", "write [[rules]] with two brackets"))
        return ()
    read = [_record(source, ("rules", index), table, problems) for index, table in enumerate(listed)]
    return tuple(rule for rule in read if rule is not None)


def _commands(source: Source, tables: Mapping[str, Any], problems: list[ConfigError]) -> dict[str, Given]:
    named = _named(source, tables, "commands", problems)
    read = {name: _record(source, ("commands", name), table, problems, name=name) for name, table in named.items()}
    return {name: command for name, command in read.items() if command is not None}


def _may_allow(source: Source, tables: Mapping[str, Any], problems: list[ConfigError]) -> Given | None:
    names = tables.get("may_allow")
    if names is None or (isinstance(names, (list, tuple)) and all(isinstance(name, str) and name for name in names)):
        return None if names is None else Given(tuple(names), source, ("may_allow",))
    problems.append(source.error(("may_allow",), f"must be a list of plugins' names, not {shown(names)}"))
    return None


def _record(
    source: Source, path: tuple[str, str | int], table: Any, problems: list[ConfigError], **more: str
) -> Given | None:
    """Return a table as its record, None if it has errors."""
    from inarch.config.grants import TABLES

    cls, before = TABLES[path[0]], len(problems)
    values = read_table(cls, table, source, path, problems)
    return Given(cls(**more, **plain(values)), source, path) if len(problems) == before else None
