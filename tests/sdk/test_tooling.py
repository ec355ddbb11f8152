from __future__ import annotations

import asyncio
import enum
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, Optional, Union

import pytest
from attrs import Factory, frozen
from jsonschema import Draft202012Validator

import inarch
from inarch.contract.ports import Tool, ToolContext
from inarch.contract.records import Effects
from inarch_sdk.schemas import Unsupported, schema_of

NO_CONTEXT: Any = object()


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Mixed(enum.Enum):
    ONE = 1
    TWO = "two"


@dataclass
class Point:
    x: int
    y: int = 0
    tags: list[str] = field(default_factory=list)


@frozen
class Line:
    start: Point
    end: Point | None = None
    notes: list[str] = Factory(list)


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (str, {"type": "string"}),
        (int, {"type": "integer"}),
        (float, {"type": "number"}),
        (bool, {"type": "boolean"}),
        (None.__class__, {"type": "null"}),
        (Path, {"type": "string"}),
        (Any, {}),
        (object, {}),
        (dict, {"type": "object"}),
        (list, {"type": "array"}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (Sequence[str], {"type": "array", "items": {"type": "string"}}),
        (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}),
        (set[str], {"type": "array", "items": {"type": "string"}}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (Mapping[str, Any], {"type": "object"}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (Literal["a", 1], {"enum": ["a", 1]}),
        (str | None, {"type": ["string", "null"]}),
        (Optional[int], {"type": ["integer", "null"]}),  # noqa: UP045 - the old spelling is the subject
        (Union[str, int], {"type": ["string", "integer"]}),  # noqa: UP007
        (list[str] | str, {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "string"}]}),
        (Annotated[int, "How many."], {"type": "integer", "description": "How many."}),
        (Annotated[int, 3], {"type": "integer"}),
        (Colour, {"type": "string", "enum": ["red", "blue"]}),
        (Mixed, {"enum": [1, "two"]}),
    ],
)
def test_annotations_become_json_schema(annotation: Any, schema: dict[str, Any]) -> None:
    assert schema_of(annotation) == schema
    Draft202012Validator.check_schema(schema)


def test_dataclasses_and_attrs_classes_become_objects() -> None:
    point = {
        "type": "object",
        "properties": {
            "x": {"type": "integer"}, "y": {"type": "integer", "default": 0},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "additionalProperties": False,
        "required": ["x"],
    }  # fmt: skip
    assert schema_of(Point) == point
    line = schema_of(Line)
    assert line["properties"]["start"] == point
    assert line["properties"]["end"] == {"anyOf": [point, {"type": "null"}]}
    assert line["required"] == ["start"]


@inarch.tool
def greet(name: str, times: int = 1, loud: bool = False, style: Literal["plain", "formal"] = "plain") -> str:
    """Greet somebody
    in one line.

    More words that are not for the model.

    Args:
        name: Who is greeted.
        times: How often,
            at least once.
        loud (bool): Whether to shout.

    Returns:
        other: Not an argument.
    """
    return " ".join(["hello " + name] * times)


def test_the_docstring_describes_the_tool_and_its_arguments() -> None:
    assert (greet.name, greet.description) == ("greet", "Greet somebody in one line.")
    assert greet.input_schema == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "Who is greeted."},
            "times": {"type": "integer", "description": "How often, at least once.", "default": 1},
            "loud": {"type": "boolean", "description": "Whether to shout.", "default": False},
            "style": {"type": "string", "enum": ["plain", "formal"], "default": "plain"},
        },
        "additionalProperties": False,
        "required": ["name"],
    }


def test_a_tool_is_still_the_function_and_keeps_the_port() -> None:
    assert greet("you", times=2) == "hello you hello you"
    assert isinstance(greet, Tool)
    assert (greet.category, greet.timeout_s, greet.max_retries) == ("other", 30.0, 0)
    assert not greet.requires_confirmation and not greet.receives_secrets and greet.output_schema is None
    assert greet.run({"name": "you"}, NO_CONTEXT) == "hello you"


def test_options_are_taken_over() -> None:
    @inarch.tool(
        name="other_name", category="git", input_schema={"type": "object"}, output_schema={"type": "string"},
        timeout_s=2, max_retries=3, requires_confirmation=True, receives_secrets=True,
    )  # fmt: skip
    def f(**anything: Any) -> str:
        "Do it."
        return ""

    assert (f.name, f.category, f.timeout_s, f.max_retries) == ("other_name", "git", 2, 3)
    assert f.requires_confirmation and f.receives_secrets
    assert (f.input_schema, f.output_schema) == ({"type": "object"}, {"type": "string"})


