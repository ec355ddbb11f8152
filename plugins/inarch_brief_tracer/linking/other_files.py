"""Files of other languages than Python, and which of them an import means: by paths, folders, packages and includes."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

from attrs import Factory, define, field, frozen

from inarch_brief_tracer.facts.file_facts import Facts, Import

_FAMILIES: Mapping[str, str] = {"TypeScript": "JavaScript", "C++": "C"}
_SCRIPTS = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".d.ts")


class Spot(NamedTuple):
    """A symbol: its file's number and its place in the file's facts."""

    file: int
    place: int


@frozen
class Manifests:
    """What manifests say of imports that are no paths.

    Args:
        packages: Folders of the packages of a workspace, by the name they are imported under.
        aliases: Of `tsconfig.json`: a prefix, and the folder that it stands for.
        modules: Of `go.mod`: the module's path, and its folder.
    """

    packages: Mapping[str, str] = Factory(dict)
    aliases: tuple[tuple[str, str], ...] = ()
    modules: tuple[tuple[str, str], ...] = ()


@define(eq=False, repr=False)
class OtherFile:
    """A file's facts with the look-ups that resolving needs."""

    number: int
    path: str
    facts: Facts
    names: dict[str, int] = Factory(dict)
    """Places of symbols by dotted name, of several the first."""
    imports: dict[str, list[Import]] = Factory(dict)
    handed: dict[str, str] = Factory(dict)

    def __attrs_post_init__(self) -> None:
        for place, symbol in enumerate(self.facts.symbols):
            self.names.setdefault(symbol.name, place)
        for item in self.facts.imports:
            self.imports.setdefault(item.name, []).append(item)
        self.handed.update(self.facts.handed)

    @property
    def family(self) -> str:
        """Languages that call each other."""
        return _FAMILIES.get(self.facts.language, self.facts.language)

    @property
    def folder(self) -> str:
        """Where it stands."""
        return self.path.rpartition("/")[0]

    def spot(self, name: str) -> Spot | None:
        """Give the symbol of a dotted name."""
        place = self.names.get(name)
        return Spot(self.number, place) if place else None


@define(eq=False, repr=False)
class Sources:
    """The files of a tree, as imports name them."""

    files: Mapping[int, OtherFile]
    manifests: Manifests = field(factory=Manifests)
    _meant: dict[tuple[int, str], tuple[OtherFile, ...]] = field(factory=dict, init=False)

    def meant(self, file: OtherFile, source: str) -> tuple[OtherFile, ...]:
        """Give the files that the source of an import, or a path of names, means where it is written."""
        known = self._meant.get((file.number, source))
        if known is None:
            known = self._meant[file.number, source] = tuple(self._found(file, source) if source else ())
        return known

    def spoken_for(self, file: OtherFile) -> list[int]:
        """Give the files of C that a header speaks for: `list.c` of `list.h`."""
        return [other.number for other in self._by.get(("stem", _stem_of(file)), ())]

    def _found(self, file: OtherFile, source: str) -> list[OtherFile]:
        if file.family in ("Java", "PHP"):
            return self._by.get((file.family, source), [])
        reading = {"JavaScript": self._scripts, "Go": self._go_package, "Rust": self._rust_module, "C": self._headers}
        return reading[file.family](file, source) if file.family in reading else []

    @cached_property
    def _by_path(self) -> dict[str, OtherFile]:
        return {file.path: file for file in self.files.values()}

    @cached_property
    def _by(self) -> dict[tuple[str, str], list[OtherFile]]:
        """Files by folder, package, name, and name without the ending."""
        found: dict[tuple[str, str], list[OtherFile]] = {}
        for file in self.files.values():
            stem = [("stem", _stem_of(file))] if file.family == "C" else []
            base = ("base", file.path.rpartition("/")[2])
            for key in (("folder", file.folder), (file.family, file.facts.package), base, *stem):
                found.setdefault(key, []).append(file)
        return found

    def _at(self, *paths: str) -> list[OtherFile]:
        return next(([self._by_path[path]] for path in paths if path in self._by_path), [])

    def _scripts(self, file: OtherFile, source: str) -> list[OtherFile]:
        if source.startswith("."):
            return self._script_at(posixpath.normpath(posixpath.join(file.folder, source)))
        for prefix, folder in self.manifests.aliases:
            if source.startswith(prefix):
                found = self._script_at(posixpath.normpath(posixpath.join(folder, source[len(prefix) :])))
                if found:
                    return found
        parts = source.split("/")
        head = 2 if source.startswith("@") else 1
        package = self.manifests.packages.get("/".join(parts[:head]))
        if package is None:
            return []
        rest = "/".join(parts[head:])
        places = [rest] if rest else ["src/index", "index", "lib/index", "src/main"]
        return next((found for place in places if (found := self._script_at(posixpath.join(package, place)))), [])

    def _script_at(self, path: str) -> list[OtherFile]:
        stem = path.removesuffix(".js").removesuffix(".mjs").removesuffix(".cjs")
        inside = posixpath.join(path, "index").removeprefix("./")
        return self._at(path, *(f"{place}{suffix}" for place in (stem, path, inside) for suffix in _SCRIPTS))

    def _go_package(self, _: OtherFile, source: str) -> list[OtherFile]:
        for module, folder in self.manifests.modules:
            if source == module or source.startswith(f"{module}/"):
                inside = posixpath.join(folder, source[len(module) + 1 :]).strip("/")
                found = self._by.get(("folder", inside), [])
                return [other for other in found if other.family == "Go" and not other.path.endswith("_test.go")]
        return []

    def _rust_module(self, file: OtherFile, source: str) -> list[OtherFile]:
        parts = source.replace(".", "::").split("::")
        base = file.path.rpartition("/")[2]
        folder = own = file.folder if base in ("mod.rs", "lib.rs", "main.rs") else file.path.removesuffix(".rs")
        if parts[0] == "crate":
            folder = f"{file.path[: file.path.rfind('src/')]}src" if "src/" in file.path else file.folder
        elif parts[0] not in ("self", "super"):
            folder = self.manifests.packages.get(f"rust:{parts[0]}", own)
            parts = parts if folder is own else ["crate", *parts[1:]]
        while parts and parts[0] in ("crate", "self", "super"):
            folder = folder.rpartition("/")[0] if parts.pop(0) == "super" else folder
        for count in (len(parts), len(parts) - 1)[: 1 + bool(parts)]:
            place = "/".join([folder, *parts[:count]]).strip("/")
            top = () if count else (f"{place}/lib.rs", f"{place}/main.rs")
            found = self._at(f"{place}.rs", f"{place}/mod.rs", *top)
            if found:
                return found
        return []

    def _headers(self, file: OtherFile, source: str) -> list[OtherFile]:
        near = self._at(posixpath.normpath(posixpath.join(file.folder, source)))
        found = near or self._by.get(("base", source.rpartition("/")[2]), [])
        return near or [other for other in found if f"/{other.path}".endswith(f"/{source.lstrip('./')}")][:1]


def _stem_of(file: OtherFile) -> str:
    return file.path.rpartition("/")[2].rpartition(".")[0]
