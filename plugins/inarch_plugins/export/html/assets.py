"""Files of the design: shared by all pages of a session, or only for the exported one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from attrs import frozen

DESIGN = ("design.css", "turns.css")
"""Type, colors and parts of a session; the order counts."""


@frozen
class Asset:
    """File in the form that a browser gets."""

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
    """Return the files for other pages that show sessions."""
    return {name: Asset(text_of(name).encode(), "text/css; charset=utf-8") for name in DESIGN}
