"""From expressions of the syntax tree to codes; None if they cannot carry a function, an object or a name."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from typing import Any

from inarch_brief.tracer.facts.link_facts import (
    ATTRIBUTE,
    AWAIT,
    CALL,
    CAUGHT,
    COMPREHENSION,
    EACH,
    FORMATTED,
    LAMBDA_SCOPE,
    MAPPING,
    NAMED,
    NUMBER,
    OPERATION,
    SCOPE,
    SEQUENCE,
    SLICE,
    STAR,
    SUBSCRIPT,
    TEXT,
    TRUTH,
    UNION,
    YIELD,
    YIELD_FROM,
    Code,
)
from inarch_brief.tracer.facts.scopes import Scopes

BINARY = {
    ast.Add: ("__add__", "__radd__"),
    ast.Sub: ("__sub__", "__rsub__"),
    ast.Mult: ("__mul__", "__rmul__"),
    ast.MatMult: ("__matmul__", "__rmatmul__"),
    ast.Div: ("__truediv__", "__rtruediv__"),
    ast.FloorDiv: ("__floordiv__", "__rfloordiv__"),
    ast.Mod: ("__mod__", "__rmod__"),
    ast.Pow: ("__pow__", "__rpow__"),
    ast.LShift: ("__lshift__", "__rlshift__"),
    ast.RShift: ("__rshift__", "__rrshift__"),
    ast.BitAnd: ("__and__", "__rand__"),
    ast.BitOr: ("__or__", "__ror__"),
    ast.BitXor: ("__xor__", "__rxor__"),
}
_COMPARED = {
    ast.Eq: ("__eq__", "__eq__"),
    ast.NotEq: ("__ne__", "__ne__"),
    ast.Lt: ("__lt__", "__gt__"),
    ast.LtE: ("__le__", "__ge__"),
    ast.Gt: ("__gt__", "__lt__"),
    ast.GtE: ("__ge__", "__le__"),
    ast.In: ("", "__contains__"),
    ast.NotIn: ("", "__contains__"),
}
_NAMING = re.compile(r"[\w.:%-]*")
MAX_TEXT = 60
"""Longer strings name nothing."""
_TEXT: Code = (TEXT, "")

_NAME, _ATTRIBUTE = ast.Name, ast.Attribute
_ASKED = frozenset((ast.Attribute, ast.Call, ast.Subscript))
"""Expressions whose truth is evaluated as a condition."""

Compile = Callable[[Scopes, Any], Code]


def expression(scopes: Scopes, node: ast.expr | None) -> Code:
    """Return the code of an expression, or None if it carries nothing."""
    if type(node) is _NAME:
        return node.id
    handler = _EXPRESSIONS.get(type(node))
    return handler(scopes, node) if handler is not None else None


def codes(scopes: Scopes, nodes: Sequence[ast.expr | None]) -> tuple[Code, ...]:
    """Return the codes of several expressions."""
    return tuple([expression(scopes, node) for node in nodes])


def each(parts: Sequence[Code]) -> Code:
    """Return a code that evaluates parts for their effect."""
    # A name alone does nothing.
    kept = tuple([part for part in parts if part is not None and type(part) is not str])
    if not kept:
        return None
    return (EACH, kept)


def _attribute(scopes: Scopes, node: ast.Attribute) -> Code:
    base = node.value
    code = expression(scopes, base)
    if code is None and type(base) is ast.Constant and type(base.value) is str:
        text = base.value
        code = _TEXT if "{" not in text else (TEXT, text[:MAX_TEXT])
    return (ATTRIBUTE, code, node.attr, node.end_lineno)


def _call(scopes: Scopes, node: ast.Call) -> Code:
    func = node.func
    calls = scopes.calls
    at = len(calls)
    calls.append(None)
    callee = expression(scopes, func)
    positional = codes(scopes, node.args)
    keywords = tuple([(word.arg, expression(scopes, word.value)) for word in node.keywords])
    if callee == "isinstance" and len(positional) == 2 and type(positional[0]) is str and positional[1] is not None:
        scopes.current.body.append((CAUGHT, positional[0], positional[1]))
    # A chained method's line is that of its name, not of the start of the chain.
    line = (func.end_lineno or node.lineno) if type(func) is _ATTRIBUTE else node.lineno
    calls[at] = (callee, line, scopes.current.place, node)
    return (CALL, callee, positional, keywords, line)


def _constant(scopes: Scopes, node: ast.Constant) -> Code:
    value = node.value
    if type(value) is str:
        # Only possible names are stored: an attribute, a module, a key.
        return (TEXT, value) if len(value) <= MAX_TEXT and _NAMING.fullmatch(value) else None
    if type(value) is int and -10 < value < 20:
        return (NUMBER, value)
    return None


def _subscript(scopes: Scopes, node: ast.Subscript) -> Code:
    key = node.slice
    code = expression(scopes, key)
    code = SLICE if type(key) is ast.Slice else code
    return (SUBSCRIPT, expression(scopes, node.value), code, node.lineno)


def _bounds(scopes: Scopes, node: ast.Slice) -> None:
    """Record the calls in the bounds of a slice, which carries nothing itself."""
    for part in (node.lower, node.upper, node.step):
        if part is not None and type(part) is not ast.Constant:
            expression(scopes, part)


def _sequence(kind: str) -> Compile:
    def handler(scopes: Scopes, node: ast.List | ast.Tuple | ast.Set) -> Code:
        items = codes(scopes, node.elts)
        if items and all(item is None or (type(item) is tuple and item[0] == NUMBER) for item in items):
            return None  # data
        return (SEQUENCE, kind, scopes.site(), items)

    return handler


def _mapping(scopes: Scopes, node: ast.Dict) -> Code:
    pairs = [
        (expression(scopes, key), expression(scopes, value)) for key, value in zip(node.keys, node.values, strict=True)
    ]
    # Values that carry nothing are dropped; the mapping itself stays.
    kept = [pair if node.keys[at] is not None else (0, pair[1]) for at, pair in enumerate(pairs) if pair[1] is not None]
    return (MAPPING, scopes.site(), tuple(kept))


def _boolean(scopes: Scopes, node: ast.BoolOp) -> Code:
    parts = [expression(scopes, value) for value in node.values]
    return (UNION, tuple([part for part in parts if part is not None]))


def _choice(scopes: Scopes, node: ast.IfExp) -> Code:
    test = truth(scopes, node.test)
    parts = [part for part in (expression(scopes, node.body), expression(scopes, node.orelse)) if part is not None]
    if test is not None:
        parts.insert(0, (EACH, (test,)))
    return (UNION, tuple(parts)) if parts else None


def truth(scopes: Scopes, node: ast.expr) -> Code:
    """Return the code of a condition. An operand outside a comparison has its truth evaluated."""
    kind = type(node)
    if kind is _NAME:
        return (TRUTH, node.id, node.lineno)  # type: ignore[attr-defined]
    if kind in _ASKED:
        return (TRUTH, expression(scopes, node), node.lineno)
    if kind is ast.UnaryOp and type(node.op) is ast.Not:  # type: ignore[attr-defined]
        return truth(scopes, node.operand)  # type: ignore[attr-defined]
    if kind is ast.BoolOp:
        return each([truth(scopes, value) for value in node.values])  # type: ignore[attr-defined]
    return expression(scopes, node)


def _binary(scopes: Scopes, node: ast.BinOp) -> Code:
    # A chain of operators nests to the left, thousands deep in generated code.
    chain = []
    current: ast.expr = node
    if type(node.op) is ast.Mod and type(node.left) is ast.Constant and type(node.left.value) is str:
        text = node.left.value
        known: Code = (TEXT, text) if len(text) <= MAX_TEXT and _NAMING.fullmatch(text) else _TEXT
        right = expression(scopes, node.right)
        return (
            (OPERATION, BINARY[ast.Mod], known, right, node.lineno) if right is not None or known is not _TEXT else None
        )
    while type(current) is ast.BinOp:
        chain.append(current)
        current = current.left
    left = expression(scopes, current)
    for link in reversed(chain):
        right = expression(scopes, link.right)
        if left is not None or right is not None:
            left = (OPERATION, BINARY[type(link.op)], left, right, link.lineno)
    return left


def _comparison(scopes: Scopes, node: ast.Compare) -> Code:
    parts = []
    left = expression(scopes, node.left)
    for operator, other in zip(node.ops, node.comparators, strict=True):
        right = expression(scopes, other)
        names = _COMPARED.get(type(operator))
        if names and (left is not None or right is not None):
            parts.append((OPERATION, names, left, right, node.lineno))
        else:
            parts += [left, right]
        left = right
    return each(parts)


def _unary(scopes: Scopes, node: ast.UnaryOp) -> Code:
    if type(node.op) is ast.Not:
        return each([truth(scopes, node.operand)])
    operand = expression(scopes, node.operand)
    if type(operand) is tuple and operand[0] == NUMBER and type(node.op) is ast.USub:
        return (NUMBER, -operand[1])
    return each([operand])


def default_values(scopes: Scopes, args: ast.arguments) -> tuple[tuple[str, Code], ...]:
    """Return the codes of the defaults of a function's parameters, by name."""
    names = [item.arg for item in (*args.posonlyargs, *args.args)]
    given = list(zip(reversed(names), reversed(args.defaults), strict=False))
    given += [(item.arg, value) for item, value in zip(args.kwonlyargs, args.kw_defaults, strict=True) if value]
    return tuple([(name, code) for name, value in given if (code := expression(scopes, value)) is not None])


