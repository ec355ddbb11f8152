"""Nothing that stands between an object and who uses it takes away what it offers beyond its port."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from inarch.calls.before_images import Keeping
from inarch.calls.lease import Handle, Lease
from inarch.contract.capabilities import CAPABILITIES, optional
from inarch.program.output_choice import Display
from inarch_plugins.replay.stand_ins import RecordedTool, RecordedTracer
from inarch_testing.tool_bench import Noting, WatchedAsyncTool, WatchedTool


class Bare:
    """Offers what the ports demand, as far as these tests go."""

    name = root = "bare"

    def close(self) -> None:
        pass


class Offering(Bare):
    """Offers everything: each member gives its own name back, the ones that are no methods are theirs."""

    selection = "selection"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not any(name in optional(kind) for kind in CAPABILITIES):
            raise AttributeError(name)
        return lambda *arguments: name


def _handle(inner: Any) -> Any:
    return Handle(inner, Lease("c"), {}, Keeping(None, "c", lambda _: None))


WRAPPERS: dict[str, dict[str, Callable[[Any], Any]]] = {
    "front_ends": {"display": Display},
    "tools": {
        "replay": lambda inner: RecordedTool(inner, None),  # type: ignore[arg-type]
        "watched": WatchedTool,
        "watched-async": WatchedAsyncTool,
    },
    "tracers": {"replay": lambda inner: RecordedTracer(inner, None)},  # type: ignore[arg-type]
    "workspaces": {
        "handle": _handle,
        "noting": Noting,
    },
}
"""What stands before objects in one process; isolated ones are tested where isolation is."""


@pytest.mark.parametrize(("kind", "wrapper"), [(kind, name) for kind, named in WRAPPERS.items() for name in named])
def test_every_optional_member_survives_every_wrapper(kind: str, wrapper: str) -> None:
    wrap = WRAPPERS[kind][wrapper]
    offering, bare = wrap(Offering()), wrap(Bare())
    for member in optional(kind):
        found = getattr(offering, member)
        if member == "selection":
            assert found == "selection"
        elif member != "copied":  # in a replay nothing is kept a second time
            assert (found([]) if member == "restore_all" else found()) == member
        assert not hasattr(bare, member), "nor is anything made up"
