"""Layers of confinement that a process puts on itself, with the standard library alone.

A forked child puts them on before it becomes another program, the process of an isolated plugin before it loads it.

The fork server calls `prepare(plan)` if it likes, forks, and the child calls
`execute(plan, argv, environment, prepared)`, which also holds a program without `executable` to one single `execve`.
The working folder is set before; it is entered again by its name.
"""

from .keeper import keeper_argv
from .levels import features, layers_of, level_of, own_layers
from .plan import ALL_LAYERS, Features, Plan
from .plan_entry import Prepared, confine, confine_reader, execute, prepare

__all__ = [
    "ALL_LAYERS",
    "Features",
    "Plan",
    "Prepared",
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
