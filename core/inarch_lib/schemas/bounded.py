"""Validator of JSON Schema that always ends, for schemas of other processes and servers, which are not trusted.

Two references to each other can double with every level. A list of unique items is compared pair by pair. A pattern can
take practically forever. Steps are therefore counted, and a pattern that may be slow on a text is not applied to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any

from attrs import define

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

MOST_STEPS = 1_000_000
"""Maximum keywords applied to one value: some seconds' work at most, and far more than any real schema takes."""
MOST_TRIES = 100_000_000
"""Maximum tries of patterns on the texts of one value, two seconds at most."""
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
_CHOICES = ("BRANCH", "GROUPREF_EXISTS")


class TooMuch(ValueError):
    """Error for a schema that takes more steps than allowed."""


def bounded_validator(schema: Mapping[str, Any], steps: Steps) -> Validator:
    """Return a validator for Draft 2020-12 that raises `TooMuch` instead of going on forever."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend
    from referencing.jsonschema import EMPTY_REGISTRY

    steps.everywhere = [pattern for part in _parts(schema) for pattern in _patterns_of(part)]
    known = {name: steps.counted(name, check) for name, check in Draft202012Validator.VALIDATORS.items()}
    make: Any = extend  # it has no types
    cls = make(Draft202012Validator, known)
    # With a registry of its own, jsonschema never fetches a reference over the network.
    return cls(schema, registry=EMPTY_REGISTRY)  # type: ignore[no-any-return]


@define
class Steps:
    """Remaining steps for the check of a value, and remaining tries of patterns."""

    left: int = 0
    tries: int = 0
    everywhere: Sequence[str] = ()
    """Patterns for property names in the whole schema: `unevaluatedProperties` uses those of any part."""

    def begin(self) -> None:
        """Start with another value."""
        self.left, self.tries = MOST_STEPS, MOST_TRIES

    def counted(self, name: str, check: Callable[..., Any]) -> Callable[..., Iterator[Any]]:
        """Return the counting check of a keyword."""

        def one(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
            self.left -= _weight(name, value, instance)
            if self.left < 0:
                raise TooMuch(f"checking this takes more than {MOST_STEPS:,} steps")
            if name == "pattern" and isinstance(instance, str) and not self._end_soon([value], [instance]):
                return
            if isinstance(instance, Mapping):
                if name == "patternProperties":
                    value = {pattern: inner for pattern, inner in value.items() if self._end_soon([pattern], instance)}
                looked_for = {"additionalProperties": _patterns_of(schema), "unevaluatedProperties": self.everywhere}
                if not self._end_soon(looked_for.get(name, ()), instance):
                    return
            yield from check(validator, value, instance, schema) or ()

        return one

    def _end_soon(self, patterns: Iterable[Any], texts: Collection[str]) -> bool:
        """Return whether searches for patterns in texts end before the tries are used up."""
        longest = max(map(len, texts), default=0)
        tries = sum(tries_of(str(pattern), longest) for pattern in patterns) * len(texts)
        if tries > self.tries:
            return False
        self.tries -= tries
        return True


def _patterns_of(schema: Any) -> Collection[str]:
    found = schema.get("patternProperties") if isinstance(schema, Mapping) else None
    return found.keys() if isinstance(found, Mapping) else ()


def _parts(value: Any) -> Iterator[Any]:
    waiting = [value]
    while waiting:
        part = waiting.pop()
        yield part
        if isinstance(part, (list, tuple, Mapping)):
            waiting += part.values() if isinstance(part, Mapping) else part


def _weight(name: str, value: Any, instance: Any) -> int:
    if name in ("$ref", "$dynamicRef"):  # to look one up takes as long as to apply many keywords
        return 16
    if name == "uniqueItems" and isinstance(instance, list):
        kinds = {type(item) for item in instance}
        # Texts and numbers are sorted, all other values are compared pair by pair.
        return len(instance) * (1 if kinds in ({str}, {int}, {float}) else sum(1 for _ in _parts(instance)) // 2 + 1)
    if name in ("enum", "const") and isinstance(instance, (list, Mapping)):
        return sum(1 for _ in _parts(value))
    return len(value) + 1 if isinstance(value, (list, Mapping)) else 1


@lru_cache(maxsize=512)
def tries_of(pattern: str, length: int) -> int:
    """Return the maximum tries of a pattern in a text of this length; 0 for an invalid pattern."""
    from importlib import import_module

    parser = import_module("re._parser")  # the parser that `re` itself uses; it has no public name
    try:
        parsed = parser.parse(pattern)
        places = 1 if list(parsed)[:1] == [(parser.AT, parser.AT_BEGINNING)] else length + 1
        return places * _ways(parsed, length)
    except (re.error, RecursionError, OverflowError):  # the search reports it
        return 0


def _ways(parsed: Any, length: int) -> int:
    """Return in how many ways a pattern can match at one position in any text; very many are not distinguished."""
    ways = 1
    for operation, argument in parsed:
        bodies = [_ways(body, length) for body in _bodies(argument)]
        name = str(operation)
        if name in _REPEATS:
            least, most, _ = argument
            most = max(min(int(most), length), least)
            ways *= most - least + 1 if bodies[0] == 1 else _times(bodies[0], most)
        elif name in _CHOICES:
            ways *= max(sum(bodies), 1)
        else:
            ways *= prod(bodies) * (length + 1 if name == "GROUPREF" else 1)
        ways = min(ways, MOST_TRIES + 1)
    return ways


def _times(ways: int, most: int) -> int:
    found = power = 1
    for _ in range(most):
        power *= ways
        found += power
        if power > MOST_TRIES:
            break
    return found


def _bodies(argument: Any) -> Iterator[Any]:
    if type(argument).__name__ == "SubPattern":
        yield argument
    elif isinstance(argument, (tuple, list)):
        for item in argument:
            yield from _bodies(item)
