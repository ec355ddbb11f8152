"""HTML built from parts. Everything except `Html` is content: it is made harmless and escaped here, and only here."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from html import escape as escape_html

from inarch import escape

_EMPTY = frozenset({"meta", "input"})


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


Inside = str | Html


def text(content: str) -> Html:
    """Return content as HTML without markup; misleading characters are shown as their codes."""
    return Html(escape_html(escape(content), quote=False))


def join(parts: Iterable[Inside]) -> Html:
    """Return parts one after the other."""
    return Html("".join(part if isinstance(part, Html) else text(part) for part in parts))


def tag(name: str, /, *inside: Inside, **attributes: str | int | bool | None) -> Html:
    """Return an element.

    Args:
        name: Its name, never content.
        inside: The content of the element.
        attributes: `class_` is written `class`, `aria_label` `aria-label`; True is an attribute without a value, False
            and None are left out.
    """
    head = f"<{name}{_attributes(attributes)}>" if attributes else f"<{name}>"
    return Html(head) if name in _EMPTY else Html(f"{head}{join(inside)}</{name}>")


def _attributes(attributes: dict[str, str | int | bool | None]) -> str:
    given = ((name, value) for name, value in attributes.items() if value is not None and value is not False)
    return "".join([_attribute(name, "" if value is True else str(value), value is True) for name, value in given])


@lru_cache(4096)  # nearly all are our classes
def _attribute(name: str, value: str, alone: bool) -> str:
    written = name.rstrip("_").replace("_", "-")
    return f" {written}" if alone else f' {written}="{escape_html(escape(value, keep_newlines=False))}"'
