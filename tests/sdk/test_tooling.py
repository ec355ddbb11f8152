from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any, Literal

from attrs import Factory, frozen

import inarch
from inarch.contract.ports import Tool
from inarch.contract.records import Effects

NO_CONTEXT: Any = object()


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


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


def test_effects_may_depend_on_the_arguments() -> None:
    @inarch.tool(effects=lambda arguments: Effects(writes=frozenset({arguments["path"]})))
    def touch(path: str) -> None:
        "Touch a file."

    assert touch.effects({"path": "a"}).writes == {"a"}

    @inarch.tool(effects=Effects(reads=frozenset({""})))
    def look() -> None:
        "Look around."

    assert look.effects({}).reads == {""}


def test_a_function_without_a_docstring_has_no_description() -> None:
    @inarch.tool
    def silent() -> None: ...

    assert silent.description == ""
    assert silent.input_schema == {"type": "object", "properties": {}, "additionalProperties": False}


def silent() -> str:
    """Say nothing."""
    return None  # type: ignore[return-value]


def maybe() -> str | None:
    """Say nothing, as is declared."""
    return None
