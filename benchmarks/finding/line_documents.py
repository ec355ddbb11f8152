"""Documents of files in languages with braces, by the look of their lines: as good as `sets.definitions` is."""

from __future__ import annotations

import re
from pathlib import Path

from sets import ASIDE, SUFFIXES, definitions

from inarch_search import CLASS, FUNCTION, MODULE, Document

OTHER = tuple(suffix for language, suffixes in SUFFIXES.items() if language != "Python" for suffix in suffixes)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r"\"([^\"\n]{3,400})\"|'([^'\n]{3,400})'|`([^`]{3,400})`")
_TYPE = re.compile(r"^[\w\s]*\b(?:class|interface|struct|enum|trait|type|namespace|union)\s")
_CALLED = re.compile(r"\b([A-Za-z_$][\w$]*)\s*\(")
LARGEST = 2_000_000


def line_documents(root: Path) -> dict[str, list[Document]]:
    """Give the documents of every file of those languages."""
    paths = (path for path in root.rglob("*") if path.suffix in OTHER and path.is_file())
    found = sorted(path.relative_to(root).as_posix() for path in paths if path.stat().st_size < LARGEST)
    return {file: _file(root, file) for file in found if "node_modules/" not in file}


def _file(root: Path, file: str) -> list[Document]:
    source = (root / file).read_text(encoding="utf-8", errors="replace")
    lines = source.splitlines()
    nature = _nature(file)
    stem = Path(file).stem
    head = " ".join(_COMMENT.findall(source[:1500]))
    found = [Document(file, 1, max(1, len(lines)), MODULE, nature, stem, stem, docstring=head)]
    if nature == "generated":
        return found
    for place, first, last in definitions(root, file, classes=True):
        above = first - 1
        while above > 0 and lines[above - 1].strip().startswith(("//", "*", "/*", "///", "@", "#[")):
            above -= 1
        comment = "\n".join(line.strip().strip("/*!# ") for line in lines[above : first - 1]).strip()
        text = "\n".join(lines[first - 1 : last])
        summary, _, rest = comment.partition("\n")
        strings = " ".join(part for parts in _STRING.findall(text) for part in parts if part)
        inside = " ".join(_COMMENT.findall(text))
        code = _STRING.sub(" ", _COMMENT.sub(" ", text))
        called = " ".join(dict.fromkeys(_CALLED.findall(code)))
        kind = CLASS if _TYPE.match(lines[first - 1]) else FUNCTION
        found.append(
            Document(
                file, first, last, kind, nature, place.name, f"{stem}.{place.name}", lines[first - 1][:300], summary,
                rest, inside, strings, code, "", called,
            )
        )  # fmt: skip
    return found


def _nature(file: str) -> str:
    if re.search(r"(^|/)(dist|build|node_modules)/|\.min\.js$|\.d\.ts$", file):
        return "generated"
    if re.search(r"(^|/)(tests?|testing|__tests__|spec|bench(marks?)?)/|_test\.go$|\.(test|spec)\.[jt]sx?$", file):
        return "test"
    if re.search(r"(^|/)(_?vendor(ed)?|third_?party|deps)/", file):
        return "vendored"
    return "example" if ASIDE.search(file) else "product"
