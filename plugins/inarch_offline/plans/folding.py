"""Definitions that say the same but for their names are one line: get and post, send and its async twin."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from inarch_offline.material import Symbol

_FEWEST = 3
"""So many must differ by their names alone: “Open the file” and “Close the file” are not the same."""
_NAMED = 4


class Alike(NamedTuple):
    """A definition, and the others that say the same."""

    first: Symbol
    others: tuple[Symbol, ...]

    @property
    def told(self) -> str:
        """What is said of the others behind the first one's name."""
        if not self.others:
            return ""
        names = list(dict.fromkeys(_beside(self.first, other) for other in self.others))
        more = f", … ({len(self.others) + 1} alike)" if len(names) > _NAMED else ""
        return f", {', '.join(names[:_NAMED])}{more}"


def folded(symbols: Sequence[Symbol], asked: str = "") -> list[Alike]:
    """Put definitions together that say the same, in the order of the first of each; what is asked for stands for them.

    Args:
        symbols: the definitions, best first.
        asked: the words of the question.
    """
    words = asked.lower().split()
    groups: dict[tuple[str, ...], list[Symbol]] = {}
    for one in symbols:
        groups.setdefault(_twins(one), []).append(one)
    found = _joined(_joined(list(groups.values()), _without_name), _without_owner)
    found.sort(key=lambda group: min(map(symbols.index, group)))
    ordered = [sorted(group, key=lambda one: one.name.lower() not in words) for group in found]
    return [Alike(group[0], tuple(group[1:])) for group in ordered]


def _twins(one: Symbol) -> tuple[str, ...]:
    """What an async definition shares with its plain twin, where it says of itself what it does."""
    if not one.doc or one.is_text:
        return one.kind, one.qualname, str(one.place)
    return one.kind, one.qualname.lower().replace("async", "").replace("sync", "").replace("_", ""), one.doc


def _without_name(one: Symbol) -> tuple[str, ...]:
    """What definitions beside each other share that say the same but for their names."""
    if not one.doc or one.is_text:
        return one.kind, one.qualname, str(one.place)
    owner, _, name = one.qualname.lower().rpartition(".")
    return one.kind, owner, re.sub(rf"\b{re.escape(name)}\b", "", one.doc.lower())


def _joined(groups: Sequence[list[Symbol]], key: Callable[[Symbol], tuple[str, ...]]) -> list[list[Symbol]]:
    """Join groups whose first ones share a key, where they are enough for it to be no chance."""
    same: dict[tuple[str, ...], list[list[Symbol]]] = {}
    for group in groups:
        same.setdefault(key(group[0]), []).append(group)
    return [
        joined
        for alike in same.values()
        for joined in ([[one for group in alike for one in group]] if len(alike) >= _FEWEST else alike)
    ]


def _without_owner(one: Symbol) -> tuple[str, ...]:
    """What methods of several classes share that are called alike and say the same, or nothing."""
    if one.kind != "method" or one.is_text:
        return one.kind, one.qualname, str(one.place)
    return one.kind, one.name, one.doc


def _beside(first: Symbol, other: Symbol) -> str:
    """Name another one by its last name, with what it stands in where that is another."""
    owner, _, name = other.qualname.rpartition(".")
    return name if owner == first.qualname.rpartition(".")[0] else f"{owner.rpartition('.')[2]}.{name}"
