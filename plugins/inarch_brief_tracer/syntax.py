"""From bytes to facts: the one visitor over a file's syntax tree.

Definitions are visited recursively (their nesting is bounded by the tokenizer), everything inside them with a plain
stack, since expressions may nest thousands deep.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence
from typing import Any

from attrs import Factory, define

from inarch_brief_tracer import inlets
from inarch_brief_tracer.expressions import (
    decorator_flags,
    docstring,
    dotted,
    is_main_guard,
    is_stub,
    parameters,
    strings,
)
from inarch_brief_tracer.facts import (
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
    STUB,
    Call,
    Facts,
    Import,
    Symbol,
)
from inarch_brief_tracer.light import light_facts
from inarch_brief_tracer.source import Source, Undecodable, decoded, flat

REGISTRATIONS = inlets.REGISTRATIONS | frozenset(
    {
        *("add_parser", "ArgumentParser", "add_command", "add_typer"),
        *("add_url_rule", "add_api_route", "add_route", "Route", "WebSocketRoute", "path", "re_path", "url"),
    }
)
"""Names of calls that register commands and routes: their arguments are kept."""

# Fields without nodes worth a visit; of a definition's or lambda's arguments nothing but calls in defaults counts.
_PLAIN_FIELDS = frozenset(
    {
        *("ctx", "op", "ops", "type_comment", "kind", "names", "id", "attr", "arg", "name", "level", "module"),
        *("annotation", "simple", "conversion", "is_async", "rest", "kwd_attrs", "type_ignores"),
    }
)
_FIELDS: dict[type, tuple[str, ...]] = {
    kind: tuple(name for name in kind._fields if name not in _PLAIN_FIELDS)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BINDINGS = frozenset((ast.Assign, ast.With, ast.AsyncWith, ast.AugAssign, ast.For, ast.AsyncFor, ast.NamedExpr))


def facts_of(data: bytes) -> Facts:
    """Extract the facts of a file; one that can't be parsed says why and keeps the names that a scan finds."""
    return extracted(data)[0]


def readable(data: bytes) -> str:
    """Give what can be read of a file, whatever it holds."""
    return data.replace(b"\0", b"").decode("utf-8", "replace")


def extracted(data: bytes, light: bool = False) -> tuple[Facts, str]:
    """Give a file's facts and its text; `light` ones are found by scanning, where names and imports are enough."""
    facts, text, _ = examined(data, light)
    return facts, text


def examined(data: bytes, light: bool = False) -> tuple[Facts, str, ast.Module | None]:
    """Give a file's facts, its text, and its tree for who wants more of it; None where there is none."""
    try:
        text = decoded(data)
    except Undecodable as error:
        text = readable(data)
        return light_facts(text, str(error)), text, None
    if light:
        return light_facts(text), text, None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
        return _Visitor(Source(text)).facts(tree), text, tree
    except SyntaxError as error:
        reason = f"line {error.lineno or 0}: {error.msg}"
    except (RecursionError, MemoryError):
        reason = "nested too deeply"
    except ValueError as error:
        reason = str(error)
    return light_facts(text, reason), text, None


@define(eq=False, repr=False)
class _Scope:
    """A function being visited: its symbol's index, what it binds and what its calls start with."""

    index: int
    bound: set[str] = Factory(set)
    called: set[str] = Factory(set)
    made: dict[str, str] = Factory(dict)
    """What an assigned name is an instance of; "" once it is assigned twice."""

    def makes(self, name: ast.expr | None, text: str) -> None:
        """Note that a name is bound to an instance of a class."""
        if isinstance(name, ast.Name):
            self.made[name.id] = "" if name.id in self.made else text


