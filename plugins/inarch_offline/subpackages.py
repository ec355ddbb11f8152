"""A package with many sub-packages: what each of them hands on, or what is in it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from inarch_offline.centrality import Part, exports_of
from inarch_offline.layout import Package
from inarch_offline.material import FileText
from inarch_offline.readme import Fact, first_prose, plain_text
from inarch_offline.writing import Place

_MANY = 60
_AUXILIARY = frozenset(
    ("utils", "compat", "locale", "conf", "templatetags", "management", "migrations", "vendor", "_vendor")
)


def is_many(package: Package) -> bool:
    """Whether a package is better described by its sub-packages than by its modules."""
    inside = [path for path in package.modules if _group(package, path)]
    return len(package.modules) > _MANY and len(inside) * 2 > len(package.modules)


def inits_of(package: Package) -> list[str]:
    """Give the `__init__` files of the sub-packages, the largest first."""
    counts: dict[str, int] = {}
    for path in package.modules:
        counts[_group(package, path)] = counts.get(_group(package, path), 0) + 1
    largest = sorted((name for name in counts if name), key=lambda name: (-counts[name], name))
    wanted = [f"{package.folder}/{name}/__init__.py" for name in largest[:24]]
    return [path for path in wanted if path in package.modules]


def groups_of(package: Package, inits: Sequence[FileText]) -> list[Part]:
    """Give the sub-packages, the most important first: large ones, and those that hand names on."""
    texts = {text.path: text for text in inits}
    parts: dict[str, Part] = {}
    for path in package.modules:
        name = _group(package, path)
        if name:
            part = parts.setdefault(name, Part(name, Place(path)))
            part.modules += 1
    for name, part in parts.items():
        first = f"{package.folder}/{name}/__init__.py"
        text = texts.get(first)
        handed = exports_of(text)
        part.doc = docstring_in(text) if text else None
        folders, modules = _inside(package, name)
        names = sorted(handed.names - {*folders, *modules}, key=_rank)
        part.exported = [*folders, *(names or modules)]
        if first in package.modules:
            part.place = handed.place or Place(first)
        part.score = math.log2(1 + part.modules) + 1.5 * bool(handed.names) + bool(part.doc)
        if name.strip("_") in _AUXILIARY:
            part.score *= 0.6
    return sorted(parts.values(), key=lambda part: (-part.score, part.name))


def _rank(name: str) -> tuple[bool, bool, str]:
    """Order names: classes first, then functions; errors and constants last."""
    return name.isupper() or name.endswith(("Error", "Exception", "Warning")), not name[:1].isupper(), name


def _inside(package: Package, name: str) -> tuple[list[str], list[str]]:
    """Name what is in a sub-package: its own sub-packages, those with most modules first, and its modules."""
    start = f"{package.folder}/{name}/"
    counts: dict[str, int] = {}
    modules: list[str] = []
    for path in package.modules:
        inner, slash, _ = path.removeprefix(start).partition("/")
        if path.startswith(start) and slash:
            counts[inner] = counts.get(inner, 0) + 1
        elif path.startswith(start) and not inner.startswith("__"):
            modules.append(inner.removesuffix(".py"))
    return sorted(counts, key=lambda one: (-counts[one], one)), modules


def docstring_in(text: FileText) -> Fact | None:
    """Give the first paragraph of a module's docstring, from the file's first lines."""
    lines = text.text.split("\n")
    start = next((index for index, line in enumerate(lines) if line.strip() and not line.startswith("#")), len(lines))
    found = re.match(r"[rRuU]?(\"{3}|'{3})(.*)", lines[start]) if start < len(lines) else None
    if not found:
        return None
    inside, _, _ = "\n".join([found[2], *lines[start + 1 :]]).partition(found[1])
    paragraph, below = first_prose(inside)
    return Fact(plain_text(paragraph), text.place(start + below)) if paragraph else None


def _group(package: Package, path: str) -> str:
    inner = path.removeprefix(f"{package.folder}/") if package.folder else path
    return inner.partition("/")[0] if "/" in inner else ""
