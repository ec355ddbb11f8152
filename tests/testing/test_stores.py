"""Stores agree on any text and any order of batches."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarch import ContextStore, StoreError, new_id
from inarch_plugins.sqlite_store.store import SqliteStore
from inarch_sdk.memory_store import MemoryStore
from inarch_testing.store_contract import event, lines, seqs, started


@pytest.fixture(scope="module", params=["memory", "sqlite"])
def any_store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ContextStore:
    folder = str(tmp_path_factory.mktemp("store"))
    store: ContextStore = MemoryStore() if request.param == "memory" else SqliteStore(folder)
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
