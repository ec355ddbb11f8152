"""Load a module again where it is loaded, and forget what its functions keep: for `mutants.py`, in a fork.

Whatever took a name from the module has what stands there now, and the modules of ours that took one are loaded again,
too: what they made of it at their import is made anew. Objects that already exist keep their classes, so a test may
fail that would pass in a new interpreter; `mutants.py` tries each with the unbroken module first.
"""

from __future__ import annotations

import functools
import gc
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

SHARED = (int, float, str, bytes, tuple, frozenset, type(None))
"""Values of these kinds may be one object in modules that have nothing to do with each other."""


def load_again(place: str, code: CodeType) -> None:
    """Execute the code in the module of this file, then the modules that took something from it."""
    loaded = [module for module in list(sys.modules.values()) if getattr(module, "__file__", None)]
    module = next(module for module in loaded if module.__file__ == place)
    takers = _execute(module, code, loaded)
    folder = str(Path(__file__).parents[1])
    for other in loaded:
        file = str(other.__file__)
        if other in takers and file.startswith(folder) and "tests" not in Path(file).parts:
            _execute(other, compile(Path(file).read_text("utf-8"), file, "exec"), loaded)


def _execute(module: ModuleType, code: CodeType, loaded: list[ModuleType]) -> list[ModuleType]:
    """Execute it and return the modules that had something of the module, which have the new one now."""
    names = vars(module)
    before = {name: value for name, value in names.items() if not name.startswith("__")}
    exec(code, names)
    changed = {id(value): name for name, value in before.items() if names.get(name) is not value}
    takers = []
    for other in loaded:
        if other is module:
            continue
        for name, value in list(vars(other).items()):
            theirs = changed.get(id(value))
            if theirs is not None and theirs in names and (theirs == name or not isinstance(value, SHARED)):
                setattr(other, name, names[theirs])
                takers.append(other)
    return takers


def forgetting(places: Collection[str]) -> Callable[[], None]:
    """Return what empties the caches of functions and properties of these files, as far as they exist now."""

    def is_there(one: Any) -> bool:
        code = getattr(one, "__code__", None)
        return code is not None and code.co_filename in places

    objects = gc.get_objects()
    wrappers = [one for one in objects if isinstance(one, functools._lru_cache_wrapper) and is_there(one.__wrapped__)]
    properties: dict[type, list[str]] = {}
    for cls in [one for one in objects if isinstance(one, type)]:
        kept = [(name, one) for name, one in list(vars(cls).items()) if isinstance(one, functools.cached_property)]
        if names := [name for name, one in kept if is_there(one.func)]:
            properties[cls] = names
    holders = [
        (vars(one), properties[type(one)]) for one in objects if type(one) in properties and hasattr(one, "__dict__")
    ]

    def forget() -> None:
        for wrapper in wrappers:
            wrapper.cache_clear()
        for values, names in holders:
            for name in names:
                values.pop(name, None)

    return forget
