"""The real program in a child process, with a home of its own and a small project to work in."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ..forking import run_inarch
from ..probes import keep_passes, pass_of
from .terminals import Open, Terminal, open_terminal

PROGRAM = (sys.executable, "-P", "-m", "inarch")
Run = Callable[..., "subprocess.CompletedProcess[str]"]


PLUGINS = (
    "goal/working.py", "plan/planning.py", "processes/serving.py", "program/nasty.py", "program/reading.py",
    "running/parts.py", "running/slowly.py",
    "terminal/noting.py", "terminal/conversation/talking.py",
    "terminal/rendering/talkative.py",
)  # fmt: skip


@pytest.fixture(scope="session")
def passes() -> list[str]:
    return [pass_of(Path(__file__).parents[1] / name) for name in PLUGINS]


@pytest.fixture(autouse=True)
def probed(own_home: Path, passes: list[str]) -> None:
    """Have our plugins probed: what a probe does is told by tests of plugins that they write themselves."""
    keep_passes(own_home / "cache", passes)


@pytest.fixture
def environ(tmp_path: Path, passes: list[str]) -> dict[str, str]:
    """An environment without keys and settings, whose home is empty."""
    home = tmp_path / "home"
    home.mkdir()
    keep_passes(home / "cache", passes)
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
    }


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small Python project."""
    root = tmp_path / "project"
    (root / "shop").mkdir(parents=True)
    (root / "README.md").write_text("# shop\n\nSells apples by the basket.\n")
    (root / "pyproject.toml").write_text('[project]\nname = "shop"\nversion = "1"\n')
    (root / "shop" / "__init__.py").write_text('"""A shop for apples."""\n')
    (root / "shop" / "basket.py").write_text(
        '"""Baskets."""\n\n\ndef weigh(apples: int) -> int:\n    """Return the weight of a basket in grams."""\n'
        "    return apples * 150\n"
    )
    return root


@pytest.fixture
def cli(environ: dict[str, str], project: Path) -> Run:
    """Run `inarch` with these words in the project, without a terminal; standard input is empty unless given."""

    def run(*words: str, stdin: str | None = None, **extra: str) -> subprocess.CompletedProcess[str]:
        return run_inarch(*words, cwd=project, environ=environ | extra, stdin=stdin)

    return run


@pytest.fixture
def terminal(part: Callable[[str], str], tmp_path: Path, project: Path, environ: dict[str, str]) -> Iterator[Open]:
    """Open a terminal in which the program runs; its exit code is said at the end."""
    part("tmux")
    opened: list[Terminal] = []

    def open_one(
        *words: str, columns: int = 100, lines: int = 40, dumb: bool = False, fork: bool = True, **extra: str
    ) -> Terminal:
        folder = tmp_path / f"t{len(opened)}"
        folder.mkdir()
        shown = environ | {"TERM": "dumb" if dumb else "screen-256color"} | extra
        opened.append(open_terminal(folder, words, project, shown, (columns, lines), fork=fork))
        return opened[-1]

    yield open_one
    for made in opened:
        made.close()


@pytest.fixture
def slowly() -> tuple[str, ...]:
    """The flags for a model that fails, writes, reads, sleeps or goes in circles when the prompt says so."""
    return ("--plugin", str(Path(__file__).with_name("slowly.py")), "--model", "slowly/words")
