"""Redactor that replaces secrets by stable placeholders before text is stored, shown, logged or sent.

A value is known from a key variable or a `.env` file. It is then recognised literally and in the encodings that
programs print most. Other secrets are recognised by a published key format. Each placeholder represents exactly one
text, so `reveal` restores the original.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from operator import is_
from typing import Any, Literal, get_args, get_origin
from weakref import WeakSet

from attrs import define, field

from inarch.contract import records
from inarch_lib.secrets.pattern import Match, gaps, joined, uncut
from inarch_lib.secrets.patterns import PATTERNS, SHORTEST_MATCH, begun, may_match, patterns_in
from inarch_lib.secrets.secret_names import SHORTEST, looks_random, secrets_of
from inarch_lib.secrets.shapes import Known, shapes_of

MOST_KNOWN = 500
"""Limit of values known by variable name, and also of values declared as keys.

The limits are separate, so that no workspace can use up the places of declared keys. Each value costs a few searches
per event.
"""
MOST_FOUND = 20_000
"""Limit of numbered secrets found by their format."""
_NEVER = min(SHORTEST, SHORTEST_MATCH)
"""Length below which a text cannot contain a secret."""
_PLACEHOLDER = re.compile("‹secret:([^‹›]{1,120})›")
LONGEST_PLACEHOLDER = 129
_NUMBERED = re.compile("‹secret:([a-z-]+):([0-9]{1,9})›")
_JOINED = "joined"
"""Name in placeholders of overlapping known values."""
_NUMBERED_TAGS = frozenset({_JOINED, *(pattern.tag for pattern in PATTERNS)})
_LIVE: WeakSet[Redactor] = WeakSet()


@define(eq=False, repr=False)
class Redactor:
    """Registry of secrets that replaces them by placeholders; any thread may use it at any time.

    `version` changes with each new secret: text that was clean before may contain it.
    """

    version: int = field(init=False, default=0)
    _known: Known = field(init=False, factory=Known)
    _names: dict[str, str] = field(init=False, factory=dict)  # values to names
    _found: dict[str, str] = field(init=False, factory=dict)  # texts to placeholders
    _counts: dict[str, int] = field(init=False, factory=dict)
    _values: dict[str, str] = field(init=False, factory=dict)  # placeholders to texts
    _lock: threading.Lock = field(init=False, factory=threading.Lock)

    def __attrs_post_init__(self) -> None:
        _LIVE.add(self)

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> Redactor:
        """Make one for the values of the environment's key variables."""
        redactor = cls()
        # Sorted, so that placeholders do not depend on the order of the environment.
        redactor.learn(sorted(environ.items()), by_looks=False)
        return redactor

    def learn(self, variables: Iterable[tuple[str, str]], *, by_looks: bool = True) -> None:
        """Learn the secrets among some variables, by their names alone or also by the format of their values."""
        self._learn(
            [(name, part) for name, value in variables for part in secrets_of(name, value, by_looks)], MOST_KNOWN
        )

    def learn_values(self, variables: Iterable[tuple[str, str]]) -> None:
        """Learn values that are declared as keys, whatever their variables are called."""
        self._learn([(name, value.strip()) for name, value in variables], 2 * MOST_KNOWN)

    def _learn(self, secrets: list[tuple[str, str]], most: int) -> None:
        secrets = [pair for name, part in secrets for pair in _lines(name, part) if self._is_new(pair[1])]
        if not secrets:
            return
        with self._lock:
            shapes, taken = dict(self._known.shapes), set(self._names.values())
            for name, value in secrets:
                if value in self._names or len(self._names) >= most:
                    continue
                name = self._names[value] = _free_name(name, taken)
                taken.add(name)
                for tag, shape in shapes_of(value):
                    if not _is_ours(shape, taken):
                        shapes.setdefault(shape, f"‹secret:{name}:{tag}›" if tag else f"‹secret:{name}›")
            self._values.update((placeholder, shape) for shape, placeholder in shapes.items())
            self._known = Known(shapes)
            self.version += 1

    def learn_file(self, data: bytes) -> None:
        """Learn the secrets in a `.env` file."""
        from inarch_lib.secrets.dotenv import parse_dotenv  # most workspaces have none

        self.learn(parse_dotenv(data))

    def reserve(self, line: str) -> Sequence[tuple[str, str]]:
        """Reserve the numbers in a stored line, whose texts are no longer known; return each with its name."""
        if "‹secret:" not in line:
            return ()
        with self._lock:
            found: list[tuple[str, str]] = _NUMBERED.findall(line)
            for tag, number in found:
                self._counts[tag] = max(self._counts.get(tag, 0), int(number))
        return found

    def touches(self, line: str) -> bool:
        """Return whether an encoded line may contain a secret, with plain substring searches, for every event."""
        # Keys in each reply's usage end like this; a key that ends here lacks the value that a secret would need.
        return self._known.in_line(line) or may_match(line.replace('_tokens":', '":'))

    def text(self, text: str) -> str:
        """Return `text` with placeholders for secrets."""
        if len(text) < _NEVER or not (may_match(text) or self._known.occurring(text)):
            return text  # as in almost every text
        return self.after(text, 0)

    def after(self, text: str, start: int) -> str:
        """Return `text` from `start` on with placeholders; the text before only shows where a word begins."""
        return self._replaced(text, self._matches(text, start)[0], start, len(text))

    def shown(self, text: str, start: int) -> tuple[str, int]:
        """Return the part of a stream's text that can be shown, with placeholders, and its end."""
        matches, others = self._matches(text, start)
        end = min(self._known.begun(text, start), begun(text, start), _placeholder_begun(text, start))
        # a word that is cut in two waits as a whole, and so does one that a following secret could complete
        if matches or others:
            end = uncut(end, [*((match.begin, match.end) for match in matches), *others])
        return self._replaced(text, [match for match in matches if match.end <= end], start, end), end

    def redact(self, data: Any) -> Any:
        """Return JSON data with placeholders for secrets in every string and key; the same object if it has none."""
        return _deep(data, self.text, {})

    def reveal(self, data: Any, words: Container[str] | None = None) -> Any:
        """Return JSON data with the values of its placeholders, or of those in `words`.

        Only for tools that receive secrets.
        """

        def value(match: re.Match[str]) -> str:
            return match[0] if words is not None and match[0] not in words else self._values.get(match[0], match[0])

        return _deep(data, lambda text: _PLACEHOLDER.sub(value, text) if "‹secret:" in text else text, {})

    def value(self, placeholder: str) -> str | None:
        """Return the value of a placeholder, None if unknown."""
        return self._values.get(placeholder)

    def unknown(self, data: Any) -> list[str]:
        """Return the placeholders in plain data whose values are unknown."""
        return [word for word in placeholders(data) if word not in self._values]

    def _is_new(self, value: str) -> bool:
        return len(value) >= SHORTEST and value not in self._names and not is_own_word(value)

    def _matches(self, text: str, start: int) -> tuple[list[Match], list[tuple[int, int]]]:
        known = self._known
        occurring = known.occurring(text)
        patterns = patterns_in(text) if len(text) >= SHORTEST_MATCH else []
        issued = _issued(text, self._values)
        if not patterns and not occurring:
            return [], issued
        ends = {end for _, end in issued}
        pieces = list(gaps(issued, start, len(text)))
        real = [match for span in pieces for match in known.find(occurring, text, *span)]
        others, looked_at = list(issued), set(pieces)
        while pieces:
            for match in chain.from_iterable(form.find(text, *span, ends) for span in pieces for form in patterns):
                if match.is_real:
                    real.append(match)
                else:  # it would be one if the text ended there
                    others.append((match.begin, match.end + 1))
            real = joined(real)
            # Text that becomes a secret by these replacements counts too, so that redacting twice changes nothing.
            hidden = sorted([*issued, *((match.start, match.stop) for match in real)])
            pieces = [span for span in gaps(hidden, start, len(text)) if span not in looked_at]
            looked_at.update(pieces)
        return real, others

    def _replaced(self, text: str, matches: list[Match], start: int, end: int) -> str:
        if not matches:
            return text[start:end]
        pieces, place = [], start
        for match in matches:
            pieces.append(text[place : match.start])
            pieces.append(match.placeholder or self._placeholder(text[match.start : match.stop], match.tag or _JOINED))
            place = match.stop
        pieces.append(text[place:end])
        return "".join(pieces)

    def _placeholder(self, value: str, tag: str) -> str:
        with self._lock:
            if value in self._found:
                return self._found[value]
            if len(self._found) >= MOST_FOUND:
                return f"‹secret:{tag}›"
            number = self._counts[tag] = self._counts.get(tag, 0) + 1
            placeholder = self._found[value] = f"‹secret:{tag}:{number}›"
            self._values[placeholder] = value
            return placeholder


