"""Renderer of Markdown blocks for a given width."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from inarch import width
from inarch_plugins.terminal.rendering.colors import Ink, fold, to_ascii

if TYPE_CHECKING:
    from collections.abc import Iterator
    from threading import Thread

    from rich.console import Console
    from rich.segment import Segment

MOST = 8_000
"""Longer paragraphs are shown as plain text: parsing their emphasis may take long."""
_LED = ("bullet_list_open", "ordered_list_open", "blockquote_open", "table_open")
"""Elements before which rich leaves an empty line even at the beginning."""
STYLES = {
    "markdown.paragraph": "none", "markdown.em": "bold", "markdown.strong": "bold", "markdown.code": "cyan",
    "markdown.code_inline": "cyan", "markdown.s": "dim", "markdown.url": "dim", "markdown.item": "none",
    "markdown.block_quote": "none", "markdown.code_block": "none", "markdown.table.header": "bold",
    "markdown.table.border": "dim", **{f"markdown.h{level}": "bold" for level in range(1, 7)},
}  # fmt: skip


_preparing: list[Thread] = []


def prepare() -> None:
    """Import the Markdown renderer; call this in a thread when there is time, such as before a reply."""
    from threading import Thread

    if not _preparing:
        _preparing.append(Thread(target=draw_block, args=("", 80, Ink(False, True)), daemon=True))
        _preparing[0].start()


def is_ready() -> bool:
    """Return whether drawing would not wait for a running import."""
    return not (_preparing and _preparing[0].is_alive())


def draw_block(source: str, columns: int, ink: Ink) -> str:
    """Render a top-level block as complete lines, none wider than `columns` unless it is raw."""
    if ink.raw:
        source = source.strip("\n")
        return f"{source if ink.glyphs else to_ascii(source)}\n" if source.strip() else ""
    return "".join(f"{line}\n" for line in _lines(source, columns, ink))


def _lines(source: str, columns: int, ink: Ink) -> Iterator[str]:
    from inarch_plugins.terminal.rendering.blocks import DEPTH, block_parser, parser

    columns = max(1, columns)
    as_it_is = ink.wrapped(ink.plain_lines(source.rstrip("\n")), columns)
    if len(source) > MOST:
        inline = (len(token.content) for token in block_parser().parse(source) if token.type == "inline")
        if max(inline, default=0) > MOST:
            yield from as_it_is
            return
    tokens = parser().parse(source)
    if any(token.level >= DEPTH - 4 for token in tokens):
        yield from as_it_is
        return
    from inarch_plugins.terminal.rendering.elements import Document

    console = _console(ink)
    options = console.options.update(width=columns, height=None)
    document = Document(tokens, ink)
    lines = console.render_lines(document, options, pad=False)
    if tokens and tokens[0].type in _LED and lines and not "".join(segment.text for segment in lines[0]).strip():
        del lines[0]
    shown = [*(segment.text for line in lines for segment in line), *document.left_out]
    if ink.glyphs and _letters(source) > sum(map(_letters, shown)):
        yield from as_it_is  # such as extra cells in a table row
        return
    for line in lines:
        yield from _finished(line, columns, ink)


def _letters(text: str) -> int:
    """Return the number of letters, not counting those of entities."""
    return sum(map(str.isalpha, re.sub(r"&#?\w+;", "", text)))


def _finished(line: list[Segment], columns: int, ink: Ink) -> Iterator[str]:
    """Yield a line as text; fold it if rich measures it narrower than terminals do."""
    while line and not line[-1].text.strip(" "):
        line.pop()
    if line:
        last = line[-1]
        line[-1] = last._replace(text=last.text.rstrip(" "))
    plain = "".join(segment.text for segment in line)
    if width(plain) > columns:
        yield from fold(plain, columns)
        return
    from rich.color import ColorSystem

    system = ColorSystem.STANDARD if ink.colours else None
    yield "".join(one.style.render(one.text, color_system=system) if one.style else one.text for one in line)


@lru_cache(4)
def _console(ink: Ink) -> Console:
    from io import StringIO

    from rich.console import Console
    from rich.theme import Theme

    console: Any = Console(
        file=StringIO(), force_terminal=True, color_system="standard", width=80, height=25, legacy_windows=False,
        emoji=False, highlight=False, markup=False, soft_wrap=False, theme=Theme(STYLES, inherit=True),
        _environ={},
    )  # fmt: skip
    console.ink = ink
    return console  # type: ignore[no-any-return]
