"""Tests of kept-store: what every store has to do, and what this one does."""

from pathlib import Path

import inarch
from inarch.testing import StoreContract
from inarch_kept_store import KeptStore


class TestKeptStore(StoreContract):
    def make(self, path: str) -> inarch.ContextStore:
        return KeptStore(path)


def test_a_session_is_there_when_the_store_is_opened_again(tmp_path: Path) -> None:
    event = inarch.Event(1, inarch.utc_now(), "session", "", "note", {"text": "hello"})
    store = KeptStore(str(tmp_path))
    store.append("session", [event])
    ref = store.put_blob("session", b"bytes")
    again = KeptStore(str(tmp_path))
    assert [item.line for item in again.load("session")] == [event.line]
    assert again.get_blob("session", ref) == b"bytes"
