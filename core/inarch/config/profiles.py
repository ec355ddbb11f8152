"""Profiles: their inheritance, and the resulting values."""

from __future__ import annotations

from collections.abc import Mapping

from inarch.config.layers import Tables
from inarch.config.sources import Given
from inarch.config.tables import Profile, complete, laid_over
from inarch.contract.errors import ConfigError
from inarch_sdk.suggestions import nearest

DEFAULT = "default"


def check_parents(profiles: Tables, problems: list[ConfigError]) -> None:
    """Report missing parents and profiles that extend themselves."""
    known = {DEFAULT, *profiles}
    told: set[str] = set()
    for name, table in profiles.items():
        given = table.get("extends")
        if given is not None and given.value not in known:
            problems.append(given.error(f"there is no profile {given.value!r}", nearest(given.value, known)))
        elif given is not None and name not in told:
            chain = chain_of(profiles, name)
            if _parent(profiles, chain[-1]) == name:
                told.update(chain)
                problems.append(given.error(f"extends itself: {' -> '.join([*chain, name])}", "break the circle"))


def _parent(profiles: Tables, name: str) -> str | None:
    given = profiles.get(name, {}).get("extends")
    return None if given is None else str(given.value)


def chain_of(profiles: Tables, name: str) -> list[str]:
    """Return a profile and its parents, nearest first; a cycle is followed once."""
    chain: list[str] = []
    following: str | None = name
    while following is not None and following not in chain and (following in profiles or following == DEFAULT):
        chain.append(following)
        following = _parent(profiles, following)
    return chain


def resolve(profiles: Tables, name: str) -> dict[str, Given]:
    """Return the keys that a profile sets, its own before its parents'."""
    values: dict[str, Given] = {}
    for link in reversed(chain_of(profiles, name)):
        values = laid_over(values, profiles.get(link, {}))
    values.pop("extends", None)
    return complete(values)


def make(name: str, values: Mapping[str, Given]) -> Profile:
    """Return the profile; keys that are not given have the built-in values."""
    return Profile(name, **{key: given.value for key, given in values.items()})


def unknown_profile(choice: Given, profiles: Tables) -> ConfigError:
    """Return the error for the choice of a missing profile."""
    known = {DEFAULT, *profiles}
    hint = nearest(choice.value, known)
    listed = f"known: {', '.join(sorted(known))}"
    return choice.error(f"there is no profile {choice.value!r}", hint if hint == listed else f"{hint} {listed}")
