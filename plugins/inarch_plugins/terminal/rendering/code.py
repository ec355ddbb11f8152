"""Colours of source code: a few of the eight basic ones, so that they can be read on dark and on light."""

from __future__ import annotations

from functools import cache
from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.text import Text

MOST = 100_000
"""Longer code is shown in one colour, too."""
LONGEST_S = 0.5
"""Code for which a lexer takes longer is shown in one colour: on some, lexers take quadratic time."""
_STYLES = {
    "Comment": "dim", "Comment.Preproc": "magenta", "Keyword": "magenta", "Keyword.Constant": "cyan",
    "Keyword.Type": "cyan", "Operator.Word": "magenta", "Name.Builtin": "cyan", "Name.Function": "bold",
    "Name.Class": "bold", "Name.Decorator": "cyan", "Name.Tag": "magenta", "Name.Attribute": "cyan",
    "Literal.String": "green", "Literal.String.Doc": "green", "Literal.Number": "cyan", "Generic.Inserted": "green",
    "Generic.Deleted": "red", "Generic.Heading": "bold", "Generic.Subheading": "cyan", "Generic.Prompt": "dim",
    "Generic.Output": "dim",
}  # fmt: skip


def painted(code: str, language: str) -> Text:
    """Return code with the colours of its language, or as it is if that is not known."""
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
    # Lexers end the last line, where it has no end; what else they change is not to be trusted.
    return text if place in (len(code), len(code) + 1) else Text(code, end="")


def is_known(language: str) -> bool:
    """Whether there is a lexer of Pygments' own; what is installed beside it is not looked for."""
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