def _lambda(scopes: Scopes, node: ast.Lambda) -> Code:
    defaults = default_values(scopes, node.args)
    index = scopes.enter(LAMBDA_SCOPE, "<lambda>", node.lineno, node.args)
    scopes.returned(expression(scopes, node.body))
    scopes.leave(index)
    return (SCOPE, index, defaults)


def _comprehension(kind: str) -> Compile:
    def handler(scopes: Scopes, node: Any) -> Code:
        loops, conditions = [], []
        for loop in node.generators:
            iterable = expression(scopes, loop.iter)
            loops.append((target(scopes, loop.target), iterable, node.lineno))
            conditions += [truth(scopes, test) for test in loop.ifs]
        if kind == "dict":
            element, value = expression(scopes, node.key), expression(scopes, node.value)
        else:
            element, value = expression(scopes, node.elt), None
        kept = tuple([test for test in conditions if test is not None])
        return (COMPREHENSION, kind, scopes.site(), tuple(loops), kept, element, value)

    return handler


def target(scopes: Scopes, node: ast.expr) -> Code:
    """Return the code of an assignment target, and record the names that it binds."""
    kind = type(node)
    if kind is ast.Name:
        scopes.current.bound[node.id] = True  # type: ignore[attr-defined]
        return node.id  # type: ignore[attr-defined]
    if kind is ast.Tuple or kind is ast.List:
        return (SEQUENCE, "tuple", 0, tuple([target(scopes, item) for item in node.elts]))  # type: ignore[attr-defined]
    if kind is ast.Starred:
        return (STAR, target(scopes, node.value))  # type: ignore[attr-defined]
    if kind is ast.Attribute:
        value = node.value  # type: ignore[attr-defined]
        if type(value) is ast.Name:
            scopes.attribute(value.id, node.attr)  # type: ignore[attr-defined]
    return expression(scopes, node)


