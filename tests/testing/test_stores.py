"""The JSONL store passes the suite of stores that keep; all three agree on any text and any order of batches."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarch import ContextStore, StoreError, new_id
from inarch.testing import KeptStoreContract, says, scripted_app
from inarch_sqlite_store.store import SqliteStore
from inarch_testing.store_contract import event, lines, seqs, started
from inarch_testing.stores import JsonlStore, MemoryStore


class TestJsonlStore(KeptStoreContract):
    opener = "inarch.testing.stores:JsonlStore"


@pytest.fixture(scope="module", params=["memory", "jsonl", "sqlite"])
def any_store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ContextStore:
    folder = str(tmp_path_factory.mktemp("store"))
    makers = {"memory": lambda _: MemoryStore(), "jsonl": JsonlStore, "sqlite": SqliteStore}
    store: ContextStore = makers[request.param](folder)
    request.addfinalizer(store.close)
    return store


@settings(max_examples=settings().max_examples // 2, deadline=None)
@given(text=st.text(st.characters(exclude_categories=())))
def test_any_text_comes_back(any_store: ContextStore, text: str) -> None:
    session = new_id()
    kept = [started(session, text), event(2, session, text=text, inner={text: [text]})]
    any_store.append(session, kept)
    assert lines(any_store, session) == [item.line for item in kept]
    assert session in [info.id for info in any_store.sessions(text)]


BATCH = st.lists(st.tuples(st.integers(1, 12), st.sampled_from("ab")), max_size=4, unique_by=lambda item: item[0])


@settings(max_examples=settings().max_examples // 2, deadline=None)
@given(batches=st.lists(BATCH, max_size=8))
def test_stores_agree_on_what_is_kept_and_what_is_refused(
    any_store: ContextStore, batches: list[list[tuple[int, str]]]
) -> None:
    session = new_id()
    kept: dict[int, str] = {}
    for batch in batches:
        fits = all(kept.get(seq, text) == text for seq, text in batch)
        try:
            any_store.append(session, [event(seq, session, text=text) for seq, text in batch])
            assert fits
            kept.update(batch)
        except StoreError as error:
            assert (fits, error.kind) == (False, "busy")
        assert {item.seq: item.data["text"] for item in any_store.load(session)} == kept
        assert seqs(any_store, session) == sorted(kept)


def test_lines_are_batches_that_a_person_can_read(tmp_path: Path) -> None:
    store = JsonlStore(str(tmp_path))
    store.append("s", [event(1), event(2)])
    store.append("s", [event(3)])
    batches = [json.loads(line)["events"] for line in (tmp_path / "s.jsonl").read_text().splitlines()]
    assert [[item["seq"] for item in batch] for batch in batches] == [[1, 2], [3]]


def test_a_damaged_line_costs_that_line_and_is_told(tmp_path: Path) -> None:
    store = JsonlStore(str(tmp_path))
    for seq in (1, 2, 3):
        store.append("s", [event(seq, text=f"event {seq}")])
    file = tmp_path / "s.jsonl"
    file.write_text(file.read_text().replace("event 2", "event 9"))
    again = JsonlStore(str(tmp_path))
    assert seqs(again) == [1, 3]
    assert again.damage == ["line 2 of s.jsonl is damaged and was left out"]
    again.append("s", [event(2, text="again")])
    assert seqs(again) == [1, 2, 3]


def test_a_full_disk_is_told_and_leaves_whole_batches(tmp_path: Path) -> None:
    code = """
import resource, signal, sys
from inarch import StoreError
from inarch_testing.store_contract import event, seqs
from inarch_testing.stores import JsonlStore
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = JsonlStore(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
store.append("s", [event(1, text="x" * 600)])
try:
    store.append("s", [event(2, text="x" * 600)])
except StoreError as error:
    print(error.kind)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
store.append("s", [event(2)])
print(seqs(store), seqs(JsonlStore(sys.argv[1])), store.damage)
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["full", "[1, 2] [1, 2] []"]


def test_a_file_in_place_of_the_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError) as caught:
        JsonlStore(str(tmp_path / "file" / "below"))
    assert caught.value.kind == "permission"


def test_a_damaged_blob_is_told(tmp_path: Path) -> None:
    store = JsonlStore(str(tmp_path))
    ref = store.put_blob("s", b"before")
    (tmp_path / "blobs" / "s" / ref).write_bytes(b"after")
    with pytest.raises(StoreError) as caught:
        store.get_blob("s", ref)
    assert caught.value.kind == "damaged"


PLUGIN = """
import inarch
from inarch_testing.stores import JsonlStore


@inarch.hookimpl
def inarch_stores(context):
    return [inarch.StoreSpec("lines", JsonlStore)]
"""


def test_a_session_runs_and_goes_on_in_a_plugins_store(tmp_path: Path) -> None:
    plugin, root = tmp_path / "lines_store.py", tmp_path / "root"
    plugin.write_text(PLUGIN)
    root.mkdir()
    config = {"profiles": {"default": {"plugins": ["sandbox-fs"], "store": "lines"}}}
    home = {"HOME": str(tmp_path / "home")}

    def turn(prompt: str, reply: str, session_id: str | None) -> tuple[str, list[str]]:
        app, model = scripted_app([says(reply)], root, config=config, environ=home, journal=True, files=[str(plugin)])
        with app:
            session = app.session(session_id)
            assert asyncio.run(session.run(prompt)).status == "done"
            return session.id, [message.text for message in model.requests[0].messages]

    session_id, _ = turn("one", "first", None)
    _, said = turn("two", "second", session_id)
    assert any("one" in text for text in said)
    assert any("first" in text for text in said)
