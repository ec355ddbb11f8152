"""From a file's syntax tree to its link facts: a pure function."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from keyword import iskeyword
from typing import TYPE_CHECKING, Any

from inarch_brief.tracer.facts.expression_codes import BINARY, codes, default_values, each, expression, target, truth
from inarch_brief.tracer.facts.link_facts import (
    ASSIGN,
    ASYNC,
    AUGMENT,
    CAUGHT,
    CLASS,
    CLASS_SCOPE,
    DECLARE,
    FOR,
    FUNCTION,
    FUNCTION_SCOPE,
    IMPORT,
    RAISE,
    RETURN,
    SEQUENCE,
    SUBSCRIPT,
    UNION,
    WITH,
    Code,
    LinkFacts,
    packed_code,
)
from inarch_brief.tracer.facts.scopes import CalledAt, Scopes
from inarch_brief.tracer.facts.source import sound

if TYPE_CHECKING:
    from inarch_brief.tracer.facts.outline import Outline


def link_facts(tree: ast.Module) -> LinkFacts:
    """Return the link facts of a file: the linker's input from its tree."""
    return compiled(tree, None)[0]


def compiled(tree: ast.Module, outline: Outline | None) -> tuple[LinkFacts, list[CalledAt]]:
    """Return the link facts of a file, and all calls in it. An outline records the symbols for search."""
    scopes = Scopes(outline=outline)
    _block(scopes, tree.body)
    return _facts(scopes), [site for site in scopes.calls if site is not None]


def _facts(scopes: Scopes) -> LinkFacts:
    rows = tuple([scope.facts() for scope in scopes.found])
    bodies = [tuple(scope.body) for scope in scopes.found]
    try:
        code = packed_code(bodies)
    except ValueError:  # nested too deeply for `packed_code`
        bodies = [tuple([part for part in body if _is_shallow(part)]) for body in bodies]
        code = packed_code(bodies)
    return LinkFacts(rows, code, scopes.exports, tuple([len(body) for body in bodies]), tuple(scopes.stars))


def _is_shallow(code: Code, most: int = 150) -> bool:
    level = [code]
    for _ in range(most):
        level = [item for part in level if type(part) is tuple for item in part]
        if not level:
            return True
    return False


def _block(scopes: Scopes, body: Sequence[ast.stmt]) -> None:
    around = scopes.current
    for node in body:
        handler = _STATEMENTS.get(type(node))
        if handler is not None:
            try:
                handler(scopes, node)
            except RecursionError:
                scopes.current = around  # an expression nested hundreds deep is generated and carries little


def _add(scopes: Scopes, code: Code) -> None:
    if code is not None and type(code) is not str:
        scopes.current.body.append(code)


def _expr(scopes: Scopes, node: ast.Expr) -> None:
    if type(node.value) is not ast.Constant:
        _add(scopes, expression(scopes, node.value))


def _assign(scopes: Scopes, node: ast.Assign) -> None:
    value = expression(scopes, node.value)
    targets = tuple([target(scopes, item) for item in node.targets])
    if scopes.outline is not None and scopes.current.kind != FUNCTION_SCOPE:
        scopes.outline.assigned(node, scopes.current)
    if targets == ("__all__",) and not scopes.current.name:
        scopes.exports = _texts(node.value)
    if value is not None:
        _add(scopes, (ASSIGN, targets, value))


def _texts(node: ast.expr) -> tuple[str, ...] | None:
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return tuple(
            [sound(item.value) for item in node.elts if isinstance(item, ast.Constant) and isinstance(item.value, str)]
        )
    return None


def _augment(scopes: Scopes, node: ast.AugAssign) -> None:
    value = expression(scopes, node.value)
    place = target(scopes, node.target)
    if place == "__all__" and scopes.exports is not None:
        scopes.exports += _texts(node.value) or ()
    if value is not None or type(place) is not str:
        method = BINARY[type(node.op)][0]
        _add(scopes, (AUGMENT, place, (f"__i{method[2:]}", method), value, node.lineno))