@define(eq=False, repr=False)
class _Visitor:
    source: Source
    symbols: list[Symbol] = Factory(list)
    imports: list[Import] = Factory(list)
    calls: list[Call] = Factory(list)
    exports: tuple[str, ...] | None = None
    guard: int = 0

    def facts(self, tree: ast.Module) -> Facts:
        doc = docstring(tree.body)
        self.symbols.append(Symbol(MODULE, "", 1, len(self.source.lines), doc=doc))
        self.visit(tree.body, "", MODULE, _Scope(0))
        self.calls.sort(key=lambda call: call.line)
        return Facts(FULL, tuple(self.symbols), tuple(self.imports), tuple(self.calls), self.exports, self.guard)

    def visit(self, body: Sequence[ast.AST], prefix: str, inside: str, scope: _Scope) -> None:
        """Visit the statements of a module, class or function; `prefix` is its dotted name with a final dot."""
        stack: list[Any] = list(reversed(body))
        pop, push, fields, bind = stack.pop, stack.append, _FIELDS.get, scope.bound.add
        while stack:
            node = pop()
            kind = type(node)
            # The most frequent kinds first, and without a look at fields that hold no nodes.
            if kind is ast.Name:
                if type(node.ctx) is not ast.Load:
                    bind(node.id)
                continue
            if kind is ast.Constant:
                continue
            if kind is ast.Attribute or kind is ast.Expr:
                push(node.value)
                continue
            if kind is ast.Call:
                self.call(node, scope)
                push(node.func)
                stack += reversed(node.args)
                for word in reversed(node.keywords):
                    push(word.value)
                continue
            if kind in _DEFINITIONS:
                self.definition(node, prefix, inside, scope, stack)
                continue
            if kind is ast.Import or kind is ast.ImportFrom:
                self.imported(node, scope if inside == FUNCTION else None)
                continue
            if inside != FUNCTION:
                if kind is ast.Assign or kind is ast.AnnAssign:
                    self.assigned(node, prefix, inside)
                elif kind is ast.If and not prefix and not self.guard and is_main_guard(node.test):
                    self.guard = node.lineno
            elif kind in _BINDINGS:
                _note_instances(node, scope)
            for name in fields(kind, ()):
                value = getattr(node, name, None)
                if type(value) is list:
                    # Items are nodes, but for keys of a mapping that are left out (`**other`).
                    stack += reversed(value)
                elif value is not None:
                    push(value)

    def call(self, node: ast.Call, scope: _Scope) -> None:
        callee = dotted(node.func)
        base, _, _ = callee.partition(".")
        scope.called.add(base)
        text = ""
        if callee.rpartition(".")[2] in REGISTRATIONS:
            pieces = [self.source.of(argument) for argument in node.args]
            pieces += [f"{word.arg or '**'}={self.source.of(word.value)}" for word in node.keywords]
            text = ", ".join(pieces)[:300]
        # A method of a chain stands on the line of its name, not where the chain starts.
        line = node.func.end_lineno if type(node.func) is ast.Attribute else node.lineno
        self.calls.append(Call(callee, line or node.lineno, scope.index, text))

    def imported(self, node: ast.Import | ast.ImportFrom, scope: _Scope | None) -> None:
        index = scope.index if scope else 0
        for alias in node.names:
            if isinstance(node, ast.Import):
                name = alias.asname or alias.name.partition(".")[0]
                self.imports.append(Import(name, alias.name, "", node.lineno, index))
            else:
                name = alias.asname or alias.name
                self.imports.append(Import(name, node.module or "", alias.name, node.lineno, index, node.level))

    def assigned(self, node: ast.AST, prefix: str, inside: str) -> None:
        value = node.value  # type: ignore[attr-defined]
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]  # type: ignore[attr-defined]
        for target in targets:
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            for name in names:
                if not isinstance(name, ast.Name):
                    continue
                if inside == MODULE and name.id == "__all__":
                    self.exports = strings(value)
                alias = ALIAS if isinstance(value, ast.Name | ast.Attribute) else 0
                if inside == CLASS and name.id.startswith("_"):
                    continue
                text = f"= {self.source.of(value, 80)}" if value is not None else ""
                if isinstance(node, ast.AnnAssign):
                    text = f": {self.source.of(node.annotation, 80)} {text}".rstrip()
                end = node.end_lineno or node.lineno  # type: ignore[attr-defined]
                self.symbols.append(
                    Symbol(CONSTANT, prefix + name.id, node.lineno, end, text, self.comment(node.lineno), flags=alias)  # type: ignore[attr-defined]
                )

    def comment(self, line: int) -> str:
        """Give the comment lines right above a line: what documents a constant."""
        found: list[str] = []
        for above in reversed(self.source.lines[max(0, line - 7) : line - 1]):
            text = above.strip()
            if not text.startswith("#"):
                break
            found.append(text.lstrip("#: "))
        return flat(" ".join(reversed(found)))[:400]

    def definition(self, node: ast.AST, prefix: str, inside: str, scope: _Scope, stack: list[ast.AST]) -> None:
        """Record a class or function, visit its body, and leave what is evaluated outside of it on the stack."""
        assert isinstance(node, _DEFINITIONS)
        name, index = prefix + node.name, len(self.symbols)
        decorators = tuple(self.source.of(decorator) for decorator in node.decorator_list)
        line, end = node.lineno, node.end_lineno or node.lineno
        decorated = min((decorator.lineno for decorator in node.decorator_list), default=0)
        flags = (NESTED if inside == FUNCTION else 0) | decorator_flags(decorators)
        doc = docstring(node.body)
        if "deprecated" in doc[:120].lower():
            flags |= DEPRECATED
        stack.extend(node.decorator_list)
        if isinstance(node, ast.ClassDef):
            bases = tuple(self.source.of(base, 80) for base in node.bases)
            stack.extend(node.bases)
            stack.extend(node.keywords)
            words = (*bases, *(f"{word.arg or '**'}={self.source.of(word.value, 60)}" for word in node.keywords))
            signature = f"({', '.join(words)})" if words else ""
            self.symbols.append(Symbol(CLASS, name, line, end, signature, doc, decorators, bases, flags, decorated))
            inner = _Scope(index)
            self.visit(node.body, name + ".", CLASS, inner)
            return
        args = node.args
        stack.extend(default for default in (*args.defaults, *args.kw_defaults) if default is not None)
        flags |= (ASYNC if isinstance(node, ast.AsyncFunctionDef) else 0) | (STUB if is_stub(node.body) else 0)
        kind = METHOD if inside == CLASS else FUNCTION
        signature = self.source.signature(node)
        self.symbols.append(Symbol(kind, name, line, end, signature, doc, decorators, (), flags, decorated))
        inner = _Scope(index)
        self.visit(node.body, name + ".", FUNCTION, inner)
        annotated = parameters(node)
        inner.bound.update(annotated)
        # A nested function sees what its surroundings bind: their scope learns which names it calls.
        scope.called |= inner.called
        local = inner.bound & inner.called
        if local:
            known = {name: self.source.of(hint, 80) for name, hint in annotated.items() if hint and name in local}
            known = {**inner.made, **known} if not inner.made.keys() & annotated.keys() else known
            texts = [f"{name}:{known[name]}" if known.get(name) else name for name in sorted(local)]
            self.symbols[index] = self.symbols[index]._replace(local=tuple(texts))


def _note_instances(node: ast.AST, scope: _Scope) -> None:
    """Note what names become instances of: `x = Foo()`, `with Foo() as x`."""
    if isinstance(node, ast.Assign):
        text = dotted(node.value.func) if isinstance(node.value, ast.Call) else ""
        for target in node.targets:
            for name in target.elts if isinstance(target, ast.Tuple | ast.List) else (target,):
                scope.makes(name, text if name is target else "")
    elif isinstance(node, ast.With | ast.AsyncWith):
        for item in node.items:
            scope.makes(
                item.optional_vars, dotted(item.context_expr.func) if isinstance(item.context_expr, ast.Call) else ""
            )
    elif isinstance(node, ast.AugAssign | ast.For | ast.AsyncFor | ast.NamedExpr):
        scope.makes(node.target, "")
