"""The small faults that `mutants.py` puts into a file, one at a time: conditions, comparisons, constants, statements.

Each stands for a slip that is made in earnest. Left out is what no test should hold: annotations, docstrings,
assertions, the words of messages, and imports for type checkers.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any, NamedTuple

COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
CALCULATED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip
TWINS = {"min": "max", "max": "min", "any": "all", "all": "any", "find": "rfind", "startswith": "endswith"}
UNWRAPPED = {"sorted", "reversed", "set", "frozenset", "list", "tuple", "dict"}


class Mutation(NamedTuple):
    """A fault: the lines of what it changes, what it says, and the file with it as a tree that compiles."""

    line: int
    end: int
    text: str
    build: Callable[[], ast.Module]


class Site(NamedTuple):
    """A place of the tree: a field of a node, or an entry of one, and the statement that it is in."""

    parent: ast.AST
    name: str
    at: int | None
    node: Any

    def put(self, node: Any) -> None:
        """Let `node` stand there."""
        if self.at is None:
            setattr(self.parent, self.name, node)
        else:
            getattr(self.parent, self.name)[self.at] = node


def mutations_of(source: str) -> Iterator[Mutation]:
    """Yield the faults of a file in the order of its lines."""
    tree = ast.parse(source)
    for site in _sites(tree, rebound=set()):
        for node in _instead(site):
            yield Mutation(site.node.lineno, site.node.end_lineno, _text(site.node, node), _builder(tree, site, node))


def _builder(tree: ast.Module, site: Site, node: ast.AST) -> Callable[[], ast.Module]:
    def build() -> ast.Module:
        # The change is made, copied and taken back: so all else keeps its lines, and functions are told apart by these.
        site.put(ast.fix_missing_locations(ast.copy_location(deepcopy(node), site.node)))
        try:
            return deepcopy(tree)
        finally:
            site.put(site.node)

    return build


def _text(old: ast.AST, new: ast.AST) -> str:
    before, after = (" ".join(ast.unparse(node).split()) for node in (old, new))
    same = 0
    while same < min(len(before), len(after)) and before[same] == after[same]:
        same += 1
    start = max(0, same - 40) if len(before) > 90 else 0
    return f"{before[start : start + 90]}  ->  {after[start : start + 90]}"


def _sites(node: ast.AST, rebound: set[str]) -> Iterator[Site]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        names = Counter([*_stored(node), *(found.arg for found in ast.walk(node) if isinstance(found, ast.arg))])
        rebound = {name for name, count in names.items() if count > 1}
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "ctx", "ops", "op"):
            continue
        for index, child in enumerate(value) if isinstance(value, list) else ((None, value),):
            if not isinstance(child, ast.AST) or _is_left_out(node, name, child):
                continue
            if hasattr(child, "lineno") and not (_binds(child) - rebound):
                yield Site(node, name, index, child)
            yield from _sites(child, rebound)


def _is_left_out(parent: ast.AST, name: str, child: ast.AST) -> bool:
    if isinstance(child, (ast.Assert, ast.Import, ast.ImportFrom, ast.JoinedStr, ast.AnnAssign, ast.alias)):
        return not (isinstance(child, ast.AnnAssign) and child.value is not None)
    if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
        return True
    if isinstance(child, ast.Subscript) and isinstance(child.value, ast.Name) and child.value.id == "Literal":
        return True
    if isinstance(child, ast.Call) and isinstance(child.func, ast.Name) and child.func.id in ("field", "define"):
        return True  # what attrs makes of a class fails at once
    return isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING"


def _binds(node: ast.AST) -> set[str]:
    """Return the names without which the rest would fail at once if an assignment was dropped."""
    return {name for target in node.targets for name in _stored(target)} if isinstance(node, ast.Assign) else set()


def _stored(node: ast.AST) -> Iterator[str]:
    return (one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store))


def _instead(site: Site) -> Iterator[ast.AST]:
    """Yield what may stand at a place instead, of its own lines."""
    node = site.node
    if isinstance(node, ast.stmt):
        yield from _statements(node)
    elif isinstance(node, ast.expr):
        if site.name in ("test", "ifs") and not isinstance(site.parent, ast.While):
            yield ast.Constant(True)
        if site.name in ("test", "ifs"):
            yield ast.Constant(False)
        yield from _expressions(node)


def _statements(node: ast.stmt) -> Iterator[ast.stmt]:
    if isinstance(node, (ast.Assign, ast.AugAssign, ast.Raise, ast.Continue, ast.Break, ast.Expr, ast.Return)):
        yield ast.Pass()
    if isinstance(node, ast.Return) and node.value is not None:
        yield ast.Return(ast.Constant(None))
    if isinstance(node, ast.Break):
        yield ast.Continue()
    if isinstance(node, ast.Continue):
        yield ast.Break()


def _expressions(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Compare):
        for at, operator in enumerate(node.ops):
            other = COMPARED[type(operator)]()
            yield ast.Compare(node.left, [*node.ops[:at], other, *node.ops[at + 1 :]], node.comparators)
    elif isinstance(node, ast.BoolOp):
        for at in range(len(node.values)):
            rest = [*node.values[:at], *node.values[at + 1 :]]
            yield ast.BoolOp(node.op, rest) if len(rest) > 1 else rest[0]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
        yield node.operand
    elif isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.Add):
            yield from (node.left, node.right)
        elif type(node.op) in CALCULATED:
            yield ast.BinOp(node.left, CALCULATED[type(node.op)](), node.right)
    elif isinstance(node, ast.IfExp):
        yield from (node.body, node.orelse)
    elif isinstance(node, ast.Constant):
        yield from _constants(node.value)
    elif isinstance(node, ast.Call):
        yield from _calls(node)
    elif isinstance(node, ast.Slice):
        if node.lower is not None:
            yield ast.Slice(None, node.upper, node.step)
        if node.upper is not None:
            yield ast.Slice(node.lower, None, node.step)


def _constants(value: object) -> Iterator[ast.expr]:
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield ast.Constant(value + 1)
        if value > 1:
            yield ast.Constant(value - 1)
    elif isinstance(value, (str, bytes)) and value and len(value.split()) == 1:  # more than a word is a message
        yield ast.Constant(value[:0])


def _calls(node: ast.Call) -> Iterator[ast.expr]:
    function, values, words = node.func, node.args, node.keywords
    name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    if name in TWINS:
        other = TWINS[name]
        changed = ast.Name(other, ast.Load()) if isinstance(function, ast.Name) else None
        if isinstance(function, ast.Attribute):
            yield ast.Call(ast.Attribute(function.value, other, ast.Load()), values, words)
        elif changed is not None:
            yield ast.Call(changed, values, words)
    if isinstance(function, ast.Name) and name in UNWRAPPED and len(values) == 1:
        yield values[0]
    if isinstance(function, ast.Attribute) and not values and not words:
        yield function.value
    if len(values) > 1 and not any(isinstance(value, ast.Starred) for value in values[:2]):
        yield ast.Call(function, [values[1], values[0], *values[2:]], words)
    for at in range(len(words)):
        yield ast.Call(function, values, [*words[:at], *words[at + 1 :]])
