"""A conversation in a real terminal of tmux."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ...running.terminals import Open, Terminal

READY = "? for help"
Talk = Callable[..., Terminal]


@pytest.fixture
def talk(terminal: Open) -> Talk:
    """Open a conversation with a model that says what it heard, and wait until it is composed."""

    def open_talk(*words: str, columns: int = 100, lines: int = 40, **extra: str) -> Terminal:
        plugin = str(Path(__file__).with_name("talking.py"))
        flags = ("--plugin", plugin, *(() if "--model" in words else ("--model", "talking/words")))
        opened = terminal(*flags, *words, columns=columns, lines=lines, **extra)
        opened.until(READY[: columns // 2])
        return opened

    return open_talk


@pytest.fixture
def ask(slowly: tuple[str, ...], terminal: Open) -> Talk:
    """Open a conversation with the model that writes files when the prompt says so."""

    def open_talk(*words: str, columns: int = 100, lines: int = 45, **extra: str) -> Terminal:
        opened = terminal(*slowly, *words, columns=columns, lines=lines, **extra)
        opened.until(READY[: columns // 2])
        return opened

    return open_talk
