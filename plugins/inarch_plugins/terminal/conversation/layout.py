"""Layout of the display, from top to bottom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition, has_completions, has_focus, is_searching, vi_navigation_mode
from prompt_toolkit.formatted_text import ANSI, AnyFormattedText, StyleAndTextTuples, to_formatted_text
from prompt_toolkit.layout import (
    BufferControl,
    ConditionalContainer,
    Dimension,
    FormattedTextControl,
    HSplit,
    Layout,
    VerticalAlign,
    Window,
)
from prompt_toolkit.layout.controls import SearchBufferControl

from inarch import shorten, width

if TYPE_CHECKING:
    from collections.abc import Callable

    from inarch_plugins.terminal.conversation.screen import Screen

MOST_OFFERED = 8
"""Completions shown at once."""
MOST_QUEUED = 3
"""Queued lines shown at once."""
LEAST_LIVE = 3


def make_layout(screen: Screen) -> Layout:
    """Return the layout of the display."""
    search = SearchBufferControl(Buffer(multiline=False))
    line = BufferControl(
        screen.line, search_buffer_control=search, preview_search=True, include_default_input_processors=True
    )
    answer = BufferControl(screen.answer)
    is_asked = Condition(lambda: bool(screen.asked()))
    line_window = Window(
        line,
        get_line_prefix=lambda *at: "  " if any(at) else [("class:prompt", ": " if vi_navigation_mode() else "> ")],
        wrap_lines=True,
        dont_extend_height=True,
        height=lambda: Dimension(min=1, max=max(1, screen.rows // 3)),
    )
    answer_window = Window(
        answer,
        get_line_prefix=lambda number, wrap: [("class:question", screen.label)] if not (number or wrap) else [],
        wrap_lines=True,
        dont_extend_height=True,
    )
    search_window = Window(search, height=1, get_line_prefix=lambda *place: [("class:dim", "search back: ")])
    rows = [
        _text(lambda: _live(screen)),
        Window(height=1, char=" "),
        _text(lambda: _painted(screen.beside(screen.columns) if screen.beside is not None else "")),
        _text(lambda: _queued(screen)),
        ConditionalContainer(_text(lambda: _question(screen), wraps=True), is_asked & ~has_focus(screen.answer)),
        ConditionalContainer(answer_window, has_focus(screen.answer)),
        ConditionalContainer(line_window, ~is_asked & ~has_focus(screen.answer)),
        ConditionalContainer(search_window, is_searching),
        ConditionalContainer(_text(lambda: _offered(screen)), has_completions),
        _text(lambda: _status(screen)),
    ]
    return Layout(HSplit(rows, align=VerticalAlign.TOP, window_too_small=Window(line)), focused_element=line_window)


def _text(make: Callable[[], AnyFormattedText], *, wraps: bool = False) -> Window:
    def height() -> Dimension:
        return Dimension() if make() else Dimension.exact(0)

    control = FormattedTextControl(make, focusable=False, show_cursor=False)
    return Window(control, dont_extend_height=True, wrap_lines=wraps, height=height)


def _live(screen: Screen) -> AnyFormattedText:
    if (paged := screen.paged()) is not None:
        return to_formatted_text(ANSI("\n".join(["", *paged.shown()])))
    if screen.view is None or screen.asked():
        return ""
    taken = screen.line.document.line_count + len(screen.queued()) + 4
    text = screen.view.live(screen.columns, max(LEAST_LIVE, screen.rows - min(taken, screen.rows // 2)))
    return _painted(text)


def _painted(text: str) -> AnyFormattedText:
    return to_formatted_text(ANSI(text)) if text else ""


def _queued(screen: Screen) -> AnyFormattedText:
    waiting = screen.queued()
    lines = [shorten(" ".join(line.split()), screen.columns) for line in waiting[:MOST_QUEUED]]
    if len(waiting) > MOST_QUEUED:
        lines.append(f"and {len(waiting) - MOST_QUEUED} more")
    return [("class:queued", "\n".join(lines))] if lines else ""


def _question(screen: Screen) -> AnyFormattedText:
    """Return the keys of the question, broken between keys on a narrow terminal."""
    parts: StyleAndTextTuples = []
    used = 0
    for key, words in screen.asked():
        wide = width(f"{key} {words}".strip())
        between = "  " if used else ""
        if used and used + len(between) + wide > screen.columns:
            between, used = "\n", 0
        parts += [("", between), ("class:key", key), ("", f" {words}" if key else words)]
        used += len(between.strip("\n")) + wide
    return parts


def _offered(screen: Screen) -> AnyFormattedText:
    state = screen.line.complete_state
    if state is None or not state.completions:
        return ""
    place = state.complete_index or 0
    first = max(0, min(place - MOST_OFFERED + 1, len(state.completions) - MOST_OFFERED))
    if place < MOST_OFFERED:
        first = 0
    shown = state.completions[first : first + MOST_OFFERED]
    wide = max(width(one.display_text) for one in shown)
    parts: StyleAndTextTuples = []
    for number, one in enumerate(shown, first):
        name = shorten(one.display_text, screen.columns - 3)
        room = screen.columns - 5 - max(wide, width(name))
        said = f"  {shorten(one.display_meta_text, room)}" if one.display_meta_text and room > 8 else ""
        style = "class:picked" if number == state.complete_index else ""
        parts += [("", "  "), (style, name + " " * max(0, wide - width(name))), ("class:dim", said), ("", "\n")]
    return parts[:-1]


def _status(screen: Screen) -> AnyFormattedText:
    if hint := screen.hint or screen.standing():
        return [("class:hint", shorten(hint, screen.columns))]
    if line := screen.status():
        return [("class:dim", shorten(line, screen.columns))]
    return _painted(screen.view.status(screen.columns) if screen.view is not None else "")
