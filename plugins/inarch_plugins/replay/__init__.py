"""replay: sessions run again from their records, in a copy of their workspace, and are compared.

It registers nothing: its commands come by entry point, and its names are loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inarch_plugins.replay.replay_run import replay as replay
    from inarch_plugins.replay.report import ReplayReport as ReplayReport
    from inarch_plugins.replay.session_diff import Difference as Difference
    from inarch_plugins.replay.session_diff import Divergence as Divergence
    from inarch_plugins.replay.session_diff import compare_sessions as compare_sessions
    from inarch_plugins.replay.session_diff import digest_of as digest_of

_HOMES = {
    "Difference": "session_diff",
    "Divergence": "session_diff",
    "ReplayReport": "report",
    "compare_sessions": "session_diff",
    "digest_of": "session_diff",
    "replay": "replay_run",
}

__all__ = ["Difference", "Divergence", "ReplayReport", "compare_sessions", "digest_of", "replay"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
