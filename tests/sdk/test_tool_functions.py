"""Every way to write a tool's function: parameters, defaults, context, live output, and mistakes told at once."""

from __future__ import annotations

import asyncio
import enum
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any, Optional

import pytest

import inarch
from inarch.testing import scripted_app
from inarch_sdk.docstrings import read_docstring

if TYPE_CHECKING:
    from pathlib import Path

    from inarch import ToolContext


class Colour(enum.StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Box:
    width: int
    tags: list[str] = field(default_factory=list)


class Context:
    """What a tool that only emits needs of a context."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def emit(self, chunk: str) -> None:
        self.shown.append(chunk)


def run(tool: Any, context: Any = None, **arguments: Any) -> Any:
    return tool.run(arguments, context)


def test_defaults_of_every_kind_are_in_the_schema_and_never_shared() -> None:
    @inarch.tool
    def many(
        *,
        colour: Colour = Colour.RED,
        nothing: int | None = None,
        names: list[str] = ["a"],  # noqa: B006 - the subject
        table: dict[str, int] = {},  # noqa: B006
        box: Box = Box(1),  # noqa: B008
        day: date = date(2026, 1, 2),
        far: float = float("inf"),
    ) -> list[Any]:
        "Take many."
        names.append("b")
        box.tags.append("t")
        return [colour, nothing, names, table, box, day, far]

    properties = many.input_schema["properties"]
    assert "required" not in many.input_schema
    assert {name: item.get("default", "none") for name, item in properties.items()} == {
        "colour": "red", "nothing": "none", "names": ["a"], "table": {}, "box": {"width": 1, "tags": []},
        "day": "2026-01-02", "far": "none",
    }  # fmt: skip
    for _ in range(2):
        assert run(many) == [Colour.RED, None, ["a", "b"], {}, Box(1, ["t"]), date(2026, 1, 2), float("inf")]
    given = run(many, colour="blue", box={"width": 2}, day="2026-03-04")
    assert given[0] is Colour.BLUE and given[4] == Box(2, ["t"]) and given[5] == date(2026, 3, 4)


def test_the_context_is_known_by_its_annotation_and_by_its_name() -> None:
    def by_annotation(text: str, ctx: ToolContext) -> Any:
        return ctx

    def optional(c: Optional[inarch.ToolContext] = None) -> Any:  # noqa: UP045 - the old spelling is the subject
        return c

    def either(c: inarch.ToolContext | None = None) -> Any:
        return c

    def by_name(context):  # type: ignore[no-untyped-def]
        return context

    def anything(context: Any) -> Any:
        return context

    def own(context: Context) -> Any:
        return context

    context = Context()
    for function in (by_annotation, optional, either, by_name, anything, own):
        tool = inarch.tool(function)
        assert set(tool.input_schema["properties"]) <= {"text"}, function
        assert tool.effects({}) == inarch.Effects(exclusive=True)
        assert tool.run({"text": ""} if function is by_annotation else {}, context) is context  # type: ignore[arg-type]


def test_an_argument_may_be_called_context_if_it_says_what_it_is() -> None:
    @inarch.tool
    def lines(pattern: str, context: int = 3) -> int:
        "Search with lines of context."
        return context

    assert lines.input_schema["properties"]["context"] == {"type": "integer", "default": 3}
    assert lines.run({"pattern": "x", "context": 5}, None) == 5  # type: ignore[arg-type]
    assert lines.effects({}) == inarch.Effects()


def test_what_a_generator_yields_is_live_output() -> None:
    @inarch.tool
    def count(upto: int) -> Iterator[str]:
        "Count."
        for number in range(upto):
            yield f"{number} "

    @inarch.tool
    async def later(upto: int) -> AsyncIterator[str]:
        "Count later."
        for number in range(upto):
            await asyncio.sleep(0)
            yield f"{number} "

    context = Context()
    assert run(count, context, upto=3) == "0 1 2 "
    assert context.shown == ["0 ", "1 ", "2 "]

    async def call() -> Any:
        return await later.run({"upto": 2}, context)  # type: ignore[arg-type, misc]

    assert asyncio.run(call()) == "0 1 " and context.shown[-2:] == ["0 ", "1 "]

    closed: list[bool] = []

    @inarch.tool
    def endless() -> Iterator[str]:
        "Go on."
        try:
            while True:
                yield "on "
        finally:
            closed.append(True)

    class Revoked(Context):
        def emit(self, chunk: str) -> None:
            raise inarch.Cancelled("t")

    with pytest.raises(inarch.Cancelled):
        run(endless, Revoked())
    assert closed == [True]

    @inarch.tool
    def wrong() -> Iterator[int]:
        "Yield what is no text."
        yield 1

    with pytest.raises(TypeError, match="a tool yields live output, which must be text"):
        run(wrong, context)


def test_a_value_that_cannot_be_converted_is_a_validation_error_of_the_call(tmp_path: Path) -> None:
    @inarch.tool
    def on(day: date, box: Box | None = None) -> dict[str, Any]:
        "Say it."
        return {"day": day, "box": box}

    app, _ = scripted_app([], tmp_path)
    with app:
        from attrs import evolve

        from inarch.plugins.registration import Bound

        bound = Bound("t", on, next(iter(app.composition.tools.values())).context)
        tools = {**app.composition.tools, "on": bound}
        app.composition = evolve(app.composition, tools=tools)
        good = asyncio.run(app.call_tool("on", {"day": "2026-01-02", "box": {"width": 1}}))
        wrong = asyncio.run(app.call_tool("on", {"day": "soon"}))
    assert good.data == {"day": "2026-01-02", "box": {"width": 1, "tags": []}}
    assert wrong.error is not None and wrong.error.code == "validation"
    assert "on: Invalid isoformat string: 'soon' @ day" in wrong.error.message


def no_annotation(text): ...  # type: ignore[no-untyped-def]
def method(self: Any, *more: int) -> None: ...
def types_only(path: Path) -> None: ...
def misspelt(text: Literall[a]) -> None: ...  # type: ignore[name-defined]  # noqa: F821
def nested(items: list[dict[str, complex]]) -> None: ...


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (no_annotation, "parameter 'text' of no_annotation has no annotation; add one, such as text: str"),
        (method, "parameter 'more' of method: it cannot be passed by name"),
        (types_only, "parameter 'path' of types_only: the annotation 'Path' cannot be read"),
        (misspelt, "parameter 'text' of misspelt: .*Literall"),
        (nested, "parameter 'items' of nested: complex has no JSON Schema; use str, int"),
        ("name", "decorates a function, not 'name'; pass a name as name="),
        (Context, "decorates a function, not <class"),
    ],
)
def test_mistakes_are_reported_when_the_function_is_decorated(function: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        inarch.tool(function)


def test_an_unknown_option_is_reported_with_those_that_there_are() -> None:
    with pytest.raises(TypeError, match=r"no option 'timeout'; it has category, check, effects, .*timeout_s"):
        inarch.tool(timeout=3)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("doc", "expected"),
    [
        ("", ("", {})),
        ("One line.", ("One line.", {})),
        ("Two\nlines.\n\nMore.", ("Two lines.", {})),
        ("S.\nArgs:\n  a: 1.\n    And: 2.\n  b (int): 3.\n\nReturns:\n  c", ("S.", {"a": "1. And: 2.", "b": "3."})),
        ("S.\n\nArgs:\n    *a: x\n\n    b: y", ("S.", {"*a": "x", "b": "y"})),
    ],
)  # fmt: skip
def test_docstrings(doc: str, expected: tuple[str, dict[str, str]]) -> None:
    assert read_docstring(doc) == expected
