"""The layers a forked child puts on itself before it becomes another program: standard library only.

The fork server calls `prepare(plan)` if it likes, forks, and the child calls
`execute(plan, argv, environment, prepared)`, which also holds a program without `executable` to one single `execve`.
The working folder is set before; it is entered again by its name.
"""

from .entering import Prepared, execute, prepare
from .levels import features, layers_of, level_of
from .plan import ALL_LAYERS, Features, Plan

__all__ = [
    "ALL_LAYERS",
    "Features",
    "Plan",
    "Prepared",
    "execute",
    "features",
    "layers_of",
    "level_of",
    "prepare",
]
