"""The states of a call: forward only, terminal is final.

    validating ─┬─► awaiting_approval ─┐
                ├──────────────────────┴─► scheduled ─► executing ─► success | error | cancelled
                └─► error

Every state that isn't terminal can also end in `error` (refused, denied) or `cancelled`. A change of the arguments
during approval stays in `awaiting_approval`: it is validated and asked again without going back.
"""

from __future__ import annotations

from inarch.contract.records import CallStatus

NEXT: dict[CallStatus, frozenset[CallStatus]] = {
    "validating": frozenset({"awaiting_approval", "scheduled", "error", "cancelled"}),
    "awaiting_approval": frozenset({"scheduled", "error", "cancelled"}),
    "scheduled": frozenset({"executing", "error", "cancelled"}),
    "executing": frozenset({"success", "error", "cancelled"}),
    "success": frozenset(),
    "error": frozenset(),
    "cancelled": frozenset(),
}
"""The states that may follow each state."""


class IllegalTransition(RuntimeError):
    """A call was to go from one state to another that can't follow it: a fault in the kernel."""


def advance(status: CallStatus, new: CallStatus) -> CallStatus:
    """Return `new` if it may follow `status`.

    Raises:
        IllegalTransition: It may not.
    """
    if new not in NEXT[status]:
        raise IllegalTransition(f"a call that is {status} can't become {new}")
    return new
