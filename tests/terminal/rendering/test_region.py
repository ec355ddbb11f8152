"""The moving lines of a terminal, without one."""

from __future__ import annotations

import io

from inarch_plugins.terminal.front_ends.live_display import Region


def region() -> tuple[Region, io.StringIO]:
    screen = io.StringIO()
    return Region(screen, screen), screen


def shown(screen: io.StringIO) -> str:
    text = screen.getvalue().replace("\x1b[?2026h", "").replace("\x1b[?2026l", "")
    screen.seek(0)
    screen.truncate()
    return text


def test_moving_lines_are_erased_before_others_are_drawn() -> None:
    drawing, screen = region()
    drawing.draw([], "one\ntwo", [3, 3])
    assert shown(screen) == "one\ntwo"
    drawing.draw([(True, "done\n")], "three", [5])
    assert shown(screen) == "\r\x1b[1A\x1b[Jdone\nthree"
    drawing.draw([], "three", [5])
    assert shown(screen) == ""
    drawing.clear()
    assert shown(screen) == "\r\x1b[J"
    drawing.clear()
    assert shown(screen) == ""


def test_what_others_print_stands_above_as_whole_lines() -> None:
    drawing, screen = region()
    drawing.draw([], "live", [4])
    shown(screen)
    drawing.write("LOUD")
    assert shown(screen) == ""
    drawing.write(" and clear\nmore")
    assert shown(screen) == "\r\x1b[JLOUD and clear\nlive"
    drawing.clear()
    assert shown(screen) == "\r\x1b[Jmore\n"


def test_the_answer_goes_to_its_own_stream_in_order() -> None:
    written: list[tuple[str, str]] = []

    class Stream(io.StringIO):
        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

        def write(self, text: str) -> int:
            written.append((self.name, text.replace("\x1b[?2026h", "").replace("\x1b[?2026l", "")))
            return len(text)

    drawing = Region(Stream("out"), Stream("err"))
    drawing.draw([(False, "tree\n"), (True, "answer\n"), (False, "sum\n")], "live", [4])
    assert written == [("err", "tree\n"), ("out", "answer\n"), ("err", "sum\nlive")]
