"""Names that are loaded on first use."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from types import ModuleType

import inarch

MEANT = {"inarch.confinement"}  # a public module


def test_no_public_name_is_hidden_by_a_module_of_the_same_name() -> None:
    """A name that is loaded later is looked up only while its package has no such attribute: an import sets one."""
    packages = [
        "inarch", *(found.name for found in pkgutil.walk_packages(inarch.__path__, "inarch.") if found.ispkg)
    ]  # fmt: skip
    for package in map(import_module, packages):
        modules = {found.name for found in pkgutil.iter_modules(package.__path__)}
        same = {f"{package.__name__}.{name}" for name in modules & {*getattr(package, "__all__", ())}}
        assert same <= MEANT, same
        assert all(isinstance(getattr(inarch, name.partition(".")[2]), ModuleType) for name in same)
