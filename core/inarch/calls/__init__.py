"""The life of a tool call: repair, validation, judgement, approval, order, execution, result."""

from __future__ import annotations

from inarch.calls.repair import repair_arguments
from inarch.calls.rules import RulesPolicy
from inarch.calls.scheduler import Scheduler

__all__ = ["RulesPolicy", "Scheduler", "repair_arguments"]
