"""The file of notes: bullets of ours, and whatever else a person writes into it."""

from __future__ import annotations

import multiprocessing
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch import ToolFailed
from inarch.config.plugin_folders import UserFolder
from inarch_plugins.memory.memory import LONGEST, Memory, Note, checked, read_notes, with_note

lines = st.lists(
    st.one_of(
        st.sampled_from(["# Heading", "", "- a bullet", "  goes on", "* 2026-01-02: dated", "plain words", "1. one"]),
        st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"))),
    )
)
files = st.builds(lambda parts, end, last: (end.join(parts) + last).encode(), lines, st.sampled_from(["\n", "\r\n"]),
                  st.sampled_from(["", "\n", "\r\n", "\n\n"]))  # fmt: skip
wishes = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cf")), min_size=1).filter(str.strip)


def memory_in(folder: Path) -> Memory:
    return Memory(UserFolder(folder))


@given(files, wishes)
def test_a_file_that_a_person_edits_keeps_every_byte_and_every_note(before: bytes, text: str) -> None:
    note = Note(checked(text), "2026-11-22")
    after = with_note(before, note)
    assert after.startswith(before)
    assert read_notes(after.decode("utf-8-sig")) == [*read_notes(before.decode("utf-8-sig")), note]


def test_a_file_as_people_write_it() -> None:
    text = (
        "# Mine\n\nAlways answer\nin German.\n\n- 2026-01-02: Tabs, not\n  spaces.\n* no dates here\n+ \n\n"
        "## Later\nOne more\n- last\n"
    )
    assert read_notes(text) == [
        Note("Always answer in German."),
        Note("Tabs, not spaces.", "2026-01-02"),
        Note("no dates here"),
        Note("One more"),
        Note("last"),
    ]


@pytest.mark.parametrize("again", ["Use tabs.", "  Use \n tabs. ", "Use\ttabs."])
def test_what_is_there_is_not_saved_twice(tmp_path: Path, again: str) -> None:
    (tmp_path / "memory.md").write_text("* Use  tabs.\n")
    memory = memory_in(tmp_path)
    assert not memory.save(again)
    assert (tmp_path / "memory.md").read_text() == "* Use  tabs.\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (" \n ", "empty"),
        ("x" * (LONGEST + 1), "more than 2000"),
        ("a\x1b[31m", r"U\+001B"),
        ("a\x00b", r"U\+0000"),
        ("a\u202eb", r"U\+202E"),
        ("a\u200bb", r"U\+200B"),
        ("a\U000e0041b", r"U\+E0041"),
        ("a\ud800b", r"U\+D800"),
    ],
)
def test_what_is_no_note_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ToolFailed, match=message):
        memory_in(tmp_path).save(text)
    assert not (tmp_path / "memory.md").exists()


def test_a_file_in_another_encoding_is_left_alone(tmp_path: Path) -> None:
    data = "- Grüße\n".encode("latin-1")
    (tmp_path / "memory.md").write_bytes(data)
    with pytest.raises(ToolFailed, match="not UTF-8"):
        memory_in(tmp_path).save("x y")
    assert (tmp_path / "memory.md").read_bytes() == data


def _save(folder: Path, start: object, number: int) -> None:
    start.wait()  # type: ignore[attr-defined]
    for step in range(20):
        memory_in(folder).save(f"note {number} {step}")
        memory_in(folder).save(f"shared {step}")


def test_processes_at_the_same_time_lose_nothing_and_repeat_nothing(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("fork" if os.name == "posix" else "spawn")
    start = spawn.Event()
    children = [spawn.Process(target=_save, args=(tmp_path, start, number)) for number in range(3)]
    for child in children:
        child.start()
    start.set()
    for child in children:
        child.join()
        assert child.exitcode == 0
    texts = [note.text for note in memory_in(tmp_path).notes()]
    wanted = {f"note {number} {step}" for number in range(3) for step in range(20)} | {f"shared {i}" for i in range(20)}
    assert sorted(texts) == sorted(wanted)
    assert [path.name for path in tmp_path.iterdir()] == ["memory.md"]
