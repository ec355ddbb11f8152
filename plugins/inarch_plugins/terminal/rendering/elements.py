"""Markdown elements that replace those of rich: calm colours, narrow screens, nothing lost.

This module imports rich. Import it only when drawing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar

from markdown_it.token import Token
from rich import markdown as rich_markdown
from rich.box import ASCII2, SIMPLE
from rich.console import Console, ConsoleOptions, RenderResult
from rich.segment import Segment
from rich.style import Style
from rich.table import Table
from rich.text import Text

from inarch import escape, width
from inarch_lib.output.code_pieces import is_known
from inarch_plugins.terminal.rendering.code import painted
from inarch_plugins.terminal.rendering.colors import Ink, divided

NARROW = 12
"""With fewer columns, nothing is indented."""
CELL = 10
"""A table with fewer columns per cell is shown as a list of its rows."""
DIM = Style(dim=True)


class Heading(rich_markdown.Heading):
    """A heading with its marks, which show the level without size or colour."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text.assemble((f"{'#' * int(self.tag[1])} ", "dim"), self.text.copy(), overflow="fold")


class Paragraph(rich_markdown.Paragraph):
    """Text; a path that is wider than a line breaks after a slash."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        places = [
            word.start() + sum(map(len, pieces[:number]))
            for word in re.finditer(r"\S+", self.text.plain)
            for pieces in [divided(word[0], options.max_width)]
            for number in range(1, len(pieces))
        ]
        yield Text("\n").join(self.text.divide(places)) if places else self.text


class CodeBlock(rich_markdown.CodeBlock):
    """Indented code; long lines wrap."""

    @classmethod
    def create(cls, markdown: rich_markdown.Markdown, token: Token) -> CodeBlock:
        """Create the element with the info string of the fence."""
        made = cls("", "")
        made.info = token.info
        return made

    info = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        language, _, more = self.info.partition(" ")
        indent = "  " if options.max_width >= NARROW else ""
        if more or (language and not is_known(language)):  # the info string may be a file name
            yield Text(indent + self.info, DIM, overflow="fold")
        text = painted(str(self.text).removesuffix("\n").expandtabs(4), language)
        inner = options.update(width=max(1, options.max_width - len(indent)))
        for line in text.split("\n", allow_blank=True) if text else []:
            for piece in _folded(line, inner.max_width):
                yield Text.assemble(indent, piece)


def _folded(line: Text, columns: int) -> Iterator[Text]:
    """Yield a line of code in pieces that fit, cut anywhere."""
    if width(line.plain) <= columns:
        yield line
        return
    start = used = 0
    for place, char in enumerate(line.plain):
        one = width(char)
        if used + one > columns and place > start:
            yield line[start:place]
            start, used = place, 0
        used += one
    yield line[start:] if start else line


class Quote(rich_markdown.BlockQuote):
    """A quote with a bar on its left."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        bar = console.ink.sign("quote") if options.max_width >= NARROW else ""  # type: ignore[attr-defined]
        inner = options.update(width=max(1, options.max_width - len(bar)))
        for line in console.render_lines(self.elements, inner, pad=False):
            yield Segment(bar, DIM)
            yield from line
            yield Segment.line()


class ThematicBreak(rich_markdown.HorizontalRule):
    """A horizontal rule."""

    new_line = True

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(console.ink.sign("rule") * min(options.max_width, 60), DIM)  # type: ignore[attr-defined]


