"""Progress of the first build of a large tree, on a real terminal."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import Any

import pytest

pytestmark = pytest.mark.once

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")

FILES, FUNCTIONS = 400, 80
_ERASE = "\r\x1b[2K"


def on_terminal(project: Any, *words: str) -> tuple[str, str]:
    """Run a command with a terminal for standard error; give what it printed and what the terminal got."""
    terminal, other = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "inarch", *words],
        cwd=project.root,
        env={**os.environ, "PYTHONUTF8": "1", "COLUMNS": "200", "TERM": "xterm"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=other,
    )
    os.close(other)
    seen = b""
    try:
        while True:
            try:
                data = os.read(terminal, 65_536)
            except OSError:  # Linux: nobody has the other end open any more
                break
            if not data:
                break
            seen += data
        printed, _ = process.communicate(timeout=300)
    finally:
        os.close(terminal)
        if process.poll() is None:
            process.kill()
            process.wait()
    assert process.returncode == 0, printed + seen
    return printed.decode(), seen.decode()


def test_a_first_build_shows_how_far_it_is_and_leaves_nothing_behind(project: Any) -> None:
    body = "".join(
        f"def step_{place}(value):\n    if value > {place}:\n        return step_{place - 1}(value - 1)\n"
        f"    return [value, str(value), {{'place': value}}]\n\n\n"
        for place in range(1, FUNCTIONS)
    )
    project.write(
        {
            f"made/part_{number // 50}/file_{number}.py": f"def step_0(value):\n    pass\n\n\n{body}"
            for number in range(FILES)
        }
    )
    printed, seen = on_terminal(project, "trace", "index")
    assert f"{FILES} Python files" in printed and _ERASE not in printed
    lines = re.findall(r"\r\x1b\[2K([a-z]+) ([\d,]+) of ([\d,]+) files", seen)
    reading = [int(done.replace(",", "")) for what, done, total in lines if what != "linking" and total == str(FILES)]
    assert reading and reading == sorted(reading), seen
    assert seen.rindex(_ERASE) > seen.rindex(" files")  # the line is taken away

    printed, seen = on_terminal(project, "trace", "index")
    assert f"{FILES} Python files" in printed
    assert not re.search(r"reading", seen)  # nothing is read again
