"""`@inarch.tool`: a typed function with a docstring becomes a whole tool."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, overload

from attrs import define, field

from inarch.contract.ports import ToolContext
from inarch.contract.records import Category, Effects
from inarch.contract.schemas import describe, parameters_schema, takes_plain

EffectsRule = Effects | Callable[[Mapping[str, Any]], Effects]
ShapeRule = Callable[[Mapping[str, Any]], str | None]

EXCLUSIVE = Effects(exclusive=True)
NO_EFFECTS = Effects()


@define(eq=False, repr=False)
class FunctionTool:
    """A tool made from a function; calling it calls the function."""

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
    takes_context: bool = False
    shape_rule: ShapeRule | None = None
    _converted: Mapping[str, Any] = field(factory=dict)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function itself."""
        return self.function(*args, **kwargs)

    def effects(self, arguments: Mapping[str, Any]) -> Effects:
        """Return what a call with these arguments reads and writes."""
        rule = self.effects_rule
        return rule if isinstance(rule, Effects) else rule(arguments)

    def shape(self, arguments: Mapping[str, Any]) -> str | None:
        """Return what "always" would cover if a call with these arguments is approved; None leaves it to the kernel."""
        return self.shape_rule(arguments) if self.shape_rule is not None else None

    def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Any | Awaitable[Any]:
        """Call the function with the arguments, and with the context if it takes one."""
        values = dict(arguments)
        for name, annotation in self._converted.items():
            if name in values:
                values[name] = _structure(values[name], annotation)
        if self.takes_context:
            values["context"] = context
        return self.function(**values)


def _structure(value: Any, annotation: Any) -> Any:
    import cattrs

    return cattrs.structure(value, annotation)


@overload
def tool(function: Callable[..., Any], /) -> FunctionTool: ...


@overload
def tool(
    *,
    name: str | None = None,
    category: Category = "other",
    effects: EffectsRule | None = None,
    shape: ShapeRule | None = None,
    input_schema: Mapping[str, Any] | None = None,
    output_schema: Mapping[str, Any] | None = None,
    timeout_s: float = 30.0,
    max_retries: int = 0,
    requires_confirmation: bool = False,
    receives_secrets: bool = False,
) -> Callable[[Callable[..., Any]], FunctionTool]: ...


def tool(
    function: Callable[..., Any] | None = None, /, **options: Any
) -> FunctionTool | Callable[[Callable[..., Any]], FunctionTool]:
    """Make a tool of a typed function with a docstring.

    The summary line becomes the description, the annotations the schema, `Args:` the descriptions of the parameters. A
    parameter named `context` receives the `ToolContext`. Without `effects` a function that takes no context has none,
    and one that does is exclusive. The function may be `async`.

    Args:
        function: The function, when the decorator is used without parentheses.
        **options: `name`, `category`, `effects` (an `Effects` or a function of the arguments), `input_schema`,
            `output_schema`, `timeout_s` (30), `max_retries` (0), `requires_confirmation`, `receives_secrets`, `shape`
            (a function of the arguments: what approving such a call for longer would cover, such as `pytest …`).

    Raises:
        TypeError: A parameter has no annotation, or one that JSON Schema can't say.

    >>> @tool
    ... def word_count(text: str) -> int:
    ...     "Count the words of a text."
    ...     return len(text.split())
    >>> word_count.name, word_count.input_schema["required"], word_count("a b c")
    ('word_count', ['text'], 3)
    """
    if function is not None:
        return _make(function, {})
    return lambda wrapped: _make(wrapped, options)


def _make(function: Callable[..., Any], options: dict[str, Any]) -> FunctionTool:
    takes_context = "context" in inspect.signature(function).parameters
    effects = options.pop("effects", None)
    if effects is None:
        effects = EXCLUSIVE if takes_context else NO_EFFECTS
    schema = options.pop("input_schema", None)
    hints = typing.get_type_hints(function, include_extras=True) if schema is None else {}
    converted = {
        name: hint for name, hint in hints.items() if name not in ("return", "context") and not takes_plain(hint)
    }
    name = options.pop("name", None) or function.__name__
    shape = options.pop("shape", None)
    return FunctionTool(
        function=function,
        name=name,
        description=describe(function)[0],
        input_schema=schema if schema is not None else parameters_schema(function),
        effects_rule=effects,
        takes_context=takes_context,
        shape_rule=shape,
        converted=converted,
        **options,
    )
