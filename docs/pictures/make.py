"""Makes the pictures of the documentation from a real terminal, a real browser and the example project.

`python docs/pictures/make.py` writes `terminal.svg`, `session.png` and `path.svg` beside this file; it needs tmux and
Chromium, and rich, which Inarch depends on. A test takes the two SVG files again and compares them.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from inarch_plugins.tour.example_copy import ExampleCopy
from inarch_plugins.tour.script import END, PROMPT, STEPS

HERE = Path(__file__).parent
COLUMNS, LINES = 100, 90
LONGEST_S = 60
Tmux = Callable[..., str]
_SVG = """\
<svg viewBox="0 0 {terminal_width} {terminal_height}" xmlns="http://www.w3.org/2000/svg" role="img">
<title>A turn of Inarch in a terminal</title>
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  font-size: {char_height}px; line-height: {line_height}px; }}
{styles}
</style>
<defs>{lines}</defs>
<rect width="100%" height="100%" rx="8" fill="#1b1e24"/>
<g transform="translate(9, 9)">{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g>
</svg>
"""


def take_terminal(folder: Path) -> str:
    """Return what the conversation of `inarch tour` shows from its first test run on, with escape sequences."""
    copy = ExampleCopy.make(folder)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # its python3 runs the tests
    environ = {"PATH": path, "HOME": str(folder), "TERM": "xterm-256color", "LANG": "C.UTF-8"}
    words = [sys.executable, "-P", "-m", "inarch", *copy.chat]
    command = ["env", "-i", *(f"{name}={value}" for name, value in environ.items()), *words]
    with _tmux(folder, shlex.join(command), folder / "acme") as tmux:
        _until(tmux, "tour/scripted")
        tmux("send-keys", "-t", "main", "-l", PROMPT)
        tmux("send-keys", "-t", "main", "Enter")
        for step in STEPS[1:]:
            _until(tmux, step.text[:12])
            time.sleep(2)  # a question takes no key that was on its way when it came
            tmux("send-keys", "-t", "main", "-l", "a")
        _until(tmux, END[:12], "no tokens")
        shown = tmux("capture-pane", "-e", "-p", "-t", "main").rstrip("\n")
        tmux("send-keys", "-t", "main", "C-d")
        _until(tmux, "over")
    return shown[shown.index(STEPS[2].text[:12]) :]


@contextmanager
def _tmux(folder: Path, command: str, project: Path) -> Iterator[Tmux]:
    base = ["tmux", "-S", str(folder / "tmux"), "-f", os.devnull]

    def tmux(*words: str) -> str:
        return subprocess.run([*base, *words], check=True, capture_output=True, text=True).stdout

    size = ["-x", str(COLUMNS), "-y", str(LINES)]
    tmux("new-session", "-d", "-s", "main", *size, "-c", str(project), f"{command}; echo over; cat")
    try:
        yield tmux
    finally:
        subprocess.run([*base, "kill-server"], check=False, capture_output=True)


def _until(tmux: Tmux, *said: str) -> None:
    end = time.monotonic() + LONGEST_S
    while True:
        shown = tmux("capture-pane", "-p", "-t", "main")
        if all(words in shown for words in said):
            return
        if time.monotonic() > end:
            raise SystemExit(f"the terminal never showed {said}:\n{shown}")
        time.sleep(0.05)


def draw_terminal(shown: str, columns: int = COLUMNS) -> str:
    """Return the picture of what a terminal shows."""
    import io

    from rich.console import Console
    from rich.text import Text

    console = Console(record=True, width=columns, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(f"{shown}\n"), no_wrap=True, crop=False)
    drawn = console.export_svg(title="A turn of Inarch in a terminal", code_format=_SVG, unique_id="inarch")
    return "\n".join(line.rstrip() for line in drawn.splitlines()) + "\n"


def take_page(folder: Path, out: Path) -> None:
    """Export the session of the terminal and take a picture of its page."""
    page = folder / "session.html"
    run = [sys.executable, "-P", "-m", "inarch", "sessions", "export", "--format", "html", "--output", str(page)]
    subprocess.run(run, cwd=folder / "acme", env={**os.environ, "HOME": str(folder)}, check=True)
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        raise SystemExit("no Chromium: install it, then run this again")
    flags = ["--headless", "--no-sandbox", "--hide-scrollbars", "--window-size=1000,1100", f"--screenshot={out}"]
    subprocess.run([browser, *flags, page.as_uri()], check=True, capture_output=True, timeout=LONGEST_S)


def draw_path(folder: Path) -> str:
    """Return the picture of the paths through a function of the example project."""
    shutil.copytree(HERE.parent / "example", folder / "drawn")
    run = [sys.executable, "-P", "-m", "inarch", "trace", "show", "validate_table", "--svg"]
    environ = {**os.environ, "HOME": str(folder)}
    return subprocess.run(run, cwd=folder / "drawn", env=environ, check=True, capture_output=True, text=True).stdout


def main() -> None:
    """Make all, or `path.svg` alone if `path` is the first argument."""
    with TemporaryDirectory(prefix="inarch-") as name:
        folder = Path(name)
        (HERE / "path.svg").write_text(draw_path(folder), encoding="utf-8")
        if sys.argv[1:] == ["path"]:
            return
        (HERE / "terminal.svg").write_text(draw_terminal(take_terminal(folder)), encoding="utf-8")
        take_page(folder, HERE / "session.png")


if __name__ == "__main__":
    main()
