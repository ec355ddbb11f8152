"""The line: typing, several lines, history, completion, pastes."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from .conftest import Talk

pytestmark = pytest.mark.once


def test_a_prompt_is_asked_and_stands_once_in_the_scrollback(talk: Talk) -> None:
    opened = talk(fork=False)
    opened.type("hello 日本語 e\u0301 there", "Enter")
    screen = opened.until("said hello 日本語 e\u0301 there", "100 in, 10 out")
    assert screen.count("> hello 日本語 e\u0301 there") == 1
    assert screen.count("Heard 1 lines") == 1
    opened.until("context 110")
    opened.type("", "C-d")
    screen = opened.until("code=0")
    assert screen.count("Heard 1 lines") == 1 and "context 110" not in screen


def test_lines_of_earlier_conversations_come_back_and_hold_no_secrets(
    talk: Talk, environ: dict[str, str], project: Path
) -> None:
    (project / ".env").write_text("PASSWORD=correct-horse-battery\n")
    first = talk()
    first.type("the first thing", "Enter")
    first.until("said the first thing", "100 in")
    first.type("it is correct-horse-battery", "Enter")
    first.until("Heard 1 lines", "100 in", times=2)
    first.type("", "C-d")
    first.until("code=0")
    (kept,) = (Path(environ["XDG_STATE_HOME"]) / "inarch" / "history").iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600
    assert "correct-horse" not in kept.read_text()
    assert json.loads(kept.read_text().splitlines()[0]) == "the first thing"
    again = talk()
    again.type("", "Up")
    again.until("> it is ")
    again.type("", "Up")
    again.until("> the first thing")
    again.type("", "C-c")
    again.until("\n>\n")
    again.type("", "C-r")
    again.until("search back:")
    again.type("first")
    again.until("search back: first", "> the first thing")
    again.type("", "Enter", "Enter")
    again.until("said the first thing")


@pytest.mark.needs("git")
def test_paths_are_completed_as_git_sees_them(talk: Talk, project: Path) -> None:
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    (project / ".gitignore").write_text("*.secret\n")
    (project / "a folder").mkdir()
    (project / "a folder" / "the file.txt").write_text("from the file\n")
    (project / "a folder" / "the file.secret").write_text("no\n")
    opened = talk()
    opened.type("look at @the")
    screen = opened.until("  a folder/the file.txt")
    assert "secret" not in screen
    opened.type("", "Tab")
    opened.until(r"> look at @a\ folder/the\ file.txt")
    opened.type(" now", "Enter")
    opened.until("said it saw what is from the file")


def test_a_picture_is_pasted_from_the_clipboard_or_dropped_as_a_path(talk: Talk, project: Path, tmp_path: Path) -> None:
    picture = b"GIF89a\1\0\1\0"
    for path in (tmp_path / "my shot.gif", project / "shop" / "own shot.gif"):
        path.write_bytes(picture)
    program = tmp_path / "tools" / "wl-paste"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ncat '{tmp_path / 'my shot.gif'}'\n")
    program.chmod(0o755)
    opened = talk(columns=160, PATH=f"{program.parent}:{os.environ['PATH']}", WAYLAND_DISPLAY="wayland-0")
    opened.type("", "C-v")
    opened.until("> [picture 1: image/gif, 10 bytes]")
    opened.type(" ")
    for text in (str(tmp_path / "my shot.gif").replace(" ", "\\ "), f"'{project / 'shop' / 'own shot.gif'}'"):
        (tmp_path / "paste").write_text(text)
        opened.tmux("load-buffer", str(tmp_path / "paste"))
        opened.tmux("paste-buffer", "-p", "-t", "main")
        opened.type(" ")
    opened.until("[picture 2: my shot.gif, 10 bytes] @shop/own\\ shot.gif")
    opened.type("", "Enter")
    opened.until("added to the prompt:", ", 2 pictures", ", 1 picture\n", "100 in")
    program.write_text("#!/bin/sh\nexit 1\n")
    opened.type("", "C-v")
    opened.until("no picture on the clipboard")


def test_a_long_paste_is_one_sign_and_is_sent_whole(talk: Talk, tmp_path: Path) -> None:
    text = "\n".join(f"line {number} of a paste" for number in range(1, 10_001))
    (tmp_path / "paste").write_text(text)
    opened = talk()
    opened.type("read: ")
    opened.until("> read:")
    opened.tmux("load-buffer", str(tmp_path / "paste"))
    opened.tmux("paste-buffer", "-p", "-t", "main")
    opened.until("> read: [paste 1: 10,000 lines]")
    opened.type(" please", "Enter")
    screen = opened.until(f"Heard 10000 lines, {len('read: ' + text + ' please'):d} characters", "line 2 of a paste")
    assert "> read: [paste 1: 10,000 lines] please" in screen


def test_a_paste_is_never_a_command(talk: Talk, project: Path, tmp_path: Path) -> None:
    opened = talk()
    pasted = (
        "!cp a.txt stolen.txt",
        "!cp a.txt stolen.txt\n" * 30,
        "x\x1b[201~\r!cp a.txt stolen.txt\r",
    )  # the mark of an end
    for text, shown in zip(pasted, ("[paste 1: 20 characters]", "[paste 2: 30 lines]", "!cp a.txt"), strict=True):
        (tmp_path / "paste").write_bytes(text.encode())
        opened.tmux("load-buffer", str(tmp_path / "paste"))
        opened.tmux("paste-buffer", "-r", "-p", "-t", "main")
        opened.until(f"{shown}")
        opened.type("", "Enter")
        opened.until(f"Heard {text.strip().count(chr(10)) + text.strip().count(chr(13)) + 1} lines")
    assert not (project / "stolen.txt").exists()
