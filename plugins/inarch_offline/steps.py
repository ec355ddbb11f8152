"""What a function does, step by step: its statements in order, each with its line and the comment above it."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from inarch_offline.material import Symbol
from inarch_offline.readme import Fact, first_prose
from inarch_offline.writing import Place, cut, sentence

MOST_STEPS = 9
_MOST_TEXT = 150
_BLOCKS = (
    ast.If, ast.While, ast.For, ast.AsyncFor, ast.With, ast.AsyncWith, ast.FunctionDef, ast.AsyncFunctionDef
)  # fmt: skip


class Step(NamedTuple):
    """One statement: its comment or nothing, its code on one line, and how much it says of the function."""

    place: Place
    comment: str
    code: str
    weight: int


class Method(NamedTuple):
    """A method or a nested class, as it stands in its class."""

    name: str
    place: Place
    signature: str
    doc: str
    steps: tuple[Step, ...]


def docstring_of(symbol: Symbol) -> Fact | None:
    """Give the first prose of a definition's docstring with its line, from the code if it is there."""
    body = _Body.parsed(symbol, frozenset())
    whole = ast.get_docstring(body.definition) if body else None
    doc, below = first_prose(whole or symbol.doc)
    if not doc:
        return None
    return Fact(doc, body.place(body.definition.body[0].lineno + below) if body and whole else symbol.place)


def steps_of(symbol: Symbol, named: Iterable[str] = ()) -> list[Step]:
    """Give the steps of a function from its code; calls of the `named` functions count more."""
    body = _Body.parsed(symbol, frozenset(named))
    return body.steps(body.definition.body) if body and not isinstance(body.definition, ast.ClassDef) else []


def methods_of(symbol: Symbol) -> list[Method]:
    """Give the methods of a class from its code, in order."""
    body = _Body.parsed(symbol, frozenset())
    if body is None or not isinstance(body.definition, ast.ClassDef):
        return []
    return [
        Method(node.name, body.place(node.lineno), _signature(node), _doc(node), tuple(body.steps(node.body)))
        for node in body.definition.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not _is_overload(node)
    ]


def told(step: Step) -> str:
    """Put a step into words: the comment above it and its code."""
    return f"{step.comment} — `{step.code}`" if step.comment else f"`{step.code}`"


def most_telling(steps: Sequence[Step], most: int = MOST_STEPS) -> list[Step]:
    """Keep the steps that say most, in their order."""
    kept = sorted(range(len(steps)), key=lambda index: (-steps[index].weight, index))[:most]
    return [steps[index] for index in sorted(kept)]


