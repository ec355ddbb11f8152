"""The parts of the line that need no terminal: pastes, history, paths, streams."""

from __future__ import annotations

import asyncio
import json
import os
import tty
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.keys import Keys

from inarch.program.chat_launch import Launched
from inarch.program.composer import Options
from inarch.testing import says, scripted_app
from inarch_brief.search.typed_paths import escaped, unescaped
from inarch_plugins.project.mentions import mentioned_words
from inarch_plugins.terminal.conversation.line_completion import LineCompleter
from inarch_plugins.terminal.conversation.line_history import LONGEST, MOST_LINES, KeptHistory
from inarch_plugins.terminal.conversation.pastes import Pastes
from inarch_plugins.terminal.conversation.streams import Above
from inarch_plugins.terminal.conversation.terminal_io import GuardedInput
from inarch_plugins.terminal.slash.talk import Talk

MARKS = ("\x1b[200~", "\x1b[201~")


@given(st.lists(st.text(alphabet="ab\n\r[]", max_size=60), min_size=1, max_size=4))
def test_what_was_folded_unfolds_to_what_was_pasted(texts: list[str]) -> None:
    pastes = Pastes()
    texts = [text * 20 for text in texts]
    line = " and ".join(pastes.fold(text) for text in texts)
    meant = [text.replace("\r\n", "\n").replace("\r", "\n") for text in texts]
    assert pastes.unfold(line) == " and ".join(meant)


@given(
    st.lists(st.sampled_from(["a", "!touch x", "/quit", "\r", "\n", "\x1b", *MARKS]), max_size=8),
    st.sampled_from(["", "\r", "y"]),
)
def test_nothing_of_a_paste_presses_a_key(pieces: list[str], typed: str) -> None:
    ours, terminal = os.openpty()
    tty.setraw(terminal)
    with os.fdopen(terminal) as end, os.fdopen(ours, "wb", buffering=0) as writing:
        writing.write((MARKS[0] + "".join(pieces) + MARKS[1]).encode())
        keys = GuardedInput(end).read_keys()
        assert keys and {key.key for key in keys} == {Keys.BracketedPaste}
        writing.write(f"x{typed}".encode())
        after = GuardedInput(end).read_keys()
        assert "".join(key.data for key in after) == f"x{typed}"


def test_a_pasted_command_is_a_sign_at_the_beginning_and_is_not_recalled(state: Path) -> None:
    pastes = Pastes()
    assert pastes.fold("see !ls") == "see !ls" == "see " + pastes.fold("!ls")
    signs = [pastes.fold(text, begins=True) for text in ("!ls", " /quit", "\n!ls")]
    assert signs == [f"[paste {number}: {size} characters]" for number, size in ((1, 3), (2, 6), (3, 4))]
    history = KeptHistory(str(state), lambda: state, pastes.unfold)
    history.hide_with(str)
    for line in (*signs, "!ls", "read it"):
        history.store_string(line)
    assert list(history.load_history_strings()) == ["read it", "!ls"]


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path


def test_lines_wait_until_it_is_known_what_is_secret(state: Path) -> None:
    history = KeptHistory(str(state), lambda: state)
    history.store_string("the word is sesame")
    assert not history.path.exists()
    history.hide_with(lambda text: text.replace("sesame", "‹secret›"))
    history.store_string("x" * (LONGEST + 1))
    history.store_string("another sesame")
    assert history.path.stat().st_mode & 0o777 == 0o600
    assert list(KeptHistory(str(state), lambda: state).load_history_strings()) == [
        "another ‹secret›",
        "the word is ‹secret›",
    ]
    assert list(KeptHistory(str(state / "elsewhere"), lambda: state).load_history_strings()) == []


def test_damaged_and_too_many_lines(state: Path) -> None:
    history = KeptHistory(str(state), lambda: state)
    history.path.parent.mkdir(parents=True)
    rows = [json.dumps(f"line {number}") for number in range(2 * MOST_LINES + 10)]
    history.path.write_bytes("\n".join([*rows, "{", "17", "\x00\x00"]).encode() + b'\n"cut')
    lines = list(history.load_history_strings())
    assert len(lines) == MOST_LINES and lines[0] == f"line {2 * MOST_LINES + 9}"
    assert len(history.path.read_text().splitlines()) == MOST_LINES
    assert list(history.load_history_strings()) == lines
    assert [path.name for path in history.path.parent.iterdir()] == [history.path.name]


