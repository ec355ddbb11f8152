"""Temporary copy of the example project, with a home of its own, in which the program runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from attrs import frozen

from inarch.commands import interrupts

HERE = Path(__file__).parent
_MODEL = ("--plugin", str(HERE / "script.py"))
_PASSED = ("TERM", "TMPDIR", "COLORTERM", "NO_COLOR", "LANG", "LC_", "TZ", "PYTHONPATH", "LD_LIBRARY_PATH")


@frozen
class ExampleCopy:
    """The copy and the home that the program has there: it sees no key, setting or session of the user."""

    home: Path

    @classmethod
    def make(cls, home: Path) -> ExampleCopy:
        """Copy the example project into an empty folder."""
        shutil.copytree(HERE / "example-project", home / "acme", ignore=shutil.ignore_patterns("__pycache__"))
        return cls(home)

    @property
    def chat(self) -> tuple[str, ...]:
        """Return the words that start the conversation."""
        return "chat", "--name", "tour", "--model", "tour/scripted", *_MODEL

    @property
    def replay(self) -> tuple[str, ...]:
        """Return the words that replay it."""
        return "replay", "tour", *_MODEL

    @property
    def has_session(self) -> bool:
        """Return whether the conversation had a turn."""
        return any(self.home.rglob("names.json"))

    def run(self, *words: str) -> int:
        """Run the program at this terminal and return its exit code; Ctrl-C is for it to handle."""
        with interrupts(lambda _: None, lambda _: None, ("SIGINT",)), self.start(*words) as process:
            try:
                return process.wait()
            finally:
                process.terminate()

    def start(self, *words: str, term: str = "", **options: Any) -> subprocess.Popen[bytes]:
        """Start the program in the copy, for another kind of terminal if `term` names one."""
        python = Path(sys.executable)
        environ = {name: value for name, value in os.environ.items() if name.startswith(_PASSED)}
        environ |= {"HOME": str(self.home), "PATH": f"{python.parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}
        environ |= {"TERM": term} if term else {}
        command = [str(python), "-P", "-m", "inarch", *words]
        return subprocess.Popen(command, cwd=self.home / "acme", env=environ, **options)
