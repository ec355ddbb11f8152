"""A terminal that is closed ends the program in good order in every state: no crash, nothing lost of what was done."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

PROGRAM = (sys.executable, "-P", "-m", "inarch")
Flags = tuple[str, ...]
AT_ONCE, PLAIN = "xterm-256color", "dumb"


class Window:
    """A terminal with the program in it, which can be closed."""

    def __init__(self, words: Flags, project: Path, environ: dict[str, str]) -> None:
        self.end, inner = pty.openpty()
        self.process = subprocess.Popen(
            [*PROGRAM, *words], cwd=project, env=environ, stdin=inner, stdout=inner, stderr=inner,
            start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        os.close(inner)
        self.shown = b""

    def until(self, text: bytes) -> None:
        deadline = time.monotonic() + 60
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
        return self.process.wait(60)


@pytest.fixture
def window(slowly: Flags, project: Path, environ: dict[str, str]) -> Iterator[list[Window]]:
    opened: list[Window] = []
    yield opened
    for one in opened:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait()


@pytest.mark.parametrize(
    ("term", "typed", "shown"),
    [
        (AT_ONCE, "", b"slowly/words"),
        (AT_ONCE, "half a line", b"half a line"),
        (AT_ONCE, "sleep a while\r", b"The an"),
        (AT_ONCE, "write a file\r", b"Run it?"),
        (PLAIN, "", b"> "),
        (PLAIN, "sleep a while\n", b"The an"),
        (PLAIN, "write a file\n", b"[d]"),
    ],
)
def test_a_conversation_ends_cleanly_when_its_terminal_is_closed(
    window: list[Window], slowly: Flags, project: Path, environ: dict[str, str], term: str, typed: str, shown: bytes
) -> None:
    window.append(Window(("chat", *slowly), project, environ | {"TERM": term}))
    window[0].until(b"slowly/words" if term == AT_ONCE else b"> ")
    window[0].type(typed.encode())
    window[0].until(shown)
    assert window[0].close() == 130
    crashes = Path(environ["XDG_STATE_HOME"], "inarch", "crashes")
    assert not crashes.exists(), [path.read_text() for path in crashes.iterdir()]
    if typed.endswith(("\r", "\n")):
        done = subprocess.run(
            [*PROGRAM, "sessions", "list"], cwd=project, env=environ, capture_output=True, text=True, check=True
        )
        assert typed.strip() in done.stdout


def test_one_prompt_ends_cleanly_when_its_terminal_is_closed_at_the_question(
    window: list[Window], slowly: Flags, project: Path, environ: dict[str, str]
) -> None:
    window.append(Window(("write a file", *slowly), project, environ))
    window[0].until(b"[d]")
    assert window[0].close() == 130
    assert not (project / "new.txt").exists()
    assert not Path(environ["XDG_STATE_HOME"], "inarch", "crashes").exists()