def is_own_word(value: str) -> bool:
    """Return whether it is a word of Inarch's own records; redacting it would make events unreadable."""
    return value.replace("_", "").replace(".", "").isalpha() and any(value in word for word in _vocabulary())


@cache
def _vocabulary() -> frozenset[str]:
    from inarch.contract.approval_records import Approval
    from inarch.contract.event_kinds import EVENT_KINDS

    classes = (*vars(records).values(), Approval, *EVENT_KINDS.values())
    fields = {item.name for cls in classes for item in getattr(cls, "__attrs_attrs__", ())}
    words = {word for item in vars(records).values() if get_origin(item) is Literal for word in get_args(item)}
    return frozenset(fields | words | set(EVENT_KINDS))


def hide_in_message(text: str) -> str:
    """Return text for standard error or a report, redacted with all redactors of this process."""
    for redactor in tuple(_LIVE) or (Redactor.from_environ(os.environ),):
        text = redactor.text(text)
    return text


def _lines(name: str, value: str) -> Iterator[tuple[str, str]]:
    yield name, value
    if "\n" in value:  # programs print such a value one line at a time
        yield from ((name, line.strip()) for line in value.splitlines() if looks_random(line))


def _free_name(name: str, taken: set[str]) -> str:
    plain = re.sub(r"[^\w.-]", "_", name)[:60]
    if plain in _NUMBERED_TAGS:
        plain += "_"  # or its second value had the placeholder of the second secret found by its format
    name, number = plain, 1
    while name in taken:
        number += 1
        name = f"{plain}:{number}"
    return name