def _named(scopes: Scopes, node: ast.NamedExpr) -> Code:
    scopes.current.bound[node.target.id] = True
    return (NAMED, node.target.id, expression(scopes, node.value))


def _yield(scopes: Scopes, node: ast.Yield) -> Code:
    scopes.generates()
    return (YIELD, expression(scopes, node.value))


def _yield_from(scopes: Scopes, node: ast.YieldFrom) -> Code:
    scopes.generates()
    return (YIELD_FROM, expression(scopes, node.value), node.lineno)


def _formatted(scopes: Scopes, node: ast.JoinedStr) -> Code:
    parts = []
    for part in node.values:
        if type(part) is ast.FormattedValue:
            parts.append(expression(scopes, part.value))
            if part.format_spec is not None:
                expression(scopes, part.format_spec)  # for its calls
    kept = tuple([part for part in parts if part is not None])
    start, end = _literal(node.values[:1]), _literal(node.values[-1:])
    if not kept and not start and not end:
        return _TEXT
    return (FORMATTED, kept, node.lineno, start, end)


def _literal(values: Sequence[ast.expr]) -> str:
    """Return the text that a formatted string starts or ends with, if it may be part of a name."""
    for value in values:
        if type(value) is ast.Constant and type(value.value) is str and len(value.value) <= MAX_TEXT:
            return value.value
    return ""


_EXPRESSIONS: dict[type[ast.AST] | type[None], Compile] = {
    ast.Name: lambda scopes, node: node.id,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.Constant: _constant,
    ast.Subscript: _subscript,
    ast.List: _sequence("list"),
    ast.Tuple: _sequence("tuple"),
    ast.Set: _sequence("set"),
    ast.Dict: _mapping,
    ast.BoolOp: _boolean,
    ast.IfExp: _choice,
    ast.BinOp: _binary,
    ast.Compare: _comparison,
    ast.UnaryOp: _unary,
    ast.Lambda: _lambda,
    ast.ListComp: _comprehension("list"),
    ast.SetComp: _comprehension("set"),
    ast.GeneratorExp: _comprehension("list"),
    ast.DictComp: _comprehension("dict"),
    ast.NamedExpr: _named,
    ast.Await: lambda scopes, node: (AWAIT, expression(scopes, node.value)),
    ast.Starred: lambda scopes, node: (STAR, expression(scopes, node.value)),
    ast.Yield: _yield,
    ast.YieldFrom: _yield_from,
    ast.JoinedStr: _formatted,
    ast.Slice: _bounds,
}
