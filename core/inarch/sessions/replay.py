"""Former module of the names now in the built-in part `inarch_plugins.replay`."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    return getattr(import_module("inarch_plugins.replay"), name)