def _is_ours(shape: str, names: set[str]) -> bool:
    """Return whether a shape is part of a placeholder."""
    return any(shape in f"‹secret:{name}›" for name in names)


def _issued(text: str, values: Mapping[str, str]) -> list[tuple[int, int]]:
    if "‹secret:" not in text:
        return []
    return [found.span() for found in _PLACEHOLDER.finditer(text) if found[0] in values]


def _placeholder_begun(text: str, start: int) -> int:
    """Return the start of an incomplete placeholder, or the text's length if there is none."""
    place = text.rfind("‹", start)
    if place < 0 or len(text) - place >= LONGEST_PLACEHOLDER or "›" in text[place:]:
        return len(text)
    return place if "‹secret:".startswith(text[place : place + 8]) else len(text)


_PLAIN = frozenset({bool, int, float, type(None)})


def _deep(data: Any, change: Callable[[str], str], known: dict[str, str]) -> Any:
    """Return JSON data with every string changed, each text once; the same object if nothing changed."""
    if isinstance(data, str):
        if data not in known:  # the names of members occur again and again
            known[data] = change(data)
        return known[data]
    if isinstance(data, (dict, Mapping)):  # a dict is recognised at once
        items = {
            known[key] if key in known else _deep(key, change, known): (
                item if type(item) in _PLAIN else _deep(item, change, known)
            )
            for key, item in data.items()
        }
        return data if items.keys() == data.keys() and all(map(is_, items.values(), data.values())) else items
    if isinstance(data, (list, tuple)):
        new_items = [_deep(item, change, known) for item in data]
        return data if all(map(is_, new_items, data)) else new_items
    return data


_LONG = 256
"""Characters held back; they are scanned again when an eighth more has arrived, in linear time overall."""


@define(eq=False, repr=False)
class RedactedStream:
    """Stream redactor whose output is the same as if the text had arrived in one piece."""

    redactor: Redactor
    _held: str = field(init=False, default="")
    _before: str = field(init=False, default="")
    _pieces: list[str] = field(init=False, factory=list)  # not scanned yet
    _coming: int = field(init=False, default=0)  # characters of these

    def feed(self, text: str) -> str:
        """Take a piece and return the text that can be shown now."""
        self._pieces.append(text)
        self._coming += len(text)
        if len(self._held) > _LONG and self._coming * 8 < len(self._held):
            return ""
        whole, start = self._whole()
        clean, end = self.redactor.shown(whole, start)
        self._held = whole[end:]
        # The preceding text decides whether a word is one, and a placeholder needs its whole text.
        before = LONGEST_PLACEHOLDER if whole.endswith("›", 0, end) else 1
        self._before = whole[max(end - before, 0) : end]
        return clean

    def rest(self) -> str:
        """Return the held text at the end of the stream."""
        whole, start = self._whole()
        self._held = self._before = ""
        return self.redactor.after(whole, start)

    def _whole(self) -> tuple[str, int]:
        whole = "".join([self._before, self._held, *self._pieces])
        self._pieces, self._coming = [], 0
        return whole, len(self._before)


def placeholders(data: Any) -> Iterable[str]:
    """Return the placeholders for secrets in plain data."""
    if isinstance(data, str):
        return [found[0] for found in _PLACEHOLDER.finditer(data)] if "‹secret:" in data else ()
    items = [*data, *data.values()] if isinstance(data, Mapping) else data if isinstance(data, (list, tuple)) else ()
    return [word for item in items for word in placeholders(item)]
