"""Interned values: one object for each text, name, argument or place."""

from __future__ import annotations

from typing import TypeVar

from attrs import Factory, define

from inarch_brief.tracer.linking.values import (
    Bound,
    Cls,
    Container,
    File,
    Func,
    Guess,
    OpenClass,
    Outside,
    Pattern,
    Text,
    Value,
)

V = TypeVar("V", bound=Value)


@define(eq=False, repr=False)
class KnownValues:
    """The values created so far."""

    containers: dict[tuple[int, int], Value] = Factory(dict)
    names: dict[str, Outside] = Factory(dict)
    texts: dict[str, Text] = Factory(dict)
    known: dict[tuple[object, ...], Value] = Factory(dict)
    """Values by their kind and constructor arguments."""

    def outside(self, name: str) -> Outside:
        """Return the value of a name outside the tree."""
        value = self.names.get(name)
        if value is None:
            value = self.names[name] = Outside(name)
        return value

    def text(self, text: str) -> Text:
        """Return the value of a string."""
        value = self.texts.get(text)
        if value is None:
            value = self.texts[text] = Text(text)
        return value

    def once(self, kind: type[V], *given: object) -> V:
        """Return the value of a kind and its arguments, created on the first call."""
        key = (kind, *given)
        value = self.known.get(key)
        if value is None:
            value = self.known[key] = kind(*given)
        return value  # type: ignore[return-value]  # a key begins with its kind

    def pattern(self, start: str, end: str) -> Value:
        """Return the value of a string with a known start and end."""
        if not start.isidentifier() and not (end.isidentifier() and not start):
            return self.text("")
        return self.once(Pattern, start, end)

    def guess(self, value: Value) -> Value:
        """Wrap a callable that is known only by a part of its name."""
        return self.once(Guess, value) if isinstance(value, Func | Bound | Cls | OpenClass) else value

    def container(self, file: File, site: int, kind: str) -> Container:
        """Return the container that a place of a file creates."""
        return self._made((file.first, site), Container, kind)

    def own_container(self, owner: Func, kind: str) -> Container:
        """Return the container of a function's `*` parameter, a tuple, or of its `**` parameter."""
        return self._made((-1 - owner.scope.id, kind == "tuple"), Container, kind)

    def made(self, unit: int, marker: int, maker: type[V]) -> V:
        """Return the property or partial that a line of a unit creates."""
        return self._made((-(1 << 40) - unit, marker), maker)

    def _made(self, key: tuple[int, int], maker: type[V], *given: object) -> V:
        value = self.containers.get(key)
        if value is None:
            value = self.containers[key] = maker(*given)
        return value  # type: ignore[return-value]  # a place creates one kind
