"""What single nodes of a syntax tree say."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from inarch_brief_tracer.facts.file_facts import ABSTRACT, DEPRECATED, OVERLOAD, PROPERTY, STUB
from inarch_brief_tracer.facts.source import Function, first_paragraph, sound

_PROPERTIES = frozenset(("property", "cached_property", "functools.cached_property", "hybrid_property"))


def docstring(body: Sequence[ast.stmt]) -> str:
    """Give the first paragraph of the docstring of a body."""
    first = body[0] if body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        return first_paragraph(first.value.value)
    return ""


def is_stub(body: Sequence[ast.stmt]) -> bool:
    """Whether a body does nothing: docstring, `...`, `pass` or `raise NotImplementedError` alone."""
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
    """Tell what decorators say of a definition."""
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


def annotated_parameters(node: Function) -> dict[str, ast.expr | None]:
    """Give the annotated_parameters' names and annotations; those of `*args` and `**kwargs` say nothing of the name."""
    args = node.args
    names = {arg.arg: arg.annotation for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
    return {**names, **{arg.arg: None for arg in (args.vararg, args.kwarg) if arg}}


def is_main_guard(test: ast.expr) -> bool:
    """Whether a test is `__name__ == "__main__"`."""
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and test.left.id == "__name__"
        and isinstance(test.comparators[0], ast.Constant)
        and test.comparators[0].value == "__main__"
    )


def strings(node: ast.expr | None) -> tuple[str, ...] | None:
    """Give the strings of a literal list or tuple; None for anything else."""
    if not isinstance(node, ast.List | ast.Tuple):
        return None
    values = [item.value for item in node.elts if isinstance(item, ast.Constant)]
    return tuple(sound(value) for value in values if isinstance(value, str))