class ListElement(rich_markdown.ListElement):
    """A list with marks as narrow as possible."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        ink: Ink = console.ink  # type: ignore[attr-defined]
        numbered = self.list_type != "bullet_list_open"
        first = 1 if self.list_start is None else self.list_start
        wide = len(str(first + len(self.items) - 1)) + 2 if numbered else 2
        for number, item in enumerate(self.items, first):
            mark = f"{number}.".rjust(wide - 1) + " " if numbered else ink.sign("bullet")
            indent = " " * wide if options.max_width >= NARROW else ""
            inner = options.update(width=max(1, options.max_width - len(indent)))
            if not indent:
                yield Text(mark.rstrip())
            lines = console.render_lines(item.elements, inner, style=item.style, pad=False) or [[]]
            for place, line in enumerate(lines):
                yield Segment(indent and (indent if place else mark), DIM)
                yield from line
                yield Segment.line()


class TableElement(rich_markdown.TableElement):
    """A table, or a list of its rows if the table is too wide."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        head = [cell.content for cell in self.header.row.cells] if self.header and self.header.row else []
        rows = [[cell.content for cell in row.cells] for row in self.body.rows] if self.body else []
        needed = [
            min(CELL, max(width(row[place].plain) for row in [head, *rows] if place < len(row)))
            for place in range(len(head))
        ]
        if sum(needed) + 3 * len(needed) > options.max_width:
            yield from self._listed(head, rows, options)
            return
        ink: Ink = console.ink  # type: ignore[attr-defined]
        table = Table(
            box=SIMPLE if ink.glyphs else ASCII2, show_edge=False, pad_edge=False, collapse_padding=True,
            border_style="dim", header_style="bold", padding=(0, 1),
        )  # fmt: skip
        for text in head:
            table.add_column(text, justify=text.justify or "default", overflow="fold")
        for row in rows:
            table.add_row(*row)
        yield table

    def _listed(self, head: list[Text], rows: list[list[Text]], options: ConsoleOptions) -> Iterator[Any]:
        for number, row in enumerate(rows or [head]):
            if number:
                yield Text("-" * min(8, options.max_width), DIM)
            for name, cell in zip(head, row, strict=False):
                label = Text.assemble((name.plain, "bold"), ": ") if rows and name.plain else Text("")
                yield Text.assemble(label, cell, overflow="fold")


class Document(rich_markdown.Markdown):
    """Markdown from parsed tokens."""

    elements: ClassVar[dict[str, type[rich_markdown.MarkdownElement]]] = {
        **rich_markdown.Markdown.elements,
        "paragraph_open": Paragraph,
        "heading_open": Heading,
        "fence": CodeBlock,
        "code_block": CodeBlock,
        "blockquote_open": Quote,
        "hr": ThematicBreak,
        "bullet_list_open": ListElement,
        "ordered_list_open": ListElement,
        "table_open": TableElement,
    }
    inlines: ClassVar[set[str]] = {"em", "strong", "code", "s", "url"}  # type: ignore[misc]

    def __init__(self, tokens: list[Token], ink: Ink) -> None:
        # Set the attributes of rich's constructor, which would create a parser for each block.
        self.markup, self.parsed = "", tokens
        self.code_theme = self.inline_code_theme = ""
        self.justify, self.style, self.hyperlinks, self.inline_code_lexer = None, "none", False, None
        self.left_out: list[str] = []
        """Source text that is not on the screen: languages, addresses that equal the link text."""
        for token in tokens:
            if token.children:
                token.children = list(self._inline(token.children, ink))
            elif token.type in ("fence", "code_block"):
                self.left_out.append(token.info)
                token.content, token.info = ink.plain_lines(token.content), ink.plain(token.info.strip())

    def _inline(self, children: list[Token], ink: Ink) -> Iterator[Token]:
        """Yield the pieces of a line, with the addresses of links; escaped, because entities can encode anything."""
        said: list[str] = []  # text since the start of the link
        link: Token | None = None
        for child in children:
            if child.type == "link_open":
                said, link = [], child
            elif child.type == "link_close":
                yield from self._address(link, "href", "".join(said))
            elif child.type == "image":
                alt = _plain(child.children or [])
                yield _text(ink.plain_lines(alt))
                yield from self._address(child, "src", alt)
            elif child.type.startswith(("strong_", "em_")) and child.markup.startswith("_"):
                said.append(child.markup)  # `src/__init__.py` is a path, not an emphasized "init"
                yield _text(child.markup)
            elif child.type in ("softbreak", "hardbreak"):  # line breaks of a reply are intended
                said.append(" ")
                yield Token("hardbreak", "br", 0)
            else:
                said.append(child.content)
                child.content = ink.plain_lines(child.content)
                if child.type == "code_inline" and not ink.colours:
                    child.content = f"`{child.content}`"
                yield child

    def _address(self, link: Token | None, name: str, said: str) -> Iterator[Token]:
        """Yield the target of a link, unless the link text is the same."""
        from markdown_it.common.normalize_url import normalizeLinkText

        href, title = (str(link.attrs.get(key, "")) for key in (name, "title")) if link else ("", "")
        if said.strip() in (href, normalizeLinkText(href), href.removeprefix("mailto:")):
            self.left_out.append(href)
            href = ""
        shown = escape(" ".join(filter(None, (href, title and f'"{title}"'))), keep_newlines=False)
        if shown:
            yield Token("url_open", "url", 1)
            yield _text(f" ({shown})" if said.strip() else shown)
            yield Token("url_close", "url", -1)


def _plain(tokens: list[Token]) -> str:
    return "".join(_plain(token.children) if token.children else token.content for token in tokens)


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)
