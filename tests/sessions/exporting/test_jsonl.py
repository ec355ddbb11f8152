"""JSON lines: the events as the log has them."""

from __future__ import annotations

import pytest
from hypothesis import given

from inarch.contract.errors import UsageError
from inarch.journal.event_log import read_sessions
from inarch.sessions.exporting import export, format_of

from .telling import Telling
from .test_escaping import hostile


@given(hostile)
def test_the_lines_are_read_back_as_the_same_events(tmp_path_factory: pytest.TempPathFactory, words: str) -> None:
    told = Telling()
    told.prompt(words)
    told.run(told.call("read_file", file_path=words), {"content": words})
    told.answer(words)
    file = tmp_path_factory.mktemp("log") / "session.jsonl"
    file.write_text("".join(export(told.events, "jsonl")), encoding="utf-8", newline="\n")
    read = read_sessions(file)
    (events,) = read.sessions.values()
    assert [event.line for event in events] == [event.line for event in told.events]
    assert not read.problems


def test_the_ending_of_a_name_tells_the_format() -> None:
    names = {"a.html": "html", "A.HTM": "html", "a.md": "markdown", "a.jsonl": "jsonl", "a.txt": None, "html": None}
    assert {name: format_of(name) for name in names} == names


def test_a_format_that_there_is_not_is_refused() -> None:
    with pytest.raises(UsageError, match="there is no format 'pdf'"):
        export([], "pdf")  # type: ignore[arg-type]
