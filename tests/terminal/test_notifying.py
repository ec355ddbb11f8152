"""A sign at the end of a long turn and at a question, for who looks elsewhere."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from inarch_plugins.terminal.notifications import TURN_ENDED, Notifier, Settings

OSC_9 = "\x1b]9;Inarch: the turn has ended\a"


@pytest.mark.parametrize(
    ("environ", "notify", "sign"),
    [
        ({"TERM": "xterm-256color"}, "auto", "\a"),
        ({"TERM": "xterm-kitty"}, "auto", OSC_9),
        ({"TERM": "xterm-kitty"}, "bell", "\a"),
        ({"TERM": "xterm-kitty"}, "off", ""),
        ({"TERM_PROGRAM": "iTerm.app", "TERM": "xterm"}, "auto", OSC_9),
        ({"TERM_PROGRAM": "iTerm.app", "TERM": "tmux-256color"}, "auto", "\a"),
        ({"TERM_PROGRAM": "WezTerm", "TMUX": "/tmp/x"}, "auto", "\a"),
        ({}, "auto", "\a"),
    ],
)
def test_the_sign_is_what_the_terminal_knows(environ: Mapping[str, str], notify: str, sign: str) -> None:
    written: list[str] = []
    times = iter([0.0, 11.0, 11.0])
    notifier = Notifier(written.append, Settings(notify, 10), environ, lambda: next(times))  # type: ignore[arg-type]
    notifier.tell(TURN_ENDED)
    assert "".join(written) == sign


def test_somebody_who_was_there_a_moment_ago_gets_none() -> None:
    written: list[str] = []
    now = [0.0]
    notifier = Notifier(written.append, Settings(), {}, lambda: now[0])
    now[0] = 9
    notifier.tell(TURN_ENDED)
    notifier.looked()
    now[0] = 18
    notifier.tell(TURN_ENDED)
    assert written == []
    now[0] = 20
    notifier.tell(TURN_ENDED)
    notifier.tell(TURN_ENDED)
    assert written == ["\a"]
