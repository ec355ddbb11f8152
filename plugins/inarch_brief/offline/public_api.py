"""The public names of a library: those that its main file exports."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from inarch_brief.offline.layout import is_test
from inarch_brief.offline.results import FileText, Hit, Place

_EXPORT = re.compile(
    r"^__all__\s*=\s*[\[(](?P<all>[^\])]*)|^from \.[\w.]* import (?:\((?P<many>[^)]*)\)|(?P<few>.*))"
    r"|^(?: {4}(?=pub mod))?pub (?:use (?P<used>[^;]*)|(?:mod|struct|trait|enum|fn|type) (?P<rust>\w+))"
    r"|^(?:func|type) (?P<go>[A-Z]\w*)|^(?:module\.)?exports\.(?P<cjs>[\w$]+) *="
    r"|^module\.exports = (?:class|function) (?P<whole>\w+)"
    r"|^export (?:declare |default |async |abstract )*(?:class|function|const|let|var|enum)\*? (?P<es>[\w$]+)",
    re.M,
)
"""A statement that exports the names in its group, in Python, Rust, Go or JavaScript."""


def main_file(home: str, declared: Sequence[str], names: Collection[str], paths: Sequence[str]) -> str:
    """Return the file with the exports of a package of Rust or JavaScript in the folder `home`, or ""."""
    stems = [re.sub(r"^\./|\.[cm]?[jt]s$", "", one) for one in declared]
    stems += [stem.removeprefix("dist/") for stem in stems]
    stems += [f"{folder}{stem}" for stem in (*names, "index", "main") for folder in ("lib/", "src/", "source/", "")]
    wanted = [f"{home}src/lib.rs", *(f"{home}{stem}.{end}" for stem in stems for end in ("ts", "js", "mjs", "cjs"))]
    return next((path for path in wanted if path in set(paths)), "")


def is_script(path: str) -> bool:
    """Return whether a path is a file of JavaScript or TypeScript."""
    return path.endswith((".js", ".ts", ".mjs", ".cjs"))


def exported(text: FileText | None, where: str, definitions: Sequence[Hit]) -> tuple[list[str], Place] | None:
    """Return the exported names, errors last, and the place of the first, or None if there are none.

    Args:
        text: The package's `__init__.py` or `lib.rs`; None for JavaScript and Go, whose definitions are enough.
        where: The main script, or the folder of a Go package: "" or with a slash at the end.
        definitions: Lines with definitions, those of the main files first.
    """
    hits = [] if text else [hit for hit in definitions if hit.path == where or _is_beside(hit.path, where)]
    found = [(one, hit.place) for hit in hits for one in _EXPORT.finditer(hit.text)]
    if text:
        package = re.escape(where.removesuffix("/__init__.py").rpartition("/")[2])
        source = re.sub(rf"(?m)^from {package}\b\.?", "from .", text.text)
        found = [(one, text.place(source.count("\n", 0, one.start()))) for one in _EXPORT.finditer(source)]
    found = [one for one in found if one[0].lastgroup == "all"][:1] or found
    names = [name for one, _ in sorted(found, key=lambda one: one[0][0].startswith("func ")) for name in _names(one)]
    public = [name for name in dict.fromkeys(names) if not name.startswith("_")]
    public.sort(key=lambda name: (name.endswith(("Error", "Exception", "Warning", "Timeout")), name.isupper()))
    own = len(re.findall(r"(?m)^(?:async )?(?:def|class) ", text.text)) if text else 0
    is_own_code = found and found[0][0].lastgroup in ("many", "few") and 2 * own > len(public)
    return (public, found[0][1]) if public and not is_own_code else None  # own code imports what it needs


def _names(found: re.Match[str]) -> list[str]:
    return re.findall(r"[\w$]+(?=[\"']?\s*(?:[,}]|$))", re.sub(r"#.*", "", found[found.lastgroup or 0]))


def _is_beside(path: str, home: str) -> bool:
    return path.startswith(home) and "/" not in path.removeprefix(home) and path.endswith(".go") and not is_test(path)
