"""Confinement layers that a process applies to itself: standard library only, independent of the rest of Inarch.

A forked child applies them before it becomes another program. The process of an isolated plugin applies them before it
loads the plugin.

The fork server may call `prepare(plan)`, then forks, and the child calls `execute(plan, argv, environment)`. That also
limits a program without `executable` to one single `execve`. The working folder is set before, and entered again by its
name.
"""

from .keeper import keeper_argv
from .levels import features, layers_of, level_of, own_layers
from .plan import ALL_LAYERS, Features, Plan
from .plan_entry import confine, confine_reader, execute, prepare

__all__ = [
    "ALL_LAYERS",
    "Features",
    "Plan",
    "confine",
    "confine_reader",
    "execute",
    "features",
    "keeper_argv",
    "layers_of",
    "level_of",
    "own_layers",
    "prepare",
]
