"""Answers to the question for approval, typed in a real terminal of tmux."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ..running.terminals import Flags, Open

pytestmark = pytest.mark.once
Script = Callable[[str], str]


@pytest.fixture
def script(tmp_path: Path) -> Script:
    """Make an editor out of a few lines of shell; the file is `$1`."""

    def make(text: str) -> str:
        path = tmp_path / "editor with space.sh"
        path.write_text(text)
        return f"sh '{path}'"

    return make


def test_the_editor_opens_the_proposed_file_and_is_asked_about_again(
    terminal: Open, slowly: Flags, script: Script, project: Path
) -> None:
    # An editor that leaves the terminal raw and silent: afterwards it has to be as before.
    is_file = 'test "$(stat -c %a "$1")" = 600 && test "$(basename "$1")" = new.txt && grep -qx two "$1"'
    editor = script(f'stty raw -echo < /dev/tty; {is_file} && sed -i s/two/three/ "$1"\n')
    opened = terminal("write a file", *slowly, EDITOR=editor)
    opened.until("Create new.txt", "e edit", "[d]")
    opened.type("e", "Enter")
    opened.until("+ three")
    opened.type("y", "Enter")
    opened.until("[d] y", "✓ Write new.txt", "code=0")
    assert (project / "new.txt").read_text() == "one\nthree\n"


def test_what_is_not_json_is_kept_for_the_next_try(
    terminal: Open, slowly: Flags, script: Script, project: Path
) -> None:
    text = (
        'if grep -q broken "$1"; then sed -i s/broken// "$1"; else sed -i "s/new.txt\\"/newer.txt\\"broken/" "$1"; fi\n'
    )
    opened = terminal("write a file", *slowly, EDITOR=script(text))
    opened.until("[d]")
    opened.type("e args", "Enter")
    opened.until("it is not JSON", "e continues the edit")
    opened.type("e", "Enter")
    opened.until("Create newer.txt")
    opened.type("y", "Enter")
    opened.until("code=0")
    assert (project / "newer.txt").exists()


def test_ctrl_c_in_the_editor_is_the_editors(terminal: Open, slowly: Flags, script: Script) -> None:
    editor = script('trap "echo caught; exit 1" INT\necho editing\nwhile true; do sleep 0.1; done\n')
    opened = terminal("write a file", *slowly, EDITOR=editor)
    opened.until("[d]")
    opened.type("e", "Enter")
    opened.until("editing")
    opened.type("", "C-c")
    opened.until("caught", "ended with exit code 1")
    opened.type("y", "Enter")
    opened.until("✓ Write", "code=0")


def test_a_yes_to_a_long_diff_says_how_much_was_not_shown(terminal: Open, project: Path) -> None:
    plugin = str(Path(__file__).parent / "conversation" / "talking.py")
    opened = terminal("write 60: long.txt", "--plugin", plugin, "--model", "talking/words", lines=20)
    assert "line 60" not in opened.until(
        "more lines (v shows them)", "a yes, with 48 lines unseen", "v view all", "[d]"
    )
    opened.type("A", "Enter")
    opened.until("60 + line 60", "Answer again.", "[d]")
    assert not (project / "long.txt").exists()
    opened.type("a", "Enter")
    opened.until("✓ Write", "code=0")
    assert len((project / "long.txt").read_text().splitlines()) == 60


def test_a_signal_meanwhile_ends_the_editor_too(terminal: Open, slowly: Flags, script: Script) -> None:
    opened = terminal("write a file", *slowly, EDITOR=script("kill -TERM $PPID\nsleep 60\n"))
    opened.until("[d]")
    opened.type("e", "Enter")
    opened.until("code=130")


def test_init_grants_what_it_proposes_after_a_yes(terminal: Open, project: Path) -> None:
    (project / "pytest.ini").write_text("")
    opened = terminal("config", "init")
    opened.until("recognised pytest: pytest.ini", "trust it? [y/N]")
    assert not (project / ".inarch").exists()
    opened.type("y", "Enter")
    opened.until("code=0")
    assert "[commands.test]" in (project / ".inarch" / "config.toml").read_text()
    assert "granted by [commands.test]" in terminal("policy", "explain", "python3 -m pytest -x").until("code=0")


def test_always_covers_the_file_and_nothing_else(terminal: Open, slowly: Flags) -> None:
    opened = terminal(*slowly, dumb=True)
    opened.until("? for help", ">")
    opened.type("write a file", "Enter")
    opened.until("A all session: new.txt", "[d]")
    opened.type("A", "Enter")
    opened.until("The answer.", "cost unknown")
    opened.type("write a file", "Enter")
    screen = opened.until("call: Write new.txt", "The answer.", "inarch: turn:", times=2)
    assert screen.count("? more") == 1
    opened.type("both files", "Enter")
    opened.until("yes to all", "A covers: one.txt")
