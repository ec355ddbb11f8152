"""Call sites as they are written: what is handed over, and what becomes of the result."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable, Iterator
from typing import NamedTuple

from attrs import Factory, define

from inarch_brief_tracer.graph.model import Node, Step

MAX_TEXT = 90
"""Characters of a call site that are shown."""
MAX_ARGUMENTS = 60
_LARGEST = 400_000
"""Bytes of a file that is read for call sites; larger ones are made by machines."""
_LONGEST_FUNCTION = 600
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_WINDOW = 25
"""Lines of a statement that are tried where it isn't known which function it stands in."""


class Site(NamedTuple):
    """A call as its source shows it."""

    text: str = ""
    """The statement, shortened around the call."""
    arguments: str = ""
    """What is handed over: `self.table, strict=True`."""
    result: str = ""
    """What becomes of the result: `assigned to errors`, `returned`, `passed to render`, `unused`, …"""


@define(eq=False, repr=False)
class Sites:
    """Reads call sites from the files as they are now.

    Args:
        read: Gives the bytes of a file, None if that is not possible.
    """

    read: Callable[[str], bytes | None]
    _lines: dict[str, list[str]] = Factory(dict)
    _known: dict[tuple[str, int, str], Site] = Factory(dict)
    _trees: dict[tuple[str, int], ast.Module | None] = Factory(dict)

    def of(self, step: Step, caller: Node | None) -> Site:
        """Give the call site that leads to a step; an empty one for the first step of a route."""
        if not step.line:
            return Site()
        key = (step.file, step.line, step.node.qualname)
        if key not in self._known:
            self._known[key] = self._site(step, caller)
        return self._known[key]

    def lines(self, path: str) -> list[str]:
        """Give the lines of a file, none if it can't be read."""
        if path not in self._lines:
            data = self.read(path) or b""
            self._lines[path] = [] if len(data) > _LARGEST else data.decode("utf-8", "replace").splitlines()
        return self._lines[path]

    def source(self, node: Node, most: int) -> str:
        """Give the source of a function, at most some lines of it."""
        lines = self.lines(node.file)[node.line - 1 : node.end]
        more = [f"… {len(lines) - most} more lines"] if len(lines) > most else []
        return textwrap.dedent("\n".join([*lines[:most], *more]))

    def _site(self, step: Step, caller: Node | None) -> Site:
        lines = self.lines(step.file)
        if not 0 < step.line <= len(lines):
            return Site()
        statement, start = self._statement(lines, step.line, caller)
        name = _called_name(step.node)
        found = _call_in(statement, name, step.line - start + 1) if statement is not None else None
        if statement is None or found is None:
            return Site(_cut(" ".join(lines[step.line - 1].split()), MAX_TEXT))
        call, chain = found
        result = _use(chain)
        return Site(_shown(call, chain), _arguments(call), result)

    def _statement(self, lines: list[str], line: int, caller: Node | None) -> tuple[ast.Module | None, int]:
        """Parse the function that the line stands in, else the lines around it; say on which line they begin."""
        if (
            caller is not None
            and caller.kind in ("function", "method")
            and caller.end - caller.line < _LONGEST_FUNCTION
        ):
            key = (caller.file, caller.line)
            if key not in self._trees:
                self._trees[key] = _parsed(lines, caller.line, caller.end)
            if self._trees[key] is not None:
                return self._trees[key], caller.line
        for start in range(line, max(0, line - _WINDOW), -1):
            for end in range(line, min(len(lines), line + _WINDOW) + 1):
                tree = _parsed(lines, start, end)
                if tree is not None:
                    return tree, start
        return None, line


def _parsed(lines: list[str], start: int, end: int) -> ast.Module | None:
    """Parse some lines; the first of them is line 1 of the tree."""
    text = textwrap.dedent("\n".join(lines[start - 1 : end]))
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _called_name(node: Node) -> str:
    parts = node.qualname.split(".")
    return parts[-2] if parts[-1] in ("__init__", "__new__", "__post_init__") and len(parts) > 1 else parts[-1]


def _call_in(tree: ast.AST, name: str, line: int) -> tuple[ast.expr, list[ast.AST]] | None:
    """Find the expression on a line that reaches something of a name, with what it stands in, innermost first.

    A call by the name is best, then the name itself (a property, a callback), then the line's only call.
    """
    best: tuple[int, ast.expr, list[ast.AST]] | None = None
    for node, chain in _on_line(tree, line):
        worth = _worth(node, name, line)
        if worth and (best is None or worth > best[0]):
            best = worth, node, chain
    return None if best is None else (best[1], best[2])


