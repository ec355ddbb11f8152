"""What type checkers and editors read where names are loaded on first use: a stub beside the module."""

from __future__ import annotations

from types import ModuleType

HEAD = '"""Written by docs/generate.py from the table in {module}: where type checkers find each name."""\n'


def page(module: ModuleType, declared: str) -> str:
    """Return a module's stub.

    Args:
        module: It has a table `_HOMES` of the modules that its names come from.
        declared: What else it has, as declarations.
    """
    homes = {name: "inarch" if home == f"inarch.{name}" else home for name, home in module._HOMES.items()}
    ordered = sorted(homes.items(), key=_as_sorted_imports)
    imports = "".join(f"from {home} import {name} as {name}\n" for name, home in ordered)
    return "\n".join([HEAD.format(module=module.__name__), imports, declared])


def _as_sorted_imports(item: tuple[str, str]) -> tuple[str, int, str]:
    """Order as the linter does: by module, its constants before its classes before its functions."""
    name, home = item
    return home, 0 if name.isupper() else 1 if name[0].isupper() else 2, name
