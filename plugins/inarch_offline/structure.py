"""Which modules or files of a project matter: what the package exports, what its own modules import, how much is in."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from attrs import define, field

from inarch_offline.layout import Package, is_aside, is_code, is_test, sources
from inarch_offline.page import Place, one_line
from inarch_offline.prose import Fact
from inarch_offline.results import FileText, Hit

DEFINITIONS = r"^(async )?(def|class) [A-Za-z]"
"""Public functions and classes at the top of a module."""
DOCSTRINGS = r"""^[rRuU]?("{3}|'{3})"""
"""Lines that begin with three quotes: module docstrings begin so, the ends of others too."""
_NAME = "[A-Za-z_$][A-Za-z0-9_$]*"
TOP_LEVEL = (
    r"^((export |default |declare |pub(\([a-z]+\))? |public |abstract |final |static |async )*"
    rf"(class|interface|enum|struct|trait|function|func|fn|def|module|namespace|type)\s+(\([^)]*\)\s*)?{_NAME}"
    rf"|export (const|let|var) {_NAME}"
    rf"|(exports = )?(module\.)?exports(\.| = )((async )?(class|function) )?{_NAME}"
    rf"|{_NAME}(\.prototype)?\.{_NAME} = (async )?function)"
)
"""Definitions that begin a line, in the languages that spell them with such a word, and what scripts hand out."""
_DEFINITION = re.compile(r"(?:async )?(def|class) (\w+)")
_FROM = re.compile(r"from (\.*)([\w.]*) import (.*)")
# They are imported everywhere and say little about what a project does.
_AUXILIARY = re.compile(
    r"_?(?:\w*_)?(?:exceptions?|errors?|utils?|compat|helpers?|constants?|typing|types?|version|globals|common|conf|const|"
    r"locale|migrations|vendor)"
)
_PUBLIC = re.compile(r"(?:export|default|pub|public|module|exports)\b|[\w$]+(?:\.prototype)?\.[\w$]+ = ")
_MANY = 60
"""Modules from which on a package with sub-packages is described by those."""


@define(eq=False, repr=False)
class Part:
    """A module, a file, or a sub-package with all its modules."""

    name: str
    place: Place
    doc: Fact | None = None
    has_doc: bool = False
    """A docstring seems to begin at the place."""
    names: list[str] = field(factory=list)
    """What it offers, most important first."""
    modules: int = 1
    score: float = 0.0


def own_imports(package: Package) -> str:
    """Return the pattern of the lines in which a package's modules import each other."""
    named = rf"|from {package.name}[. ]|import {package.name}\." if package.folder else ""
    return rf"^(from \.{named})"


def exports_of(text: FileText | None) -> dict[str, int]:
    """Return the names that a package's `__init__` hands on, each with its line."""
    try:
        tree = ast.parse(text.text if text is not None else "")
    except (SyntaxError, ValueError, RecursionError):
        return {}
    names: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if not alias.name.startswith("_") and (node.level or alias.asname):
                    names.setdefault(
                        (node.module or "").rpartition(".")[2] if alias.name == "*" else alias.name, node.lineno
                    )
        elif isinstance(node, ast.Assign) and any(getattr(one, "id", "") == "__all__" for one in node.targets):
            for one in ast.walk(node.value):
                if isinstance(one, ast.Constant) and isinstance(one.value, str):
                    names.setdefault(one.value, one.lineno)
    return names


def parts_of(
    package: Package, definitions: Sequence[Hit], imports: Sequence[Hit], docs: Sequence[Hit], exported: Iterable[str]
) -> list[Part]:
    """Return the modules of a package, or the sub-packages of a large one, the most important first."""
    inner = [path for path in package.modules if "/" in _inside(package, path)]
    by_folder = len(package.modules) > _MANY and 2 * len(inner) > len(package.modules)
    parts: dict[str, Part] = {}
    own = [path for path in package.modules if not is_test(path)] or package.modules
    for path in own:
        name = _name(package, path)
        name = name.partition(".")[0] if by_folder else name
        if name in parts:
            parts[name].modules += 1
        elif name or len(own) == 1:
            parts[name] = Part(name or package.name, Place(path))
    known, lengths = set(exported), Counter[str]()
    for hit in definitions:
        name = _part(package, hit.path, parts)
        lengths[name] = max(lengths[name], hit.line)
    longest = max(lengths.values(), default=1)
    for hit in docs:
        part = parts.get(_part(package, hit.path, parts))
        first = min((other.line for other in definitions if other.path == hit.path), default=60)
        if part is not None and not part.has_doc and hit.line < min(first, 60) and (hit.path == part.place.path):
            part.place, part.has_doc = hit.place, True
            said = one_line(re.sub(r"^\w?(\"{3}|'{3})|(\"{3}|'{3})$", "", hit.text))
            part.doc = Fact(said, hit.place) if said else None
    used: Counter[str] = Counter()
    importers: dict[str, set[str]] = {}
    for hit in imports:
        for target, words in _imported(package, hit):
            used.update(words)
            pieces = target.split(".") if target else []
            names = {".".join(pieces[:size]) for size in range(1, len(pieces) + 1)}
            for name in (names | {".".join([*pieces, word]) for word in words}) & parts.keys():
                importers.setdefault(name, set()).add(hit.path)
    most = max((len(found) for found in importers.values()), default=1)
    for hit in definitions:
        part, found = parts.get(_part(package, hit.path, parts)), _DEFINITION.match(hit.text)
        if part is not None and found:
            part.names.append(found[2])
            part.score += 0.5 * (found[2] in known)
    for name, part in parts.items():
        part.score = min(part.score, 1) + len(importers.get(name, ())) / most + 1.5 * (lengths[name] / longest) ** 0.5
        part.score *= 0.5 if _AUXILIARY.fullmatch(part.name.rpartition(".")[2].strip("_")) else 1
        part.names = sorted(
            dict.fromkeys(part.names), key=lambda one: (one not in known, one.startswith("_"), -used[one])
        )
    return sorted(parts.values(), key=lambda part: (-part.score, part.name))


def files_of(found: Sequence[Hit]) -> list[Part]:
    """Return the files of any language by what they define at the margin: what is public first."""
    groups: dict[str, list[Hit]] = {}
    for hit in found:
        if is_code(hit.path) and not is_aside(hit.path):
            groups.setdefault(hit.path, []).append(hit)
    parts = []
    for path in sources(list(groups)):
        names = {name: hit for hit in groups[path] if (name := _defined(hit))}
        public = [name for name, hit in names.items() if _is_public(hit, name)]
        ordered = [*public, *(name for name in names if name not in public)]
        if ordered:
            place = names[ordered[0]].place
            parts.append(Part(path, place, names=ordered, score=len(public) - 100 * path.endswith((".d.ts", ".d.mts"))))
    return sorted(parts, key=lambda part: (-part.score, -len(part.names), part.name))


def _defined(hit: Hit) -> str:
    """Return what a line defines, "" if it hands out no name of its own."""
    found = re.match(rf"{TOP_LEVEL}(?=$|[^\w$])", hit.text)
    name = (
        re.split(r"[^\w$]+", found[0].removesuffix("function").removesuffix("async ").rstrip(" ="))[-1] if found else ""
    )
    return "" if name in ("module", "require", "function", "new", "async", "class") else name


def _is_public(hit: Hit, name: str) -> bool:
    if hit.path.endswith(".go"):
        return name[0].isupper()
    marked = hit.path.endswith(
        (".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".mts", ".cts", ".rs", ".java", ".kt", ".cs")
    )
    return not name.startswith("_") and (not marked or bool(_PUBLIC.match(hit.text)))


def _inside(package: Package, path: str) -> str:
    return path.removeprefix(f"{package.folder}/") if package.folder else path


def _name(package: Package, path: str) -> str:
    """Return a module's dotted name below its package, "" for the package itself."""
    names = _inside(package, path).removesuffix(".py").removesuffix("/__init__").split("/")
    return "" if names == ["__init__"] else ".".join(names)


def _part(package: Package, path: str, parts: dict[str, Part]) -> str:
    name = _name(package, path)
    return name if name in parts else name.partition(".")[0]


def _imported(package: Package, hit: Hit) -> Iterable[tuple[str, list[str]]]:
    """Yield the imports of the package's own modules: dotted module below the package, and the names taken from it."""
    found = _FROM.match(hit.text)
    if not found:
        return
    dots, module, words = len(found[1]), found[2], re.findall(r"\b(\w+)(?: as \w+)?", found[3])
    if dots:
        inside = _inside(package, hit.path).split("/")[:-1]
        base = inside[: len(inside) - dots + 1]
        yield ".".join([*base, module] if module else base), words
    elif module == package.name or module.startswith(f"{package.name}."):
        yield module[len(package.name) + 1 :], words