class _Body(NamedTuple):
    """A definition's tree with the lines it was parsed from."""

    path: str
    lines: tuple[str, ...]
    first: int
    """Line in the file of the first of `lines`."""
    definition: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    named: frozenset[str]

    @classmethod
    def parsed(cls, symbol: Symbol, named: frozenset[str]) -> _Body | None:
        """Parse a symbol's code, None where it is no whole definition."""
        # What is indented is put into a block rather than dedented: texts in it may begin at the margin.
        text = f"if True:\n{symbol.code}" if symbol.code[:1].isspace() else symbol.code
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        node = tree.body[0] if tree.body else None
        if isinstance(node, ast.If):
            node = node.body[0]
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            return None
        return cls(symbol.place.path, tuple(text.split("\n")), symbol.place.line - node.lineno + 1, node, named)

    def place(self, line: int) -> Place:
        return Place(self.path, self.first + line - 1)

    def steps(self, statements: Sequence[ast.stmt]) -> list[Step]:
        """Give a step a statement; where there are few, the blocks among them are opened."""
        found = [(node, False) for node in _without_docstring(statements)]
        for most, kinds in ((6, ast.Try), (4, _BLOCKS), (6, ast.Try), (4, _BLOCKS)):
            if len(found) < most:
                found = [inner for item in found for inner in _opened(item, kinds)]
        return [
            self._step(node, head_only)
            for node, head_only in found
            if not isinstance(node, ast.Pass | ast.Import | ast.ImportFrom)
        ]

    def _step(self, node: ast.stmt, head_only: bool) -> Step:
        comment = self._comment(node.lineno)
        weight = 2 * bool(comment) + 3 * self._calls_named(node) + _weight(node)
        code = self._code(node, head_only)
        return Step(self.place(node.lineno), comment, cut(code, _MOST_TEXT), weight)

    def _code(self, node: ast.stmt, head_only: bool = False) -> str:
        """Write a statement on one line: of a block its head, and what says most in it."""
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            return f"defines {node.name}" + (f": {sentence(_doc(node), 60)}" if _doc(node) else "")
        if isinstance(node, ast.Try):
            caught = ", ".join(ast.unparse(handler.type) for handler in node.handlers if handler.type)
            return f"try: {self._gist(node.body)}" + (f" (except {caught})" if caught else "")
        head = _head(node)
        if not head:
            return ast.unparse(node)
        if head_only:
            return f"{head}: …"
        return f"{head}: {self._gist(getattr(node, 'body', []))}{self._otherwise(node)}"

    def _otherwise(self, node: ast.stmt) -> str:
        """Write the other branches of an `if`."""
        others = node.orelse if isinstance(node, ast.If) else []
        if not others:
            return ""
        chained = len(others) == 1 and isinstance(others[0], ast.If)
        return f"; el{self._code(others[0])}" if chained else f"; else: {self._gist(others)}"

    def _gist(self, statements: Sequence[ast.stmt]) -> str:
        """Give the statement of a block that says most."""
        best = max(statements, key=lambda node: 3 * self._calls_named(node) + _weight(node))
        more = "; …" if len(statements) > 1 else ""
        return self._code(best) + more

    def _comment(self, line: int) -> str:
        found: list[str] = []
        for text in reversed(self.lines[max(0, line - 7) : line - 1]):
            if not text.strip().startswith("#"):
                break
            found.append(text.strip().lstrip("#: "))
        said = sentence(" ".join(reversed(found)), 110)
        return "" if said.startswith(("type:", "noqa", "pragma", "fmt:", "pylint")) else said

    def _calls_named(self, node: ast.stmt) -> bool:
        return any(
            (node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")) in self.named
            for node in ast.walk(node)
            if isinstance(node, ast.Call)
        )


def _weight(node: ast.stmt) -> int:
    if isinstance(node, ast.Return | ast.Raise):
        return 3 if getattr(node, "value", None) or getattr(node, "exc", None) else 1
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        return 2 if isinstance(node.value, ast.Call | ast.Await) else 0
    if isinstance(node, ast.Expr):
        return 3 if isinstance(node.value, ast.Yield | ast.YieldFrom | ast.Await) else 2
    return (
        3 if isinstance(node, ast.If | ast.For | ast.While | ast.With | ast.Try | ast.AsyncFor | ast.AsyncWith) else 1
    )


def _opened(
    item: tuple[ast.stmt, bool], kinds: type[ast.stmt] | tuple[type[ast.stmt], ...]
) -> list[tuple[ast.stmt, bool]]:
    """Put a block's statements behind its head; of `try` and endless loops the head says nothing."""
    node, head_only = item
    body = getattr(node, "body", [])
    if head_only or not isinstance(node, kinds) or len(body) < 2:
        return [item]
    endless = isinstance(node, ast.While) and isinstance(node.test, ast.Constant)
    head = [] if endless or isinstance(node, ast.Try) else [(node, True)]
    return [*head, *((inner, False) for inner in _without_docstring(body))]


def _head(node: ast.stmt) -> str:
    """Write the head of a block, "" for what is none."""
    if isinstance(node, ast.If | ast.While):
        return f"{'if' if isinstance(node, ast.If) else 'while'} {ast.unparse(node.test)}"
    if isinstance(node, ast.For | ast.AsyncFor):
        return f"for {ast.unparse(node.target)} in {ast.unparse(node.iter)}"
    if isinstance(node, ast.With | ast.AsyncWith):
        return f"with {', '.join(map(ast.unparse, node.items))}"
    return ""


def _without_docstring(statements: Sequence[ast.stmt]) -> Sequence[ast.stmt]:
    first = statements[0] if statements else None
    is_doc = (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    )
    return statements[1:] if is_doc else statements


def _doc(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> str:
    return first_prose(ast.get_docstring(node) or "")[0]


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    return f"({ast.unparse(node.args)})" + (f" -> {ast.unparse(node.returns)}" if node.returns else "")


def _is_overload(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(ast.unparse(decorator).endswith("overload") for decorator in node.decorator_list)
