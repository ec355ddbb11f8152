"""Which modules or files of a project matter, by what they define, hand out and are imported for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from attrs import define, field

from inarch_offline.layout import Package, is_aside, is_code, is_test, sources
from inarch_offline.page import Place
from inarch_offline.prose import Fact
from inarch_offline.results import FileText, Hit

DEFINITIONS = r"^(async )?(def|class) [A-Za-z]"
"""Public functions and classes at the top of a module."""
_NAME = "[A-Za-z_$][A-Za-z0-9_$]*"
TOP_LEVEL = (
    r"^((export |default |declare |pub(\([a-z]+\))? |public |abstract |final |static |async )*"
    rf"(class|interface|enum|struct|trait|function|func|fn|def|module|namespace|type)\s+(\([^)]*\)\s*)?{_NAME}"
    rf"|export (const|let|var) {_NAME}"
    rf"|(exports = )?(module\.)?exports(\.| = )((async )?(class|function) )?{_NAME}"
    rf"|{_NAME}(\.prototype)?\.{_NAME} = (async )?function)"
)
"""Definitions that begin a line, in the languages that spell them with such a word, and what scripts hand out."""
# They are imported everywhere and say little about what a project does.
_AUXILIARY = re.compile(
    r"_?(?:\w*_)?(?:exceptions?|errors?|utils?|compat|helpers?|constants?|typing|types?|version|conf|const)"
)
_PUBLIC = re.compile(r"(?:export|default|pub|public|module|exports)\b|[\w$]+(?:\.prototype)?\.[\w$]+ = ")
_MARKED = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".mts", ".cts", ".rs", ".java", ".kt", ".cs")
"""Endings of languages that mark what is public."""
_MANY = 60
"""Modules from which on a package with sub-packages is described by those."""


@define(eq=False, repr=False)
class Part:
    """A module, a file, or a sub-package with all its modules; `names` are the most important first."""

    name: str
    place: Place
    doc: Fact | None = None
    names: list[str] = field(factory=list)
    modules: int = 1
    score: float = 0.0


def own_imports(package: Package) -> str:
    """Return the pattern of the lines in which a package's modules import each other."""
    return rf"^(from \.|from {package.name}[. ]|import {package.name}\.)" if package.name else r"^from [\w.]+ import"


def parts_of(package: Package, definitions: Sequence[Hit], imports: Sequence[Hit], init: FileText | None) -> list[Part]:
    """Return the modules of a package, or the sub-packages of a large one, the most important first."""
    modules = [path for path in package.modules if not is_test(path)] or list(package.modules)
    inner = [path for path in modules if "/" in path.removeprefix(f"{package.folder}/")]
    by_folder = len(modules) > _MANY and 2 * len(inner) > len(modules)

    def name_of(path: str) -> str:
        names = path.removeprefix(f"{package.folder}/").removesuffix(".py").removesuffix("/__init__").split("/")
        return "" if names == ["__init__"] else names[0] if by_folder else ".".join(names)

    parts: dict[str, Part] = {}
    for path in modules:
        part = parts.setdefault(name_of(path), Part(name_of(path), Place(path), modules=0))
        part.modules += 1
    used = Counter(word for hit in imports for word in set(re.findall(r"\w+", hit.text)))
    handed = set(re.findall(r"\w+", init.text if init else ""))
    lines: Counter[str] = Counter()
    for hit in definitions:
        found = re.match(r"(?:async )?(?:def|class) (\w+)", hit.text)
        if found and (name := name_of(hit.path)) in parts:
            parts[name].names.append(found[1])
            lines[name] = max(lines[name], hit.line)
    if len(parts) > 1:
        parts.pop("", None)
    most, longest = (
        max((used[name.rpartition(".")[2]] for name in parts), default=0) or 1,
        max(lines.values(), default=1),
    )
    for name, part in parts.items():
        last = name.rpartition(".")[2]
        part.name = name or package.name
        part.score = used[last] / most + 1.5 * (lines[name] / longest) ** 0.5 + part.modules / 100
        part.score += 0.2 * min(len(handed.intersection(part.names)), 5)
        part.score *= 0.5 if _AUXILIARY.fullmatch(last) else 1
        part.names = _ordered(part.names, handed, used)
    return sorted(parts.values(), key=lambda part: (-part.score, part.name))


def _ordered(names: Iterable[str], handed: set[str], used: Counter[str]) -> list[str]:
    return sorted(
        dict.fromkeys(names),
        key=lambda one: (one.startswith("_"), one.endswith(("Error", "Warning")), one not in handed, -used[one]),
    )


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
        if ordered := [*public, *(name for name in names if name not in public)]:
            score = len(public) - 100 * path.endswith((".d.ts", ".d.mts"))
            parts.append(Part(path, names[ordered[0]].place, names=ordered, score=score))
    return sorted(parts, key=lambda part: (-part.score, -len(part.names), part.name))


def _defined(hit: Hit) -> str:
    """Return what a line defines, "" if it hands out no name of its own."""
    found = re.match(rf"{TOP_LEVEL}(?=$|[^\w$])", hit.text)
    text = found[0].removesuffix("function").removesuffix("async ").rstrip(" =") if found else ""
    name = re.split(r"[^\w$]+", text)[-1]
    return "" if name in ("module", "require", "function", "new", "async", "class") else name


def _is_public(hit: Hit, name: str) -> bool:
    if hit.path.endswith(".go"):
        return name[0].isupper()
    return not name.startswith("_") and (not hit.path.endswith(_MARKED) or bool(_PUBLIC.match(hit.text)))
