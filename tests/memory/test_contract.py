"""The tools that save and find notes keep the contract."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from inarch.sessions.app import App
from inarch.testing import ToolContract

pytest_plugins = ["inarch.testing"]

CASES: dict[str, Mapping[str, Any]] = {
    "save_memory": {"valid": ({"text": "Answer in German."}, {"text": "zwölf"}), "failing": ({"text": " "},)},
    "recall": {"valid": ({"query": ""}, {"query": "zwölf"})},
}


@pytest.mark.parametrize("name", CASES)
class TestMemoryTools(ToolContract):
    tool: Any

    @pytest.fixture(autouse=True)
    def case(self, name: str, composition: Callable[..., App]) -> None:
        self.tool = composition(["memory"]).composition.tools[name].value
        vars(self).update(CASES[name])

    def make(self) -> Any:
        return self.tool
