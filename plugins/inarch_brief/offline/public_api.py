"""The public interface of a library: the names that its main file exports."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Sequence

from inarch_brief.offline.layout import is_test
from inarch_brief.offline.page import Place
from inarch_brief.offline.results import FileText, Hit

_RUST = (
    r"(?m)(?<!\(hidden\)\]\n)(?:^|(?<=^    )(?=pub mod))pub (?:use ([^;]+);|(?:mod|struct|trait|enum|fn|type) (\w+))"
)
_GO = r"(?:func|type) ([A-Z]\w*)"
_SCRIPT = (
    r"export (?:declare |default |async |abstract )*(?:class|function|const|let|var|enum)\*? ([\w$]+)"
    r"|(?:module\.)?exports\.([\w$]+) *="
)


def main_file(home: str, declared: Sequence[str], names: Collection[str], paths: Sequence[str]) -> str:
    """Return the file that a package of JavaScript or Rust exports, or "".

    Args:
        home: The folder of its manifest, "" or with a slash at the end.
        declared: Files that the manifest names.
        names: The project's names.
        paths: All files.
    """
    stems = [re.sub(r"^\./|\.[cm]?[jt]s$", "", one) for one in declared]
    stems += [stem.removeprefix("dist/") for stem in stems]
    stems += [f"{folder}{stem}" for stem in (*names, "index", "main") for folder in ("lib/", "src/", "source/", "")]
    wanted = [f"{home}src/lib.rs", *(f"{home}{stem}.{end}" for stem in stems for end in ("ts", "js", "mjs", "cjs"))]
    present = set(paths)
    return next((path for path in wanted if path in present), "")


def is_script(path: str) -> bool:
    """Return whether a path is a file of JavaScript or TypeScript."""
    return path.endswith((".js", ".ts", ".mjs", ".cjs"))


def exported(text: FileText | None, where: str, definitions: Sequence[Hit]) -> tuple[list[str], Place] | None:
    """Return the exported names of a package, errors last, and the place of the first, or None if none are known.

    Args:
        text: The package's `__init__.py` or `lib.rs`; None for a script and for Go.
        where: The main script, or the folder of a Go package: "" or with a slash at the end.
        definitions: Lines with definitions, those of the main files first.
    """
    if text is not None:
        names, line = _rust(text.text) if text.path.endswith(".rs") else _python(text)
        place = text.place(line)
    else:
        pattern = _SCRIPT if is_script(where) else _GO
        hits = [hit for hit in definitions if hit.path == where or _is_beside(hit.path, where)]
        found = [(match, hit) for hit in hits if (match := re.match(pattern, hit.text))]
        found.sort(key=lambda one: one[1].text.startswith("func "))
        names = [next(filter(None, match.groups())) for match, _ in found]
        place = found[0][1].place if found else Place(where)
    public = [name for name in dict.fromkeys(names) if not name.startswith("_")]
    public.sort(key=lambda name: (bool(re.search(r"(?:Error|Exception|Warning|Timeout)$", name)), name.isupper()))
    return (public, place) if public else None


def _is_beside(path: str, home: str) -> bool:
    return path.startswith(home) and "/" not in path.removeprefix(home) and path.endswith(".go") and not is_test(path)


def _rust(text: str) -> tuple[list[str], int]:
    found = list(re.finditer(_RUST, text))
    used = [re.findall(r"(\w+)(?=\s*(?:[,}]|$))", one[1]) if one[1] else [one[2]] for one in found]
    names = [name for group in used for name in group if name not in ("self", "prelude")]
    return names, text.count("\n", 0, found[0].start()) if found else 0


def _python(text: FileText) -> tuple[list[str], int]:
    """Return `__all__` or, without it, the names that a package imports from its own modules."""
    try:
        tree = ast.parse(text.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [], 0
    package = text.path.split("/")[-2] if "/" in text.path else ""
    names: list[str] = []
    line = 0
    for node in tree.body:
        targets = [ast.unparse(one) for one in node.targets] if isinstance(node, ast.Assign) else []
        if targets == ["__all__"] and isinstance(node, ast.Assign) and isinstance(node.value, ast.List | ast.Tuple):
            listed = [one.value for one in node.value.elts if isinstance(one, ast.Constant)]
            return list(map(str, listed)), node.lineno - 1
        if isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").split(".")[0] == package):
            names += [one.asname or one.name for one in node.names if one.name != "*"]
            line = line or node.lineno - 1
    defined = sum(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) for node in tree.body)
    return (names, line) if 2 * defined <= len(names) else ([], 0)  # else it imports what its own code needs
