"""Source code with colours: the pieces of a lexer as elements with a class each."""

from __future__ import annotations

from inarch_lib.output.code_pieces import of_kind, pieces
from inarch_plugins.export.html.tags import Html, tag, text

_CLASSES = {
    "Comment": "c", "Keyword": "k", "Keyword.Constant": "b", "Keyword.Type": "b", "Operator.Word": "k",
    "Name.Builtin": "b", "Name.Decorator": "b", "Name.Attribute": "b", "Name.Function": "f", "Name.Class": "f",
    "Name.Tag": "k", "Literal.String": "s", "Literal.Number": "b", "Generic.Prompt": "c", "Generic.Output": "c",
}  # fmt: skip


def code_lines(content: str, language: str) -> list[Html]:
    """Return the lines of code with colours, none if the language is unknown."""
    if content.splitlines() != content.removesuffix("\n").split("\n"):
        return []  # diffs count lines otherwise than lexers
    rows: list[str] = [""]
    for kind, piece in pieces(content, language) or ():
        name = of_kind(kind, _CLASSES)
        for at, part in enumerate(piece.split("\n")):
            if at:
                rows.append("")
            if part:
                rows[-1] += tag("i", part, class_=name) if name else text(part)
    return [Html(row) for row in rows[: content.count("\n") + 1]] if len(rows) > 1 else []


def code(content: str, language: str) -> Html:
    """Return code with colours, without any if the language is unknown."""
    lines = code_lines(content, language)
    return Html("\n".join(lines)) if lines else text(content)
