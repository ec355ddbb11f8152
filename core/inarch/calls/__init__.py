"""The life of a tool call: repair, validation, judgement, approval, order, execution, result.

Names are loaded on first use: to list tools nothing has to be able to run them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inarch.contract.lazy import loaded_later

if TYPE_CHECKING:
    from inarch.calls.grants import Grants as Grants
    from inarch.calls.grants import ProjectGrants as ProjectGrants
    from inarch.calls.recording import DeclaredEvents as DeclaredEvents
    from inarch.calls.rules import RulesPolicy as RulesPolicy
    from inarch.calls.scheduler import Scheduler as Scheduler

_HOMES = {
    "DeclaredEvents": "recording",
    "Grants": "grants",
    "ProjectGrants": "grants",
    "RulesPolicy": "rules",
    "Scheduler": "scheduler",
}

__all__ = ["DeclaredEvents", "Grants", "ProjectGrants", "RulesPolicy", "Scheduler"]

__getattr__ = loaded_later(__name__, _HOMES)
