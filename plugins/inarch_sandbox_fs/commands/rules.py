"""The small language in which a rule says what a program may be given."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Literal, NamedTuple

from attrs import Factory, frozen

Style = Literal["gnu", "git", "find", "free"]
How = Literal["", ":", "=", "?"]

_OPTION = re.compile(r"(?P<name>[^\s:=?]+)(?:(?P<how>[:=?])(?P<kind>\S+))?")


class Option(NamedTuple):
    """One option: how it takes its value, and the value's kind."""

    how: How
    kind: str


class Operand(NamedTuple):
    """One operand, or the last of several: its kind, and how many there may be."""

    kind: str
    least: int
    most: int | None


@frozen(slots=False)
class Rule:
    """What one program of the read-only tier may be given.

    Args:
        name: The program, for git with its subcommand; what a command line must begin with.
        options: Every option it may take. `-a` takes no value; `-n:count` takes one, attached or as the next word;
            `--format=text` only attached; `--color?auto|never` may have one attached. After the sign stands the
            value's kind, or the words it may be. `-#` is any number, as in `head -5`.
        operands: The kinds of its operands in order; the last may have `*`, `+` or `?`.
        style: How it reads words: `gnu` joins short options and takes operands anywhere, `git` joins nothing, `find`
            has words for options, `free` takes anything.
        instead_of_first: Options that take the first operand's place.
        optional_with: Options with which the last operand may be left out.
        forced: Words put behind the name.
        exits: What an exit code other than 0 means where it is no failure.
    """

    name: str
    options: str = ""
    operands: str = ""
    style: Style = "gnu"
    instead_of_first: str = ""
    optional_with: str = ""
    forced: tuple[str, ...] = ()
    exits: Mapping[int, str] = Factory(dict)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words that a command line must begin with."""
        return tuple(self.name.split())

    @cached_property
    def table(self) -> Mapping[str, Option]:
        """The options by name."""
        found = {}
        for word in self.options.split():
            parts = _OPTION.fullmatch(word)
            assert parts is not None, word
            how: How = parts["how"] or ""  # type: ignore[assignment]  # the pattern lets nothing else through
            found[parts["name"]] = Option(how, parts["kind"] or "")
        return found

    def expected(self, given: frozenset[str]) -> tuple[Operand, ...]:
        """Return the operands it takes beside the options that were given."""
        kinds = self.operands.split()
        if given.intersection(self.instead_of_first.split()):
            kinds = kinds[1:]
        found = [_operand(kind) for kind in kinds]
        if found and given.intersection(self.optional_with.split()):
            found[-1] = found[-1]._replace(least=0)
        return tuple(found)


def _operand(text: str) -> Operand:
    least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(text[-1], (1, 1))
    return Operand(text.rstrip("*+?"), least, most)
