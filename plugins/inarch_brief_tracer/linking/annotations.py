"""What annotations say: instances of the classes they name, or nothing."""

from __future__ import annotations

from inarch_brief_tracer.facts.link_facts import ATTRIBUTE, SEQUENCE, SUBSCRIPT, UNION, Code
from inarch_brief_tracer.linking.attributes import attribute
from inarch_brief_tracer.linking.cells import Value, Values
from inarch_brief_tracer.linking.linker import EMPTY, Linker, every, union
from inarch_brief_tracer.linking.names import builtin, name_cell
from inarch_brief_tracer.linking.values import Cls, Outside, Scope, Text

_TRANSPARENT = frozenset(
    "Optional Union Final ClassVar Annotated Required NotRequired Awaitable Coroutine TypeGuard InitVar".split()  # noqa: SIM905
)


def hinted(linker: Linker, scope: Scope, code: Code, depth: int = 0) -> Values:
    """Give the objects that an annotation in a scope promises; what containers hold is known from what is put in."""
    if code is None or depth > 6:
        return EMPTY
    if type(code) is str or code[0] == ATTRIBUTE:
        return _instances(linker, scope, _named(linker, scope, code))
    if code[0] == UNION:
        return every([hinted(linker, scope, part, depth + 1) for part in code[1]])
    return _subscripted(linker, scope, code, depth) if code[0] == SUBSCRIPT else EMPTY


def _named(linker: Linker, scope: Scope, code: Code) -> Values:
    if type(code) is str:
        cell = name_cell(linker, scope, code)
        return linker.read(cell) if cell is not None else builtin(linker, scope, code)
    if type(code) is tuple and code[0] == ATTRIBUTE:
        result: Values = ()
        for base in _named(linker, scope, code[1]):
            result = union(result, attribute(linker, base, code[2], 0))
        return result
    return EMPTY


def _instances(linker: Linker, scope: Scope, named: Values) -> Values:
    result: list[Value] = []
    for value in named:
        if isinstance(value, Cls):
            result.append(value.open)
        elif isinstance(value, Outside):
            name = value.name.rpartition(".")[2]
            if name == "Self":
                owner: Scope | None = scope
                while owner is not None and owner.cls is None:
                    owner = owner.outer
                if owner is not None and owner.cls is not None:
                    result.append(owner.cls.open)
            elif name not in ("Any", "TypeVar", "None") and name not in _TRANSPARENT:
                result.append(value)
        elif isinstance(value, Text) and value.text.isidentifier():
            # In an alias: `Styled = Union[str, "Style"]`.
            result += [cls.open for cls in _named(linker, scope, value.text) if isinstance(cls, Cls)]
    return tuple(result)


def _subscripted(linker: Linker, scope: Scope, code: Code, depth: int) -> Values:
    base, inner = code[1], code[2]
    name = base if type(base) is str else base[2] if type(base) is tuple and base[0] == ATTRIBUTE else ""
    parts = inner[3] if type(inner) is tuple and inner[0] == SEQUENCE else (inner,)
    if name in ("type", "Type"):
        return tuple([value for value in _named(linker, scope, inner) if isinstance(value, Cls)])
    if name in _TRANSPARENT:
        kept = parts[:1] if name == "Annotated" else parts[-1:] if name == "Coroutine" else parts
        return every([hinted(linker, scope, part, depth + 1) for part in kept])
    return _instances(linker, scope, _named(linker, scope, base)) if name not in ("Callable", "Literal") else EMPTY
