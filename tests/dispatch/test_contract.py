"""The strategy `structured` keeps the contract."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from inarch import DecisionStrategy
from inarch.sessions.app import App
from inarch.testing import StrategyContract

pytest_plugins = ["inarch.testing"]

READ = {"requires_tool_call": True, "tool_name": "read_file", "arguments": {"file_path": "README.md"}}


class TestStructured(StrategyContract):
    prompts = ("what is in README.md?", "zwölf")
    replies = (json.dumps(READ),)
    composition: Callable[..., App]

    @pytest.fixture(autouse=True)
    def composed(self, composition: Callable[..., App]) -> None:
        self.composition = composition

    def make(self) -> DecisionStrategy:
        return self.composition(["dispatch"]).composition.strategies["structured"].value
