"""The life of a tool call: repair, validation, judgement, approval, order, execution, result.

Names are loaded on first use: to list tools nothing has to be able to run them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inarch.calls.repair import repair_arguments as repair_arguments
    from inarch.calls.rules import RulesPolicy as RulesPolicy
    from inarch.calls.scheduler import Scheduler as Scheduler

_HOMES = {"RulesPolicy": "rules", "Scheduler": "scheduler", "repair_arguments": "repair"}

__all__ = ["RulesPolicy", "Scheduler", "repair_arguments"]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value
