"""What a dotted name in a file stands for: by scope, import and inheritance, never by bare name."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from attrs import Factory, define

from inarch_brief.tracer.facts.file_facts import ALIAS, CLASS, CONSTANT, OVERLOAD, Facts, Symbol
from inarch_brief.tracer.facts.modules import absolute_name, root_of, shared_folders
from inarch_brief.tracer.store.kept_files import Shelf

_DEPTH = 12
_CONSTRUCTED = re.compile(r"= ([\w.]+)\(")
_ANNOTATED = re.compile(r": ([^=]+)")
_OPTIONAL = re.compile(r"(?:\w+\.)?(?:Optional|Annotated)\[([^,]+)(?:,.*)?\]")
_SUBSCRIPT = re.compile(r"\[.*")


class Place(NamedTuple):
    """A symbol: its file's number and its place in the file's facts."""

    file: int
    place: int


class ModuleRef(NamedTuple):
    """A module of the tree, or a folder of modules."""

    name: str


class ObjectOf(NamedTuple):
    """An object of a class of the tree."""

    of: Place


Meaning = Place | ModuleRef | ObjectOf


@define(eq=False, repr=False)
class FileFacts:
    """A file's facts with the look-ups that resolving needs."""

    number: int
    path: str
    module: str
    facts: Facts
    by_name: dict[str, int] = Factory(dict)

    def __attrs_post_init__(self) -> None:
        for place, symbol in enumerate(self.facts.symbols):
            known = self.by_name.get(symbol.name)
            # The implementation counts, not its overloads; of two definitions the first.
            if known is None or self.facts.symbols[known].flags & OVERLOAD:
                self.by_name[symbol.name] = place

    @property
    def root(self) -> tuple[str, ...]:
        """The folders above what its module is imported from."""
        return root_of(self.path, self.module)

    @property
    def is_package(self) -> bool:
        """Whether the file is a package's `__init__`."""
        return self.path.endswith("__init__.py")


