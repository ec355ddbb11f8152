"""Values of key variables never reach the journal: stable placeholders stand for them.

A value is recognised as it stands and in the shapes that programs print most: escaped in JSON, percent-encoded, and
anywhere inside base64 text. Every shape has a placeholder of its own, so `reveal` gives back exactly what was there.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, get_args, get_origin
from urllib.parse import quote, quote_plus

from attrs import field, frozen

from inarch.contract import records

SUFFIXES = ("_API_KEY", "_TOKEN", "_SECRET", "_PASSWORD")
"""Environment variables with such names hold secrets; a bare `TOKEN` counts too."""
SHORTEST = 8
"""Shorter values are left alone: they'd be found in everything."""
_ESCAPE = re.compile("%[0-9A-F]{2}")


@frozen(eq=False, repr=False)
class Redactor:
    """Knows some secrets, as a mapping from each shape to its placeholder."""

    shapes: Mapping[str, str] = field(factory=dict)
    _needles: tuple[str, ...] = field(init=False)
    _shape: re.Pattern[str] = field(init=False)
    _placeholder: re.Pattern[str] = field(init=False)
    _values: Mapping[str, str] = field(init=False)

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> Redactor:
        """Make one for the values of the environment's key variables."""
        shapes: dict[str, str] = {}
        for name, value in sorted(_secrets(environ).items()):
            for tag, shape in _shapes(value):
                shapes.setdefault(shape, f"‹secret:{name}:{tag}›" if tag else f"‹secret:{name}›")
        return cls(shapes)

    @_needles.default
    def _needles_of_encoded_lines(self) -> tuple[str, ...]:
        # What to look for in an event that is encoded already; ASCII-only lines escape more.
        return tuple({json.dumps(shape, ensure_ascii=ascii)[1:-1] for shape in self.shapes for ascii in (False, True)})

    @_shape.default
    def _any_shape(self) -> re.Pattern[str]:
        return _alternatives(self.shapes)

    @_placeholder.default
    def _any_placeholder(self) -> re.Pattern[str]:
        return _alternatives(self._values_by_placeholder())

    @_values.default
    def _values_by_placeholder(self) -> dict[str, str]:
        return {placeholder: shape for shape, placeholder in self.shapes.items()}

    def touches(self, line: str) -> bool:
        """Whether an encoded line holds a secret: a plain substring search, for every event."""
        for needle in self._needles:  # noqa: SIM110 - any() over a generator costs as much as the searches
            if needle in line:
                return True
        return False

    def text(self, text: str) -> str:
        """Return `text` with placeholders for secrets."""
        return self._shape.sub(lambda match: self.shapes[match[0]], text) if self.shapes else text

    def redact(self, data: Any) -> Any:
        """Return JSON data with placeholders for secrets in every string, also in keys."""
        return _deep(data, self.text) if self.shapes else data

    def reveal(self, data: Any) -> Any:
        """Return JSON data with the values that its placeholders stand for; only for tools that receive secrets."""
        if not self.shapes:
            return data
        return _deep(data, lambda text: self._placeholder.sub(lambda match: self._values[match[0]], text))

    def whole_length(self, text: str) -> int:
        """Return how much of a stream's text can go out: what follows may be the beginning of a secret."""
        held = 0
        for shape in self.shapes:
            for length in range(min(len(shape) - 1, len(text)), held, -1):
                if text.endswith(shape[:length]):
                    held = length
                    break
        end = len(text) - held
        for match in self._shape.finditer(text) if held else ():
            if match.start() < end < match.end():
                return match.start()
        return end


def _secrets(environ: Mapping[str, str]) -> dict[str, str]:
    named = {
        name: value.strip()
        for name, value in environ.items()
        if f"_{name.upper()}".endswith(SUFFIXES) and len(value.strip()) >= SHORTEST
    }
    placeholders = [f"‹secret:{name}›" for name in named]
    return {
        name: value
        for name, value in named.items()
        # A word of our own records can't be a secret, and an event without it could not be read back.
        if not any(value in word for word in placeholders)
        and not (value.replace("_", "").replace(".", "").isalpha() and any(value in word for word in _vocabulary()))
    }


def _vocabulary() -> set[str]:
    from inarch.contract.events import EVENT_KINDS

    classes = [item for item in vars(records).values() if isinstance(item, type)] + list(EVENT_KINDS.values())
    fields = {item.name for cls in classes for item in getattr(cls, "__attrs_attrs__", ())}
    words = {word for item in vars(records).values() if get_origin(item) is Literal for word in get_args(item)}
    kinds = {"call_tools", "ask_model", "unknown_outcome", "not_found", "validation", "permission", "execution"}
    return fields | words | kinds | set(EVENT_KINDS)


def _shapes(value: str) -> Iterator[tuple[str, str]]:
    raw = _raw(value)
    yield "", value
    yield "json", json.dumps(value, ensure_ascii=False)[1:-1]
    yield "json-ascii", json.dumps(value)[1:-1]
    for tag, shape in (
        ("url", quote(raw, safe="")),
        ("url-path", quote(raw)),
        ("url-plus", quote_plus(raw)),
    ):
        yield tag, shape
        yield f"{tag}-lower", _ESCAPE.sub(lambda match: match[0].lower(), shape)
    for shift in range(3):
        # Only the characters that depend on nothing but the secret: six bits each, from its first whole one on.
        first, last = -(-shift * 8 // 6), (shift + len(raw)) * 8 // 6
        plain = base64.b64encode(bytes(shift) + raw).decode("ascii")[first:last]
        yield f"base64-{shift}", plain
        yield f"base64-{shift}-url", plain.replace("+", "-").replace("/", "_")


def _raw(value: str) -> bytes:
    try:
        return value.encode("utf-8", "surrogateescape")  # how POSIX environments carry what isn't UTF-8
    except UnicodeEncodeError:
        return value.encode("utf-8", "surrogatepass")


def _alternatives(words: Mapping[str, str]) -> re.Pattern[str]:
    longest_first = sorted(words, key=len, reverse=True)
    return re.compile("|".join(re.escape(word) for word in longest_first) or r"(?!)")


def _deep(data: Any, change: Callable[[str], str]) -> Any:
    if isinstance(data, str):
        return change(data)
    if isinstance(data, Mapping):
        return {change(key): _deep(item, change) for key, item in data.items()}
    if isinstance(data, (list, tuple)):
        return [_deep(item, change) for item in data]
    return data
