"""Plugins: found by their metadata, probed in a child process, composed in the order of the profile.

Names are loaded on first use: `discover` alone needs nothing heavy, and `--help` needs nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inarch.contract.lazy import loaded_later

if TYPE_CHECKING:
    from inarch.plugins.commands import load_command as load_command
    from inarch.plugins.composition import Bound as Bound
    from inarch.plugins.composition import Composition as Composition
    from inarch.plugins.composition import LoadedPlugin as LoadedPlugin
    from inarch.plugins.composition import compose_plugins as compose_plugins
    from inarch.plugins.discovery import Discovery as Discovery
    from inarch.plugins.discovery import FoundCommand as FoundCommand
    from inarch.plugins.discovery import FoundPlugin as FoundPlugin
    from inarch.plugins.discovery import discover as discover

_HOMES = {
    "Bound": "composition",
    "Composition": "composition",
    "Discovery": "discovery",
    "FoundCommand": "discovery",
    "FoundPlugin": "discovery",
    "LoadedPlugin": "composition",
    "compose_plugins": "composition",
    "discover": "discovery",
    "load_command": "commands",
}

__all__ = [
    "Bound",
    "Composition",
    "Discovery",
    "FoundCommand",
    "FoundPlugin",
    "LoadedPlugin",
    "compose_plugins",
    "discover",
    "load_command",
]

__getattr__ = loaded_later(__name__, _HOMES)
