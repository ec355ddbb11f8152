"""Models of what the standard library does with functions and objects: builtins, functools, contextlib and others."""

from __future__ import annotations

from inarch_brief_tracer.linking.attribute_writes import attributes_matching, store
from inarch_brief_tracer.linking.attributes import attribute, special
from inarch_brief_tracer.linking.cells import Arguments, Values
from inarch_brief_tracer.linking.dispatching import unnamed
from inarch_brief_tracer.linking.iteration_models import ITERATION_MODELS, argument
from inarch_brief_tracer.linking.linker import EMPTY, Linker, Model, union
from inarch_brief_tracer.linking.strings import as_text
from inarch_brief_tracer.linking.values import Above, Cls, Instance, Namespace, Pattern, Scope, Text
from inarch_brief_tracer.linking.wrapper_models import WRAPPER_MODELS


def _super(linker: Linker, arguments: Arguments, line: int) -> Values:
    scope: Scope | None = linker.scope
    while scope is not None and scope.cls is None:
        scope = scope.outer
    if arguments.positional:
        classes = [value for value in arguments.positional[0] if isinstance(value, Cls)]
        receivers = argument(arguments, 1)
        found: Values = ()
        for cls in classes:
            for receiver in receivers or (cls.open,):
                found += (linker.once(Above, cls, receiver),)
        return found
    if scope is None or scope.cls is None or scope.function is None:
        return EMPTY
    names = scope.facts.parameters.positional
    receivers = linker.read(scope.names[names[0]]) if names and names[0] in scope.names else (scope.cls.open,)
    return tuple([linker.once(Above, scope.cls, receiver) for receiver in receivers or (scope.cls.open,)])


def _calls(*names: str) -> Model:
    """Model a builtin that calls the first special method its argument has."""

    def model(linker: Linker, arguments: Arguments, line: int) -> Values:
        result: Values = ()
        for value in argument(arguments, 0):
            for name in names:
                found = special(linker, value, name, Arguments(arguments.positional[1:]), line)
                if found is not None:
                    result = union(result, found)
                    break
        return result

    return model


def _text(linker: Linker, arguments: Arguments, line: int) -> Values:
    as_text(linker, argument(arguments, 0), line)
    return (linker.text(""),)


def _print(linker: Linker, arguments: Arguments, line: int) -> Values:
    as_text(linker, arguments.every(), line)
    return EMPTY


def _getattr(linker: Linker, arguments: Arguments, line: int) -> Values:
    result = argument(arguments, 2)
    names = argument(arguments, 1)
    if not names or any(isinstance(name, Text) and not name.text for name in names):
        result = union(result, unnamed(linker, argument(arguments, 0)))
    for name in names:
        if isinstance(name, Text) and name.text.isidentifier():
            for base in argument(arguments, 0):
                result = union(result, attribute(linker, base, name.text, line))
        elif isinstance(name, Pattern):
            for base in argument(arguments, 0):
                result = union(result, attributes_matching(linker, base, name, line))
    return result


def _setattr(linker: Linker, arguments: Arguments, line: int) -> Values:
    for name in argument(arguments, 1):
        if isinstance(name, Text) and name.text.isidentifier():
            for base in argument(arguments, 0):
                store(linker, base, name.text, argument(arguments, 2), line)
    return EMPTY


def _type(linker: Linker, arguments: Arguments, line: int) -> Values:
    if len(arguments.positional) != 1:
        return EMPTY
    return tuple(
        [
            (value.cls.open_class if value.open else value.cls)
            for value in arguments.positional[0]
            if isinstance(value, Instance)
        ]
    )


def _made_class(linker: Linker, arguments: Arguments, line: int) -> Values:
    """Model `type.__new__`, which a metaclass calls with what its own was given: the class, or one derived from it."""
    return tuple([value.owner for value in arguments.every() if isinstance(value, Namespace)])


def _nothing(linker: Linker, arguments: Arguments, line: int) -> Values:
    return EMPTY


_SPECIAL = ("repr", "len", "float", "bytes", "abs", "round", "divmod", "pow", "dir", "hash")
"""Builtins that call the special method of their own name."""
MODELS: dict[str, Model] = {
    **ITERATION_MODELS,
    **WRAPPER_MODELS,
    **{f"<builtin>.{name}": _calls(f"__{name}__") for name in _SPECIAL},
    **{f"<builtin>.{name}": _nothing for name in ("isinstance", "issubclass", "hasattr", "callable", "id", "range")},
    **dict.fromkeys(("<builtin>.type.__new__", "abc.ABCMeta.__new__", "enum.EnumMeta.__new__"), _made_class),
    **dict.fromkeys(("<builtin>.getattr", "<builtin>.object.__getattribute__"), _getattr),
    **dict.fromkeys(("<builtin>.str", "<builtin>.format"), _text),
    "<builtin>.super": _super,
    "<builtin>.setattr": _setattr,
    "<builtin>.type": _type,
    "<builtin>.print": _print,
    "<builtin>.ascii": _calls("__repr__"),
    "<builtin>.bool": _calls("__bool__", "__len__"),
    "<builtin>.int": _calls("__int__", "__index__"),
}
"""What calling a name outside the tree does; others give themselves and call back the functions handed to them."""
