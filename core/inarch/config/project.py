"""The project's part of the configuration: all of it if trusted, otherwise only its stricter values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen

from inarch.config.files import CONFIG_FILE, TRUSTED_FILES
from inarch.config.layers import Layer, read_file
from inarch.config.profile import DEFAULT, Tables, chain_of, make_profile, resolve
from inarch.config.trust import Standing, Trust
from inarch.config.values import BUILT_IN, Given
from inarch.contract.errors import ConfigError
from inarch_sdk.modes import REVIEW, may_tighten, rank
from inarch_sdk.settings import dotted

USERS_ALONE = "only your own configuration may say it"


@frozen
class Project:
    """A project's layer, whether it is trusted, and a note for each ignored part."""

    layer: Layer = field(factory=Layer)
    trusted: bool = False
    files: Mapping[str, str] = field(factory=dict)
    notes: tuple[str, ...] = ()


def read_project(root: str, own: Layer, state_dir: Path, config_path: Path, problems: list[ConfigError]) -> Project:
    """Return the project's part over the user's own layer; only a trusted file's errors are problems."""
    standing, name = Trust(root, state_dir).standing(), str(Path(root, CONFIG_FILE))
    files = standing.found
    refused = [f"{Path(root, path)}: ignored, it {why}" for path, why in files.refused.items()]
    if standing.state == "trusted":
        layer, moved = without_addresses(read_file(files.config, name, problems), config_path)
        users = [] if layer.may_allow is None else [f"{layer.may_allow.origin}: may_allow: ignored, {USERS_ALONE}"]
        return Project(layer, True, standing.files, shortened([*refused, *users]) + moved)
    notes = [*_changed(root, standing), *refused, *_unread(root, standing)]
    wrong: list[ConfigError] = []
    layer = read_file(files.config, name, wrong)
    strict, ignored = strict_part(layer, own, wrong)
    return Project(strict, notes=shortened(notes) + ignored)


def _changed(root: str, standing: Standing) -> list[str]:
    if standing.state != "changed":
        return []
    names = ", ".join(standing.changed[:3]) + (" ..." if len(standing.changed) > 3 else "")
    return [f"{root}: was trusted, but {names} changed since: look at it and run inarch config trust again"]


def _unread(root: str, standing: Standing) -> list[str]:
    """Name the unread parts: single files, and each item under the folders except the configuration."""
    single = [name for name in TRUSTED_FILES if name in standing.files]
    below = {"/".join(path.split("/")[:2]) for path in standing.files if path not in (*TRUSTED_FILES, CONFIG_FILE)}
    return [f"{Path(root, thing)}: not read, {NOT_TRUSTED}" for thing in [*single, *sorted(below)]]


# By name, because the settings of a plugin that is not loaded yet are unknown.
_ADDRESSES = ("base_url", "api_base")
_EXACTLY = {"url": "addresses", "command": "programs to start"}
_VARIABLES = "_env"
_PROCESSES = ("_in_background", "status_command")


def without_addresses(layer: Layer, config_path: Path) -> tuple[Layer, tuple[str, ...]]:
    """Return a project's layer without addresses of services and names of key variables, and a note for each."""
    notes: list[str] = []
    plugins: dict[str, dict[str, Given]] = {}
    for name, table in layer.plugins.items():
        plugins[name] = {}
        for key, given in table.items():
            what = _directs(key, given.value)
            if what:
                notes.append(_address_note(given, what, config_path))
            else:
                plugins[name][key] = given
    return (evolve(layer, plugins=plugins), tuple(notes)) if notes else (layer, ())


def _directs(key: str, value: Any) -> str:
    """Return what a setting, or a nested value, would redirect; "" for nothing."""
    if isinstance(value, str) and key in _EXACTLY:
        return _EXACTLY[key]
    if key.endswith(_ADDRESSES):
        return "addresses"
    if key.endswith(_VARIABLES):
        return "variables that hold keys"
    if key.endswith(_PROCESSES):
        return "programs to start"
    inner = value.items() if isinstance(value, Mapping) else ()
    return next((what for name, one in inner if (what := _directs(str(name), one))), "")


def _address_note(given: Given, what: str, config_path: Path) -> str:
    key = dotted(given.path)
    return f"{given.origin}: {key}: ignored, {what} come from your own configuration only: write it into {config_path}"


LIMITS = ("max_iterations", "max_seconds", "max_cost_usd", "max_tokens", "max_reply_bytes")
_MAX_NOTES = 20
NOT_TRUSTED = "this project is not trusted (see: inarch config trust)"


def is_stricter(key: str, value: Any, present: Any) -> bool:
    """Return whether a value of `approve` or of a limit is stricter than the present one."""
    if key == "approve":
        return rank(value) < rank(present)
    return present is None or bool(value < present)


def _may_set(key: str, value: Any, present: Any) -> bool:
    return may_tighten(value, present) if key == "approve" else is_stricter(key, value, present)


