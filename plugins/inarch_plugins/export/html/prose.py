"""Content as HTML: Markdown without raw HTML and loadable content, texts, plain data.

Links to the web or to a mailbox stay links. Pictures become links.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from inarch import escape
from inarch_lib.output.code_pieces import is_known, language_of
from inarch_plugins.export.html.code import code
from inarch_plugins.export.html.tags import Html, join, tag, text
from inarch_plugins.export.words import as_json, cut, one_line

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LONGEST = 60_000
"""Characters above which an answer is shown as plain text: some Markdown takes quadratic time."""
SCHEMES = ("http:", "https:", "mailto:")
_DEEPEST = 6
LONGEST_WORD = 80
MOST_MEMBERS = 200
_ON_WHAT = ("file_path", "directory", "query", "pattern", "command", "function")


def prose(markdown: str) -> Html:
    """Return Markdown as HTML."""
    if len(markdown) > LONGEST:
        return tag("pre", tag("code", markdown))
    made = _reader().render(escape(markdown))
    # Entities of Markdown may produce characters that `escape` has just shown as codes.
    return tag("div", Html(escape(made)), class_="prose", dir="auto")


@cache
def _reader() -> MarkdownIt:
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": False, "maxNesting": 20})
    reader.enable(["table", "strikethrough"])
    reader.validateLink = lambda url: True  # type: ignore[method-assign]  # which ones may lead somewhere is said below
    reader.core.ruler.push("harmless", lambda state: _tame(state.tokens))
    reader.add_render_rule("fence", lambda _, tokens, at, *rest: _fence(tokens[at]))
    return reader


def _fence(token: Token) -> Html:
    language = next(iter(token.info.split()), "")
    known = language if is_known(language) else language_of(language)  # it may be a file
    return Html(tag("pre", tag("code", code(token.content, known))) + "\n")


def _tame(tokens: Sequence[Token]) -> None:
    """Remove pictures, styles, big headings and unsafe links from the tokens."""
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 3, _DEEPEST)}"
        elif token.type in ("th_open", "td_open"):
            style = str(token.attrs.pop("style", ""))
            if style.endswith(("right", "center")):
                token.attrSet("class", style.removeprefix("text-align:"))
        if token.children:
            token.children = list(_inline(token.children))


def _inline(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens of a line; a link to an unknown target becomes its text, a picture a link."""
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


def plain(content: str) -> Html:
    """Return a text with its line breaks and spaces preserved."""
    return tag("pre", tag("code", text(content)), dir="auto")


def short(arguments: Mapping[str, Any], longest: int = 100) -> str:
    """Return arguments on one line: the main one as its bare value, long texts as their size."""
    bare = next(iter(arguments), None) if len(arguments) == 1 else next(filter(arguments.__contains__, _ON_WHAT), None)
    words = [_word(arguments[bare])] if bare is not None else []
    words += [f"{name}={_word(value)}" for name, value in arguments.items() if name != bare]
    return one_line(" ".join(words), longest)


def _word(value: Any) -> str:
    if isinstance(value, str):
        lines = value.strip("\n").count("\n") + 1
        return f"({lines} lines)" if lines > 1 else one_line(value, LONGEST_WORD) or '""'
    return one_line(as_json(value), LONGEST_WORD)


def long_text(content: str) -> Html:
    """Return a text unchanged, or cut with a note if it is too long for a page."""
    shown, left = cut(content)
    return join([plain(shown), _told(left)])


def value(content: Any) -> Html:
    """Return any plain data: a mapping as a list of its entries."""
    if isinstance(content, Mapping) and content:
        return members(content)
    if isinstance(content, str):
        return long_text(content)
    return long_text(as_json(content, 1))


def members(data: Mapping[str, Any], without: tuple[str, ...] = ()) -> Html:
    """Return the entries of a mapping as a list, except those in `without`."""
    shown = [(str(name), item) for name, item in data.items() if name not in without]
    left = len(shown) - MOST_MEMBERS
    rows = join(part for name, item in shown[:MOST_MEMBERS] for part in _member(name, item))
    if not rows:
        return Html()
    return join([tag("dl", rows, class_="members"), _told(f"{left:,} more" if left > 0 else "")])


def _member(name: str, item: Any) -> Iterator[Html]:
    is_text = isinstance(item, str)
    written = item if is_text else as_json(item)
    if len(written) <= LONGEST_WORD and "\n" not in written:
        yield tag("dt", name)
        yield tag("dd", tag("code", written), class_=None if is_text else "number")
        return
    yield tag("dt", name, class_="above")
    yield tag("dd", long_text(item if is_text else as_json(item, 1)), class_="below")


def _told(sentence: str) -> Html:
    return tag("p", sentence, class_="left-out") if sentence else Html()
