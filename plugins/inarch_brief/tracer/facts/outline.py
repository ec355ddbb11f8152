"""The outline of a file for search: its symbols, imports and calls, recorded during compilation for linking."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from attrs import Factory, define

from inarch_brief.tracer.facts.entry_points import FRAMEWORK_REGISTRATIONS, RUNNERS
from inarch_brief.tracer.facts.file_facts import (
    ABSTRACT,
    ALIAS,
    ASYNC,
    CLASS,
    CONSTANT,
    DEPRECATED,
    FULL,
    FUNCTION,
    METHOD,
    MODULE,
    NESTED,
    OVERLOAD,
    PROPERTY,
    STUB,
    Call,
    Facts,
    Import,
    Symbol,
)
from inarch_brief.tracer.facts.link_facts import ATTRIBUTE, CALL, CLASS_SCOPE, FUNCTION_SCOPE, MODULE_SCOPE, Code
from inarch_brief.tracer.facts.scopes import CalledAt, Open
from inarch_brief.tracer.facts.source import Function, Source, first_paragraph, flat

_PROPERTIES = frozenset(("property", "cached_property", "functools.cached_property", "hybrid_property"))


def docstring(body: Sequence[ast.stmt]) -> str:
    """Return the first paragraph of the docstring of a body."""
    first = body[0] if body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        return first_paragraph(first.value.value)
    return ""


def is_stub(body: Sequence[ast.stmt]) -> bool:
    """Return whether a body does nothing: only a docstring, `...`, `pass` or `raise NotImplementedError`."""
    if len(body) > 2:
        return False
    return all(
        isinstance(node, ast.Pass)
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        or (isinstance(node, ast.Raise) and node.exc is not None and "NotImplementedError" in _raised(node.exc))
        for node in body
    )


def _raised(node: ast.expr) -> str:
    raised = node.func if isinstance(node, ast.Call) else node
    return raised.id if isinstance(raised, ast.Name) else ""


def decorator_flags(decorators: tuple[str, ...]) -> int:
    """Return the flags that decorators give a definition."""
    flags = 0
    for text in decorators:
        name = text.partition("(")[0]
        last = name.rpartition(".")[2]
        if last == "overload":
            flags |= OVERLOAD | STUB
        elif last.startswith("abstract"):
            flags |= ABSTRACT
        elif "deprecated" in last:
            flags |= DEPRECATED
        if name in _PROPERTIES or last in ("getter", "setter", "deleter", "abstractproperty"):
            flags |= PROPERTY
    return flags


def is_main_guard(test: ast.expr) -> bool:
    """Return whether a test is `__name__ == "__main__"`."""
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and test.left.id == "__name__"
        and isinstance(test.comparators[0], ast.Constant)
        and test.comparators[0].value == "__main__"
    )


REGISTRATIONS = FRAMEWORK_REGISTRATIONS | frozenset(
    {
        *("add_parser", "ArgumentParser", "add_command", "add_typer"),
        *("add_url_rule", "add_api_route", "add_route", "Route", "WebSocketRoute", "path", "re_path", "url"),
    }
)
"""Names of calls that register commands and routes: their arguments are stored."""


@define(eq=False, repr=False)
class Outline:
    """The symbols and imports of a file in the order of the walk; calls are added at the end."""

    source: Source
    symbols: list[Symbol] = Factory(list)
    imports: list[Import] = Factory(list)
    guard: int = 0

    def facts(self, tree: ast.Module, sites: list[CalledAt], exports: tuple[str, ...] | None) -> Facts:
        """Return the facts of a file after the walk of its tree."""
        calls = tuple(sorted(self._calls(sites), key=_line))
        self.symbols[0] = Symbol(MODULE, "", 1, len(self.source.lines), doc=docstring(tree.body))
        return Facts(FULL, tuple(self.symbols), tuple(self.imports), calls, exports, self.guard)

    def _calls(self, sites: list[CalledAt]) -> Iterator[Call]:
        for code, line, place, node in sites:
            callee = callee_text(code)
            tells = callee.rpartition(".")[2] in REGISTRATIONS or callee in RUNNERS
            yield Call(callee, line, place, self._arguments(node) if tells else "")

    def _arguments(self, node: ast.Call) -> str:
        pieces = [self.source.of(argument) for argument in node.args]
        pieces += [f"{word.arg or '**'}={self.source.of(word.value)}" for word in node.keywords]
        return ", ".join(pieces)[:300]

    def imported(self, node: ast.Import | ast.ImportFrom, scope: Open) -> None:
        """Record an import."""
        index = scope.place if scope.kind == FUNCTION_SCOPE else 0
        for alias in node.names:
            if type(node) is ast.Import:
                name = alias.asname or alias.name.partition(".")[0]
                self.imports.append(Import(name, alias.name, "", node.lineno, index))
            else:
                name = alias.asname or alias.name
                self.imports.append(Import(name, node.module or "", alias.name, node.lineno, index, node.level))  # type: ignore[union-attr]

    def assigned(self, node: Any, scope: Open) -> None:
        """Record the names that a module or class assigns."""
        value = node.value
        for target in node.targets if type(node) is ast.Assign else [node.target]:
            for name in target.elts if type(target) is ast.Tuple else [target]:
                if type(name) is not ast.Name:
                    continue
                alias = ALIAS if isinstance(value, ast.Name | ast.Attribute) else 0
                if scope.kind == CLASS_SCOPE and name.id.startswith("_"):
                    continue
                text = f"= {self.source.of(value, 80)}" if value is not None else ""
                if type(node) is ast.AnnAssign:
                    text = f": {self.source.of(node.annotation, 80)} {text}".rstrip()
                line, end = node.lineno, node.end_lineno or node.lineno
                dotted_name = f"{scope.name}.{name.id}" if scope.name else name.id
                self.symbols.append(Symbol(CONSTANT, dotted_name, line, end, text, self._comment(line), flags=alias))

    def asked(self, node: ast.If, scope: Open) -> None:
        """Record the main guard of a module."""
        if not self.guard and scope.kind == MODULE_SCOPE and is_main_guard(node.test):
            self.guard = node.lineno

    def _comment(self, line: int) -> str:
        """Return the comment lines right above a line, which document a constant."""
        found: list[str] = []
        for above in reversed(self.source.lines[max(0, line - 7) : line - 1]):
            text = above.strip()
            if not text.startswith("#"):
                return flat(" ".join(reversed(found)))[:400] if found else ""
            found.append(text.lstrip("#: "))
        return flat(" ".join(reversed(found)))[:400]

    def class_(self, node: ast.ClassDef, scope: Open, inside: int) -> None:
        """Record a class at the start of its scope; `inside` is the kind of the enclosing scope."""
        decorators, decorated, doc, flags = self._head(node, inside)
        bases = tuple([self.source.of(base, 80) for base in node.bases])
        words = (*bases, *(f"{word.arg or '**'}={self.source.of(word.value, 60)}" for word in node.keywords))
        signature = f"({', '.join(words)})" if words else ""
        end = node.end_lineno or node.lineno
        scope.place = len(self.symbols)
        self.symbols.append(
            Symbol(CLASS, scope.name, node.lineno, end, signature, doc, decorators, bases, flags, decorated)
        )

    def function(self, node: Function, scope: Open, inside: int) -> None:
        """Record a function at the start of its scope; `inside` is the kind of the enclosing scope."""
        decorators, decorated, doc, flags = self._head(node, inside)
        if type(node) is ast.AsyncFunctionDef:
            flags |= ASYNC
        if is_stub(node.body):
            flags |= STUB
        kind = METHOD if inside == CLASS_SCOPE else FUNCTION
        line, end, signature = node.lineno, node.end_lineno or node.lineno, self.source.signature(node)
        scope.place = len(self.symbols)
        self.symbols.append(Symbol(kind, scope.name, line, end, signature, doc, decorators, (), flags, decorated))

    def _head(self, node: Function | ast.ClassDef, inside: int) -> tuple[tuple[str, ...], int, str, int]:
        flags = NESTED if inside == FUNCTION_SCOPE else 0
        decorators: tuple[str, ...] = ()
        decorated = 0
        if node.decorator_list:
            decorators = tuple([self.source.of(decorator) for decorator in node.decorator_list])
            decorated = min([decorator.lineno for decorator in node.decorator_list])
            flags |= decorator_flags(decorators)
        doc = docstring(node.body)
        if doc and "deprecated" in doc[:120].lower():
            flags |= DEPRECATED
        return decorators, decorated, doc, flags


def _line(call: Call) -> int:
    return call.line


def callee_text(code: Code) -> str:
    """Return the text of a callee: `a.b`, `Foo().bar`; `?` for any other expression."""
    if type(code) is str:
        return code
    parts: list[str] = []
    while type(code) is tuple and code[0] == ATTRIBUTE:
        parts.append(code[2])
        code = code[1]
    if type(code) is str:
        parts.append(code)
    elif parts and type(code) is tuple and code[0] == CALL:
        inner = callee_text(code[1])
        parts.append(inner + "()" if "?" not in inner and inner.count("(") < 2 else "?")
    else:
        parts.append("?")
    parts.reverse()
    return ".".join(parts)
