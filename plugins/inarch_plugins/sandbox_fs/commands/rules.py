"""Rule language for what a program may be given, and the check of words against a rule."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

from attrs import Factory, define, field, frozen

from inarch_plugins.sandbox_fs.commands.kinds import Refused, check, nearest

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
    """Rule for one program of the read-only tier.

    Args:
        name: The program, for git with its subcommand. A command line must begin with it.
        options: Every option it may take. `-a` takes no value; `-n:count` takes one, attached or as the next word;
            `--format=text` only attached; `--color?auto|never` may have one attached. The value's kind, or its possible
            words, follow the sign. `-#` is any number, as in `head -5`.
        operands: The kinds of its operands in order; the last may have `*`, `+` or `?`.
        style: How it parses words: `gnu` joins short options and takes operands anywhere, `git` joins nothing, `find`
            has words for options, `free` takes anything.
        instead_of_first: Options that take the first operand's place.
        optional_with: Options with which the last operand may be left out.
        forced: Words inserted after the name.
        exits: Meanings of exit codes other than 0 that are not failures.
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
        """Return the words that a command line must begin with."""
        return tuple(self.name.split())

    @cached_property
    def table(self) -> Mapping[str, Option]:
        """Return the options by name."""
        found = {}
        for word in self.options.split():
            parts = _OPTION.fullmatch(word)
            assert parts is not None, word
            how: How = parts["how"] or ""  # type: ignore[assignment]  # the pattern lets nothing else through
            found[parts["name"]] = Option(how, parts["kind"] or "")
        return found

    def expected(self, given: frozenset[str]) -> tuple[Operand, ...]:
        """Return the operands that it takes besides the given options."""
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


_NUMBER = re.compile(r"-[0-9]+")
_FIND_WORDS = ("(", ")", "!", ",")


@define(eq=False, repr=False)
class Reader:
    """Reader of words from the left, which refuses unknown ones.

    After reading, `objects` are the words that may name a file of a revision, such as `HEAD:a`. `options_end` is the
    index at which more options could be inserted. `places` are the indexes of the operands before it. A `fed` command
    that names no file reads another program's output. `given` are the options, those with a value also as `NAME=VALUE`.
    """

    rule: Rule
    root: str
    words: Sequence[str]
    fed: bool = False
    paths: list[str] = field(init=False, factory=list)
    objects: list[str] = field(init=False, factory=list)
    operands: list[str] = field(init=False, factory=list)
    places: list[int] = field(init=False, factory=list)
    options_end: int = field(init=False, default=0)
    given: set[str] = field(init=False, factory=set)
    _position: int = field(init=False, default=0)

    def read(self) -> tuple[str, ...]:
        """Return the words that name files."""
        self.options_end = len(self.words)
        if self.rule.style == "free":
            return ()
        while self._position < len(self.words):
            word = self.words[self._position]
            self._position += 1
            if self.rule.style == "find":
                self._find_word(word)
            elif word == "--":
                self.options_end = self._position - 1
                self.operands += self.words[self._position :]
                break
            else:
                self._word(word)
        self._check_operands()
        return tuple(self.paths)

    def _word(self, word: str) -> None:
        if not word.startswith("-") or word == "-":
            self.places.append(self._position - 1)
            self.operands.append(word)
        elif word.startswith("--"):
            self._long(word)
        elif _NUMBER.fullmatch(word) and "-#" in self.rule.table:
            self.given.add("-#")
        elif self.rule.style == "git":
            self._unjoined(word)
        else:
            self._joined(word)

    def _long(self, word: str) -> None:
        name, sign, value = word.partition("=")
        option = self._known(name)
        if sign:
            if option.how == "":
                raise self._refusal(name, f"{name} takes no value")
            self._value(name, option, value)
        elif option.how == ":":
            self._value(name, option, self._next(name))
        elif option.how == "=":
            raise self._refusal(name, f"{name} needs its value attached: {name}=…")

    def _joined(self, word: str) -> None:
        for position, letter in enumerate(word[1:], start=2):
            name = f"-{letter}"
            option = self._known(name, word)
            rest = word[position:]
            if option.how == ":":
                self._value(name, option, rest or self._next(name))
                return
            if option.how in ("?", "="):
                self._attached(name, option, rest)
                return

    def _unjoined(self, word: str) -> None:
        exact = self.rule.table.get(word)
        if exact is not None and exact.how != "=":
            self.given.add(word)
            if exact.how == ":":
                value = self._next(word)
                if value.startswith("-"):
                    raise self._refusal(word, f"{word} needs a value")
                self._value(word, exact, value)
            return
        option = self._known(word[:2], word)
        if option.how == "":
            raise self._refusal(word)
        self._attached(word[:2], option, word[2:])

    def _attached(self, name: str, option: Option, value: str) -> None:
        if value:
            self._value(name, option, value)
        elif option.how == "=":
            raise self._refusal(name, f"{name} needs its value attached, without a space")

    def _find_word(self, word: str) -> None:
        if not word.startswith("-") and word not in _FIND_WORDS:
            if self.given:
                raise Refused(f"find takes {word!r} before its tests, not after them", f"write it first: find {word} …")
            self.operands.append(word)
            return
        option = self._known(word)
        if option.how == ":":
            self._value(word, option, self._next(word))

    def _known(self, name: str, word: str = "") -> Option:
        option = self.rule.table.get(name)
        if option is None:
            raise self._refusal(word or name)
        self.given.add(name)
        return option

    def _refusal(self, name: str, reason: str = "") -> Refused:
        near = "" if reason else nearest(name, self.rule.table)
        remedy = f"did you mean {near}?" if near else f"leave {name} out"
        return Refused(reason or f"{self.rule.name} may not be given {name}", remedy)

    def _next(self, name: str) -> str:
        if self._position >= len(self.words):
            raise self._refusal(name, f"{name} needs a value")
        self._position += 1
        return self.words[self._position - 1]

    def _value(self, name: str, option: Option, value: str) -> None:
        self.given.add(f"{name}={value}")
        try:
            check(option.kind, value, self.root)
        except Refused as refused:
            refused.reason = f"{self.rule.name} {name}: {refused.reason}"
            raise
        if option.kind == "path":
            self.paths.append(value)
        elif name == "-L":  # `git log -L 1,9:FILE`
            self.objects.append(value)

    def _check_operands(self) -> None:
        left = list(self.operands)
        for expected in self.rule.expected(frozenset(self.given)):
            taken, left = (left, []) if expected.most is None else (left[: expected.most], left[expected.most :])
            if len(taken) < expected.least and not (self.fed and expected.kind == "path"):
                raise self._missing(expected.kind)
            for word in taken:
                check(expected.kind, word, self.root)
            if expected.kind == "path":
                self.paths += taken
            elif expected.kind == "object":
                self.objects += taken
        if left:
            raise Refused(f"{self.rule.name} may not be given {left[0]!r} here")

    def _missing(self, kind: str) -> Refused:
        if kind == "path":
            return Refused(
                f"{self.rule.name} would read its standard input, which is empty", "name the file", grantable=False
            )
        return Refused(f"{self.rule.name} needs one more word", grantable=False)
