"""The log of a fork has what is its own, and that of the session it was forked from the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from inarch import Event
from inarch_plugins.jsonl_logger.logger import JsonlLogger
from inarch_sdk.event_log import read_sessions
from inarch_testing.store_contract import event, started


@pytest.fixture
def whole() -> list[Event]:
    return [started("s", "/root"), *(event(seq, text=f"event {seq}") for seq in range(2, 101))]


def first_of(session_id: str, source: str, last: int) -> Event:
    return event(1, session_id, "session.started", root="/root", forked_from=source, forked_events=last)


def forked(events: list[Event], session_id: str, last: int) -> list[Event]:
    first = first_of(session_id, events[0].session_id, last)
    return [first, *(one.moved(session_id) for one in events[1:last])]


def read(log: Path) -> list[Event]:
    found = read_sessions(log)
    assert not found.problems
    return [*found.sessions[log.stem]]


def logger_of(folder: Path, events: list[Event], keep: int = 0, max_bytes: int = 0) -> JsonlLogger:
    logger = JsonlLogger(str(folder), max_bytes, keep)
    for one in events:
        logger.saw(one)
    return logger


def test_a_forks_log_is_one_line_and_reads_as_the_whole_session(tmp_path: Path, whole: list[Event]) -> None:
    logger = logger_of(tmp_path, whole)
    fork = forked(whole, "f", 90)
    again = forked(fork, "g", 80)
    assert logger.forked(fork[0]) and logger.forked(again[0])
    assert [len(path.read_text().splitlines()) for path in (logger.path("f"), logger.path("g"))] == [1, 1]
    logger.saw(event(91, "f", text="mine"))
    logger.close()
    assert read(logger.path("f")) == [*fork, event(91, "f", text="mine")]
    assert read(logger.path("g")) == again
    every = tmp_path / "elsewhere" / "all.jsonl"
    every.parent.mkdir()
    every.write_text("".join(logger.path(name).read_text() for name in "gfs"))
    assert [*read_sessions(every).sessions["g"]] == again
    assert not read_sessions(every).problems


@pytest.mark.parametrize("wrong", ["missing", "cut", "begun late", "a link", "kept in part", "another's"])
def test_a_log_that_has_not_all_of_it_is_not_referred_to(tmp_path: Path, whole: list[Event], wrong: str) -> None:
    fork = first_of("f", "s", 90)
    events = {"missing": [], "cut": whole[:89], "begun late": whole[1:]}.get(wrong, whole)
    logger = logger_of(tmp_path, events, 2 if wrong == "kept in part" else 0)
    if wrong == "a link":
        logger.path("s").rename(tmp_path / "other")
        logger.path("s").symlink_to(tmp_path / "other")
    elif wrong == "another's":
        logger.path("s").write_text(logger.path("s").read_text().replace('"session_id":"s"', '"session_id":"x"'))
    assert logger.forked(fork) is False
    assert not logger.path("f").exists()
    logger.close()


@pytest.mark.parametrize("source", ["f", "g", "../s", "s/../s", "", "nobody", "l", 7])
def test_a_log_from_elsewhere_leads_nowhere_else(tmp_path: Path, whole: list[Event], source: object) -> None:
    logger_of(tmp_path / "inner", [first_of("g", "f", 4_000_000_000), *forked(whole, "s", 50)]).close()
    logger_of(tmp_path, whole).close()
    log = tmp_path / "inner" / "f.jsonl"
    (tmp_path / "inner" / "l.jsonl").symlink_to(tmp_path / "s.jsonl")
    data = {"root": "/", "forked_from": source, "forked_events": 4_000_000_000}
    log.write_text(event(1, "f", "session.started", **data).line + "\n" + event(3, "f").line + "\n")
    assert [one.seq for one in read(log)] == [1, 3]
