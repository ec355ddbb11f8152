"""Resolution of names: in a function, around it, in its module, imported, or builtin."""

from __future__ import annotations

from collections.abc import Sequence

from inarch_brief.tracer.facts.link_facts import CLASS_SCOPE
from inarch_brief.tracer.facts.modules import absolute_name, shared_folders
from inarch_brief.tracer.linking.linker import BUILTINS, EMPTY, Linker
from inarch_brief.tracer.linking.values import Cell, File, Module, Scope, Values


def own_cell(scope: Scope, name: str) -> Cell:
    """Return the cell of a name that a scope binds itself, created on the first call."""
    cell = scope.names.get(name)
    if cell is None:
        cell = scope.names[name] = Cell()
    return cell


def binding_cell(linker: Linker, scope: Scope, name: str) -> Cell:
    """Return the cell that an assignment to a name writes: another scope's after `global` and `nonlocal`."""
    if name in scope.names or name in scope.bound:
        return own_cell(scope, name)
    found = name_cell(linker, scope, name)
    return found if found is not None else own_cell(scope.file.scopes[0], name)


def name_cell(linker: Linker, scope: Scope, name: str) -> Cell | None:
    """Return the cell that a name read in a scope means, or None if the module does not know the name."""
    known = scope.resolved.get(name, scope)
    if known is not scope:
        return known  # type: ignore[return-value]
    found = _find(linker, scope, name)
    if found is not None:
        scope.resolved[name] = found
    return found


def _find(linker: Linker, scope: Scope, name: str) -> Cell | None:
    current: Scope | None = scope
    while current is not None:
        # Methods do not see names that their class binds.
        if current is scope or current.facts.kind != CLASS_SCOPE:
            cell = current.names.get(name)
            if cell is not None:
                return cell
            if name in current.bound:
                return own_cell(current, name)
        current = current.outer
    return exported_cell(linker, scope.file, name, set(), stars_only=True) if scope.file.stars else None


def exported_cell(linker: Linker, file: File, name: str, seen: set[str], stars_only: bool = False) -> Cell | None:
    """Return the cell of a module's name: its own, or one from `from other import *`."""
    if not stars_only:
        module = file.scopes[0]
        cell = module.names.get(name)
        if cell is None and name in module.bound:
            cell = own_cell(module, name)
        if cell is not None:
            return cell
    if not file.stars:
        return None
    seen.add(file.path)
    for star in file.stars:
        if isinstance(star, File) and star.path not in seen:
            if star.facts.exports is not None:
                if name not in star.facts.exports:
                    continue
            elif name.startswith("_"):
                continue
            cell = exported_cell(linker, star, name, seen)
            if cell is not None:
                return cell
    return None


def absolute(file: File, module: str, level: int) -> str:
    """Return the full name of a module imported in a file."""
    return absolute_name(file.module, file.is_package, module, level)


def module_value(linker: Linker, near: File, name: str) -> Module | None:
    """Return a module of the tree. Of several with one name, prefer that of the same root, then the nearest."""
    found = module_values(linker, near, name)
    return found[0] if found else None


def module_values(linker: Linker, near: File, name: str) -> tuple[Module, ...]:
    """Return the modules of the tree that a name may mean in a file: several if it is ambiguous."""
    files = linker.loaded.modules.get(name)
    if files is None:
        return (_module(linker, name, None),) if name in linker.loaded.folders else ()
    return tuple([_module(linker, name, file) for file in _nearest(files, near)])


def _nearest(files: Sequence[File], near: File) -> Sequence[File]:
    """Return the files of one module that `near` may import: those of its own root, else the nearest."""
    if len(files) == 1:
        return files
    own = [file for file in files if file.root == near.root]
    if own:
        return own
    shared = [shared_folders(file.path, near.path) for file in files]
    return [file for file, count in zip(files, shared, strict=True) if count == max(shared)]


def _module(linker: Linker, name: str, file: File | None) -> Module:
    key = (name, file.path if file else "")
    value = linker.loaded.module_values.get(key)
    if value is None:
        value = linker.loaded.module_values[key] = Module(name, file)
    return value


def module_attribute(linker: Linker, module: Module, name: str) -> Values:
    """Return the values of an attribute of a module."""
    if module.file is not None:
        cell = exported_cell(linker, module.file, name, set())
        if cell is not None:
            found = linker.read(cell)
            if found:
                return found
    inner = module_value(linker, module.file, f"{module.name}.{name}") if module.file else None
    if inner is None and module.file is None:
        inner = _namespace(linker, f"{module.name}.{name}")
    return (inner,) if inner is not None else EMPTY


def _namespace(linker: Linker, name: str) -> Module | None:
    files = linker.loaded.modules.get(name)
    if files is not None:
        return _module(linker, name, files[0])
    return _module(linker, name, None) if name in linker.loaded.folders else None


def outside_module(linker: Linker, module: Module, name: str) -> Values:
    """Return the outside value of a module's name: from a star import of a module that is not in the tree."""
    if module.file is not None:
        for star in module.file.stars:
            if isinstance(star, str):
                return (linker.values.outside(f"{star}.{name}"),)
    return EMPTY


def builtin(linker: Linker, scope: Scope, name: str) -> Values:
    """Return the values of a name that nothing binds."""
    known = BUILTINS.get(name)
    if known is not None:
        return (linker.values.outside(known),)
    for star in scope.file.stars:
        if isinstance(star, str):
            return (linker.values.outside(f"{star}.{name}"),)
    return EMPTY
