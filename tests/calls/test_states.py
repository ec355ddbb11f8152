from __future__ import annotations

from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from inarch.calls.live_call import IllegalTransition, advance
from inarch.contract.records import TERMINAL, CallStatus

ORDER = ["validating", "awaiting_approval", "scheduled", "executing", "end"]
_statuses = st.sampled_from(get_args(CallStatus))


def _rank(status: str) -> int:
    return ORDER.index("end" if status in TERMINAL else status)


@given(st.lists(_statuses, max_size=12))
def test_any_walk_goes_forward_only_and_ends_in_a_terminal_state(steps: list[CallStatus]) -> None:
    status: CallStatus = "validating"
    for step in steps:
        try:
            new = advance(status, step)
        except IllegalTransition:
            assert status in TERMINAL or _rank(step) <= _rank(status) or step in ("executing", "success")
            continue
        assert status not in TERMINAL
        assert _rank(new) > _rank(status)
        status = new