@given(st.text(min_size=1, max_size=30).filter(lambda text: not set(text) & set(".,;:!?)]}'\"@`")))
def test_a_path_that_is_completed_is_the_one_that_is_mentioned(path: str) -> None:
    assert unescaped(escaped(path)) == path
    if "\n" not in path and path.strip():
        assert mentioned_words(f"see @{escaped(path)} now") in ([path], [])  # nothing but marks is no path


def test_what_a_line_can_become(tmp_path: Path) -> None:
    app, _ = scripted_app([says("hello")], tmp_path)
    (tmp_path / "a b.txt").write_text("1")
    completer = LineCompleter()

    def offered(text: str) -> list[str]:
        def rows() -> list[str]:
            return [one.text for one in completer.get_completions(Document(text), CompleteEvent())]

        async def beside_the_conversation() -> list[str]:
            completer.loop = asyncio.get_running_loop()
            return await asyncio.to_thread(rows)

        return asyncio.run(beside_the_conversation())

    with app:
        assert offered("/") == []
        completer.talk = Talk(app, app.session(), Launched(Options()), print, lambda: 80)
        assert {"model", "quit", "memory"} <= set(offered("/"))
        assert {"compact", "context"} <= {*offered("/co")} <= {name for name in offered("/") if name[:2] == "co"}
        assert offered("/tools read_f") == ["read_file"]
        assert offered("/retry ") == ["undo"]
        assert offered("/quit ") == offered("/nothing ") == offered("/retry undo ") == offered("/tools a ") == []
        assert offered("see @a") == ["a\\ b.txt"]
        assert offered("see @a\\ b") == ["a\\ b.txt"]
        assert offered("mail me@a") == []
        assert offered("see /co") == []


def test_what_a_command_of_the_person_can_become(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, tools = tmp_path / "root", tmp_path / "tools"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a b.py").write_text("1")
    (root / "src" / "main.py").write_text("2")
    (root / "evil").write_text("#!/bin/sh\n")
    (root / "evil").chmod(0o755)
    tools.mkdir()
    for name, mode in (("gitty", 0o755), ("gizmo", 0o755), ("git.txt", 0o644)):
        (tools / name).write_text("#!/bin/sh\ntouch ran\n")
        (tools / name).chmod(mode)
    (tools / "gifolder").mkdir()
    monkeypatch.chdir(root)
    monkeypatch.setenv("PATH", os.pathsep.join([str(tools), ".", "", "nowhere", str(tools / "gitty"), str(tools)]))
    app, _ = scripted_app([says("hello")], root)
    completer = LineCompleter()

    def offered(text: str) -> list[str]:
        return [one.text for one in completer.get_completions(Document(text), CompleteEvent())]

    with app:
        assert offered("!gi") == []
        completer.talk = Talk(app, app.session(), Launched(Options()), print, lambda: 80)
        assert offered("!gi") == ["gitty", "gizmo"]
        assert offered("!git") == offered("!A=1 git") == offered("!ls | git") == offered("!ls&&git") == ["gitty "]
        assert offered("!ev") == offered("!") == offered("!gitty git") == offered("gi") == offered("see !gi") == []
        assert offered("!cat s") == offered("!cat < s") == ["src/"]
        assert offered("!cat src/") == ["src/a\\ b.py", "src/main.py"]
        assert offered("!cat src/a\\ ") == offered("!cat src/a") == ["src/a\\ b.py "]
        assert offered("!cat /") == offered("!cat ../") == offered("!cat src/main.py") == []
        assert offered("!./ev") == offered("!cat @s") == []
    assert not list(tmp_path.rglob("ran"))


def test_what_others_print_comes_in_whole_harmless_lines() -> None:
    said: list[str] = []
    above = Above(said.append, lambda: 40, colours=True)
    above.write("half")
    assert said == []
    above.write(" a line\x1b[2J\nand more")
    above.end()
    assert "".join(said) == "half a line\\x1b[2J\nand more\n"
    said.clear()
    above.write("inarch: error: " + "word " * 12 + "\n")
    (text,) = said
    assert text.startswith("\x1b[31merror: word") and text.count("\n") == 2 and "inarch" not in text
