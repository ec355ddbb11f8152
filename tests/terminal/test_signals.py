"""Ctrl-C and Ctrl-Z wherever a person may press them: each ends or stops one thing, and the terminal is as it was."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch.program.failure import interrupts

from ..running.terminals import Open, Terminal

Flags = tuple[str, ...]
READY = "? for help"
TALKING = ("--plugin", str(Path(__file__).parent / "conversation" / "talking.py"), "--model", "talking/words")
ASKED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def handled(number: int, handler: Any) -> Iterator[None]:
    before = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)


@given(st.lists(st.sampled_from(ASKED), max_size=4))
def test_the_first_asks_the_others_come_again_and_who_had_them_hears_of_an_end(numbers: list[signal.Signals]) -> None:
    heard: list[tuple[str, int]] = []

    def note(word: str) -> Callable[..., None]:
        return lambda number, *_: heard.append((word, number))

    with handled(signal.SIGINT, note("before")), handled(signal.SIGTERM, note("before")):
        with handled(signal.SIGHUP, signal.SIG_IGN):
            with interrupts(note("asked"), note("again")):
                for number in numbers:
                    signal.raise_signal(number)
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        taken = [number for number in numbers if number != signal.SIGHUP]  # it is ignored, and stays so
        told = [("asked" if not place else "again", number) for place, number in enumerate(taken)]
        assert heard == [*told, *([("before", taken[0])] if taken[:1] == [signal.SIGTERM] else [])]
        signal.raise_signal(signal.SIGINT)
        assert heard[-1] == ("before", signal.SIGINT)


def test_one_that_is_ignored_is_taken_where_that_is_wanted_and_given_back() -> None:
    heard: list[int] = []
    with handled(signal.SIGINT, signal.SIG_IGN):
        with interrupts(heard.append, heard.append, ("SIGINT", "SIGNEVER"), ignored=True):
            signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    assert heard == [signal.SIGINT]


def opened(terminal: Open, *words: str, **more: Any) -> Terminal:
    made = terminal(*TALKING, *words, **more)
    made.until(READY)
    return made


def gone_on(made: Terminal, seen: str) -> None:
    """Stop the program and let it go on, until its picture is there again: keys before that are not the line's yet."""
    made.type("", "C-z")
    assert seen not in made.until("stopped")
    made.type("", "Enter")
    made.until(seen)


@pytest.mark.needs("tmux")
def test_ctrl_c_in_a_search_leaves_the_search(terminal: Open) -> None:
    made = opened(terminal)
    made.type("the first thing", "Enter")
    made.until("cost unknown", "\n>\n")  # while a turn runs, a Ctrl-C is the turn's
    made.type("", "C-r")
    made.until("search back:")
    made.type("first")
    made.until("search back: first")
    made.type("", "C-c")
    made.until("\n>\n")
    made.type("another", "Enter")
    assert "search back" not in made.until("said another")


@pytest.mark.needs("tmux")
def test_ctrl_z_in_a_turn_and_ctrl_c_after_fg(terminal: Open) -> None:
    made = opened(terminal, fork=False)
    made.type("slow one", "Enter")
    made.until("Slowly")
    gone_on(made, "talking/words · ask")
    made.type("typed after")
    made.until("> typed after")
    made.type("", "C-c")
    made.until("cancelled ·")
    made.type("", "C-c", "C-d")
    made.until("code=0")