@define(eq=False, repr=False)
class Resolver:
    """Resolves names over an index; made for one use of a connection."""

    shelf: Shelf
    _files: dict[int, FileFacts] = Factory(dict)
    _modules: dict[str, tuple[int, ...]] = Factory(dict)

    @property
    def connection(self) -> sqlite3.Connection:
        """The index."""
        return self.shelf.connection

    def file(self, number: int) -> FileFacts:
        """Prepare a file's facts once."""
        known = self._files.get(number)
        if known is None:
            path, module, _, facts = self.shelf.facts(number)
            known = self._files[number] = FileFacts(number, path, module, facts)
        return known

    def symbol(self, place: Place) -> Symbol:
        """Give the symbol at a place."""
        return self.file(place.file).facts.symbols[place.place]

    def qualname(self, place: Place) -> str:
        """Give the qualified name of a symbol; of a module's top level the module's."""
        module, name = self.file(place.file).module, self.symbol(place).name
        return f"{module}.{name}" if name else module

    def find(self, module: str, attribute: str) -> Place | None:
        """Find what `module:attribute` stands for in the tree."""
        for number in self._files_of(module):
            meaning: Meaning | None = Place(number, 0)
            current = self.file(number)
            for place, part in enumerate(attribute.split(".") if attribute else ()):
                meaning = self.attribute(meaning, part) if place and meaning else self.top_level(current, part)
            if isinstance(meaning, Place):
                return meaning
        return None

    def named(self, file: FileFacts, scope: int, dotted: str) -> Meaning | None:
        """Give what a registered name stands for: where it is written, else as a path from the top of the tree."""
        found = self.meaning(file, scope, dotted)
        module, _, attribute = dotted.rpartition(".")
        return found if found is not None or not module else self.find(module, attribute)

    def meaning(self, file: FileFacts, scope: int, dotted: str, depth: int = 0) -> Meaning | None:
        """Give what a dotted expression stands for where it is written."""
        if depth > _DEPTH or "?" in dotted or file.facts.language:
            return None  # what other languages' names stand for is for `other_linking` to say
        first, *rest = dotted.split(".")
        current: Meaning | None
        if first == "super()":
            owner = self.enclosing_class(file, scope)
            bases = list(self.ancestry(owner, depth))[1:] if owner is not None and len(rest) == 1 else ()
            return next((found for base in bases if (found := self._own_member(base, rest[0]))), None)
        if first in ("self", "cls") and (owner := self.enclosing_class(file, scope)) is not None:
            current = owner
        else:
            current = self.name(file, scope, first.removesuffix("()"), depth)
        for part in rest:
            current = self.attribute(current, part.removesuffix("()"), depth, file) if current is not None else None
        return current

    def enclosing_class(self, file: FileFacts, scope: int) -> Place | None:
        """Give the class whose method a scope is, or stands in."""
        name = file.facts.symbols[scope].name
        while name:
            place = file.by_name.get(name)
            if place is not None and file.facts.symbols[place].kind == CLASS:
                return Place(file.number, place)
            name = name.rpartition(".")[0]
        return None

    def name(self, file: FileFacts, scope: int, name: str, depth: int = 0) -> Meaning | None:
        """Give what a plain name stands for in a scope: its own, the enclosing functions', the module's."""
        symbols = file.facts.symbols
        around, innermost = symbols[scope].name, True
        while around:
            place = file.by_name.get(around)
            symbol = symbols[place] if place is not None else None
            if place is not None and symbol is not None and (symbol.kind != CLASS or innermost):
                inner = file.by_name.get(f"{around}.{name}")
                if inner is not None:
                    return Place(file.number, inner)
                found = self._imported(file, place, name, depth)
                if found is not None:
                    return found
                for text in symbol.local:
                    own, _, made = text.partition(":")
                    if own == name:
                        return self._instance(file, place, made, depth)
            around, innermost = around.rpartition(".")[0], False
        return self.top_level(file, name, depth)

    def top_level(self, file: FileFacts, name: str, depth: int = 0) -> Meaning | None:
        """Give what a module's attribute stands for: defined, imported, imported by `*`, or a submodule."""
        if depth > _DEPTH:
            return None
        place = file.by_name.get(name)
        if place:
            return self._unaliased(file, place, depth)
        found = self._imported(file, 0, name, depth)
        if found is None and file.is_package and self._files_of(f"{file.module}.{name}"):
            found = ModuleRef(f"{file.module}.{name}")
        return found

    def _unaliased(self, file: FileFacts, place: int, depth: int) -> Meaning:
        symbol = file.facts.symbols[place]
        if symbol.kind == CONSTANT and symbol.flags & ALIAS:
            target = symbol.signature.rpartition("= ")[2]
            if target.partition(".")[0] != symbol.name:
                return self.meaning(file, 0, target, depth + 1) or Place(file.number, place)
        return Place(file.number, place)

    def _imported(self, file: FileFacts, scope: int, name: str, depth: int) -> Meaning | None:
        for item in file.facts.imports:
            if item.scope != scope or item.name not in (name, "*"):
                continue
            module = absolute_name(file.module, file.is_package, item.module, item.level)
            found: Meaning | None
            if item.target == "":
                # `import a.b` binds a, `import a.b as c` binds a.b.
                plain = item.name == item.module.partition(".")[0] and "." in item.module
                module = item.module.partition(".")[0] if plain else item.module
                found = ModuleRef(module) if self._has(module) else None
            else:
                target = name if item.name == "*" else item.target
                private = item.name == "*" and name.startswith("_")
                found = None if private else self.attribute(ModuleRef(module), target, depth + 1, near=file)
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
        """Give the files that a module's name means to a reader: of its own root, else the nearest; none in doubt."""
        files = self._files_of(module)
        if reader is None or not files:
            return files
        own = [number for number in files if self.file(number).root == reader.root]
        tops = [self.file(number) for number in self._files_of(module.partition(".")[0])]
        if any(top.root == reader.root for top in tops) and not any("__path__" in top.by_name for top in tops):
            return own  # a package of that name stands in the reader's own root, and hides the other
        shared = [shared_folders(self.file(number).path, reader.path) for number in files]
        return own or ([files[shared.index(max(shared))]] if shared.count(max(shared)) == 1 else ())

    def _has(self, module: str) -> bool:
        """Whether there is a module of that name, or one below it."""
        inside = f"{module}.*"
        if inside not in self._modules:
            row = self.connection.execute(
                "SELECT id FROM files WHERE module > ? AND module < ? LIMIT 1", (f"{module}.", f"{module}/")
            ).fetchone()
            self._modules[inside] = tuple(row or ())
        return bool(self._files_of(module) or self._modules[inside])

    def attribute(self, owner: Meaning, name: str, depth: int = 0, near: FileFacts | None = None) -> Meaning | None:
        """Give an attribute of a module, a class, or an object that a constant holds."""
        if depth > _DEPTH:
            return None
        if isinstance(owner, ObjectOf):
            return self.member(owner.of, name, depth)
        if isinstance(owner, ModuleRef):
            for number in self._meant(owner.name, near):
                found = self.top_level(self.file(number), name, depth + 1)
                if found is not None:
                    return found
            inner = f"{owner.name}.{name}"
            return ModuleRef(inner) if self._has(inner) else None
        symbol = self.symbol(owner)
        if symbol.kind == CLASS:
            return self.member(owner, name, depth)
        made = _CONSTRUCTED.search(symbol.signature) or _ANNOTATED.match(symbol.signature)
        if symbol.kind == CONSTANT and made:
            instance = self._instance(self.file(owner.file), 0, made[1], depth)
            return self.member(instance.of, name, depth) if instance else None
        return None

    def _instance(self, file: FileFacts, scope: int, hint: str, depth: int) -> ObjectOf | None:
        """Give the class that an annotation or a construction names: the only one besides None."""
        text = hint.strip("'\" ")
        wrapped = _OPTIONAL.fullmatch(text)
        text = wrapped[1] if wrapped else text
        names = [part for part in (piece.strip("'\" ") for piece in text.split("|")) if part != "None"]
        if len(names) != 1:
            return None
        cls = self.meaning(file, scope, _SUBSCRIPT.sub("", names[0]), depth + 1)
        return ObjectOf(cls) if isinstance(cls, Place) and self.symbol(cls).kind == CLASS else None

    def member(self, owner: Place, name: str, depth: int = 0) -> Place | None:
        """Give a class's member, its own or inherited within the tree."""
        for cls in self.ancestry(owner, depth):
            found = self._own_member(cls, name)
            if found:
                return found
        return None

    def _own_member(self, cls: Place, name: str) -> Place | None:
        file = self.file(cls.file)
        place = file.by_name.get(f"{file.facts.symbols[cls.place].name}.{name}")
        return Place(cls.file, place) if place is not None else None

    def ancestry(self, cls: Place, depth: int = 0) -> Iterator[Place]:
        """Give a class and its bases in the tree, depth first, each once."""
        seen: set[Place] = set()
        waiting = [cls]
        while waiting:
            current = waiting.pop()
            if current in seen or len(seen) > 64:
                continue
            seen.add(current)
            yield current
            file, symbol = self.file(current.file), self.symbol(current)
            outer = file.by_name.get(symbol.name.rpartition(".")[0], 0)
            bases = [self.meaning(file, outer, _SUBSCRIPT.sub("", base), depth + 1) for base in symbol.bases]
            waiting += [base for base in reversed(bases) if isinstance(base, Place) and self.symbol(base).kind == CLASS]
