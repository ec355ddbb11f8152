from __future__ import annotations

import re
import threading
import time
import uuid
from datetime import datetime

import pytest

from inarch.contract import ids
from inarch.contract.ids import new_id, utc_now


def test_ids_are_uuids_of_version_7() -> None:
    for text in (new_id() for _ in range(100)):
        parsed = uuid.UUID(text)
        assert str(parsed) == text
        assert text[14] == "7"
        assert parsed.variant == uuid.RFC_4122


def test_ids_carry_the_time() -> None:
    before = time.time_ns() // 1_000_000
    stamp = int(new_id().replace("-", "")[:12], 16)
    assert before <= stamp <= time.time_ns() // 1_000_000 + 60_000


def test_ids_sort_in_the_order_they_were_made() -> None:
    made = [new_id() for _ in range(20_000)]
    assert made == sorted(set(made))


def test_a_clock_that_goes_back_keeps_the_order(monkeypatch: pytest.MonkeyPatch) -> None:
    first = new_id()
    with monkeypatch.context() as patch:
        patch.setattr(ids.time, "time_ns", lambda: 1_000_000)
        made = [first, *(new_id() for _ in range(5_000))]
    assert made == sorted(set(made))


def test_threads_make_no_id_twice() -> None:
    made: list[str] = []
    threads = [threading.Thread(target=lambda: made.extend([new_id() for _ in range(2_000)])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 8_000


def test_times_are_utc_with_microseconds() -> None:
    text = utc_now()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", text)
    offset = datetime.fromisoformat(text).utcoffset()
    assert offset is not None and not offset
