"""Which modules or files of a project matter, by what they define, hand out and are imported for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from attrs import define, field

from inarch_offline.layout import is_aside, is_code, sources
from inarch_offline.page import Place
from inarch_offline.prose import Fact
from inarch_offline.results import Hit

_NAME = "[A-Za-z_$][A-Za-z0-9_$]*"
TOP_LEVEL = (
    r"^((export |default |declare |pub(\([a-z]+\))? |public |abstract |final |static |async )*"
    rf"(class|interface|enum|struct|trait|function|func|fn|def|module|namespace|type)\s+(\([^)]*\)\s*)?{_NAME}"
    rf"|export (const|let|var) {_NAME}"
    rf"|(exports = )?(module\.)?exports(\.| = )((async )?(class|function) )?{_NAME}"
    rf"|{_NAME}(\.prototype)?\.{_NAME} = (async )?function)"
)
"""Definitions that begin a line, in the languages that spell them with such a word, and what scripts hand out."""
_AUXILIARY = re.compile(
    r"_?(?:\w*_)?(?:exceptions?|errors?|utils?|compat|helpers?|constants?|typing|types?|version|conf|const)"
)
"""Modules that are imported everywhere and say little about what a project does."""
_MANY = 60
"""Files from which on a package with sub-packages is described by those."""


@define(eq=False, repr=False)
class Part:
    """A module, a file, or a sub-package with all its modules; `names` are the most important first."""

    name: str
    place: Place
    doc: Fact | None = None
    names: list[str] = field(factory=list)
    modules: int = 1
    score: float = 0.0


def imports_of(package: str) -> str:
    """Return the pattern of lines in which the code of a project imports its own."""
    return rf"^(from \.|from {package}[. ]|import {package}\.)" if package else r"^\s*(from|import|use) |\brequire\("


def parts_of(
    folder: str | None, paths: Sequence[str], definitions: Sequence[Hit], imports: Sequence[Hit], handed: str = ""
) -> list[Part]:
    """Return the files of a project, or the sub-packages of a large package, the most important first.

    Args:
        folder: The folder of a Python package, whose parts are its modules; None for files of any language.
        paths: The files.
        definitions: Lines that match `TOP_LEVEL`.
        imports: Lines that match `imports_of`.
        handed: A text that names what the project hands out.
    """
    own = [path for path in sources(paths) if is_code(path) and not is_aside(path)] or list(paths)
    inner = [path for path in own if folder is not None and "/" in path.removeprefix(f"{folder}/")]
    by_folder = len(own) > _MANY and 2 * len(inner) > len(own)

    def name_of(path: str) -> str:
        if folder is None:
            return path
        names = path.removeprefix(f"{folder}/").removesuffix(".py").removesuffix("/__init__").split("/")
        return names[0] if by_folder else ".".join(names)

    parts: dict[str, Part] = {}
    for path in own:
        part = parts.setdefault(name_of(path), Part(name_of(path), Place(path), modules=0))
        part.modules += 1
    if len(parts) > 1:
        parts.pop("__init__", None)
    used = Counter(word for hit in imports for word in set(re.findall(r"\w+", hit.text)))
    given = set(re.findall(r"\w+", handed))
    lines: Counter[str] = Counter()
    for hit in definitions:
        within = name_of(hit.path)
        if within in parts and (name := _defined(hit)):
            if folder is None and not parts[within].names:
                parts[within].place = hit.place
            parts[within].names.append(name)
            lines[within] = max(lines[within], hit.line)
    most = max((used[_stem(name)] for name in parts), default=0) or 1
    longest = max(lines.values(), default=1)
    for name, part in parts.items():
        public = [one for one in part.names if not one.startswith("_")]
        part.score = used[_stem(name)] / most + 1.5 * (lines[name] / longest) ** 0.5 + part.modules / 100
        part.score += 0.2 * min(len(given.intersection(part.names)), 5) + 0.02 * min(len(public), 25)
        part.score *= 0.5 if _AUXILIARY.fullmatch(_stem(name)) or name.endswith((".d.ts", ".d.mts")) else 1
        part.names = sorted(
            dict.fromkeys(part.names),
            key=lambda one: (one.startswith("_"), one.endswith(("Error", "Warning")), one not in given, -used[one]),
        )
    kept = [part for part in parts.values() if folder is not None or part.names]
    return sorted(kept, key=lambda part: (-part.score, part.name))


def _stem(name: str) -> str:
    return re.sub(r"\.\w+$", "", name.rpartition("/")[2]) if "/" in name else name.rpartition(".")[2]


def _defined(hit: Hit) -> str:
    """Return what a line defines, "" if it hands out no name of its own."""
    found = re.match(rf"{TOP_LEVEL}(?=$|[^\w$])", hit.text)
    text = found[0].removesuffix("function").removesuffix("async ").rstrip(" =") if found else ""
    name = re.split(r"[^\w$]+", text)[-1]
    return "" if name in ("module", "require", "function", "new", "async", "class") else name