def test_effects_default_to_none_without_a_context_and_to_exclusive_with_one() -> None:
    @inarch.tool
    def with_context(text: str, context: ToolContext) -> str:
        "Do it."
        return text

    assert greet.effects({}) == Effects()
    assert with_context.effects({}) == Effects(exclusive=True)
    assert "context" not in with_context.input_schema["properties"]


def test_effects_may_depend_on_the_arguments() -> None:
    @inarch.tool(effects=lambda arguments: Effects(writes=frozenset({arguments["path"]})))
    def touch(path: str) -> None:
        "Touch a file."

    assert touch.effects({"path": "a"}).writes == {"a"}

    @inarch.tool(effects=Effects(reads=frozenset({""})))
    def look() -> None:
        "Look around."

    assert look.effects({}).reads == {""}


def test_the_context_is_handed_over() -> None:
    @inarch.tool
    def who(context: ToolContext) -> object:
        "Return the context."
        return context

    assert who.run({}, NO_CONTEXT) is NO_CONTEXT


def test_arguments_become_what_the_function_takes() -> None:
    seen: list[Any] = []

    @inarch.tool
    def take(
        line: Line,
        colour: Colour,
        where: Path,
        pair: tuple[int, ...],
        names: set[str],
        points: list[Point],
        maybe: Point | None = None,
        plain: Mapping[str, int] | None = None,
    ) -> None:
        "Take it all."
        seen.extend([line, colour, where, pair, names, points, maybe, plain])

    arguments = {
        "line": {"start": {"x": 1}, "notes": ["n"]}, "colour": "blue", "where": "a/b", "pair": [1, 2],
        "names": ["a", "a"], "points": [{"x": 1, "y": 2}], "maybe": {"x": 3}, "plain": {"k": 1},
    }  # fmt: skip
    Draft202012Validator(take.input_schema).validate(arguments)
    take.run(arguments, NO_CONTEXT)
    assert seen == [
        Line(Point(1), None, ["n"]), Colour.BLUE, Path("a/b"), (1, 2), {"a"}, [Point(1, 2)], Point(3), {"k": 1},
    ]  # fmt: skip


def test_an_async_tool_returns_an_awaitable() -> None:
    @inarch.tool
    async def later(text: str) -> str:
        "Say it later."
        await asyncio.sleep(0)
        return text

    async def call() -> Any:
        return await later.run({"text": "now"}, NO_CONTEXT)  # type: ignore[misc]

    assert asyncio.run(call()) == "now"


def test_a_function_without_a_docstring_has_no_description() -> None:
    @inarch.tool
    def silent() -> None: ...

    assert silent.description == ""
    assert silent.input_schema == {"type": "object", "properties": {}, "additionalProperties": False}


def bare(text): ...  # type: ignore[no-untyped-def]
def variadic(*texts: str) -> None: ...
def keywords(**texts: str) -> None: ...
def positional(text: str, /) -> None: ...
def odd(text: complex) -> None: ...
def nested(texts: list[range]) -> None: ...


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (bare, "'text' of bare has no annotation"),
        (variadic, "'texts' of variadic"),
        (keywords, "'texts' of keywords"),
        (positional, "'text' of positional"),
        (odd, "complex"),
        (nested, "range"),
    ],
)
def test_what_json_schema_cannot_say_is_a_type_error(function: Any, words: str) -> None:
    with pytest.raises(Unsupported, match=words):
        inarch.tool(function)


def silent() -> str:
    """Say nothing."""
    return None  # type: ignore[return-value]


async def silent_later() -> list[int]:
    """Say nothing, later."""
    return None  # type: ignore[return-value]


def maybe() -> str | None:
    """Say nothing, as is declared."""
    return None


def undeclared():  # type: ignore[no-untyped-def]
    """Say nothing of what is returned."""


@pytest.mark.parametrize(("function", "declared"), [(silent, "str"), (silent_later, "list")])
def test_a_function_that_is_declared_to_return_something_and_returns_nothing_fails(
    function: Any, declared: str
) -> None:
    async def go() -> Any:
        answer = inarch.tool(function).run({}, None)  # type: ignore[arg-type]
        return await answer if inspect.isawaitable(answer) else answer

    with pytest.raises(TypeError, match=f"returned None, and it is declared to return {declared}"):
        asyncio.run(go())


@pytest.mark.parametrize("function", [maybe, undeclared])
def test_a_function_that_may_return_nothing_does(function: Any) -> None:
    assert inarch.tool(function).run({}, None) is None  # type: ignore[arg-type]
