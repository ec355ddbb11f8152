"""Colours, keys and the bottom line of a conversation, and the commands that take its results elsewhere."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from .conftest import Talk


@pytest.mark.once
def test_commands_change_the_look_and_take_results_elsewhere(
    talk: Talk, environ: dict[str, str], project: Path
) -> None:
    opened = talk()
    opened.type("/copy", "Enter")
    opened.until("there is no answer to copy yet")
    opened.type("hello", "Enter")
    opened.until("said hello", "cost unknown")
    assert "36m" in opened.screen(colours=True)
    opened.type("/theme mono", "Enter")
    opened.until("theme is mono from now on")
    opened.type("/vim", "Enter")
    opened.until("keys is vi from now on")
    own = tomllib.loads(Path(environ["XDG_CONFIG_HOME"], "inarch/config.toml").read_text("utf-8"))
    assert own["plugins"]["terminal"] == {"theme": "mono", "keys": "vi"}
    opened.tmux("set-option", "-s", "set-clipboard", "on")
    opened.type("/copy", "Enter")
    opened.until("copied the last answer")
    assert "said hello" in opened.tmux("show-buffer")
    opened.type("/copy 2", "Enter")
    opened.until("it has 0; /copy copies all of it")
    opened.type("/effort high", "Enter")
    opened.until("the effort is high")
    opened.type("/export talk.md", "Enter")
    opened.until("wrote ")
    assert "said hello" in (project / "talk.md").read_text("utf-8")
    opened.type("abc", "Escape", "x")
    opened.until("\n: ab\n")


@pytest.mark.once
def test_a_script_fills_the_bottom_line_within_bounds(talk: Talk, environ: dict[str, str], tmp_path: Path) -> None:
    script = tmp_path / "line.py"
    script.write_text(
        "import json, sys\nd = json.load(sys.stdin)\nprint('\\x1b[2Jat', d['model']['id'])\nprint('no')\n"
    )
    own = Path(environ["XDG_CONFIG_HOME"], "inarch")
    own.mkdir(parents=True)
    (own / "config.toml").write_text(f'[plugins.terminal]\nstatus_command = "python3 {script}"\n')
    opened = talk()
    opened.until("\\x1b[2Jat talking/words")
    script.write_text("import time\ntime.sleep(600)\n")
    opened.type("hello", "Enter")
    opened.until("said hello", "price unknown", "talking/words · ask")