def strict_part(layer: Layer, own: Layer, problems: list[ConfigError]) -> tuple[Layer, tuple[str, ...]]:
    """Return the part of an untrusted layer that applies over the user's own, and a note for each ignored part."""
    ignored = [f"{problem}" for problem in problems]
    choice = layer.profile
    if choice is not None and choice.value not in {DEFAULT, *own.profiles}:
        ignored.append(_note(choice))
        choice = None
    tables: Tables = {}
    for name, table in layer.profiles.items():
        for key, given in table.items():
            if key in ("approve", *LIMITS):
                tables.setdefault(name, {})[key] = given
            else:
                ignored.append(_note(given))
    others = (*layer.plugins.values(), *layer.isolation.values(), layer.commands)
    ignored += [_note(given) for table in others for given in table.values()]
    ignored += [_note(given) for given in (layer.may_allow,) if given is not None]
    ignored += [_note(given) for given in layer.rules if given.value.decision == "allow"]
    rules = tuple(given for given in layer.rules if given.value.decision != "allow")
    return Layer(choice, tables, rules=rules), shortened([f"{text}: ignored, {NOT_TRUSTED}" for text in ignored])


def _note(given: Given) -> str:
    return f"{given.origin}: {dotted(given.path)}"


def shortened(notes: list[str]) -> tuple[str, ...]:
    """Return the notes, without the tail of a long list."""
    rest = len(notes) - _MAX_NOTES
    return tuple(notes) if rest <= 0 else (*notes[:_MAX_NOTES], f"and {rest} more things ignored: {NOT_TRUSTED}")


def tighten(
    values: dict[str, Given], name: str, chosen: Given | None, own: Layer, limits: Tables
) -> tuple[dict[str, Given], tuple[str, ...]]:
    """Return a profile's values with an untrusted project's limits; notes name the ones that would loosen.

    Args:
        values: The profile's values.
        name: The profile in use.
        chosen: The project's own choice of it, which cannot be more lenient than the user's choice.
        own: The user's layer.
        limits: The project's `approve` and `max_*`, by profile.
    """
    result = dict(values)
    notes: list[str] = []
    chain = chain_of(own.profiles, name)
    for link, table in limits.items():
        for key, given in table.items():
            if link not in chain:
                notes.append(f"{_note(given)}: ignored, the profile is not in use and {NOT_TRUSTED}")
            elif _may_set(key, given.value, _present(result, key)):
                result[key] = given
            elif given.value != _present(result, key):
                notes.append(f"{_note(given)}: ignored, it is not stricter and {NOT_TRUSTED}")
    if chosen is not None:
        result.update(_kept_strict(result, chosen, own, notes))
    return result, shortened(notes)


def limit_mode(
    values: dict[str, Given], choice: Given, own: Layer, *, is_users: bool
) -> tuple[dict[str, Given], tuple[str, ...]]:
    """Return a profile's values with the user's own approval mode if a trusted project's lets more run, and notes.

    If the user chose the profile (`is_users`), its mode is the user's; otherwise that of the usual one.
    """
    usual = own.profile.value if own.profile else DEFAULT
    users = resolve(own.profiles, choice.value if is_users and choice.value in own.profiles else usual)
    given, mode, limit = values.get("approve", choice), _present(values, "approve"), _present(users, "approve")
    if mode == limit or may_tighten(mode, limit):
        return values, ()
    values = {**values, "approve": users.get("approve") or Given(limit, BUILT_IN, ("approve",))}
    told = f"{_note(given)}: {mode}: ignored, a project can only make your approval mode ({limit}) stricter"
    return values, (told,)


def _kept_strict(result: dict[str, Given], choice: Given, own: Layer, notes: list[str]) -> dict[str, Given]:
    usual = resolve(own.profiles, own.profile.value if own.profile else DEFAULT)
    kept: dict[str, Given] = {}
    for key in ("approve", *LIMITS):
        value = _present(usual, key)
        chosen = _present(result, key)
        # Another profile's mode may change at once what the user expects to review.
        reviews = key == "approve" and value == REVIEW != chosen and not may_tighten(chosen, value)
        if value is not None and (reviews or is_stricter(key, value, chosen)):
            kept[key] = usual.get(key) or Given(value, choice.source, choice.path)
            notes.append(f"{_note(choice)}: profile {choice.value!r} is used, but {key} stays {value}: {NOT_TRUSTED}")
    return kept


def _present(values: dict[str, Given], key: str) -> Any:
    given = values.get(key)
    return given.value if given is not None else getattr(_BUILT_IN, key)


_BUILT_IN = make_profile(DEFAULT, {})


_POINTING = """
a agent agents all also and are as at below claude claude.ai cli code details file follow following for from full gemini
guidance guide guidelines here in include instructions is link only please project provides read refer repository rules
same see the these this to use when with working
"""
"""Words that add nothing to the name of another file."""


def together(texts: Mapping[str, str]) -> str:
    """Return the texts of guide files, each under its name if there are several.

    A file with the same text as an earlier one, except white space, is left out. So is one that only refers to another.
    """
    said = {name: text for name, text in texts.items() if text.strip()}
    kept: dict[str, str] = {}
    for name, text in said.items():
        if not _only_names(name, text, {*said} - {name}) and text.split() not in map(str.split, kept.values()):
            kept[name] = text
    kept = kept or dict(list(said.items())[:1])  # each refers to another
    if len(kept) == 1:
        return next(iter(kept.values()))
    return "\n\n".join(f"## {name}\n{text.strip()}" for name, text in kept.items())


def _only_names(name: str, text: str, others: set[str]) -> bool:
    """Return whether a file's text is only `@AGENTS.md`, or `See [AGENTS.md](AGENTS.md).` below a title."""
    words = set(re.findall(r"[\w.-]*\w", text))
    return not words.isdisjoint(others) and {word.lower() for word in words - others - {name}} <= set(_POINTING.split())