def _declare(scopes: Scopes, node: ast.AnnAssign) -> None:
    value = expression(scopes, node.value)
    place = target(scopes, node.target)
    if value is not None:
        _add(scopes, (ASSIGN, (place,), value))
    hint = annotation(scopes, node.annotation)
    if hint is not None:
        _add(scopes, (DECLARE, place, hint))
    if scopes.outline is not None and scopes.current.kind != FUNCTION_SCOPE:
        scopes.outline.assigned(node, scopes.current)


def annotation(scopes: Scopes, node: ast.expr | None) -> Code:
    """Return the code of an annotation. A string annotation is parsed."""
    if node is None:
        return None
    if type(node) is ast.Constant:
        text = node.value
        if type(text) is str and len(text) < 200 and text.isascii():
            if text.isidentifier() and not iskeyword(text):
                return text
            try:
                return annotation(scopes, ast.parse(text.strip(), mode="eval").body)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return None
        return None
    if type(node) is ast.Subscript:
        return (SUBSCRIPT, annotation(scopes, node.value), annotation(scopes, node.slice), 0)
    if type(node) is ast.Tuple or type(node) is ast.List:
        return (SEQUENCE, "tuple", 0, tuple([annotation(scopes, item) for item in node.elts]))
    if type(node) is ast.BinOp:
        return (UNION, (annotation(scopes, node.left), annotation(scopes, node.right)))
    # A call shows what a framework injects: `Annotated[Session, Depends(get_session)]`.
    return expression(scopes, node) if type(node) in _NAMING else None


_NAMING = frozenset((ast.Name, ast.Attribute, ast.Call))


