"""Key files of a repository in other languages than Python: what each defines at its left margin."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inarch_offline.centrality import Definition, Part, by_path
from inarch_offline.layout import is_aside, is_code, sources
from inarch_offline.material import Hit, Symbol
from inarch_offline.steps import Method
from inarch_offline.writing import Place

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
_BRACED = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".mts", ".cts", ".java")
_METHOD = (
    r"(?:(?:public|protected|static|async|get|set|abstract|override|final|default|void|int|boolean|long|"
    r"[A-Z][\w<>\[\], ]*) +)*(?P<name>[A-Za-z_$][\w$]*)\s*(?:<[^>(]*>)?(?P<rest>\([^)]*\)?[^{;]*)[{;]?\s*$"
)
_NO_METHODS = frozenset(
    ("constructor", "if", "for", "while", "switch", "return", "catch", "super", "function", "throw")
)
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


def methods_elsewhere(target: Symbol) -> list[Method]:
    """Give the methods of a class of a script or of Java: what begins a line at the margin of its body."""
    if not target.place.path.endswith(_BRACED):
        return []
    lines = target.code.split("\n")
    margin = next((found for line in lines[1:] if (found := re.match(r"\s+(?=[^\s/*])", line))), None)
    methods: dict[str, Method] = {}
    for index, line in enumerate(lines):
        read = re.match(rf"{margin[0]}{_METHOD}", line) if margin else None
        if read and read["name"] not in _NO_METHODS:
            place = Place(target.place.path, target.place.line + index)
            signature, doc = read["rest"].strip(" {"), _above(lines, index)
            methods.setdefault(read["name"], Method(read["name"], place, signature, doc, ()))
    return list(methods.values())


def _above(lines: Sequence[str], index: int) -> str:
    """Give the first line that says something in the comment above a line."""
    first = index
    while first and re.match(r"\s*(?:\*|/\*\*|//)", lines[first - 1]):
        first -= 1
    told = (re.sub(r"^\s*(?:/\*+|\*+/?|//+)\s*|\s*\*/\s*$", "", line) for line in lines[first:index])
    return next((text for text in told if text and not text.startswith("@")), "")


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
