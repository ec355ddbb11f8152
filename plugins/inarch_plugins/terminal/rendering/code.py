"""Syntax highlighting with the basic eight colours, readable on dark and light backgrounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inarch_lib.output.code_pieces import of_kind, pieces

if TYPE_CHECKING:
    from rich.text import Text

    from inarch_plugins.terminal.rendering.colors import Ink

_STYLES = {
    "Comment": "dim", "Comment.Preproc": "magenta", "Keyword": "magenta", "Keyword.Constant": "cyan",
    "Keyword.Type": "cyan", "Operator.Word": "magenta", "Name.Builtin": "cyan", "Name.Function": "bold",
    "Name.Class": "bold", "Name.Decorator": "cyan", "Name.Tag": "magenta", "Name.Attribute": "cyan",
    "Literal.String": "green", "Literal.String.Doc": "green", "Literal.Number": "cyan", "Generic.Inserted": "green",
    "Generic.Deleted": "red", "Generic.Heading": "bold", "Generic.Subheading": "cyan", "Generic.Prompt": "dim",
    "Generic.Output": "dim",
}  # fmt: skip


def painted(code: str, language: str) -> Text:
    """Return highlighted code, or plain code if the language is unknown."""
    from rich.text import Text

    text, place = Text(code, end=""), 0
    for kind, piece in pieces(code, language) or ():
        if style := of_kind(kind, _STYLES):
            text.stylize(style, place, place + len(piece))
        place += len(piece)
    return text


def inked(code: str, language: str, ink: Ink) -> str:
    """Return a line of highlighted code for the terminal."""
    found, at = "", 0
    for span in painted(code, language).spans if ink.colours else ():
        found += code[at : span.start] + ink.paint(code[span.start : span.end], str(span.style))
        at = span.end
    return found + code[at:]
