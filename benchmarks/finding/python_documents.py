"""Documents of a tree of Python, straight from `ast`: what the library is measured on without the tracer."""

from __future__ import annotations

import ast
import re
import warnings
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from inarch_brief_tracer.facts.modules import CODE, EXAMPLE, TEST, VENDORED, module_name, packages_of, role_of
from inarch_search import CLASS, FUNCTION, METHOD, MODULE, SECTION, Document

NATURES = {CODE: "product", TEST: "test", EXAMPLE: "example", VENDORED: "vendored"}
MOST_CALLERS = 4
"""A name that is defined more often than this says nothing of who calls whom."""
_HEADING = re.compile(r"^(?:#{1,5} +(.+)|(\S.*)\n[=\-~^\"]{3,})$", re.MULTILINE)
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def documents_of(root: Path) -> dict[str, list[Document]]:
    """Give the documents of every Python file and of README and changelog, by file."""
    paths = sorted(path.relative_to(root).as_posix() for path in root.rglob("*.py"))
    packages = packages_of(paths)
    found = {path: python_file(path, module_name(path, packages), _read(root / path)) for path in paths}
    for path in sorted([*root.glob("*.md"), *root.glob("*.rst")]):
        name = path.relative_to(root).as_posix()
        found[name] = list(_sections(name, _read(path)))
    return with_callers(found)


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def python_file(path: str, module: str, source: str) -> list[Document]:
    """Give the documents of one file: its module, classes and functions."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return []
    lines = source.splitlines()
    nature = NATURES[role_of(path)]
    summary, rest = _docstring(tree)
    top = [node for node in tree.body if not isinstance(node, Definition)]
    words, strings, callees = _walked(top)
    comments = " ".join(line.strip() for line in lines if line.startswith("#"))
    found = [
        Document(
            path, 1, max(1, len(lines)), MODULE, nature, module.rpartition(".")[2], module, "", summary, rest,
            comments[:4000], strings, words, "", callees,
        )
    ]  # fmt: skip
    found += _definitions(tree, path, module, nature, lines, False)
    return found


def _definitions(
    around: ast.AST, path: str, prefix: str, nature: str, lines: list[str], in_class: bool
) -> Iterator[Document]:
    for node in ast.iter_child_nodes(around):
        if not isinstance(node, Definition):
            if not isinstance(node, ast.expr):
                yield from _definitions(node, path, prefix, nature, lines, in_class)
            continue
        qualified = f"{prefix}.{node.name}"
        yield _document(node, path, qualified, nature, lines, in_class)
        yield from _definitions(node, path, qualified, nature, lines, isinstance(node, ast.ClassDef))


def _document(node: Definition, path: str, qualified: str, nature: str, lines: list[str], in_class: bool) -> Document:
    summary, rest = _docstring(node)
    end = node.end_lineno or node.lineno
    if isinstance(node, ast.ClassDef):
        kind, signature = CLASS, " ".join(ast.unparse(base) for base in node.bases)
        body = [child for child in node.body if not isinstance(child, Definition)]
        words, strings, callees = _walked(body)
        words += " " + " ".join(child.name for child in node.body if isinstance(child, Definition))
        comments = ""
    else:
        kind = METHOD if in_class else FUNCTION
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        signature = " ".join(argument.arg for argument in every if argument and argument.arg not in ("self", "cls"))
        words, strings, callees = _walked([*node.body, *node.decorator_list])
        first = node.lineno - 1
        while first > 0 and lines[first - 1].lstrip().startswith("#"):
            first -= 1
        comments = " ".join(line.strip() for line in lines[first:end] if line.lstrip().startswith("#"))
    return Document(
        path, node.lineno, end, kind, nature, node.name, qualified, signature, summary, rest, comments, strings, words,
        "", callees,
    )  # fmt: skip


def _docstring(node: ast.Module | Definition) -> tuple[str, str]:
    summary, _, rest = (ast.get_docstring(node) or "").strip().partition("\n\n")
    return summary.replace("\n", " "), rest


def _walked(nodes: list[ast.stmt] | list[ast.AST]) -> tuple[str, str, str]:
    """Give the identifiers, the texts with several words, and the names called."""
    words: list[str] = []
    strings: list[str] = []
    callees: list[str] = []
    for top in nodes:
        if isinstance(top, ast.Expr) and isinstance(top.value, ast.Constant):
            continue
        for node in ast.walk(top):
            if isinstance(node, ast.Name):
                words.append(node.id)
            elif isinstance(node, ast.Attribute):
                words.append(node.attr)
            elif isinstance(node, ast.keyword) and node.arg:
                words.append(node.arg)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) > 2:
                strings.append(node.value[:400])
            elif isinstance(node, ast.Call):
                called = node.func
                callees.append(called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", ""))
    return " ".join(words), " ".join(strings), " ".join(dict.fromkeys(filter(None, callees)))


def with_callers(found: dict[str, list[Document]]) -> dict[str, list[Document]]:
    """Add to each document the names of what calls it, as far as names tell."""
    defined: dict[str, int] = defaultdict(int)
    callers: dict[str, list[str]] = defaultdict(list)
    for documents in found.values():
        for document in documents:
            defined[document.name] += 1
            if document.nature == "product" and document.kind in (FUNCTION, METHOD):
                for name in document.callees.split():
                    callers[name].append(document.name)
    return {
        path: [
            document._replace(callers=" ".join(dict.fromkeys(callers[document.name][:12])))
            if defined[document.name] <= MOST_CALLERS
            else document
            for document in documents
        ]
        for path, documents in found.items()
    }


def _sections(path: str, text: str) -> Iterator[Document]:
    marks = [(match.start(), match[1] or match[2]) for match in _HEADING.finditer(text)]
    for (start, heading), (end, _) in zip(marks, [*marks[1:], (len(text), "")], strict=False):
        body = text[start:end]
        first = text.count("\n", 0, start) + 1
        yield Document(
            path,
            first,
            first + body.count("\n"),
            SECTION,
            "product",
            heading,
            heading,
            docstring=body[len(heading) :][:6000],
        )
