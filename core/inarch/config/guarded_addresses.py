"""Where requests and keys go, and what is started, is the user's own word: such settings of a project never count."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import evolve

from inarch.config.layers import Layer
from inarch.config.sources import Given
from inarch_sdk.settings import dotted

_ADDRESSES = ("base_url", "api_base")
_EXACTLY = {"url": "addresses", "command": "programs to start"}
_VARIABLES = "_env"
_PROCESSES = "_in_background"


def without_addresses(layer: Layer, config_path: Path) -> tuple[Layer, tuple[str, ...]]:
    """Return a project's layer without addresses of services and names of key variables, and a note for each."""
    notes: list[str] = []
    plugins: dict[str, dict[str, Given]] = {}
    for name, table in layer.plugins.items():
        plugins[name] = {}
        for key, given in table.items():
            what = _directs(key, given.value)
            if what:
                notes.append(_note(given, what, config_path))
            else:
                plugins[name][key] = given
    return (evolve(layer, plugins=plugins), tuple(notes)) if notes else (layer, ())


def _directs(key: str, value: Any) -> str:
    """Return what a setting, or something inside it, would direct elsewhere; "" for nothing."""
    if isinstance(value, str) and key in _EXACTLY:
        return _EXACTLY[key]
    if key.endswith(_ADDRESSES):
        return "addresses"
    if key.endswith(_VARIABLES):
        return "variables that hold keys"
    if key.endswith(_PROCESSES):
        return "programs to start"
    inner = value.items() if isinstance(value, Mapping) else ()
    return next((what for name, one in inner if (what := _directs(str(name), one))), "")


def _note(given: Given, what: str, config_path: Path) -> str:
    key = dotted(given.path)
    return f"{given.origin}: {key}: ignored, {what} come from your own configuration only: write it into {config_path}"
