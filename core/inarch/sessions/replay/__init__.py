"""Replay: a session runs again from its record, in a copy of its workspace, and has to come to the same.

Names are loaded on first use: nobody who only asks something needs them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inarch.contract.lazy import loaded_later

if TYPE_CHECKING:
    from inarch.sessions.replay.comparing import Difference as Difference
    from inarch.sessions.replay.comparing import Divergence as Divergence
    from inarch.sessions.replay.comparing import compare_sessions as compare_sessions
    from inarch.sessions.replay.comparing import digest_of as digest_of
    from inarch.sessions.replay.replaying import replay as replay
    from inarch.sessions.replay.report import ReplayReport as ReplayReport

_HOMES = {
    "Difference": "comparing",
    "Divergence": "comparing",
    "ReplayReport": "report",
    "compare_sessions": "comparing",
    "digest_of": "comparing",
    "replay": "replaying",
}

__all__ = ["Difference", "Divergence", "ReplayReport", "compare_sessions", "digest_of", "replay"]

__getattr__ = loaded_later(__name__, _HOMES)
