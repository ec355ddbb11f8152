"""Who wrote a line: turns of all sessions, through moves, owners' edits, undo and redo."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inarch.contract.events import Event
from inarch.sessions.fork import fork_session
from inarch_plugins.undo.line_blame import Blame
from inarch_sdk.memory_store import MemoryStore

Desk = Any
Calls = Any


def who(desk: Desk, path: str) -> list[str]:
    return [line.prompt if line.by == "agent" else line.by for line in desk.blame(path)]


def test_each_line_has_the_turn_that_wrote_it(desk: Desk, do: Calls) -> None:
    desk.write("a", "one\ntwo\nthree\n")
    (call,) = desk.turn("first", do.patch("a", "two\n", "2\n"))
    desk.write("a", desk.read("a") + "mine\n")
    desk.turn("second", do.patch("a", "three\n", "3\n4\n"))
    desk.write("a", "top\n" + desk.read("a"))
    assert who(desk, "a") == ["you", "you", "first", "second", "second", "you"]
    line = desk.blame("a")[2]
    assert (line.line, line.text, line.turn, line.tool) == (3, "2", 1, "patch_source_file")
    assert (line.session_id, line.turn_id, line.call_id) == ("session", desk.turns[0], call.id)


def test_a_file_nobody_recorded_is_yours(desk: Desk) -> None:
    desk.write("a", "one\ntwo")
    assert who(desk, "a") == ["you", "you"]
    desk.write("empty", "")
    assert desk.blame("empty") == []


def test_a_command_and_a_persons_own_command_are_named(desk: Desk, do: Calls) -> None:
    desk.turn("build", do.run("echo made > a"))
    desk.calls("", do.run("echo more >> a"))
    first, second = desk.blame("a")
    assert (first.prompt, first.tool, first.turn) == ("build", "execute_command", 1)
    assert (second.by, second.prompt, second.turn) == ("agent", "", 0)


def test_moves_are_followed(desk: Desk, do: Calls) -> None:
    desk.turn("make", do.create("a", "1\n2\n"))
    desk.write("a", "1\nmine\n2\n")
    desk.turn("move", do.move("a", "d/b"))
    desk.turn("change", do.patch("d/b", "2\n", "two\n"))
    assert who(desk, "d/b") == ["make", "you", "change"]
    desk.write("a", "1\nanother file\n")
    assert who(desk, "a") == ["you", "you"]


def test_undone_lines_are_whose_they_were_before(desk: Desk, do: Calls) -> None:
    desk.write("a", "yours\nsame\nlast\n")
    desk.turn("first", do.patch("a", "same\n", "agent's\n"))
    desk.turn("second", do.patch("a", "agent's\n", "changed\n"), do.patch("a", "yours\n", ""))
    assert who(desk, "a") == ["second", "you"]
    desk.undo()
    assert who(desk, "a") == ["you", "first", "you"]
    desk.redo()
    assert who(desk, "a") == ["second", "you"]
    desk.write("a", desk.read("a") + "new\n")
    desk.undo()  # with the owner's line the file is one that never was
    assert who(desk, "a") == ["you", "first", "you", "you"]


def test_all_sessions_of_the_directory_count(make_desk: Callable[..., Desk], do: Calls, tmp_path: Path) -> None:
    one, other = make_desk(), make_desk(name="other")
    one.write("a", "1\n2\n3\n")
    one.turn("in one", do.patch("a", "1\n", "one\n"))
    other.turn("in the other", do.patch("a", "2\n", "two\n"))
    one.turn("again", do.patch("a", "3\n", "three\n"))
    assert who(one, "a") == ["in one", "in the other", "again"]
    assert [line.session_id for line in one.blame("a")] == ["session", "other", "session"]


def test_a_fork_does_not_take_the_lines_of_where_it_comes_from(desk: Desk, do: Calls) -> None:
    desk.write("a", "1\n2\n")
    desk.turn("first", do.patch("a", "1\n", "one\n"))
    desk.turn("second", do.patch("a", "one\n", "ONE\n"), do.patch("a", "2\n", "two\n"))
    fork_session(desk.store, "session", None)
    assert who(desk, "a") == ["second", "second"]
    assert len({line.session_id for line in desk.blame("a")}) == 1


def test_redone_lines_are_the_agents_whatever_changed_in_between(desk: Desk, do: Calls) -> None:
    desk.write("a", "top\nx\nlast\n")
    desk.turn("first", do.patch("a", "x\n", "z\n"), do.patch("a", "z\n", "y\n"), do.create("b", "y\n"))
    for more in (1, 3):
        desk.undo()
        desk.write("a", desk.read("a") + "mine\n")
        assert who(desk, "a") == ["you"] * (3 + more)
        desk.redo()
        assert who(desk, "a") == ["you", "first", *["you"] * (1 + more)]
        desk.write("a", desk.read("a") + "mine\n")


@pytest.mark.parametrize(
    ("gone", "wanted"),
    [
        ("1\n2\n3\n4\n", ["unknown", "second", "third", "unknown"]),
        ("one\n2\n3\n4\n", ["unknown", "unknown", "third", "unknown"]),
        ("one\ntwo\n3\n4\n", ["first", "unknown", "unknown", "unknown"]),
        ("one\ntwo\nthree\n4\n", ["first", "second", "unknown", "unknown"]),
    ],
)
def test_where_a_version_is_gone_the_others_still_tell(desk: Desk, do: Calls, gone: str, wanted: list[str]) -> None:
    desk.write("a", "1\n2\n3\n4\n")
    desk.turn("first", do.patch("a", "1\n", "one\n"))
    desk.turn("second", do.patch("a", "2\n", "two\n"))
    desk.turn("third", do.patch("a", "3\n", "three\n"))
    desk.spoil(gone.encode(), None)
    assert who(desk, "a") == wanted


def test_lines_are_numbered_and_readable_whatever_their_bytes(desk: Desk, do: Calls) -> None:
    desk.turn("make", do.create("a", "1\n2\n"))
    desk.write("a", b"\xff\r\n" + desk.read("a").encode() + b"end")
    found = [(line.line, line.text, line.by, line.turn) for line in desk.blame("a")]
    assert found == [(1, "\ufffd", "you", 0), (2, "1", "agent", 1), (3, "2", "agent", 1), (4, "end", "you", 0)]


VERSION = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d\n"]), max_size=6).map("".join)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.booleans(), VERSION), min_size=1, max_size=6))
def test_lines_are_said_to_be_of_turns_that_had_them(versions: list[tuple[bool, str]]) -> None:
    """Each version is an agent's or the owner's; a line said to be an agent's is one that it put in."""
    store, events, present = MemoryStore(), [], ""
    for number, (is_agents, text) in enumerate(versions):
        if is_agents:
            data = {"call_id": str(number), "path": "f", "new_path": None, "before_mode": 1, "after_mode": 1}
            data["before"], data["after"] = (store.put_blob("s", part.encode()) for part in (present, text))
            events.append(Event(number + 1, f"{number:03}", "s", "t", "file.changed", data))
        present = text
    blame = Blame(store.get_blob)
    store.append("s", events)
    blame.add(store, "s")
    found = blame.of("f", present.encode())
    assert "".join(f"{line.text}\n" for line in found) == present
    for line in found:
        if line.by == "agent":
            before = versions[int(line.call_id) - 1][1] if int(line.call_id) else ""
            after = versions[int(line.call_id)][1]
            assert after.count(f"{line.text}\n") > 0
            assert before != after
        assert line.by != "unknown"
    if all(is_agents for is_agents, _ in versions):
        assert all(line.by == "agent" for line in found)
    if not any(is_agents for is_agents, _ in versions):
        assert all(line.by == "you" for line in found)
