"""Explain FILE: its description, contents, imports and importers."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Sequence

from inarch_brief.offline import calls
from inarch_brief.offline.calls import whole_file
from inarch_brief.offline.intents import EXPLAIN, Intent
from inarch_brief.offline.layout import is_test
from inarch_brief.offline.page import Asking, Page, Plan, code, counted, cut, joined, sentence, shortened
from inarch_brief.offline.prose import docstring_in, lead_of
from inarch_brief.offline.results import FileText, Hit, Place, context, files, hits, is_partial, last_line, said
from inarch_brief.search.documents import SECTION
from inarch_brief.search.formats import APART
from inarch_brief.search.texts import documents_of_text

_MOST = 24
_DEFINITION = re.compile(
    r"^(?:(?:export|default|pub(?:\([^)]*\))?|public|private|static|abstract|final|async)\s+)*"
    r"(?:class|interface|enum|struct|trait|impl|function|func|fn|def|module|namespace|type)\s+[A-Za-z_$(][^\n{;=]*"
)
_IMPORT = r"^\s*(?:from\s+(\S+)\s+import\b|import\s+([\w.]+))"
_Row = tuple[str, Place]


def explain_file(intent: Intent, otherwise: Callable[[Intent], Plan]) -> Plan:
    """Explain a file, or list a folder; `otherwise` explains a definition whose name looks like a file's."""
    path = intent.path.rstrip("/")
    text, read = yield from whole_file(path)
    page = Page()
    if text is None:
        instead = yield from _instead(page, intent, path, otherwise)
        if isinstance(instead, Page):
            return instead
        path = instead
        text, read = yield from whole_file(path)
    if text is None:
        page.plain(f"{path} could not be read: {said(read)}")
        return page
    size = len(text.text.removesuffix("\n").split("\n"))
    told = f", {counted(size, 'line')}"
    if text.truncated:
        of_all = f" of {last_line(read):,}" if last_line(read) > size else ""
        told = f" is too large to be read whole: this is about the first {size:,}{of_all} lines"
    page.say(shortened(path) + told, Place(path))
    if path.endswith((".py", ".pyi")):
        stem = path.removesuffix("/__init__.py").rpartition("/")[2].removesuffix(".py")
        [imported] = yield [calls.search(rf"^\s*(from|import) .*\b{calls.literal(stem)}\b", glob="*.py", limit=200)]
        _say_python(page, text, [hit for hit in hits(imported) if hit.path != path], is_partial(imported))
    else:
        _say_other(page, text)
    if said(read):
        page.note(said(read))
    return page


def _instead(page: Page, intent: Intent, path: str, otherwise: Callable[[Intent], Plan]) -> Asking[Page | str]:
    """Return the page of the folder or definition with that name, or the path of such a file."""
    beside, inside = yield [
        calls.list_files(f"**/{path.rpartition('/')[2]}", 20),
        calls.list_files(f"{path}/**/*", 500),
    ]
    if files(inside):
        from inarch_brief.offline.plans.lists import say_folders

        more = is_partial(inside)
        page.say(f"{shortened(path)}/ holds {counted(len(files(inside)), 'file', more=more)}", Place(files(inside)[0]))
        say_folders(page, files(inside), more)
        return page
    found = [one for one in files(beside) if one.endswith(path)] or files(beside)
    if not found and re.fullmatch(r"[A-Za-z_]\w*\.[A-Za-z_]\w*", path):  # the name of a definition: `Request.json`
        [result] = yield [calls.context_get(path)]
        target = context(result).target
        if target is not None and f".{target.qualname}".endswith(f".{path}"):
            told = yield from otherwise(intent._replace(kind=EXPLAIN, subject=path, names=(path,), path=""))
            return told
    if len(found) > 1:
        page.note(f"{counted(len(found), 'file')} have that name: {', '.join(map(shortened, found[:6]))}")
    return min(found, key=lambda one: (is_test(one), one.count("/"), one), default=path)


def _say_python(page: Page, text: FileText, importers: Sequence[Hit], more: bool) -> None:
    doc = docstring_in(text)
    if doc:
        page.say(cut(doc.text, 300), doc.place)
    _say_outline(page, _outlined(text))
    package = next((part for part in text.path.split("/") if part not in ("src", "lib", "core", "plugins")), "")
    imports: tuple[dict[str, Place], ...] = ({}, {})
    for index, line in enumerate(text.text.split("\n")):
        if (found := re.match(_IMPORT, line)) and (name := found[1] or found[2]) != "__future__":
            is_own = name.startswith(".") or name.split(".")[0] == package
            imports[not is_own].setdefault(name, text.place(index))
    for title, names in zip(("Imports from this project", "Other imports"), imports, strict=True):
        if names:
            page.head(title)
            page.item(joined(names, 12), next(iter(names.values())))
    users = {hit.path: hit.place for hit in reversed(importers)}
    if users:
        page.head(f"Named in imports of {counted(len(users), 'file', more=more)}")
    for path in sorted(users, key=lambda path: (is_test(path), path))[:6]:
        page.item(path.rpartition("/")[2], users[path])


def _say_outline(page: Page, outline: Sequence[_Row]) -> None:
    ranked = sorted(outline, key=lambda row: row[0].removeprefix("class ").startswith("_"))[:_MOST]
    if outline:
        page.head("What is in it" + (f" ({_MOST} of {len(outline)} definitions)" if len(outline) > _MOST else ""))
    for told, place in sorted(ranked, key=lambda row: row[1]):
        page.item(told, place)


def _outlined(text: FileText) -> list[_Row]:
    """Return the classes with their methods and the functions of a module, or a scan if it does not parse."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _scanned(text)
    found: list[_Row] = []
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            bases = f"({', '.join(map(ast.unparse, node.bases))})" if node.bases else ""
            methods = [one.name for one in node.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
            public = joined([name for name in methods if not name.startswith("_")], 6)
            told = f"class {node.name}{bases}" + (f": {public}" if public else "")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            told = f"{node.name}({ast.unparse(node.args)})"
        else:
            continue
        doc = sentence((ast.get_docstring(node) or "").split("\n\n", 1)[0], 90)
        found.append((cut(told, 88) + (f" — {doc}" if doc else ""), text.place(node.lineno - 1)))
    return found


def _scanned(text: FileText) -> list[_Row]:
    lines = ((index, _DEFINITION.match(line.strip())) for index, line in enumerate(text.text.split("\n")))
    return [(cut(found[0], 88), text.place(index)) for index, found in lines if found]


def _say_other(page: Page, text: FileText) -> None:
    lead = lead_of(text) if text.path.endswith((".md", ".rst", ".txt")) else None
    if lead:
        page.say(cut(lead.text, 300), lead.place)
    outline = _headings(text) or _scanned(text)
    _say_outline(page, outline)
    if not outline and not lead and text.text.strip():
        page.head("It begins")
        for index, line in [(index, line) for index, line in enumerate(text.text.split("\n")) if line.strip()][:10]:
            page.item(code(line), text.place(index))


def _headings(text: FileText) -> list[_Row]:
    """Find the headings of a text, and the tables and outermost keys of configuration."""
    found = documents_of_text(text.path, text.text)
    inner = [one.qualified.partition(APART)[2] for one in found]
    tables = {name.rpartition(".")[0] for name in inner} & set(inner)
    return [
        (cut(one.name if one.kind == SECTION else name, 88), text.place(one.line - 1))
        for one, name in zip(found, inner, strict=True)
        if name and (one.kind == SECTION or name in tables or "." not in name)
    ]
