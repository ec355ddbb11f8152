"""Which modules of a package matter: what it exports, what its own modules import, and how much stands in each.

A package with many sub-packages is described by those instead: `subpackages`.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import NamedTuple

from attrs import define, field

from inarch_offline.layout import Package, is_test
from inarch_offline.material import FileText, Hit
from inarch_offline.readme import Fact
from inarch_offline.writing import Place, one_line

DEFINITIONS = r"^(async )?(def|class) [A-Za-z]"
"""Public functions and classes at the top of a module."""
METHODS = r"^    (async )?def "
"""Methods: where the last of them stands tells how long the last class is."""
DOCSTRINGS = r"""^[rRuU]?("{3}|'{3})"""
"""Lines that begin with three quotes: module docstrings begin so, the ends of others too."""

_DEFINITION = re.compile(r"(?:async )?(def|class) (\w+)")
_FROM = re.compile(r"from (\.*)([\w.]*) import (.*)")
# They are imported everywhere and say little about what a project does.
_AUXILIARY = re.compile(
    r"(?:\w*_)?(?:exceptions?|errors?|utils?|compat|helpers?|constants?|typing|types?|version|globals|common|conf|const|deprecat\w*)"
)


class Definition(NamedTuple):
    """A top-level function or class and how many lines it has, at most."""

    name: str
    place: Place
    lines: int
    is_class: bool


@define(eq=False, repr=False)
class Part:
    """A module, or a sub-package with all its modules."""

    name: str
    place: Place
    doc: Fact | None = None
    open_doc: bool = False
    """The docstring begins on the line after its quotes, which was not read."""
    definitions: list[Definition] = field(factory=list)
    importers: set[str] = field(factory=set)
    modules: int = 0
    exported: list[str] = field(factory=list)
    """Of a sub-package: the names it hands on, else those of what is in it."""
    score: float = 0.0

    @property
    def lines(self) -> int:
        """Lines of the definitions."""
        return sum(one.lines for one in self.definitions)

    @property
    def names(self) -> list[str]:
        """What it offers, most important first."""
        return list(dict.fromkeys(one.name for one in self.definitions)) or self.exported


class Outline(NamedTuple):
    """What a search found in a package: definitions, imports among its modules, docstrings."""

    definitions: Sequence[Hit] = ()
    imports: Sequence[Hit] = ()
    docstrings: Sequence[Hit] = ()
    methods: Sequence[Hit] = ()


class Exports(NamedTuple):
    """What a package's `__init__` hands on: names by the module they come from, and modules handed on whole."""

    names: frozenset[str] = frozenset()
    whole: frozenset[str] = frozenset()
    place: Place | None = None


def exports_of(text: FileText | None) -> Exports:
    """Read a package's `__init__`."""
    if text is None:
        return Exports()
    try:
        tree = ast.parse(text.text)
    except (SyntaxError, ValueError, RecursionError):
        return Exports()
    names: dict[str, int] = {}
    whole: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.level or text.path):
            for alias in node.names:
                if alias.name == "*":
                    whole.add((node.module or "").rpartition(".")[2])
                elif not alias.name.startswith("_") and (node.level or alias.asname):
                    names.setdefault(alias.name, node.lineno)
    listed = _listed(tree)
    for name, line in listed.items():
        names.setdefault(name, line)
    place = text.place(min(listed.values(), default=min(names.values(), default=1)) - 1)
    return Exports(frozenset(names), frozenset(whole), place if names else None)


def own_imports(package: Package) -> str:
    """Give the pattern of the lines in which a package's modules import each other."""
    named = rf"|from {package.name}[. ]|import {package.name}\." if package.folder else ""
    return rf"^(from \.{named})"


def parts_of(package: Package, found: Outline, exports: Exports) -> list[Part]:
    """Give the modules of a package, the most important first."""
    parts: dict[str, Part] = {}
    for path in [path for path in package.modules if not is_test(path)] or package.modules:
        name = _module_name(package, path)
        parts[name] = Part(name, Place(path), modules=1)
    last_methods = {hit.path: hit.line for hit in found.methods}
    for path, hits in by_path(found.definitions).items():
        if (name := _module_name(package, path)) in parts:
            parts[name].definitions = _definitions(hits, last_methods.get(path, 0))
    for path, hits in by_path(found.docstrings).items():
        if (name := _module_name(package, path)) in parts:
            _read_docstring(parts[name], hits[0])
    imported: Counter[str] = Counter()
    for path, hits in by_path(found.imports).items():
        name = _module_name(package, path)
        for target, words in _imports(package, path, hits):
            imported.update(words)
            for one in _resolved(parts, target, words) - {name}:
                parts[one].importers.add(path)
    ranked = [part for name, part in parts.items() if name or len(parts) == 1]
    for part in ranked:
        part.name = part.name or package.name  # all there is stands in the package itself
    _rank(ranked, exports, imported)
    return sorted(ranked, key=lambda part: (-part.score, part.name))


