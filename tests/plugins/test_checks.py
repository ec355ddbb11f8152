from __future__ import annotations

from typing import Any

import pytest

import inarch
from inarch.plugins.checks import fault_of


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


@pytest.mark.parametrize(
    ("kind", "value", "said"),
    [
        ("policies", Judge(), "'judge' with `async def` that is called as a plain function"),
        ("tracers", Watcher(), "'saw' with `async def` that is called as a plain function"),
        ("models", Model(), "'answer' with `async def` that has to be a generator"),
        ("tools", double, "tool 'double' is a plain function: put @inarch.tool above it"),
        ("tracers", Watcher, "is a class; return an instance"),
        ("tools", inarch.tool(double), ""),
    ],
)
def test_what_an_author_gets_wrong_is_said(kind: str, value: object, said: str) -> None:
    fault = fault_of(kind, value)
    assert said in fault and bool(said) == bool(fault)