def _function(scopes: Scopes, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    args = node.args
    decorators = codes(scopes, node.decorator_list)
    defaults = default_values(scopes, args) if args.defaults or args.kwonlyargs else ()
    hints = []
    for item in (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg):
        if item is not None and item.annotation is not None:
            hint = annotation(scopes, item.annotation)
            if hint is not None:
                hints.append((item.arg, hint))
    returned = annotation(scopes, node.returns)
    scopes.bind(node.name)
    flags = ASYNC if type(node) is ast.AsyncFunctionDef else 0
    inside = scopes.current.kind
    index = scopes.enter(FUNCTION_SCOPE, node.name, node.lineno, args, flags)
    if scopes.outline is not None:
        scopes.outline.function(node, scopes.current, inside)
    _block(scopes, node.body)
    scopes.leave(index)
    _add(scopes, (FUNCTION, index, decorators, defaults, tuple(hints), returned, node.lineno))


def _class(scopes: Scopes, node: ast.ClassDef) -> None:
    decorators, bases = codes(scopes, node.decorator_list), codes(scopes, node.bases)
    keywords = tuple([(word.arg, expression(scopes, word.value)) for word in node.keywords])
    scopes.bind(node.name)
    inside = scopes.current.kind
    index = scopes.enter(CLASS_SCOPE, node.name, node.lineno)
    if scopes.outline is not None:
        scopes.outline.class_(node, scopes.current, inside)
    _block(scopes, node.body)
    scopes.leave(index)
    _add(scopes, (CLASS, index, decorators, bases, keywords, node.lineno))


def _import(scopes: Scopes, node: ast.Import) -> None:
    if scopes.outline is not None:
        scopes.outline.imported(node, scopes.current)
    for alias in node.names:
        name = alias.asname or alias.name.partition(".")[0]
        scopes.bind(name)
        _add(scopes, (IMPORT, name, alias.name if alias.asname else name, "", 0))
        if not alias.asname and "." in alias.name:
            _add(scopes, (IMPORT, "", alias.name, "", 0))


def _import_from(scopes: Scopes, node: ast.ImportFrom) -> None:
    if scopes.outline is not None:
        scopes.outline.imported(node, scopes.current)
    for alias in node.names:
        if alias.name == "*":
            scopes.stars.append((node.module or "", node.level))
            continue
        scopes.bind(alias.asname or alias.name)
        _add(scopes, (IMPORT, alias.asname or alias.name, node.module or "", alias.name, node.level))


def _return(scopes: Scopes, node: ast.Return) -> None:
    value = expression(scopes, node.value)
    if value is not None:
        scopes.current.body.append((RETURN, value))


def _if(scopes: Scopes, node: ast.If) -> None:
    # A chain of `elif` nests as deep as it is long.
    while True:
        if scopes.outline is not None:
            scopes.outline.asked(node, scopes.current)
        _add(scopes, truth(scopes, node.test))
        _block(scopes, node.body)
        orelse = node.orelse
        if len(orelse) != 1 or type(orelse[0]) is not ast.If:
            break
        node = orelse[0]
    _block(scopes, orelse)


def _while(scopes: Scopes, node: ast.While) -> None:
    _add(scopes, truth(scopes, node.test))
    _block(scopes, node.body)
    _block(scopes, node.orelse)


def _for(scopes: Scopes, node: ast.For | ast.AsyncFor) -> None:
    iterable = expression(scopes, node.iter)
    place = target(scopes, node.target)
    if iterable is not None:
        _add(scopes, (FOR, place, iterable, node.iter.lineno))
    _block(scopes, node.body)
    _block(scopes, node.orelse)


def _with(scopes: Scopes, node: ast.With | ast.AsyncWith) -> None:
    for item in node.items:
        manager = expression(scopes, item.context_expr)
        place = target(scopes, item.optional_vars) if item.optional_vars else None
        if manager is not None:
            _add(scopes, (WITH, manager, place, item.context_expr.lineno))
    _block(scopes, node.body)


def _try(scopes: Scopes, node: Any) -> None:
    _block(scopes, node.body)
    for handler in node.handlers:
        kinds = expression(scopes, handler.type)
        if handler.name:
            scopes.bind(handler.name)
            if kinds is not None:
                _add(scopes, (CAUGHT, handler.name, kinds))
        else:
            _add(scopes, kinds)
        _block(scopes, handler.body)
    _block(scopes, node.orelse)
    _block(scopes, node.finalbody)


def _raise(scopes: Scopes, node: ast.Raise) -> None:
    value = expression(scopes, node.exc)
    if value is not None:
        scopes.current.body.append((RAISE, value, node.lineno))
    _add(scopes, expression(scopes, node.cause))


def _assert(scopes: Scopes, node: ast.Assert) -> None:
    _add(scopes, each([truth(scopes, node.test), expression(scopes, node.msg)]))


def _delete(scopes: Scopes, node: ast.Delete) -> None:
    for item in node.targets:
        if type(item) is not ast.Name:
            _add(scopes, expression(scopes, item))


def _outer(scopes: Scopes, node: ast.Global | ast.Nonlocal) -> None:
    scopes.current.outer.update(node.names)


def _match(scopes: Scopes, node: ast.Match) -> None:
    subject = expression(scopes, node.subject)
    for case in node.cases:
        for pattern in ast.walk(case.pattern):
            if isinstance(pattern, ast.MatchAs | ast.MatchStar) and pattern.name:
                scopes.bind(pattern.name)
                if subject is not None:
                    _add(scopes, (ASSIGN, (pattern.name,), subject))
        if case.guard:
            _add(scopes, truth(scopes, case.guard))
        _block(scopes, case.body)


_STATEMENTS: dict[type[ast.AST], Callable[[Scopes, Any], None]] = {
    ast.Expr: _expr,
    ast.Assign: _assign,
    ast.AugAssign: _augment,
    ast.AnnAssign: _declare,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.Return: _return,
    ast.If: _if,
    ast.While: _while,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.Raise: _raise,
    ast.Assert: _assert,
    ast.Delete: _delete,
    ast.Global: _outer,
    ast.Nonlocal: _outer,
    ast.Match: _match,
}
if hasattr(ast, "TryStar"):
    _STATEMENTS[ast.TryStar] = _try
