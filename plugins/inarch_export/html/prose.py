"""Answers as HTML: their Markdown, without raw HTML, without anything that a browser would load.

Links are content: they stay links where they lead to the web or to a mailbox. Pictures become links.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from inarch import escape
from inarch_export.html.tags import Html, tag, text

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LONGEST = 60_000
"""Characters above which an answer is shown as plain text: some Markdown takes quadratic time."""
SCHEMES = ("http:", "https:", "mailto:")
_DEEPEST = 6


def prose(markdown: str) -> Html:
    """Return Markdown as HTML."""
    if len(markdown) > LONGEST:
        return tag("pre", tag("code", markdown))
    made = _reader().render(escape(markdown))
    # Entities of Markdown may stand for what `escape` has just shown as codes.
    return tag("div", Html(escape(made)), class_="prose", dir="auto")


@cache
def _reader() -> MarkdownIt:
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": False, "maxNesting": 20})
    reader.enable(["table", "strikethrough"])
    reader.validateLink = lambda url: True  # type: ignore[method-assign]  # which ones may lead somewhere is said below
    reader.core.ruler.push("harmless", lambda state: _tame(state.tokens))
    return reader


def _tame(tokens: Sequence[Token]) -> None:
    """Take out of the tokens what our page may not have: pictures, styles, big headings, links to anywhere."""
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 3, _DEEPEST)}"
        elif token.type == "fence":
            token.info = ""
        elif token.type in ("th_open", "td_open"):
            style = str(token.attrs.pop("style", ""))
            if style.endswith(("right", "center")):
                token.attrSet("class", style.removeprefix("text-align:"))
        if token.children:
            token.children = list(_inline(token.children))


def _inline(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens of a line; a link that leads to no place we know is its text alone, a picture is a link."""
    from markdown_it.token import Token

    leads = [False]
    for token in tokens:
        if token.type == "link_open":
            leads.append(_is_safe(str(token.attrGet("href") or "")) and not leads[-1])
            if leads[-1]:
                yield Token("link_open", "a", 1, attrs=_link(str(token.attrGet("href"))))
        elif token.type == "link_close":
            if leads.pop():
                yield token
        elif token.type == "image":
            address, said = str(token.attrGet("src") or ""), Token("text", "", 0, content=token.content or "picture")
            if _is_safe(address) and not leads[-1]:
                yield Token("link_open", "a", 1, attrs=_link(address))
                yield said
                yield Token("link_close", "a", -1)
            else:
                yield said
        else:
            yield token


def _is_safe(address: str) -> bool:
    return address.strip().lower().startswith(SCHEMES)


def _link(address: str) -> dict[str, str | int | float]:
    return {"href": address, "rel": "noopener noreferrer", "target": "_blank"}


def plain(content: str, class_: str = "") -> Html:
    """Return a text whose lines and spaces count."""
    return tag("pre", tag("code", text(content)), class_=class_ or None, dir="auto")
