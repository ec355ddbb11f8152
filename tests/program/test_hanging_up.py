"""A terminal that is closed ends the program in good order in every state: no crash, nothing lost of what was done."""

from __future__ import annotations

import os
import pty
import select
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..forking import LONGEST_S, start_inarch
from ..running.program import Run

Flags = tuple[str, ...]
AT_ONCE, PLAIN = "xterm-256color", "dumb"


class Window:
    """A terminal with the program in it, which can be closed."""

    def __init__(self, words: Flags, project: Path, environ: dict[str, str]) -> None:
        self.end, inner = pty.openpty()
        self.process = start_inarch(*words, cwd=project, environ=environ, streams=[inner] * 3, place="terminal")
        os.close(inner)
        self.shown = b""

    def until(self, text: bytes) -> None:
        deadline = time.monotonic() + LONGEST_S
        while text not in self.shown:
            assert time.monotonic() < deadline, f"no {text!r} in {self.shown!r}"
            if select.select([self.end], [], [], 0.2)[0]:
                piece = os.read(self.end, 65_536)
                self.shown += piece
                if b"\x1b[6n" in piece:
                    os.write(self.end, b"\x1b[1;1R")

    def type(self, text: bytes) -> None:
        os.write(self.end, text)

    def close(self) -> int:
        """Close the terminal and return the exit code; stopped meanwhile, the program learns of all of it at once."""
        self.process.send_signal(signal.SIGSTOP)
        os.close(self.end)
        self.process.send_signal(signal.SIGCONT)
        return self.process.wait()


@pytest.fixture
def window(slowly: Flags, project: Path, environ: dict[str, str]) -> Iterator[list[Window]]:
    opened: list[Window] = []
    yield opened
    for one in opened:
        one.process.kill()
        one.process.wait()


@pytest.mark.parametrize(
    ("term", "typed", "shown"),
    [
        (AT_ONCE, "", b"slowly/words"),
        (AT_ONCE, "half a line", b"half a line"),
        (AT_ONCE, "sleep a while\r", b"The an"),
        (AT_ONCE, "write a file\r", b" all session: "),
        (PLAIN, "", b"> "),
        (PLAIN, "sleep a while\n", b"The an"),
        (PLAIN, "write a file\n", b"[d]"),
    ],
)
def test_a_conversation_ends_cleanly_when_its_terminal_is_closed(
    cli: Run,
    window: list[Window],
    slowly: Flags,
    project: Path,
    environ: dict[str, str],
    term: str,
    typed: str,
    shown: bytes,
) -> None:
    window.append(Window(("chat", *slowly), project, environ | {"TERM": term}))
    window[0].until(b"slowly/words" if term == AT_ONCE else b"> ")
    window[0].type(typed.encode())
    window[0].until(shown)
    assert window[0].close() == 130
    crashes = Path(environ["XDG_STATE_HOME"], "inarch", "crashes")
    assert not crashes.exists(), [path.read_text() for path in crashes.iterdir()]
    if typed.endswith(("\r", "\n")):
        assert typed.strip() in cli("sessions", "list").stdout


def test_one_prompt_ends_cleanly_when_its_terminal_is_closed_at_the_question(
    window: list[Window], slowly: Flags, project: Path, environ: dict[str, str]
) -> None:
    window.append(Window(("write a file", *slowly), project, environ))
    window[0].until(b"[d]")
    assert window[0].close() == 130
    assert not (project / "new.txt").exists()
    assert not Path(environ["XDG_STATE_HOME"], "inarch", "crashes").exists()
