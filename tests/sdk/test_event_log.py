"""A log that was cut, written over or mixed up gives back what is whole in it, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarch import Event
from inarch_plugins.jsonl_logger import logger as writing
from inarch_sdk.event_log import MOST_PROBLEMS, SCHEMA, LogProblem, log_files, read_sessions

NASTY = st.text(st.characters(exclude_categories=()), max_size=30)
JUNK = st.one_of(
    st.binary(max_size=60),
    st.sampled_from([b"\0" * 4096, b"{}", b"[]", b"null", b'{"schema":1}', b"[" * 100_000, b"1" * 5000, b"\xff\xfe"]),
)


def event(seq: int, session: str = "s", text: str = "hello", **data: object) -> Event:
    return Event(seq, "2026-01-01T00:00:00.000000Z", session, None, "note", {"text": text, **data})


def line(item: Event) -> bytes:
    return f'{{"schema":{SCHEMA},{item.line[1:]}\n'.encode()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("log") / "s.jsonl"


def read(file: Path, data: bytes) -> tuple[list[str], list[str]]:
    file.write_bytes(data)
    events, problems = only(file)
    return [item.line for item in events], [str(problem) for problem in problems]


def only(file: Path) -> tuple[tuple[Event, ...], tuple[LogProblem, ...]]:
    """Return the events of the session that a log is about, and what is wrong with it.

    Damage to the one letter of its name may have made a name of another session.
    """
    sessions, problems = read_sessions(file)
    assert all(len(name) == 1 for name in sessions)
    return sessions.get("s", ()), problems


@settings(deadline=None, max_examples=settings().max_examples // 2)
@given(texts=st.lists(NASTY, min_size=1, max_size=6))
def test_what_the_logger_wrote_comes_back(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    events = [event(seq, text=text, inner={text: [text, 1.5, None]}) for seq, text in enumerate(texts, 1)]
    logger = writing.JsonlLogger(str(tmp_path_factory.mktemp("log")), max_bytes=300)
    for item in events:
        logger.saw(item)
    logger.close()
    assert only(logger.path("s")) == (tuple(events), ())
    assert [item.line for item in only(logger.path("s"))[0]] == [item.line for item in events]


def test_a_log_that_is_cut_at_any_byte_gives_every_whole_event(file: Path) -> None:
    events = [event(seq, text="zwölf ‹two›\n lines" * seq) for seq in range(1, 6)]
    data = b"".join(map(line, events))
    for end in range(len(data) + 1):
        found, problems = read(file, data[:end])
        whole = data[: end + 1].count(b"\n")  # the line end itself may be missing
        assert found == [item.line for item in events[:whole]]
        torn = data[:end].rpartition(b"\n")[2] and data[end : end + 1] != b"\n"
        assert len(problems) == (1 if torn else 0)
    for begin in range(1, len(data) - 1):
        found, problems = read(file, data[begin:])
        assert found == [item.line for item in events if data.index(line(item)) >= begin]
        assert bool(problems) == (b"\n" not in data[begin - 1 : begin + 1])


@settings(deadline=None, max_examples=2 * settings().max_examples)
@given(
    junk=st.dictionaries(st.integers(0, 8), JUNK, max_size=4),
    glued=st.sets(st.integers(0, 8)),
    order=st.permutations(range(8)),
)
def test_junk_between_lines_loses_nothing_and_is_reported(
    file: Path, junk: dict[int, bytes], glued: set[int], order: list[int]
) -> None:
    events = [event(seq, text="{" * seq) for seq in range(1, 9)]
    data = b""
    for place, number in enumerate(order):
        rubbish = junk.get(place, b"")
        ends = b"" if place in glued and not rubbish.endswith((b"{", b"[", b'"', b"\\")) else b"\n"
        data += (rubbish + ends if rubbish else b"") + line(events[number])
    found, problems = read(file, data)
    assert found == [item.line for item in events]
    assert bool(problems) == any(part.strip() for place, part in junk.items() if place < 8)


@settings(deadline=None, max_examples=3 * settings().max_examples)
@given(place=st.integers(0, 10_000), hole=st.one_of(st.binary(max_size=40), st.integers(1, 400).map(bytes)))
def test_damage_costs_only_the_lines_that_it_touches(file: Path, place: int, hole: bytes) -> None:
    events = [event(seq, text="x" * 60) for seq in range(1, 9)]
    data = bytearray(b"".join(map(line, events)))
    where = place % len(data)
    hit = {bytes(data[:where]).count(b"\n"), bytes(data[: where + len(hole)]).count(b"\n")}
    data[where : where + len(hole)] = hole
    found, _ = read(file, bytes(data))
    untouched = [item.line for number, item in enumerate(events) if not min(hit) <= number <= max(hit)]
    assert set(untouched) <= set(found)


def test_zeros_before_a_line_lose_nothing_and_are_reported(file: Path) -> None:
    found, problems = read(file, line(event(1)) + b"\0" * 4096 + line(event(2)) + b"\0" * 100)
    assert len(found) == 2
    assert problems == [
        "s.jsonl:2: 4096 bytes are zero, as after a power loss",
        "s.jsonl:3: 100 bytes are zero, as after a power loss",
    ]


def test_twice_the_same_is_once_and_another_of_the_same_number_is_left_out(file: Path) -> None:
    found, problems = read(file, line(event(1)) * 2 + line(event(1, text="other")))
    assert found == [event(1).line]
    assert problems == ["s.jsonl:3: a second, different event 1 was left out"]


def test_lines_of_a_newer_version_are_reported(file: Path) -> None:
    newer = line(event(2)).replace(b'"schema":1', b'"schema":2')
    found, problems = read(file, line(event(1)) + newer)
    assert len(found) == 1
    assert problems == ["s.jsonl:2: written by another version of Inarch: schema 2, known here is 1"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"seq": 0},
        {"seq": "1"},
        {"seq": True},
        {"seq": 1 << 40},
        {"time": None},
        {"turn_id": 5},
        {"kind": 7},
        {"data": []},
        {"schema": "1"},
        {"schema": [1]},
    ],
)
def test_what_is_no_event_is_told(file: Path, wrong: dict[str, object]) -> None:
    found, problems = read(file, json.dumps(json.loads(line(event(1))) | wrong).encode())
    assert found == []
    assert problems == ["s.jsonl:1: this is no event"]


def test_a_file_that_is_no_log_has_a_bounded_list_of_problems(file: Path) -> None:
    found, problems = read(file, b"words\n" * (MOST_PROBLEMS + 500))
    assert found == []
    assert len(problems) == MOST_PROBLEMS + 1
    assert problems[-1] == "s.jsonl: 500 more lines are broken"


def test_files_that_were_set_aside_are_read_first(tmp_path: Path) -> None:
    for name, seq in (("s.jsonl", 11), ("s.2.jsonl", 2), ("s.10.jsonl", 10), ("s.old.jsonl", 5), ("other.1.jsonl", 6)):
        (tmp_path / name).write_bytes(line(event(seq)))
    assert [path.name for path in log_files(tmp_path / "s.jsonl")] == ["s.2.jsonl", "s.10.jsonl", "s.jsonl"]
    assert [item.seq for item in only(tmp_path / "s.jsonl")[0]] == [2, 10, 11]
