"""Names that are loaded on first use."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from types import ModuleType

import inarch


def test_a_public_name_that_is_also_a_module_beside_it_is_that_module() -> None:
    """Another would be either: it is loaded while its package has no such attribute; importing a module sets one."""
    folders = (found.name for found in pkgutil.walk_packages(inarch.__path__, "inarch.") if found.ispkg)
    for package in map(import_module, ("inarch", *folders)):
        modules = {found.name for found in pkgutil.iter_modules(package.__path__)}
        for name in modules & {*getattr(package, "__all__", ())}:
            assert isinstance(getattr(package, name), ModuleType), f"{package.__name__}.{name}"
