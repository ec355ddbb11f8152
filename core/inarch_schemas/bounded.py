"""A validator of JSON Schema that ends, whatever the schema: those of other processes and servers are nobody's word.

Two references to each other can double with every level, a list of unique items is compared pair by pair, and a
pattern can take longer than anybody lives. Steps are counted; a text that a pattern may be slow on is not held to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from attrs import define

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

MOST_STEPS = 1_000_000
"""Keywords that are applied to one value; half a minute's work at most, and far more than any real schema takes."""
MOST_TRIES = 30_000_000
"""What a pattern may try at one text, about a second."""
_LONGEST_NESTED = 24
"""Characters for which a pattern with a repetition in a repetition ends soon enough."""
_BOUNDED = 8


class TooMuch(ValueError):
    """Applying a schema takes more steps than it may."""


def bounded_validator(schema: Mapping[str, Any], steps: Steps) -> Validator:
    """Return a validator for Draft 2020-12 that raises `TooMuch` where it would go on for ever."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend
    from referencing.jsonschema import EMPTY_REGISTRY

    known = {name: steps.counted(name, check) for name, check in Draft202012Validator.VALIDATORS.items()}
    make: Any = extend  # it has no types
    cls = make(Draft202012Validator, known)
    # With a registry of its own jsonschema never fetches a reference over the network.
    return cls(schema, registry=EMPTY_REGISTRY)  # type: ignore[no-any-return]


@define
class Steps:
    """How many steps the check of a value may still take."""

    left: int = MOST_STEPS

    def counted(self, name: str, check: Callable[..., Any]) -> Callable[..., Iterator[Any]]:
        """Return the check of a keyword, counted."""

        def one(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
            self.left -= _weight(name, value, instance)
            if self.left < 0:
                raise TooMuch(f"checking this takes more than {MOST_STEPS:,} steps")
            if name == "pattern" and isinstance(instance, str) and not ends_soon(value, len(instance)):
                return
            if name == "patternProperties" and isinstance(instance, Mapping):
                longest = max(map(len, instance), default=0)
                value = {pattern: inner for pattern, inner in value.items() if ends_soon(pattern, longest)}
            yield from check(validator, value, instance, schema) or ()

        return one


def _weight(name: str, value: Any, instance: Any) -> int:
    if name in ("$ref", "$dynamicRef"):  # to look one up takes as long as to apply many keywords
        return 16
    if name == "uniqueItems":
        return len(instance) ** 2 // 8 + 1 if isinstance(instance, list) else 1
    return len(value) + 1 if isinstance(value, (list, Mapping)) else 1


@lru_cache(maxsize=512)
def _repeats(pattern: str) -> tuple[int, bool]:
    """Return how many repetitions without an end a pattern has, and whether one stands in another."""
    from importlib import import_module

    parser = import_module("re._parser")  # what `re` itself parses with; it has no public name
    return _counted(parser.parse(pattern), False)


def ends_soon(pattern: object, length: int) -> bool:
    """Whether a search for a pattern in a text of this length ends soon; for one that is none the search says so."""
    try:
        count, nested = _repeats(str(pattern))
    except (re.error, RecursionError, OverflowError):
        return True
    if nested:
        return length <= _LONGEST_NESTED
    tries: int = length ** (count + 1 if count else 0)
    return tries <= MOST_TRIES


def _counted(parsed: Any, inside: bool) -> tuple[int, bool]:
    count, nested = 0, False
    for operation, argument in parsed:
        name = str(operation)
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            _, most, body = argument
            endless = most > _BOUNDED
            count += endless
            nested = nested or (endless and inside)
            bodies, within = [body], inside or endless
        else:
            nested = nested or (inside and name in ("BRANCH", "GROUPREF"))
            count += name == "GROUPREF"
            bodies, within = list(_bodies(argument)), inside
        for body in bodies:
            more, deeper = _counted(body, within)
            count, nested = count + more, nested or deeper
    return count, nested


def _bodies(argument: Any) -> Iterator[Any]:
    """Yield the patterns in what an operation of a pattern is given."""
    if type(argument).__name__ == "SubPattern":
        yield argument
    elif isinstance(argument, (tuple, list)):
        for item in argument:
            yield from _bodies(item)