def _worth(node: ast.expr, name: str, line: int) -> int:
    on_line = node.lineno == line or node.end_lineno == line
    if isinstance(node, ast.Call):
        if _last_name(node.func) == name:
            return 5 if on_line else 4
        return 1 if on_line else 0
    return 3 if isinstance(node, ast.Name | ast.Attribute) and _last_name(node) == name else 0


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _on_line(tree: ast.AST, line: int) -> Iterator[tuple[ast.expr, list[ast.AST]]]:
    """Yield the expressions on a line with what stands around them, innermost first."""
    waiting: list[tuple[ast.AST, tuple[ast.AST, ...]]] = [(tree, ())]
    while waiting:
        node, chain = waiting.pop()
        if isinstance(node, ast.expr):
            yield node, list(chain)
        around = (node, *chain)[:6]
        for child in ast.iter_child_nodes(node):
            first = getattr(child, "lineno", line)
            if isinstance(child, _DEFINITIONS) and child.decorator_list:
                first = child.decorator_list[0].lineno
            if first <= line <= (getattr(child, "end_lineno", None) or line):
                waiting.append((child, around))


def _arguments(call: ast.expr) -> str:
    if not isinstance(call, ast.Call):
        return ""
    shown = [ast.unparse(argument) for argument in call.args]
    shown += [
        f"{item.arg}={ast.unparse(item.value)}" if item.arg else f"**{ast.unparse(item.value)}"
        for item in call.keywords
    ]
    return _cut(", ".join(shown), MAX_ARGUMENTS)


def _use(chain: list[ast.AST]) -> str:
    """Say what becomes of an expression, from what stands around it."""
    for node in chain:
        if isinstance(node, ast.Await | ast.Starred | ast.NamedExpr | ast.keyword | ast.FormattedValue | ast.JoinedStr):
            if isinstance(node, ast.NamedExpr):
                return f"assigned to {ast.unparse(node.target)}"
            continue
        return _one_use(node)
    return ""


def _one_use(node: ast.AST) -> str:
    match node:
        case ast.Expr():
            return "unused"
        case ast.Return() | ast.Lambda():
            return "returned"
        case ast.Assign(targets=[target, *_]) | ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            return f"assigned to {_cut(ast.unparse(target), 40)}"
        case ast.Call():
            return f"passed to {_cut(ast.unparse(node.func), 40)}"
        case ast.Attribute():
            return f"its {node.attr} is used"
        case ast.If() | ast.While() | ast.IfExp() | ast.Assert() | ast.BoolOp() | ast.Compare() | ast.UnaryOp():
            return "tested"
        case ast.For(target=target) | ast.AsyncFor(target=target) | ast.comprehension(target=target):
            return f"iterated as {_cut(ast.unparse(target), 40)}"
        case ast.withitem(optional_vars=ast.expr() as name):
            return f"entered as {ast.unparse(name)}"
        case ast.withitem():
            return "entered"
        case ast.Yield() | ast.YieldFrom():
            return "yielded"
        case ast.Raise():
            return "raised"
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return "decorates"
    return "used"


def _shown(call: ast.expr, chain: list[ast.AST]) -> str:
    """Write the call in its statement; where that is too long, the call with what becomes of its result."""
    whole: ast.AST = call
    for node in chain:
        if isinstance(node, ast.Expr | ast.Return | ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Raise):
            text = " ".join(ast.unparse(node).split())
            if len(text) <= MAX_TEXT:
                return text
            break
        if isinstance(node, ast.stmt):
            break
        if isinstance(node, ast.expr):
            whole = node
    text = " ".join(ast.unparse(whole).split())
    if len(text) > MAX_TEXT:
        text = (
            f"{_cut(ast.unparse(call.func), 40)}({_arguments(call)})"
            if isinstance(call, ast.Call)
            else ast.unparse(call)
        )
    return _cut(_opened(call, chain) + text, MAX_TEXT)


def _opened(call: ast.expr, chain: list[ast.AST]) -> str:
    """Write how the statement around a call begins."""
    for node in chain:
        match node:
            case ast.Return():
                return "return "
            case ast.Assign(targets=[target, *_]):
                return f"{_cut(ast.unparse(target), 30)} = "
            case ast.If(test=test) if _is_within(call, test):
                return "if "
            case ast.While(test=test) if _is_within(call, test):
                return "while "
            case ast.For(target=target, iter=rows) if _is_within(call, rows):
                return f"for {_cut(ast.unparse(target), 30)} in "
            case ast.stmt():
                return ""
    return ""


def _is_within(call: ast.expr, tree: ast.expr) -> bool:
    return any(node is call for node in ast.walk(tree))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
