"""export: sessions as one HTML page, as Markdown, as JSON lines that can be restored, and as a trajectory in ATIF."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, TextIO

import inarch

if TYPE_CHECKING:
    from inarch_plugins.export.html.assets import Asset
    from inarch_plugins.export.html.fragments import Fragments

    Pieces = Callable[[inarch.Transcript], Iterator[str]]


class Format:
    """Exporter whose text comes in pieces from `MODULE:FUNCTION`, which is imported on use."""

    def __init__(self, name: str, suffixes: tuple[str, ...], place: str) -> None:
        self.name = name
        self.suffixes = suffixes
        self._place = place

    def export(self, session: inarch.Transcript, out: TextIO) -> None:
        """Write the session."""
        module, _, function = self._place.partition(":")
        pieces: Pieces = getattr(import_module(f"{__name__}.{module}"), function)
        out.writelines(pieces(session))


class Html(Format):
    """HTML page and its parts, which other programs use to show sessions in a browser."""

    def __init__(self) -> None:
        super().__init__("html", (".html", ".htm"), "html.page:page")

    def assets(self) -> Mapping[str, Asset]:
        """Return the files of the design by name, each with `content` and `content_type`."""
        module = import_module(f"{__name__}.html.assets")
        return module.shared()  # type: ignore[no-any-return]

    def fragments(self, titled: Callable[[str, Mapping[str, Any]], str] | None = None) -> Fragments:
        """Return the maker of escaped HTML for a session's parts, to be shown with `assets`.

        Args:
            titled: Returns a call's title by its tool's name and its arguments.
        """
        module = import_module(f"{__name__}.html.fragments")
        return module.Fragments(titled)  # type: ignore[no-any-return]


@inarch.hookimpl
def inarch_exporters(context: inarch.PluginContext) -> Iterable[inarch.Exporter]:
    """Return the formats; the first one is the default."""
    return [
        Html(),
        Format("markdown", (".md", ".markdown"), "markdown:document"),
        Format("jsonl", (".jsonl",), "jsonl:lines"),
        Format("atif", (".atif.json",), "atif:document"),
    ]
