"""The item `...` of a profile's `plugins`: it stands for the list that would be replaced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inarch.config.sources import Given
from inarch.config.tables import REST, SHIPPED_PLUGINS

_KEY = "plugins"


def laid_over(lower: Mapping[str, Given], upper: Mapping[str, Given]) -> dict[str, Given]:
    """Return a profile's values under those of an upper place; `...` stays where the lower one gives no list."""
    values = {**lower, **upper}
    if _KEY in lower and _KEY in upper:
        values[_KEY] = _spliced(upper[_KEY], lower[_KEY].value)
    return values


def complete(values: Mapping[str, Given]) -> dict[str, Given]:
    """Return the values with what is left of `...` made the built-in list."""
    values = dict(values)
    if _KEY in values:
        values[_KEY] = _spliced(values[_KEY], SHIPPED_PLUGINS)
    return values


def _spliced(given: Given, rest: Sequence[str]) -> Given:
    """Put `rest` in the place of `...`, without the names that the list gives a place of its own."""
    names = tuple(given.value)
    if REST not in names:
        return given
    place = names.index(REST)
    before, after = names[:place], names[place + 1 :]
    named = {*before, *after}
    return Given((*before, *(name for name in rest if name not in named), *after), given.source, given.path)
