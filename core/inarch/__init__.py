"""Inarch: a coding agent with a small kernel and plugins.

`__init__.pyi` lists all public names for type checkers and `_homes`. Each name is loaded on first use, so
`import inarch` costs next to nothing.
"""

from __future__ import annotations

from inarch.former_names import install

install()

__version__ = "0.2.0"


def _homes(file: str) -> dict[str, str]:
    """Return the module of each name that the stub beside a file lists in lines `from MODULE import NAME as NAME`."""
    found: dict[str, str] = {}
    with open(f"{file.rpartition('.')[0]}.pyi", encoding="utf-8") as stub:  # noqa: PTH123 - start-up path
        for line in stub:
            if line.startswith("from "):
                _, home, _, name, *_ = line.split()
                found[name] = f"{home}.{name}" if home in ("inarch", "inarch.contract") else home  # whole modules
    return found


def _loaded(module: str, homes: dict[str, str], name: str) -> object:
    """Return a name of a module, for its `__getattr__`."""
    home = homes.get(name)
    if home is None:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    from importlib import import_module

    found = import_module(home)
    return found if home in (f"inarch.{name}", f"inarch.contract.{name}") else getattr(found, name)


_HOMES = _homes(__file__)

__all__ = ["__version__", *sorted(_HOMES)]


def __getattr__(name: str) -> object:
    homes = _HOMES if name in _HOMES else {}
    if not homes:
        from inarch.former_names import home_of

        homes = home_of(name)
    globals()[name] = value = _loaded(__name__, homes, name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
