from __future__ import annotations

from typing import Any

import pytest

import inarch
from inarch_sdk.port_checks import fault_of, twice


class Judge:
    name = "judge"

    async def judge(self, call: Any, tool: Any) -> None: ...


class Watcher:
    name = "watcher"

    async def saw(self, event: Any) -> None: ...

    def summary(self, turn_id: str) -> None: ...

    def close(self) -> None: ...


class Model:
    name = default_model = default_decision_model = "m"

    async def answer(self, request: Any) -> str:
        return "text"

    async def models(self) -> list[Any]:
        return []

    def limits(self, model: str) -> None: ...

    def price(self, model: str) -> None: ...

    async def close(self) -> None: ...


def double(number: int) -> int:
    """Double it."""
    return 2 * number


def described(properties: dict[str, Any]) -> Any:
    """A tool that says of its own what it takes."""
    schema = {"type": "object", "properties": properties}
    return inarch.tool(input_schema=schema)(double)


def deep(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "integer"}
    for _ in range(levels):
        schema = {"type": "array", "items": schema}
    return schema


@pytest.mark.parametrize(
    ("kind", "value", "said"),
    [
        ("policies", Judge(), "'judge' with `async def` that is called as a plain function"),
        ("tracers", Watcher(), "'saw' with `async def` that is called as a plain function"),
        ("models", Model(), "'answer' with `async def` that has to be a generator"),
        ("tools", double, "tool 'double' is a plain function: put @inarch.tool above it"),
        ("tracers", Watcher, "is a class; return an instance"),
        ("tools", inarch.tool(double), ""),
        ("tools", described({"x": {"$ref": "http://127.0.0.1:9/x"}}), "which is outside of it"),
        ("tools", described({"x": {"$ref": "other.json#/x"}}), "which is outside of it"),
        ("tools", described({"x": {"items": [{"anyOf": [{"$dynamicRef": "file:///x"}]}]}}), "which is outside of it"),
        ("tools", described({"x": {"$ref": "#/$defs/absent"}}), "which is not in it"),
        ("tools", described({"x": {"$ref": "#anchor"}}), "which is not in it"),
        ("tools", described({"x": {"$id": "http://x/", "$ref": "#/y"}}), "an $id of its own"),
        ("tools", described({"x": {"$ref": ["#"]}}), "a reference that is not a text"),
        ("tools", described({"x": {"$ref": "#/properties/y/const"}, "y": {"const": {"$ref": "x:"}}}), "not in it"),
        ("tools", described({"$ref": {"type": "string"}}), ""),
        ("tools", described({"properties": {"$ref": "//x"}}), "which is outside of it"),
        ("tools", described({"x": deep(200)}), "nested deeper than 100 levels"),
        ("tools", described({"$ref": {"$anchor": "a"}, "y": {"$ref": "#a"}, "z": {"const": {"$ref": "x:"}}}), ""),
        ("tools", described({"x": {"$ref": "#/properties/a~1%20b"}, "a/ b": True}), ""),
    ],
)
def test_what_an_author_gets_wrong_is_said(kind: str, value: object, said: str) -> None:
    fault = fault_of(kind, value)
    assert said in fault and bool(said) == bool(fault)


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (inarch.EventKind("Counted", "x"), "may only have small letters, digits and _ in its name"),
        (inarch.EventKind("counted.twice", "x"), "may only have small letters"),
        (inarch.EventKind("counted", "x", {"type": "array"}), "needs a schema of type object"),
        (inarch.EventKind("counted", "x", {"type": "object", "$ref": "https://a/b"}), "has a schema that"),
        ({"name": "counted"}, "is not an inarch.EventKind"),
        (inarch.EventKind("counted", "x"), ""),
    ],
)
def test_what_a_kind_of_event_must_be(event: Any, said: str) -> None:
    fault = fault_of("events", event)
    assert said in fault if said else not fault


@pytest.mark.parametrize(("plugin", "refused"), [("file", True), ("call.more", True), ("files", False)])
def test_a_plugin_named_like_the_kernels_events_has_none(plugin: str, refused: bool) -> None:
    assert bool(twice("events", plugin, [inarch.EventKind("read", "x")])) is refused
    assert "twice" in twice("events", "files", [inarch.EventKind("read", "x"), inarch.EventKind("read", "y")])
