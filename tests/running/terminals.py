"""A terminal of tmux with the program in it."""

from __future__ import annotations

import os
import select
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Self

from ..forking import LONGEST_S, Forked, fits, start_inarch

# Its first process lets go of the terminal, so that the program, a fork of another, can have it, and lasts to the end:
# nobody hangs up on it any more, so it waits for the other side of the terminal to close.
LETTING_GO = (
    "import fcntl, select, signal, termios\n"
    "was = signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
    "fcntl.ioctl(0, termios.TIOCNOTTY)\n"
    "signal.signal(signal.SIGHUP, was)\n"
    "print('\\x1b]2;let go: yes\\x1b\\\\', end='', flush=True)\n"
    "closed = select.poll()\n"
    "closed.register(0, 0)\n"
    "closed.poll()\n"
)


class Terminal:
    """A terminal of its own server, so that nobody's sessions or settings matter.

    It is spoken to in tmux's control mode: one process, which also tells when something is written to the terminal.
    """

    def __init__(self, folder: Path, columns: int, lines: int, first: Sequence[str]) -> None:
        self._socket = os.path.relpath(folder / "tmux")
        self._seen = b""
        self._shell: Forked | None = None
        self._tmux = subprocess.Popen(
            ["tmux", "-S", self._socket, "-f", "/dev/null", "-C", "new-session", "-s", "main", "-x", str(columns),
             "-y", str(lines), *first],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        self._answer()

    @classmethod
    def with_fork(
        cls, folder: Path, size: tuple[int, int], words: Sequence[str], cwd: Path, environ: Mapping[str, str]
    ) -> Self:
        """Open a terminal with a fork of the program."""
        made = cls(folder, *size, [sys.executable, "-ISc", LETTING_GO])
        made.until("let go: yes", look=lambda: made.tmux("display-message", "-p", "#{pane_title}"))
        descriptor = os.open(made.tmux("display-message", "-p", "#{pane_tty}").strip(), os.O_RDWR | os.O_NOCTTY)
        made._shell = start_inarch(*words, cwd=cwd, environ=environ, streams=[descriptor] * 3, place="shell")
        os.close(descriptor)
        return made

    @classmethod
    def with_process(
        cls, folder: Path, size: tuple[int, int], words: Sequence[str], cwd: Path, environ: Mapping[str, str]
    ) -> Self:
        """Open a terminal with the program as anybody starts it."""
        program = shlex.join((sys.executable, "-P", "-m", "inarch", *words))
        settings = [f"{name}={value}" for name, value in environ.items()]
        # A program that is stopped (148 is 128 and SIGTSTP) goes on after a line, with the terminal as it had it.
        meanwhile = "modes=$(stty -g); stty sane; echo stopped; read line; stty $modes"
        again = f"while [ $code = 148 ]; do {meanwhile}; fg > /dev/null; code=$?; done"
        script = f"set -m; trap : INT; {program}; code=$?; {again}; echo code=$code; cat"
        return cls(folder, *size, ["-c", str(cwd), "env", "-i", *settings, "sh", "-c", script])

    @property
    def shell(self) -> int:
        """The id of the process below which the program runs."""
        return self._shell.pid if self._shell else int(self.tmux("display-message", "-p", "#{pane_pid}"))

    def tmux(self, *words: str) -> str:
        """Give a command to tmux and return what it answers."""
        assert self._tmux.stdin is not None
        line = shlex.join(words)
        assert "\n" not in line, "control mode reads lines"
        self._tmux.stdin.write(f"{line}\n".encode())
        self._tmux.stdin.flush()
        return self._answer()

    def _answer(self) -> str:
        said: list[str] | None = None
        while True:
            line = self._line()
            if line.startswith("%begin "):
                said = []
            elif line.startswith(("%end ", "%error ")) and said is not None:
                assert line.startswith("%end "), said
                return "".join(said)
            elif said is not None:
                said.append(f"{line}\n")

    def _line(self) -> str:
        while b"\n" not in self._seen:
            assert self._read(LONGEST_S), "tmux says nothing"
        line, _, self._seen = self._seen.partition(b"\n")
        return line.decode()

    def _read(self, seconds: float) -> bool:
        assert self._tmux.stdout is not None
        if not select.select([self._tmux.stdout], [], [], seconds)[0]:
            return False
        piece = os.read(self._tmux.stdout.fileno(), 65_536)
        assert piece, f"tmux has ended: {self._seen.decode()}"
        self._seen += piece
        return True

    def screen(self, *, colours: bool = False) -> str:
        """Return what it shows."""
        return self.tmux("capture-pane", "-p", "-t", "main", *(["-e"] if colours else []))

    def type(self, text: str, *keys: str) -> None:
        """Type a text and then keys, which have tmux's names."""
        if text:
            self.tmux("send-keys", "-t", "main", "-l", text)
        if keys:
            self.tmux("send-keys", "-t", "main", *keys)

    def until(
        self, *said: str, times: int = 1, seconds: float = LONGEST_S, look: Callable[[], str] | None = None
    ) -> str:
        """Wait until the screen, or what else is looked at, shows all of this."""
        end = time.monotonic() + seconds
        while True:
            seen = (look or self.screen)()
            if all(seen.count(text) >= times for text in said):
                return seen
            left = end - time.monotonic()
            assert left > 0, f"never saw {said} on:\n{seen}"
            if not self._seen:
                self._read(left)
            time.sleep(0.01)  # what is written at once is looked at once

    def close(self) -> None:
        """End it and whatever runs in it."""
        subprocess.run(["tmux", "-S", self._socket, "kill-server"], capture_output=True, check=False)
        self._tmux.communicate()
        if self._shell:
            self._shell.wait()


def open_terminal(
    folder: Path,
    words: Sequence[str],
    cwd: Path,
    environ: Mapping[str, str],
    size: tuple[int, int],
    *,
    fork: bool = True,
) -> Terminal:
    """Open a terminal of a size in which the program runs; its exit code is said at the end."""
    opened = Terminal.with_fork if fork and fits(environ) else Terminal.with_process
    return opened(folder, size, words, cwd, environ)


Open = Callable[..., Terminal]
Flags = tuple[str, ...]
