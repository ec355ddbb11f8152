"""The decorator `@inarch.tool`, which turns a typed function with a docstring into a tool."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from typing import Any, NamedTuple, TypedDict, Unpack, overload

from attrs import define

from inarch.contract.ports import ToolContext, ToolFunction
from inarch.contract.records import Category, Effects
from inarch_sdk.docstrings import describe
from inarch_sdk.schemas import Schemas, Unsupported, is_record, takes_plain, with_default


class Parameters(NamedTuple):
    """Information about a function that calls of it need.

    Args:
        schema: JSON Schema of the arguments.
        context: The parameter that receives the `ToolContext`, "" if none does.
        converted: Annotations of the parameters whose JSON value must be converted.
        fresh: Mutable defaults, which are copied for each call.
    """

    schema: Mapping[str, Any]
    context: str
    converted: Mapping[str, Any]
    fresh: Mapping[str, Any]


def read_parameters(
    function: Callable[..., Any], texts: Mapping[str, str], schema: Mapping[str, Any] | None = None
) -> Parameters:
    """Return the parameters of `function`.

    Args:
        function: The function.
        texts: Descriptions by parameter name.
        schema: The schema, if its author has written one. Arguments are then passed unchanged.

    Raises:
        Unsupported: A parameter has no annotation, or one without a JSON Schema. The message names it.
    """
    parameters = inspect.signature(function).parameters
    if schema is not None:
        named = [name for name, item in parameters.items() if name == "context" or _says_context(item.annotation)]
        return Parameters(schema, named[0] if named else "", {}, {})
    schemas = Schemas()
    properties: dict[str, Any] = {}
    required: list[str] = []
    context, converted, fresh = "", {}, {}
    for name, parameter in parameters.items():
        if not context and _is_context(name, parameter, function):
            context = name
            continue
        hint, properties[name] = _property(schemas, parameter, function)
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


def _property(
    schemas: Schemas, parameter: inspect.Parameter, function: Callable[..., Any]
) -> tuple[Any, dict[str, Any]]:
    where = f"parameter {parameter.name!r} of {getattr(function, '__name__', repr(function))}"
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
        raise Unsupported(f"{where}: it cannot be passed by name, so a schema cannot describe it; remove / or *")
    if parameter.annotation is parameter.empty:
        raise Unsupported(f"{where} has no annotation; add one, such as {parameter.name}: str")
    try:
        hint = _hint(function, parameter)
        return hint, schemas.of(hint)
    except Unsupported as error:
        raise Unsupported(f"{where}: {error}") from None


def _is_context(name: str, parameter: inspect.Parameter, function: Callable[..., Any]) -> bool:
    if _says_context(parameter.annotation):
        return True
    if name != "context" or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        return False
    if parameter.annotation is parameter.empty:
        return True
    try:  # an argument may be called context if its annotation is another type
        return not Schemas().of(_hint(function, parameter))
    except Unsupported:
        return True


def _says_context(annotation: Any) -> bool:
    if isinstance(annotation, str):  # not evaluated: it may only be imported for type checkers
        first = annotation.removeprefix("typing.").removeprefix("Optional[").rstrip("]").partition("|")[0]
        return first.strip(" '\"").rpartition(".")[2] == "ToolContext"
    return annotation is ToolContext or ToolContext in typing.get_args(annotation)


def _hint(function: Callable[..., Any], parameter: inspect.Parameter) -> Any:
    """Return the meaning of a parameter's annotation, evaluated alone: others may only be for type checkers."""
    alone = types.SimpleNamespace(__annotations__={parameter.name: parameter.annotation})
    scope = getattr(inspect.unwrap(function), "__globals__", {})
    try:
        return typing.get_type_hints(alone, scope, include_extras=True)[parameter.name]
    except (NameError, AttributeError, TypeError, SyntaxError) as error:
        remedy = "import or define it at the top of the module, not only for type checkers"
        raise Unsupported(f"the annotation {parameter.annotation!r} cannot be read ({error}); {remedy}") from None


