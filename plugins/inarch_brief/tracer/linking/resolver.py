"""Resolution of dotted names in registrations: by scope and import, never by bare name."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from attrs import Factory, define

from inarch_brief.tracer.facts.file_facts import ALIAS, CLASS, CONSTANT, OVERLOAD, Facts, Symbol
from inarch_brief.tracer.facts.modules import absolute_name, root_of, shared_folders
from inarch_brief.tracer.store.kept_files import Shelf

_DEPTH = 12


class Place(NamedTuple):
    """A symbol: its file's number and its index in the file's facts."""

    file: int
    place: int


class ModuleRef(NamedTuple):
    """A module of the tree, or a folder of modules."""

    name: str


Meaning = Place | ModuleRef


@define(eq=False, repr=False)
class FileFacts:
    """A file's facts with the lookups that resolving needs."""

    number: int
    path: str
    module: str
    facts: Facts
    by_name: dict[str, int] = Factory(dict)

    def __attrs_post_init__(self) -> None:
        for place, symbol in enumerate(self.facts.symbols):
            known = self.by_name.get(symbol.name)
            # An implementation wins over its overloads. Of two definitions the first wins.
            if known is None or self.facts.symbols[known].flags & OVERLOAD:
                self.by_name[symbol.name] = place

    @property
    def root(self) -> tuple[str, ...]:
        """The folders above the module's import root."""
        return root_of(self.path, self.module)

    @property
    def is_package(self) -> bool:
        """Whether the file is a package's `__init__`."""
        return self.path.endswith("__init__.py")


