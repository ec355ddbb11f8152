"""Key files of a repository in other languages than Python: what each defines at its left margin."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inarch_offline.centrality import Definition, Part, by_path
from inarch_offline.layout import is_aside, is_code, sources
from inarch_offline.material import Hit

_NAME = "[A-Za-z_$][A-Za-z0-9_$]*"
TOP_LEVEL = (
    r"^((export |default |declare |pub(\([a-z]+\))? |public |abstract |final |static |async )*"
    rf"(class|interface|enum|struct|trait|function|func|fn|def|module|namespace|type)\s+(\([^)]*\)\s*)?{_NAME}"
    rf"|export (const|let|var) {_NAME}"
    rf"|(exports = )?(module\.)?exports(\.| = )((async )?(class|function) )?{_NAME}"
    rf"|{_NAME}(\.prototype)?\.{_NAME} = (async )?function)"
)
"""Definitions that begin a line, in the languages that spell them with such a word, and what scripts hand out."""

_PUBLIC = re.compile(r"(?:export|default|pub|public|module|exports)\b|[\w$]+(?:\.prototype)?\.[\w$]+ = ")
_MARKED = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".mts", ".cts", ".rs", ".java", ".kt", ".cs", ".go")
"""Languages in which what is public is written as such; Go writes it with a capital."""
_DECLARED = re.compile(r"\.d\.[mc]?ts$")


def files_of(found: Sequence[Hit]) -> list[Part]:
    """Give the files of any language by what they define at the margin: what is public first, declarations last."""
    groups = by_path([hit for hit in found if is_code(hit.path) and not is_aside(hit.path)])
    parts: dict[Part, int] = {}
    for path in sources(list(groups)):
        names = {hit: name for hit in groups[path] if (name := _name(hit))}
        public = {name for hit, name in names.items() if _is_public(hit, name)}
        ordered = sorted(names.items(), key=lambda one: one[1] not in public)
        definitions = [Definition(name, hit.place, 1, False) for hit, name in ordered]
        if definitions:
            parts[Part(path, definitions[0].place, definitions=definitions, modules=1)] = len(public)
    return sorted(
        parts,
        key=lambda part: (bool(_DECLARED.search(part.name)), -parts[part], -len(part.definitions), part.name),
    )


def _name(hit: Hit) -> str:
    """Give what a line defines, "" where the match is cut or hands out no name of its own."""
    found = re.match(rf"{TOP_LEVEL}(?=$|[^\w$])", hit.text)
    if not found:
        return ""
    name = re.split(r"[^\w$]+", found[0].removesuffix("function").removesuffix("async ").rstrip(" ="))[-1]
    return "" if name in ("module", "require", "function", "new", "async", "class") else name


def _is_public(hit: Hit, name: str) -> bool:
    if hit.path.endswith(".go"):
        return name[0].isupper()
    return not name.startswith("_") and (not hit.path.endswith(_MARKED) or bool(_PUBLIC.match(hit.text)))
