"""Explain FILE: what it says of itself, what is in it, what it imports and who imports it."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from typing import NamedTuple

from inarch import ToolResult
from inarch_offline import calls
from inarch_offline.exchange import Asking, Plan
from inarch_offline.intents import EXPLAIN, Intent
from inarch_offline.layout import is_test
from inarch_offline.material import FileText, Hit, context, files, hits, is_partial, last_line, said
from inarch_offline.plans.reading import whole_file
from inarch_offline.readme import comment_of, lead_of
from inarch_offline.subpackages import docstring_in
from inarch_offline.writing import Page, Place, code, counted, cut, joined, sentence, shortened
from inarch_search.documents import SECTION
from inarch_search.formats import APART
from inarch_search.texts import documents_of_text

_MOST = 24
_DEFINITION = re.compile(
    r"^(?:export\s+)?(?:default\s+)?(?:pub(?:\([^)]*\))?\s+)?(?:public\s+|private\s+|static\s+|abstract\s+|final\s+|async\s+)*"
    r"(?:class|interface|enum|struct|trait|impl|function|func|fn|def|module|namespace|type)\s+[A-Za-z_$(][^\n{;=]*"
)


class Outline(NamedTuple):
    """A definition in a file."""

    place: Place
    text: str
    doc: str = ""
    inner: bool = False


def explain_file(intent: Intent) -> Plan:
    """Explain a file, or list a folder."""
    path = intent.path.rstrip("/")
    text, read = yield from whole_file(path)
    page = Page()
    if text is None:
        beside, inside = yield [
            calls.list_files(f"**/{path.rpartition('/')[2]}", 20),
            calls.list_files(f"{path}/**/*", 500),
        ]
        if files(inside):
            _say_folder(page, path, files(inside), is_partial(inside))
            return page
        found = [one for one in files(beside) if one.endswith(path)] or files(beside)
        if not found and (yield from _is_name(path)):
            from inarch_offline.plans.explaining import explain

            page = yield from explain(intent._replace(kind=EXPLAIN, subject=path, names=(path,), path=""))
            return page
        if not found or found == [path]:
            page.plain(_why_unread(path, read))
            return page
        path = min(found, key=lambda one: (is_test(one), one.count("/"), one))
        text, read = yield from whole_file(path)
        if text is None:
            page.plain(_why_unread(path, read))
            return page
        if len(found) > 1:
            number = counted(len(found), "file", more=is_partial(beside))
            page.note(f"{number} have that name: {', '.join(map(shortened, found[:6]))}")
    if path.endswith((".py", ".pyi")):
        stem = path.removesuffix("/__init__.py").rpartition("/")[2].removesuffix(".py")
        [imported] = yield [calls.search(rf"^\s*(from|import) .*\b{calls.literal(stem)}\b", glob="*.py", limit=200)]
        _say_size(page, text, "Python", last_line(read))
        _say_python(page, text, [hit for hit in hits(imported) if hit.path != path], is_partial(imported))
    else:
        _say_size(page, text, "", last_line(read))
        _say_other(page, text)
    if said(read):
        page.note(said(read))
    return page


def _is_name(path: str) -> Asking[bool]:
    """Whether what looks like a file is the name of a definition: `Request.json`."""
    if not re.fullmatch(r"[A-Za-z_]\w*\.[A-Za-z_]\w*", path):
        return False
    [result] = yield [calls.context_get(path)]
    target = context(result).target
    return target is not None and f".{target.qualname}".endswith(f".{path}")


def _why_unread(path: str, read: ToolResult) -> str:
    """Say why a file can't be explained: of one that is no text, what it is."""
    error = read.error.message if read.error else ""
    if error.startswith(f"{path} is a binary file"):
        return f"{error}: there is nothing in it to quote."
    return f"{path} could not be read: {said(read)}"


def _say_size(page: Page, text: FileText, language: str, total: int) -> None:
    """Say how long a file is; of one that is too large, how much of it was looked at."""
    path = shortened(text.path)
    if text.truncated:
        of_all = f" of {total:,}" if total > _lines(text) else ""
        page.say(
            f"{path} is too large to be read whole: this is about the first {_lines(text):,}{of_all} lines",
            Place(text.path),
        )
    else:
        page.say(f"{path}, {counted(_lines(text), 'line')}" + (f" of {language}" if language else ""), Place(text.path))