def by_path(hits: Sequence[Hit]) -> dict[str, list[Hit]]:
    """Put matches together by their file."""
    found: dict[str, list[Hit]] = {}
    for hit in hits:
        found.setdefault(hit.path, []).append(hit)
    return found


def _definitions(hits: Sequence[Hit], last_method: int) -> list[Definition]:
    """Read a module's definitions; each is taken to reach to the next one."""
    found = []
    for hit, after in zip_longest(hits, hits[1:]):
        name = _DEFINITION.match(hit.text)
        if name:
            lines = after.line - hit.line if after else max(last_method - hit.line, 0) + 20
            found.append(Definition(name[2], hit.place, min(lines, 2000), name[1] == "class"))
    return found


def _read_docstring(part: Part, hit: Hit) -> None:
    """Take the first three quotes of a module for its docstring, if nothing is defined above them."""
    quotes = re.match(r"[rRuU]?(?:\"{3}|'{3})(.*)", hit.text)
    first = part.definitions[0].place.line if part.definitions else 60
    if quotes and hit.line < min(first, 60):
        said = one_line(quotes[1].replace('"""', "").replace("'''", ""))
        part.place = hit.place
        part.doc = Fact(said, hit.place) if said else None
        part.open_doc = not said


def _imports(package: Package, path: str, hits: Sequence[Hit]) -> Iterable[tuple[str, list[str]]]:
    """Give the imports of the package's own modules: dotted module below the package, and the names taken from it."""
    inside = path.removeprefix(f"{package.folder}/").split("/")[:-1]
    for hit in hits:
        found = _FROM.match(hit.text)
        if not found:
            continue
        dots, module, words = len(found[1]), found[2], re.findall(r"\b(\w+)(?: as \w+)?", found[3])
        if dots:
            base = inside[: len(inside) - dots + 1]
            yield ".".join([*base, module] if module else base), words
        elif module == package.name or module.startswith(f"{package.name}."):
            yield module[len(package.name) + 1 :], words


def _resolved(parts: dict[str, Part], target: str, words: Sequence[str]) -> set[str]:
    pieces = target.split(".") if target else []
    candidates = {".".join(pieces[:size]) for size in range(1, len(pieces) + 1)}
    candidates |= {".".join([*pieces, word]) for word in words}
    return {name for name in candidates if name in parts}


def _module_name(package: Package, path: str) -> str:
    """Give a module's dotted name below its package, "" for the package itself."""
    inner = path.removeprefix(f"{package.folder}/") if package.folder else path
    names = inner.removesuffix(".py").removesuffix("/__init__").split("/")
    return "" if names == ["__init__"] else ".".join(names)


def _rank(parts: Sequence[Part], exports: Exports, imported: Counter[str]) -> None:
    if not parts:
        return
    handed = {part.name: _handed(part, exports) for part in parts}
    most_handed = max(handed.values()) or 1
    most_used = max(len(part.importers) for part in parts) or 1
    most_lines = max(part.lines for part in parts) or 1
    for part in parts:
        part.score = (
            1.0 * min(handed[part.name], 8) / min(most_handed, 8)
            + len(part.importers) / most_used
            + 1.5 * (part.lines / most_lines) ** 0.5
        )
        if _AUXILIARY.fullmatch(part.name.rpartition(".")[2].strip("_")):
            part.score *= 0.6
        part.definitions.sort(key=lambda one: -_importance(one, exports, imported))


def _handed(part: Part, exports: Exports) -> int:
    if part.name in exports.whole:
        return sum(not one.name.startswith("_") for one in part.definitions)
    return sum(one.name in exports.names for one in part.definitions)


def _importance(one: Definition, exports: Exports, imported: Counter[str]) -> float:
    public = not one.name.startswith("_")
    return (
        (40 if one.name in exports.names else 0)
        + (30 if public else 0)
        + 4 * min(imported[one.name], 20)
        + (min(one.lines, 600) / 4 if one.is_class else min(one.lines, 200) / 8)
    )


def _listed(tree: ast.Module) -> dict[str, int]:
    """Read `__all__` where it is a literal."""
    for node in tree.body:
        if (
            isinstance(node, ast.Assign)
            and any(isinstance(one, ast.Name) and one.id == "__all__" for one in node.targets)
            and isinstance(node.value, ast.List | ast.Tuple)
        ):
            return {
                one.value: one.lineno
                for one in node.value.elts
                if isinstance(one, ast.Constant) and isinstance(one.value, str) and not one.value.startswith("_")
            }
    return {}