EffectsRule = Effects | Callable[[Mapping[str, Any]], Effects]
CheckRule = Callable[[Mapping[str, Any], ToolContext], object]
ShapeRule = Callable[[Mapping[str, Any]], str | None]

EXCLUSIVE = Effects(exclusive=True)
NO_EFFECTS = Effects()
_NO_PARAMETERS = Parameters({}, "", {}, {})


@define(eq=False, repr=False)
class FunctionTool(ToolFunction):
    """Tool made from a function; calling it calls the function."""

    function: Callable[..., Any]
    name: str
    description: str
    input_schema: Mapping[str, Any]
    category: Category = "other"
    output_schema: Mapping[str, Any] | None = None
    timeout_s: float = 30.0
    max_retries: int = 0
    requires_confirmation: bool = False
    receives_secrets: bool = False
    effects_rule: EffectsRule = EXCLUSIVE
    shape_rule: ShapeRule | None = None
    check_rule: CheckRule | None = None
    offered_rule: Callable[[str], bool] | None = None
    least_window: int = 0
    for_a_watcher: bool = False
    preview_rule: ShapeRule | None = None
    title: str = ""
    _parameters: Parameters = _NO_PARAMETERS

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function itself."""
        return self.function(*args, **kwargs)

    def effects(self, arguments: Mapping[str, Any]) -> Effects:
        """Return the reads and writes of a call with these arguments."""
        rule = self.effects_rule
        return rule if isinstance(rule, Effects) else rule(arguments)

    def shape(self, arguments: Mapping[str, Any]) -> str | None:
        """Return the scope of a lasting approval of this call; None leaves it to the kernel."""
        return self.shape_rule(arguments) if self.shape_rule is not None else None

    def offered(self, model: str) -> bool:
        """Return whether a model, by its full name, is offered the tool."""
        return self.offered_rule is None or self.offered_rule(model)

    def preview(self, arguments: Mapping[str, Any]) -> str | None:
        """Return the text that the user approves for this call; None leaves it to the kernel."""
        return self.preview_rule(arguments) if self.preview_rule is not None else None

    def check(self, arguments: Mapping[str, Any], context: ToolContext) -> None:
        """Raise `ToolFailed` if a call with these arguments can only fail."""
        if self.check_rule is not None:
            self.check_rule(arguments, context)

    def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Any | Awaitable[Any]:
        """Call the function with the arguments, and with the context if it takes one.

        Raises:
            ToolFailed: An argument cannot be converted to the parameter's type (`validation`).
        """
        values, parameters = dict(arguments), self._parameters
        if parameters.converted:
            from inarch_sdk.argument_values import structured

            values = structured(self.name, values, parameters.converted)
        if parameters.fresh:
            from copy import deepcopy

            values = {name: deepcopy(item) for name, item in parameters.fresh.items() if name not in values} | values
        if parameters.context:
            values[parameters.context] = context
        answer = self.function(**values)
        if isinstance(answer, Generator):
            return _shown_live(answer, context)
        if isinstance(answer, AsyncGenerator):
            return _shown_live_later(answer, context)
        return answer


def _shown_live(chunks: Generator[Any, None, Any], context: ToolContext) -> Any:
    """Emit the pieces that a generator yields; return its result, else the whole text."""
    shown: list[str] = []
    try:
        while True:
            shown.append(_text(next(chunks)))
            context.emit(shown[-1])
    except StopIteration as end:
        return "".join(shown) if end.value is None else end.value
    finally:
        chunks.close()  # the call may have been cancelled between two pieces


async def _shown_live_later(chunks: AsyncGenerator[Any, None], context: ToolContext) -> str:
    shown: list[str] = []
    try:
        async for chunk in chunks:
            shown.append(_text(chunk))
            context.emit(shown[-1])
    finally:
        await chunks.aclose()
    return "".join(shown)


def _text(chunk: Any) -> str:
    if not isinstance(chunk, str):
        raise TypeError(f"yielded {chunk!r:.80}: a tool yields live output, which must be text")
    return chunk


class ToolOptions(TypedDict, total=False):
    """The keywords of `@inarch.tool`."""

    name: str | None
    category: Category
    effects: EffectsRule | None
    shape: ShapeRule | None
    check: CheckRule | None
    input_schema: Mapping[str, Any] | None
    output_schema: Mapping[str, Any] | None
    timeout_s: float
    max_retries: int
    requires_confirmation: bool
    receives_secrets: bool
    offered: Callable[[str], bool] | None
    least_window: int
    for_a_watcher: bool
    preview: ShapeRule | None
    title: str


@overload
def tool(function: Callable[..., Any], /) -> FunctionTool: ...


@overload
def tool(**options: Unpack[ToolOptions]) -> Callable[[Callable[..., Any]], FunctionTool]: ...


def tool(
    function: Callable[..., Any] | None = None, /, **options: Unpack[ToolOptions]
) -> FunctionTool | Callable[[Callable[..., Any]], FunctionTool]:
    """Make a tool from a typed function with a docstring.

    The summary line becomes the description, the annotations become the schema, and `Args:` describes the parameters.
    A parameter annotated `ToolContext`, or called `context`, receives the context. The default of `effects` is none for
    a function without context, and exclusive for one with it. The function may be `async`. Text that a generator yields
    is live output. Its result is its return value, else the whole text.

    Args:
        function: The function, when the decorator is used without parentheses.
        **options: `name`, `category`, `effects` (an `Effects`, or a function of the arguments), `input_schema`,
            `output_schema`, `timeout_s` (30), `max_retries` (0), `requires_confirmation` and `receives_secrets`. The
            others are functions. `shape(arguments)` returns the scope of a lasting approval, such as `pytest …`.
            `check(arguments, context)` raises `ToolFailed` before the user is asked if the call can only fail. It must
            not change anything. `offered(model)` returns whether the model of this full name is offered the tool.
            `preview(arguments)` returns what the user sees in place of the arguments when asked, such as a diff.
            `title` says what a call does, with its arguments in braces, such as `Count the words of {text}`.

    Raises:
        TypeError: A parameter has no annotation, or one without a JSON Schema.

    >>> @tool
    ... def word_count(text: str) -> int:
    ...     "Count the words of a text."
    ...     return len(text.split())
    >>> word_count.name, word_count.input_schema["required"], word_count("a b c")
    ('word_count', ['text'], 3)
    """
    unknown = options.keys() - ToolOptions.__annotations__.keys()
    if unknown:
        known = ", ".join(sorted(ToolOptions.__annotations__))
        raise TypeError(f"@inarch.tool has no option {', '.join(map(repr, sorted(unknown)))}; it has {known}")
    return _make(function, {}) if function is not None else lambda wrapped: _make(wrapped, options)


def _make(function: Callable[..., Any], given: Mapping[str, Any]) -> FunctionTool:
    options = dict(given)  # the decorator may be stored and used again
    if not (inspect.isroutine(function) or hasattr(function, "__wrapped__")):
        raise TypeError(f"@inarch.tool decorates a function, not {function!r:.60}; pass a name as name=...")
    summary, texts = describe(function)
    parameters = read_parameters(function, texts, options.pop("input_schema", None))
    effects = options.pop("effects", None)
    if effects is None:
        effects = EXCLUSIVE if parameters.context else NO_EFFECTS
    return FunctionTool(
        function=function,
        name=options.pop("name", None) or function.__name__,
        description=summary,
        input_schema=parameters.schema,
        effects_rule=effects,
        shape_rule=options.pop("shape", None),
        check_rule=options.pop("check", None),
        offered_rule=options.pop("offered", None),
        preview_rule=options.pop("preview", None),
        parameters=parameters,
        **options,
    )
