"""What parts of Inarch itself need that stand beside the kernel, such as the built-in ones; nothing of it is promised.

Provisional: a name leaves when a door has taken its place. Plugins of others build on `inarch.__all__`. `host.pyi`
lists the names; each is loaded on first use, so that one of them costs nothing of the others.
"""

from __future__ import annotations

from inarch import _homes, _loaded

_HOMES = _homes(__file__)

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    globals()[name] = value = _loaded(__name__, _HOMES, name)
    return value
