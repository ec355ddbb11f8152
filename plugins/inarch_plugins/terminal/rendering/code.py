"""Syntax highlighting with the basic eight colours, readable on dark and light backgrounds."""

from __future__ import annotations

from functools import cache
from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.text import Text

    from inarch_plugins.terminal.rendering.colors import Ink

MOST = 100_000
"""Code longer than this many characters is not highlighted."""
LONGEST_S = 0.5
"""Code that takes a lexer longer is not highlighted; some lexers take quadratic time."""
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

    text = Text(code, end="")
    lexer = _lexer(language.lower()) if is_known(language) and len(code) <= MOST else None
    if lexer is None:
        return text
    place, end = 0, monotonic() + LONGEST_S
    for kind, piece in lexer.get_tokens(code):
        if monotonic() > end:
            return Text(code, end="")
        style = _style(kind)
        if style:
            text.stylize(style, place, place + len(piece))
        place += len(piece)
    # Lexers append a final newline. Any other change is a reason not to trust them.
    return text if place in (len(code), len(code) + 1) else Text(code, end="")


def inked(code: str, language: str, ink: Ink) -> str:
    """Return a line of highlighted code for the terminal."""
    found, at = "", 0
    for span in painted(code, language).spans if ink.colours else ():
        found += code[at : span.start] + ink.paint(code[span.start : span.end], str(span.style))
        at = span.end
    return found + code[at:]


def is_known(language: str) -> bool:
    """Return whether Pygments itself has a lexer; lexers of other packages are ignored."""
    return language.lower() in _languages()


@cache
def _languages() -> frozenset[str]:
    from pygments.lexers import get_all_lexers  # type: ignore[import-untyped]

    return frozenset(alias for _, aliases, _, _ in get_all_lexers(plugins=False) for alias in aliases)


@cache
def _lexer(language: str) -> Any:
    from pygments.lexers import get_lexer_by_name

    return get_lexer_by_name(language, stripnl=False)


@cache
def _style(kind: Any) -> str:
    while kind:
        found = _STYLES.get(".".join(kind))
        if found is not None:
            return found
        kind = kind.parent
    return ""
