"""Every slash command of the conversation, and what a person runs with `!`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ...running.program import Run
from .conftest import Talk

pytestmark = pytest.mark.once

PARTS = str(Path(__file__).parents[2] / "running" / "parts.py")


def test_another_model_and_another_profile(talk: Talk, environ: dict[str, str]) -> None:
    folder = Path(environ["XDG_CONFIG_HOME"]) / "inarch"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('[profiles.still]\nextends = "default"\nmodel = "offline"\napprove = "none"\n')
    opened = talk()
    opened.type("/model", "Enter")
    opened.until("talking/words (profile default", "* 2  talking/words", "  3  talking/other")
    opened.type("/model 9", "Enter")
    opened.until("no model has the number 9")
    opened.type("/model gemini", "Enter")
    opened.until("GEMINI_API_KEY is not set")
    opened.type("/model kimi-k3", "Enter")
    opened.until("several providers know a model 'kimi-k3'")
    opened.type("/model 3", "Enter")
    opened.until("talking/other answers from now on")
    opened.type("/model 2", "Enter")
    opened.until("talking/words answers from now on")
    opened.type("/model talking/nowhere", "Enter")
    opened.until("talking has no model 'nowhere'")
    opened.type("/model nobody/words", "Enter")
    opened.until("no plugin provides the model 'nobody/words'")
    opened.type("/model talking/other", "Enter")
    opened.until("talking/other answers from now on", times=2)
    opened.type("hello", "Enter")
    opened.until("said hello", "talking/other")
    opened.type("/profile", "Enter")
    opened.until("* default", "  still")
    opened.type("/profile nowhere", "Enter")
    opened.until("there is no profile 'nowhere'")
    opened.type("/profile still", "Enter")
    opened.until("profile still from now on: offline/extractive, approve none")
    opened.type("what did I say", "Enter")
    opened.until("no tokens", "offline/extractive")
    opened.type("/stats", "Enter")
    opened.until("2 turns")


def test_sessions_are_left_and_gone_on_with(talk: Talk, cli: Run) -> None:
    opened = talk(lines=60)
    opened.type("/fork", "Enter")
    opened.until("there is nothing to fork yet")
    opened.type("/resume", "Enter")
    opened.until("this directory has no other session")
    for word in ("apples", "pears"):
        opened.type(f"about {word}", "Enter")
        opened.until(f"said about {word}", "100 in, 10 out" if word == "apples" else "session: 200 in, 20 out")
    opened.type("/clear", "Enter")
    opened.until("a new session", "switches back")
    opened.type("about plums", "Enter")
    opened.until("said about plums", "100 in, 10 out")
    opened.type("/sessions", "Enter")
    opened.until("* ", "about plums", "  about apples")
    opened.type("/resume", "Enter")
    opened.until("> /resume\nsession ", "> about pears\n  Heard 1 lines")
    opened.type("/fork 1", "Enter")
    opened.until("with 1 turn; files stay unchanged")
    opened.type("about figs", "Enter")
    opened.until("said about figs")
    opened.type("/stats", "Enter")
    opened.until("2 turns · 0 calls")
    opened.type("", "C-d")
    opened.until("code=0")
    listed = json.loads(cli("sessions", "list", "--json").stdout)
    assert len(listed) == 3


def test_changes_are_undone_and_redone_and_a_prompt_runs_again(ask: Talk, project: Path) -> None:
    opened = ask("--approve", "all", lines=80)
    opened.type("/undo", "Enter")
    opened.until("nothing to undo")
    opened.type("/retry", "Enter")
    opened.until("there is no prompt to run again")
    opened.type("write a file", "Enter")
    opened.until("✓ Write", "The answer.", "cost unknown")
    opened.type("/undo", "Enter")
    opened.until("- new.txt: removed")
    assert not (project / "new.txt").exists()
    opened.type("/redo", "Enter")
    opened.until("+ new.txt: made")
    assert (project / "new.txt").read_text() == "one\ntwo\n"
    opened.type("/retry", "Enter")
    opened.until("its changes stay: new.txt (/retry undo undoes them first)", "> write a file")
    opened.until("The answer.", times=2)


def test_what_a_person_runs_is_shown_and_seen_with_the_next_prompt(talk: Talk, project: Path) -> None:
    (project / "notes.txt").write_text("from the command\n")
    opened = talk()
    opened.type("!cat notes.txt", "Enter")
    opened.until("✓ Run cat notes.txt", "from the command", "the model sees this with your next prompt")
    opened.type("what was it", "Enter")
    opened.until("said it saw what is from the command", "cost unknown")
    opened.type("and now", "Enter")
    screen = opened.until("said and now", "cost unknown", times=1)
    assert screen.count("said it saw what") == 1
    opened.type("!cp notes.txt copy.txt", "Enter")  # of no tier: typed at the prompt, that is their yes
    opened.until("✓ Run cp notes.txt copy.txt")
    opened.type("!mkdir x && touch x/y && ls x | tail -1", "Enter")
    opened.until("✓ Run mkdir x && touch x/y && ls x | tail -1", "\ny\n")
    assert (project / "x" / "y").exists()
    opened.type("!cat ../outside", "Enter")
    opened.until("execute_command is denied", "has a '..' component")
    opened.type("!", "Enter")
    opened.until("give a command after the !")