@define(eq=False, repr=False)
class Resolver:
    """Resolver of names over an index, for one use of a connection."""

    shelf: Shelf
    _files: dict[int, FileFacts] = Factory(dict)
    _modules: dict[str, tuple[int, ...]] = Factory(dict)

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection to the index."""
        return self.shelf.connection

    def file(self, number: int) -> FileFacts:
        """Return a file's facts, prepared once."""
        known = self._files.get(number)
        if known is None:
            path, module, _, facts = self.shelf.facts(number)
            known = self._files[number] = FileFacts(number, path, module, facts)
        return known

    def symbol(self, place: Place) -> Symbol:
        """Return the symbol at a place."""
        return self.file(place.file).facts.symbols[place.place]

    def qualname(self, place: Place) -> str:
        """Return the qualified name of a symbol. The top level of a module has the module's name."""
        module, name = self.file(place.file).module, self.symbol(place).name
        return f"{module}.{name}" if name else module

    def find(self, module: str, attribute: str) -> Place | None:
        """Find the meaning of `module:attribute` in the tree."""
        for number in self._files_of(module):
            meaning: Meaning | None = Place(number, 0)
            for part in attribute.split(".") if attribute else ():
                meaning = self._attribute(meaning, part) if meaning else None
            if isinstance(meaning, Place):
                return meaning
        return None

    def named(self, file: FileFacts, scope: int, dotted: str) -> Meaning | None:
        """Return the meaning of a registered name: in its file, else as a path from the top of the tree."""
        found = self.meaning(file, scope, dotted)
        module, _, attribute = dotted.rpartition(".")
        return found if found is not None or not module else self.find(module, attribute)

    def meaning(self, file: FileFacts, scope: int, dotted: str, depth: int = 0) -> Meaning | None:
        """Return the meaning of a dotted name in its file, or None if that depends on objects."""
        if depth > _DEPTH or "?" in dotted or file.facts.language:
            return None  # `other_names` resolves names of other languages
        first, *rest = dotted.split(".")
        current = self._own_class(file, scope) if first in ("self", "cls") else None
        current = current or self._name(file, scope, first, depth)
        for part in rest:
            current = self._attribute(current, part, depth, file) if current is not None else None
        return current

    def _own_class(self, file: FileFacts, scope: int) -> Meaning | None:
        """Return the class whose method a scope is."""
        place = file.by_name.get(file.facts.symbols[scope].name.rpartition(".")[0])
        return Place(file.number, place) if place and file.facts.symbols[place].kind == CLASS else None

    def _name(self, file: FileFacts, scope: int, name: str, depth: int) -> Meaning | None:
        """Return the meaning of a plain name in a scope: its own, that of an enclosing function, or the module's."""
        around = file.facts.symbols[scope].name
        while around:
            place, inner = file.by_name.get(around), file.by_name.get(f"{around}.{name}")
            if inner is not None:
                return Place(file.number, inner)
            if place is not None and (found := self._imported(file, place, name, depth)) is not None:
                return found
            around = around.rpartition(".")[0]
        return self._top_level(file, name, depth)

    def _top_level(self, file: FileFacts, name: str, depth: int) -> Meaning | None:
        """Return the meaning of a module's attribute: defined, imported, imported by `*`, or a submodule."""
        place = file.by_name.get(name)
        if place:
            symbol = file.facts.symbols[place]
            target = symbol.signature.rpartition("= ")[2]
            is_alias = symbol.kind == CONSTANT and symbol.flags & ALIAS and target.partition(".")[0] != symbol.name
            return (self.meaning(file, 0, target, depth + 1) if is_alias else None) or Place(file.number, place)
        found = self._imported(file, 0, name, depth)
        if found is None and file.is_package and self._files_of(f"{file.module}.{name}"):
            found = ModuleRef(f"{file.module}.{name}")
        return found

    def _imported(self, file: FileFacts, scope: int, name: str, depth: int) -> Meaning | None:
        for item in file.facts.imports:
            if item.scope != scope or item.name not in (name, "*"):
                continue
            found: Meaning | None
            if item.target == "":
                # `import a.b` binds a, `import a.b as c` binds a.b.
                top = item.module.partition(".")[0]
                module = top if item.name == top else item.module
                found = ModuleRef(module) if self._has(module) else None
            elif item.name == "*" and name.startswith("_"):
                continue
            else:
                module = absolute_name(file.module, file.is_package, item.module, item.level)
                target = name if item.name == "*" else item.target
                found = self._attribute(ModuleRef(module), target, depth + 1, file)
            if found is not None:
                return found
        return None

    def _files_of(self, module: str) -> tuple[int, ...]:
        known = self._modules.get(module)
        if known is None:
            rows = self.connection.execute(
                "SELECT id FROM files WHERE module = ? AND substr(path, -3) IN ('.py', 'pyi', 'ynb') ORDER BY path",
                (module,),
            )
            known = self._modules[module] = tuple(row[0] for row in rows)
        return known

    def _meant(self, module: str, reader: FileFacts | None) -> Sequence[int]:
        """Return the files that a module's name means to a reader: of its own root, else the nearest, or none if
        ambiguous.
        """
        files = self._files_of(module)
        if reader is None or not files:
            return files
        own = [number for number in files if self.file(number).root == reader.root]
        shared = [shared_folders(self.file(number).path, reader.path) for number in files]
        return own or ([files[shared.index(max(shared))]] if shared.count(max(shared)) == 1 else ())

    def _has(self, module: str) -> bool:
        """Return whether there is a module of that name, or one below it."""
        query = "SELECT 1 FROM files WHERE module > ? AND module < ? LIMIT 1"
        below = self.connection.execute(query, (f"{module}.", f"{module}/")).fetchone()
        return bool(self._files_of(module) or below)

    def _attribute(self, owner: Meaning, name: str, depth: int = 0, near: FileFacts | None = None) -> Meaning | None:
        """Return an attribute of a module or of a class."""
        if depth > _DEPTH:
            return None
        if isinstance(owner, ModuleRef):
            for number in self._meant(owner.name, near):
                found = self._top_level(self.file(number), name, depth + 1)
                if found is not None:
                    return found
            inner = f"{owner.name}.{name}"
            return ModuleRef(inner) if self._has(inner) else None
        file, symbol = self.file(owner.file), self.symbol(owner)
        if not symbol.name:
            return self._top_level(file, name, depth + 1)
        place = file.by_name.get(f"{symbol.name}.{name}")
        return Place(owner.file, place) if place is not None else None
