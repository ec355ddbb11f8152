"""Names for parts of Inarch outside the kernel, such as the built-in ones; without any guarantee.

Provisional: a name is removed when a hook has replaced it. Third-party plugins use `inarch.__all__`. `host.pyi` lists
the names. Each is loaded on first use, so that it does not load the others.
"""

from __future__ import annotations

from inarch import _homes, _loaded

_HOMES = _homes(__file__)

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    globals()[name] = value = _loaded(__name__, _HOMES, name)
    return value
