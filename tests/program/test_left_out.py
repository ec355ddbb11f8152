"""A command of a built-in part says in one line that its part is left out, wherever the flag stands."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ENTRIES = """
[inarch.shipped]
tables = guest_tables
"""
TABLES = """
BUILT_IN = {"guest": "guest_part"}
COMMANDS = {
    "greet": "guest_part.cli:greet",
    "sessions": "inarch_plugins.commands.sessions.sessions_command:sessions",
    "sessions.greet": "guest_part.cli:greet",
    "tools": "inarch_plugins.commands.tools_command:tools",
}
"""
COMMANDS = """
import click
from inarch.program.options import composing_options

@click.command()
@composing_options
def greet(**given):
    click.echo("hello")
"""
LEFT_OUT = "inarch: error: inarch {} belongs to the built-in part 'guest', which is left out (take -p no:guest away)\n"


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder with metadata of Inarch in which a part brings commands."""
    info = tmp_path / "inarch-9.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text(ENTRIES)
    (tmp_path / "guest_tables.py").write_text(TABLES)
    package = tmp_path / "guest_part"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "cli.py").write_text(COMMANDS)
    return tmp_path


def run(installed: Path, *words: str) -> subprocess.CompletedProcess[str]:
    code = (
        f"import sys; sys.path.insert(0, {str(installed)!r}); from inarch.program.main import run; "
        f"exit(run(sys.argv[1:]))"
    )
    return subprocess.run([sys.executable, "-P", "-c", code, *words], capture_output=True, text=True, cwd=installed)


@pytest.mark.parametrize("command", ["greet", "sessions greet"])
@pytest.mark.parametrize("first", [True, False])
def test_a_command_of_a_part_that_is_left_out_says_so(installed: Path, command: str, first: bool) -> None:
    words, flag = command.split(), ["-p", "no:guest"]
    done = run(installed, *(flag + words if first else words + flag))
    assert (done.returncode, done.stdout, done.stderr) == (2, "", LEFT_OUT.format(command))


def test_others_are_as_ever(installed: Path) -> None:
    done = run(installed, "-p", "no:other", "greet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "hello\n", "")
    done = run(installed, "-p", "no:guest", "tools", "list")
    assert done.returncode == 0 and "guest" not in done.stderr, done.stderr
