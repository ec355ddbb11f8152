"""A function's parameters as a tool has them: their JSON Schema, which one is the context, which are converted."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from inarch.contract.ports import ToolContext
from inarch_sdk.schemas import Schemas, Unsupported, is_record, takes_plain, with_default


class Parameters(NamedTuple):
    """What a call needs to know of a function.

    Args:
        schema: JSON Schema of the arguments.
        context: Name of the parameter that receives the `ToolContext`, "" if none does.
        converted: Annotations of the parameters whose JSON value has to become something else.
        fresh: Defaults that a call could change, and that are therefore copied for each.
    """

    schema: Mapping[str, Any]
    context: str
    converted: Mapping[str, Any]
    fresh: Mapping[str, Any]


def read_parameters(
    function: Callable[..., Any], texts: Mapping[str, str], schema: Mapping[str, Any] | None = None
) -> Parameters:
    """Return what `function` takes.

    Args:
        function: The function.
        texts: Descriptions by name of parameter.
        schema: The schema, if its author has written one; then arguments are handed over as they come.

    Raises:
        Unsupported: A parameter has no annotation, or one without a JSON Schema; the message names it.
    """
    parameters = inspect.signature(function).parameters
    if schema is not None:
        named = [name for name, item in parameters.items() if name == "context" or _says_context(item.annotation)]
        return Parameters(schema, named[0] if named else "", {}, {})
    hints = _Hints(function)
    schemas = Schemas()
    properties: dict[str, Any] = {}
    required: list[str] = []
    context, converted, fresh = "", {}, {}
    for name, parameter in parameters.items():
        if not context and _is_context(name, parameter, hints):
            context = name
            continue
        hint, properties[name] = _property(schemas, parameter, hints)
        if name in texts:
            properties[name]["description"] = texts[name]
        if not takes_plain(hint):
            converted[name] = hint
        default = parameter.default
        if default is parameter.empty:
            required.append(name)
            continue
        properties[name] = with_default(properties[name], default)
        if isinstance(default, (list, dict, set)) or is_record(type(default)):
            fresh[name] = default
    whole: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    whole = schemas.closed({**whole, **({"required": required} if required else {})})
    return Parameters(whole, context, converted, fresh)


def _property(schemas: Schemas, parameter: inspect.Parameter, hints: _Hints) -> tuple[Any, dict[str, Any]]:
    where = f"parameter {parameter.name!r} of {hints.function_name}"
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
        raise Unsupported(f"{where}: it is not given by name, so no schema says it; write it without / or *")
    if parameter.annotation is parameter.empty:
        raise Unsupported(f"{where} has no annotation; say what it takes, such as {parameter.name}: str")
    try:
        hint = hints.of(parameter)
        return hint, schemas.of(hint)
    except Unsupported as error:
        raise Unsupported(f"{where}: {error}") from None


def _is_context(name: str, parameter: inspect.Parameter, hints: _Hints) -> bool:
    if _says_context(parameter.annotation):
        return True
    if name != "context" or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        return False
    if parameter.annotation is parameter.empty:
        return True
    try:  # an argument may be called context, if it says what it is
        return not Schemas().of(hints.of(parameter))
    except Unsupported:
        return True


def _says_context(annotation: Any) -> bool:
    if isinstance(annotation, str):  # not evaluated: it may be imported for type checkers only
        first = annotation.removeprefix("typing.").removeprefix("Optional[").rstrip("]").partition("|")[0]
        return first.strip(" '\"").rpartition(".")[2] == "ToolContext"
    return annotation is ToolContext or ToolContext in typing.get_args(annotation)


class _Hints:
    """A function's annotations, evaluated: all at once where that works, else only those that are asked for."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function_name = getattr(function, "__name__", repr(function))
        self._scope = getattr(inspect.unwrap(function), "__globals__", {})
        try:
            self._known = typing.get_type_hints(function, include_extras=True)
        except (NameError, AttributeError, TypeError, SyntaxError):
            self._known = {}

    def of(self, parameter: inspect.Parameter) -> Any:
        """Return what a parameter's annotation means.

        Raises:
            Unsupported: It names what isn't there, or is no annotation.
        """
        if parameter.name in self._known:
            return self._known[parameter.name]
        alone = types.SimpleNamespace(__annotations__={parameter.name: parameter.annotation})
        try:
            return typing.get_type_hints(alone, self._scope, include_extras=True)[parameter.name]
        except (NameError, AttributeError, TypeError, SyntaxError) as error:
            remedy = "import or define it at the top of the module, not only for type checkers"
            raise Unsupported(f"the annotation {parameter.annotation!r} can't be read ({error}); {remedy}") from None
