"""What counts of a project that is not trusted: only what makes a run stricter, and a note for everything else."""

from __future__ import annotations

from typing import Any

from inarch.config import profiles
from inarch.config.layers import Layer, Tables
from inarch.config.sources import Given
from inarch.config.tables import STRICTNESS
from inarch.contract.errors import ConfigError
from inarch_sdk.settings import dotted

LIMITS = ("max_iterations", "max_seconds", "max_cost_usd", "max_tokens", "max_reply_bytes")
_MAX_NOTES = 20
NOT_TRUSTED = "this project is not trusted (see: inarch config trust)"


def is_stricter(key: str, value: Any, present: Any) -> bool:
    """Whether a value of `approve` or of a limit leaves less room than the present one."""
    if key == "approve":
        return STRICTNESS.index(value) > STRICTNESS.index(present)
    return present is None or bool(value < present)


def strict_part(layer: Layer, own: Layer, problems: list[ConfigError]) -> tuple[Layer, tuple[str, ...]]:
    """Return what may count of an untrusted layer over the user's own, and a note for each thing ignored."""
    ignored = [f"{problem}" for problem in problems]
    choice = layer.profile
    if choice is not None and choice.value not in {profiles.DEFAULT, *own.profiles}:
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
    """Return the notes, without the tail of a list that nobody would read."""
    rest = len(notes) - _MAX_NOTES
    return tuple(notes) if rest <= 0 else (*notes[:_MAX_NOTES], f"and {rest} more things ignored: {NOT_TRUSTED}")


def tighten(
    values: dict[str, Given], name: str, chosen: Given | None, own: Layer, limits: Tables
) -> tuple[dict[str, Given], tuple[str, ...]]:
    """Return a profile's values with an untrusted project's limits; notes name the ones that would loosen.

    Args:
        values: What the profile sets.
        name: The profile in use.
        chosen: The project's own choice of it: then it can't be more lenient than the one the user would have had.
        own: The user's layer.
        limits: The project's `approve` and `max_*`, by profile.
    """
    result = dict(values)
    notes: list[str] = []
    chain = profiles.chain_of(own.profiles, name)
    for link, table in limits.items():
        for key, given in table.items():
            if link not in chain:
                notes.append(f"{_note(given)}: ignored, the profile is not in use and {NOT_TRUSTED}")
            elif is_stricter(key, given.value, _present(result, key)):
                result[key] = given
            elif given.value != _present(result, key):
                notes.append(f"{_note(given)}: ignored, it is not stricter and {NOT_TRUSTED}")
    if chosen is not None:
        result.update(_kept_strict(result, chosen, own, notes))
    return result, shortened(notes)


def _kept_strict(result: dict[str, Given], choice: Given, own: Layer, notes: list[str]) -> dict[str, Given]:
    usual = profiles.resolve(own.profiles, own.profile.value if own.profile else profiles.DEFAULT)
    kept: dict[str, Given] = {}
    for key in ("approve", *LIMITS):
        value = _present(usual, key)
        if value is not None and is_stricter(key, value, _present(result, key)):
            kept[key] = usual.get(key) or Given(value, choice.source, choice.path)
            notes.append(f"{_note(choice)}: profile {choice.value!r} is used, but {key} stays {value}: {NOT_TRUSTED}")
    return kept


def _present(values: dict[str, Given], key: str) -> Any:
    given = values.get(key)
    return given.value if given is not None else getattr(_BUILT_IN, key)


_BUILT_IN = profiles.make(profiles.DEFAULT, {})
