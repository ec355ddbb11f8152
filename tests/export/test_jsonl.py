"""JSON lines: the events as the log has them."""

from __future__ import annotations

import pytest
from hypothesis import given

from inarch_sdk.event_log import read_sessions

from .telling import Telling
from .test_escaping import hostile
from .written import export


@given(hostile)
def test_the_lines_are_read_back_as_the_same_events(tmp_path_factory: pytest.TempPathFactory, words: str) -> None:
    told = Telling()
    told.prompt(words)
    told.run(told.call("read_file", file_path=words), {"content": words})
    told.answer(words)
    file = tmp_path_factory.mktemp("log") / "session.jsonl"
    file.write_text(export(told.events, "jsonl"), encoding="utf-8", newline="\n")
    read = read_sessions(file)
    (events,) = read.sessions.values()
    assert [event.line for event in events] == [event.line for event in told.events]
    assert not read.problems
