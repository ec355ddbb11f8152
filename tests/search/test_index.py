"""What an index keeps: the same whatever the order in which it grew."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch_brief.search import FUNCTION, PRODUCT, TEST, Document, Index, search
from inarch_brief.search.segments import unpacked

from .opened import opened

WORDS = ("cookie", "jar", "send", "request", "parse", "header", "retry", "timeout", "url", "join")


def function(file: str, name: str, line: int = 1, nature: str = PRODUCT, **words: str) -> Document:
    return Document(file, line, line + 5, FUNCTION, nature, name, f"{file.removesuffix('.py')}.{name}", **words)


@st.composite
def files(draw: st.DrawFn) -> dict[str, list[Document]]:
    paths = draw(st.lists(st.sampled_from(["a.py", "b.py", "c/d.py", "e.py"]), unique=True))
    return {path: [draw(documents(path, place)) for place in range(draw(st.integers(0, 3)))] for path in paths}


@st.composite
def documents(draw: st.DrawFn, path: str, place: int) -> Document:
    some = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3)
    return function(
        path,
        "_".join(draw(some)),
        10 * place + 1,
        draw(st.sampled_from([PRODUCT, TEST])),
        summary=" ".join(draw(some)),
        body=" ".join(draw(some)),
    )


def answers(index: Index) -> list[object]:
    """Everything that can be told of an index from outside, without the numbers of its rows."""
    found: list[object] = [index.size()]
    for text in ("cookie jar", "send request retry timeout", "parse_header", "where is the url joined?"):
        answer = search(index, text)
        found.append([(hit.place[1:], hit.score, hit.explained, hit.reasons) for hit in answer.hits])
        found.append((answer.files, answer.confidence, answer.unknown))
    return found


@given(st.lists(files(), max_size=5), st.sets(st.sampled_from(["a.py", "b.py"])))
def test_an_index_that_grew_answers_as_a_fresh_one(updates: list[dict[str, list[Document]]], gone: set[str]) -> None:
    grown, fresh = opened(), opened()
    state: dict[str, list[Document]] = {}
    for update in updates:
        grown.update(update)
        state |= update
    grown.update({}, gone)
    fresh.update({path: documents for path, documents in state.items() if path not in gone})
    assert answers(grown) == answers(fresh)
    assert grown.stamps() == fresh.stamps()


def test_many_updates_are_merged_and_lose_nothing() -> None:
    index = opened()
    for number in range(40):
        index.update({f"m{number % 13}.py": [function(f"m{number % 13}.py", f"send_{WORDS[number % 10]}")]})
    assert len(index.segments.all()) < 13
    assert index.size() == 13
    assert len(search(index, "send").hits) == 13


def test_an_update_that_fails_changes_nothing() -> None:
    index = opened()
    index.update({"a.py": [function("a.py", "cookie")]}, stamps={"a.py": "1"})
    before = answers(index)
    with pytest.raises(ValueError, match="not in"):
        index.update({"a.py": [function("a.py", "header", nature="unheard of")]}, stamps={"a.py": "2"})
    assert answers(index) == before
    assert index.stamps() == {"a.py": "1"}


def test_a_second_process_of_a_file_sees_what_the_first_wrote(tmp_path: Path) -> None:
    with Index(tmp_path / "index.db") as one, Index(tmp_path / "index.db") as two:
        assert search(two, "cookie").hits == ()
        one.update({"a.py": [function("a.py", "cookie")]})
        assert [hit.place.name for hit in search(two, "cookie").hits] == ["cookie"]


def test_another_format_begins_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Index(tmp_path / "index.db") as index:
        index.update({"a.py": [function("a.py", "cookie")]})
    monkeypatch.setattr("inarch_brief.search.index.FORMAT", "older")
    with Index(tmp_path / "index.db") as index:
        assert index.size() == 0 and index.stamps() == {}


def test_a_damaged_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "index.db").write_bytes(b"no database" * 100)
    with pytest.raises(sqlite3.DatabaseError):
        Index(tmp_path / "index.db")
    with pytest.raises(ValueError, match="damaged postings"):
        unpacked(b"\x00\x01")


def test_a_file_is_found_by_a_longer_path_and_by_its_end() -> None:
    index = opened()
    index.update({"src/app/jar.py": [function("src/app/jar.py", "cookie")]})
    for path in ("src/app/jar.py", "/usr/lib/src/app/jar.py", "app/jar.py", "./src/app/jar.py", "jar.py"):
        assert [kept.name for kept in index.in_file(path)] == ["cookie"]
    assert index.in_file("ar.py") == index.in_file("other.py") == index.in_file("%") == []
    index.update({".ci/jar.py": [function(".ci/jar.py", "check")]})
    assert [kept.name for kept in index.in_file("./.ci/jar.py")] == ["check"]
