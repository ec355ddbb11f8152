"""`inarch review` against a model at loopback."""

from __future__ import annotations

from typing import Any

from .conftest import CHANGED, PRICES, Place, finding


def test_a_caller_outside_the_change_proves_a_fault_to_a_model_that_only_reads(place: Place) -> None:
    report = place.review(rc=5)
    (found,) = report["findings"]
    assert found["evidence"] == [{"path": "shop/invoice.py", "line": 5, "quote": "return round(total(items) * 100)"}]
    assert (found["verified"], found["priority"]) == ("read", 1)
    (request,) = place.requests
    where = [request.index(text) for text in ("- outside shop/invoice.py:5", "- test tests/test_prices.py:5")]
    assert where == sorted(where)
