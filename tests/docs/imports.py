"""What the modules of `core/` and `plugins/` import and call, read from their source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[2]
PLACES = (ROOT / "core", ROOT / "plugins")


@cache
def tree(module: str) -> ast.Module | None:
    """Return the source of one of our modules, None where there is none of this name."""
    if not module.replace(".", "_").isidentifier():
        return None
    for place in PLACES:
        path = place.joinpath(*module.split("."))
        for file in (path.with_suffix(".py"), path / "__init__.py"):
            if file.is_file():
                return ast.parse(file.read_text("utf-8"))
    return None


def modules(place: Path) -> Iterator[str]:
    """Yield the names of all modules below `core/` or `plugins/`."""
    for file in sorted(place.rglob("*.py")):
        yield ".".join(file.relative_to(place).with_suffix("").parts).removesuffix(".__init__")


@cache
def imported(module: str) -> frozenset[str]:
    """Return the modules of ours that one imports when it runs, also inside functions; not what type checkers see only.

    A name that a package passes on counts for the package and for the module that defines it. The name of a module in a
    text counts as well: it stands in a table of what is loaded on first use.
    """
    found = set(named(module))
    for node in _imports(module):
        if isinstance(node, ast.ImportFrom) and tree(node.module or ""):
            found.update(_home(node.module or "", alias.name) for alias in node.names)
    texts = (node.value for node in _nodes(module) if isinstance(node, ast.Constant))
    found.update(text for text in texts if isinstance(text, str) and text.startswith("inarch"))
    return frozenset(name for name in found if name != module and tree(name))


def named(module: str) -> set[str]:
    """Return what stands in the imports of a module: `package` and `package.name` for `from package import name`."""
    found: set[str] = set()
    for node in _imports(module):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif node.module:
            found.update((node.module, *(f"{node.module}.{alias.name}" for alias in node.names)))
    return found


def calls(module: str, method: str) -> bool:
    """Whether a module names a method of some object."""
    return any(isinstance(node, ast.Attribute) and node.attr == method for node in _nodes(module))


def defines(module: str, method: str) -> bool:
    """Whether a module has a function or method of this name."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return any(isinstance(node, kinds) and node.name == method for node in _nodes(module))


def _home(package: str, name: str) -> str:
    """Return the module that defines a name which a package passes on."""
    if tree(f"{package}.{name}"):
        return f"{package}.{name}"
    return getattr(getattr(import_module(package), name), "__module__", None) or package


def _nodes(module: str) -> Iterator[ast.AST]:
    return ast.walk(tree(module) or ast.Module([], []))


def _imports(module: str) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the imports that are made when the module runs; only statements are looked at, which is quick."""
    waiting: list[ast.AST] = list((tree(module) or ast.Module([], [])).body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node
        is_typing = isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for part in ("orelse",) if is_typing else ("body", "orelse", "handlers", "finalbody", "cases"):
            waiting.extend(getattr(node, part, ()))
