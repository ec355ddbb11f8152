"""What a docstring says for a model: the summary, and a text for each argument (Google or Sphinx style)."""

from __future__ import annotations

import inspect
from itertools import pairwise
from typing import Any

_HEADINGS = frozenset({"Args:", "Arguments:", "Parameters:", "Attributes:"})
_ENDS = frozenset({"Returns:", "Return:", "Raises:", "Yields:", "Example:", "Examples:", "Note:", "Notes:"})


def describe(function: Any) -> tuple[str, dict[str, str]]:
    """Return the summary and the argument texts of a function's docstring."""
    return read_docstring(inspect.getdoc(function) or "")


def describe_record(cls: type) -> tuple[str, dict[str, str]]:
    """Return the summary and the field texts of a class's own docstring; dataclasses' generated ones say nothing."""
    doc = cls.__doc__ or ""
    return ("", {}) if doc.startswith(f"{cls.__name__}(") else read_docstring(inspect.cleandoc(doc))


def describe_fields(cls: type) -> dict[str, str]:
    """Return what a class, or one that it inherits from, says of its fields: in its docstring, else below each."""
    classes = [one for one in reversed(cls.__mro__) if one is not object]
    return {name: text for one in classes for name, text in {**_below_fields(one), **describe_record(one)[1]}.items()}


def _below_fields(cls: type) -> dict[str, str]:
    """Return the texts that stand below the fields in the class's source, where that can be read."""
    import ast
    import textwrap

    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(cls)))
    except (OSError, TypeError, SyntaxError, ValueError):
        return {}
    (body,) = [node.body for node in tree.body if isinstance(node, ast.ClassDef)] or [[]]
    found = {}
    for field, below in pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(below, ast.Expr):
            text = below.value.value if isinstance(below.value, ast.Constant) else None
            if isinstance(text, str):
                found[field.target.id] = " ".join(text.split())
    return found


def read_docstring(doc: str) -> tuple[str, dict[str, str]]:
    """Return the summary and the argument texts of a docstring without indentation.

    >>> read_docstring("Greet.\\n\\nArgs:\\n    name: Who.")
    ('Greet.', {'name': 'Who.'})
    >>> read_docstring("Greet.\\n\\n:param str name: Who.")
    ('Greet.', {'name': 'Who.'})
    """
    lines = doc.splitlines()
    summary: list[str] = []
    for line in lines:
        if not line.strip() or line in _HEADINGS or line in _ENDS or line.startswith(":"):
            break
        summary.append(line.strip())
    texts: dict[str, str] = {}
    for number, line in enumerate(lines):
        if line in _HEADINGS:
            _read_section(lines[number + 1 :], texts)
        elif line.startswith(":param "):
            _read_field(lines[number:], texts)
    return " ".join(summary), texts


def _read_section(lines: list[str], texts: dict[str, str]) -> None:
    """Read `name: text` or `name (type): text`, each with deeper lines that go on with it."""
    margin, name = 0, ""
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if not line.strip():
            continue
        if not indent:
            return
        margin = margin or indent
        head, colon, text = line.strip().partition(":")
        if indent <= margin and colon:
            name = head.split(" ")[0]
            texts[name] = text.strip()
        elif name:
            texts[name] = f"{texts[name]} {line.strip()}".strip()


def _read_field(lines: list[str], texts: dict[str, str]) -> None:
    """Read `:param type name: text` and the indented lines after it."""
    head, _, text = lines[0].removeprefix(":param ").partition(":")
    more = [text.strip()]
    for line in lines[1:]:
        if not line.startswith(" "):
            break
        more.append(line.strip())
    texts[head.split(" ")[-1]] = " ".join(part for part in more if part)
