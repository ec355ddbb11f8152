"""export: sessions as one HTML page, as Markdown, and as JSON lines that can be restored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, TextIO

import inarch

if TYPE_CHECKING:
    Pieces = Callable[[inarch.Transcript], Iterator[str]]


class Format:
    """An exporter whose text comes in pieces from `MODULE:FUNCTION`, which is imported when it is used."""

    def __init__(self, name: str, suffixes: tuple[str, ...], place: str) -> None:
        self.name = name
        self.suffixes = suffixes
        self._place = place

    def export(self, session: inarch.Transcript, out: TextIO) -> None:
        """Write the session."""
        module, _, function = self._place.partition(":")
        pieces: Pieces = getattr(import_module(f"{__name__}.{module}"), function)
        out.writelines(pieces(session))


@inarch.hookimpl
def inarch_exporters(context: inarch.PluginContext) -> Iterable[inarch.Exporter]:
    """Return the formats; the first one is what is written where none is named."""
    return [
        Format("html", (".html", ".htm"), "html.page:page"),
        Format("markdown", (".md", ".markdown"), "markdown:document"),
        Format("jsonl", (".jsonl",), "jsonl:lines"),
    ]
