"""List what a fixing release says that it mended, and what it changed: candidates for `issues/*.toml`.

    python benchmarks/finding/make_issues.py [--diff] PACKAGE BEFORE AFTER [PACKAGE BEFORE AFTER ...]
    python benchmarks/finding/make_issues.py --check     every function and file in `issues/` differs in its release

For each release both source distributions are fetched. Printed are the entries that its changelog has gained, and the
functions whose code differs (comments, docstrings, types and layout don't count), as the older version has them; `+`
marks what is new, `module` what changed outside functions. Which change belongs to which entry is for a person to read,
with `--diff` line by line. Tests and documentation are left out.
"""

from __future__ import annotations

import ast
import difflib
import re
import sys
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import sets
from fetch import fetch_sdist
from sets import Place, product_files

_CHANGELOG = re.compile(r"(changes?|changelog|history|versionhistory|news|release[_-]notes)(\.(md|rst|txt))?", re.I)
_BULLET = re.compile(r"^\s*([-*+•]|#\.|\d+\.)\s+|^\s*\.\. change::|^\s*v?\d+(\.\d+)+")


Defined = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Change(NamedTuple):
    """A place whose code a release changed; its mark is empty for a function that the older version has."""

    mark: str
    place: Place


def entries(before: Path, after: Path) -> list[str]:
    """Give the entries that the changelog gained."""
    for path in sorted(_changelogs(after), key=lambda path: (len(path.parts), -path.stat().st_size)):
        older = before / path.relative_to(after)
        old, new = _lines(older), _lines(path)
        gained = _gained(old, new)
        if old and gained:
            return [entry for entry in _entries(gained) if re.search(r"[a-z]{3}", entry)]
    return []


def _changelogs(root: Path) -> Iterator[Path]:
    for path in root.rglob("*"):
        if path.is_file() and _CHANGELOG.fullmatch(path.name):
            yield path


def _gained(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """Give the lines that only the newer has, without comparing each with each."""
    known = set(old)
    return [line for line in new if line not in known or not line.strip()][:400]


def _entries(lines: Sequence[str]) -> Iterator[str]:
    """Cut lines into entries, at bullets and at blank lines before text that is not indented."""
    entry: list[str] = []
    for line in lines:
        if _BULLET.match(line) or (not line.strip() and entry and not entry[-1].strip()):
            yield from _joined(entry)
            entry = []
        entry.append(line)
    yield from _joined(entry)


def _joined(lines: Sequence[str]) -> Iterator[str]:
    text = " ".join(line.strip() for line in lines if line.strip())
    if text:
        yield text


def changes(before: Path, after: Path) -> list[Change]:
    """Give the places whose code differs."""
    files = {*product_files(before, "Python"), *product_files(after, "Python")}
    return [change for file in sorted(files) for change in _changes_of(file, before / file, after / file)]


def _changes_of(file: str, before: Path, after: Path) -> Iterator[Change]:
    if not before.is_file():
        yield Change("+", Place(file, ""))
        return
    old, new = _bodies(before), _bodies(after) if after.is_file() else {}
    for name, body in old.items():
        if new.get(name) != body:
            yield Change("module" if not name or name.endswith(".") else "", Place(file, name))
    yield from (Change("+", Place(file, name)) for name in new if name not in old)


class _WithoutTypes(ast.NodeTransformer):
    """Drops annotations: a release that only adds types changes nothing."""

    # The names are those that ast looks for.
    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        return ast.copy_location(ast.Assign([node.target], node.value), node) if node.value else ast.Pass()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)


def _bodies(path: Path) -> dict[str, str]:
    """Give the code of each function without those inside it; a class is `name.`, the module an empty name."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(path.read_text(encoding="utf-8", errors="replace"))
    except SyntaxError:
        return {}
    found: dict[str, str] = {}
    _WithoutTypes().visit(tree)
    _take(tree, "", "", found)
    return found


def _take(node: ast.Module | Defined, name: str, key: str, found: dict[str, str]) -> None:
    for child in list(_inside(node)):
        path = f"{name}.{child.name}" if name else child.name
        _take(child, path, f"{path}." if isinstance(child, ast.ClassDef) else path, found)
        child.body, child.decorator_list, child.name = [ast.Pass()], [], "_"
    if node.body and isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant):
        node.body = node.body[1:] or [ast.Pass()]
    found[key] = found.get(key, "") + ast.unparse(node)


def _inside(node: ast.AST) -> Iterator[Defined]:
    """Give what is defined in a node with no other definition between."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield child
        else:
            yield from _inside(child)


def print_release(package: str, older: str, newer: str, *, diff: bool = False) -> None:
    """Print the candidates of one release."""
    before, after = fetch_sdist(package, older), fetch_sdist(package, newer)
    print(f"== {package} {older} {newer}")
    for number, entry in enumerate(entries(before, after), 1):
        print(textwrap.shorten(f"E{number} {entry}", 900))
    found = changes(before, after)
    print(*(f"  {change.mark:6} {change.place}" for change in found), sep="\n")
    if diff:
        for file in dict.fromkeys(change.place.file for change in found if change.mark != "+"):
            print(*difflib.unified_diff(_lines(before / file), _lines(after / file), file, lineterm="", n=2), sep="\n")


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []


def unchanged() -> Iterator[str]:
    """Say which functions and files of the issues their release did not change."""
    for issue in sets.issues(None):
        source = issue.source
        found = changes(source.root(), fetch_sdist(source.package, issue.after))
        places = {change.place for change in found if not change.mark}
        files = {change.place.file for change in found}
        for wrong in sorted({*map(str, issue.functions - places), *(issue.files - files)}):
            yield f"{source.package} {source.version} → {issue.after}: {wrong} is the same: {issue.title}"


def main(arguments: Sequence[str]) -> None:
    """Print the candidates of every release named."""
    if "--check" in arguments:
        wrong = list(unchanged())
        print(*wrong, sep="\n")
        raise SystemExit(bool(wrong))
    words = [word for word in arguments if not word.startswith("-")]
    for package, before, after in zip(words[::3], words[1::3], words[2::3], strict=True):
        print_release(package, before, after, diff="--diff" in arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