def _say_python(page: Page, text: FileText, importers: Sequence[Hit], more: bool) -> None:
    tree = _parsed(text.text)
    doc = docstring_in(text)
    if doc:
        page.say(cut(doc.text, 300), doc.place)
    elif tree is not None:
        page.say("It has no docstring.", Place(text.path))
    outline = _outlined(text, tree) if tree else _scanned(text)
    _say_outline(page, outline)
    own, foreign = _imports(text, tree) if tree else ([], [])
    if own:
        page.head("Imports from this project")
        page.item(joined([name for name, _ in own], 10), own[0][1])
    if foreign:
        page.head("Other imports")
        page.item(joined([name for name, _ in foreign], 12), foreign[0][1])
    users = {hit.path: hit.place for hit in reversed(importers)}
    kept = sorted(users, key=lambda path: (is_test(path), path))
    if kept:
        page.head(f"Named in imports of {counted(len(kept), 'file', more=more)}")
    for path in kept[:6]:
        page.item(path.rpartition("/")[2], users[path])


def _lines(text: FileText) -> int:
    return len(text.text.removesuffix("\n").split("\n"))


def _say_outline(page: Page, outline: Sequence[Outline]) -> None:
    if not outline:
        return
    top = [one for one in outline if not one.inner]
    ranked = sorted(top, key=lambda one: one.text.removeprefix("class ").startswith("_"))[:_MOST]
    shown = outline if len(outline) <= _MOST else sorted(ranked, key=lambda one: one.place)
    page.head("What is in it" + (f" ({len(shown)} of {len(outline)} definitions)" if len(shown) < len(outline) else ""))
    for one in shown:
        indent = "  " if one.inner else ""
        page.item(f"{indent}{cut(one.text, 88)}" + (f" — {one.doc}" if one.doc else ""), one.place)


def _outlined(text: FileText, tree: ast.Module) -> list[Outline]:
    found: list[Outline] = []
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            bases = f"({', '.join(map(ast.unparse, node.bases))})" if node.bases else ""
            methods = [one for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
            public = [one.name for one in methods if not one.name.startswith("_")]
            told = f": {joined(public, 6)}" if public else ""
            found.append(Outline(text.place(node.lineno - 1), f"class {node.name}{bases}{told}", _doc(node)))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.append(Outline(text.place(node.lineno - 1), f"{node.name}({ast.unparse(node.args)})", _doc(node)))
    return found


def _doc(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    return sentence((ast.get_docstring(node) or "").split("\n\n", 1)[0], 90)


def _scanned(text: FileText) -> list[Outline]:
    return [
        Outline(text.place(index), found[0].strip(), inner=line[:1].isspace())
        for index, line in enumerate(text.text.split("\n"))
        if (found := _DEFINITION.match(line.strip()))
    ]


def _imports(text: FileText, tree: ast.Module) -> tuple[list[tuple[str, Place]], list[tuple[str, Place]]]:
    """Give the imported modules of the project (by their top-level package, or relative) and the others."""
    package = next((part for part in text.path.split("/") if part not in ("src", "lib", "core", "plugins")), "")
    own: dict[str, Place] = {}
    foreign: dict[str, Place] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            name = "." * node.level + (node.module or "")
            (own if node.level or name.split(".")[0] == package else foreign).setdefault(
                name, text.place(node.lineno - 1)
            )
        elif isinstance(node, ast.Import):
            for alias in node.names:
                mine = alias.name.split(".")[0] == package
                (own if mine else foreign).setdefault(alias.name, text.place(node.lineno - 1))
    return list(own.items()), [pair for pair in foreign.items() if pair[0] != "__future__"]


def _say_other(page: Page, text: FileText) -> None:
    lead = lead_of(text) if text.path.endswith((".md", ".rst", ".txt")) else comment_of(text)
    if lead:
        page.say(cut(lead.text, 300), lead.place)
    outline = _headings(text) or _scanned(text)
    _say_outline(page, outline)
    if not outline and not lead and text.text.strip():
        page.head("It begins")
        for index, line in [(index, line) for index, line in enumerate(text.text.split("\n")) if line.strip()][:10]:
            page.item(code(line), text.place(index))


def _headings(text: FileText) -> list[Outline]:
    """Find the headings of a text, and the tables and outermost keys of configuration."""
    found = documents_of_text(text.path, text.text)
    inner = [one.qualified.partition(APART)[2] for one in found]
    tables = {name.rpartition(".")[0] for name in inner} & set(inner)
    return [
        Outline(text.place(one.line - 1), one.name if one.kind == SECTION else name)
        for one, name in zip(found, inner, strict=True)
        if name and (one.kind == SECTION or name in tables or "." not in name)
    ]


def _say_folder(page: Page, path: str, inside: Sequence[str], more: bool) -> None:
    page.say(f"{shortened(path)}/ holds {counted(len(inside), 'file', more=more)}", Place(inside[0]))
    folders: dict[str, list[str]] = {}
    for one in inside:
        folders.setdefault(one.rpartition("/")[0], []).append(one)
    for folder in sorted(folders, key=lambda name: (name.count("/"), name))[:_MOST]:
        page.item(
            f"{shortened(folder)}/: {joined([one.rpartition('/')[2] for one in folders[folder]], 6)}",
            Place(folders[folder][0]),
        )


def _parsed(text: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
