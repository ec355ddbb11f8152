"""The files of the design: what every page of a session has, and what only the exported one needs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from attrs import frozen

DESIGN = ("design.css", "turns.css")
"""Type, colours and parts of a session; the order counts."""


@frozen
class Asset:
    """A file as a browser takes it."""

    content: bytes
    content_type: str


@cache
def text_of(name: str) -> str:
    """Return a file of the design."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


@cache
def style() -> str:
    """Return the style of the exported page as one text."""
    return "\n".join(text_of(name) for name in (*DESIGN, "page.css"))


def shared() -> Mapping[str, Asset]:
    """Return what another page that shows sessions takes."""
    return {name: Asset(text_of(name).encode(), "text/css; charset=utf-8") for name in DESIGN}
