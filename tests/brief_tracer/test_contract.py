"""The tools and the tracer of brief-tracer keep the contract."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from inarch import PluginContext, Tracer
from inarch.sessions.app import App
from inarch.testing import ToolContract, TracerContract
from inarch_brief.tracer import inarch_tools

pytest_plugins = ["inarch.testing"]

FILES = {
    "acme/main.py": "from acme.words import shout\n\n\ndef main():\n    print(shout('zwölf'))\n",
    "acme/words.py": "def shout(text):\n    return text.upper()\n",
}
CASES: dict[str, Mapping[str, Any]] = {
    "find_symbols": {"valid": ({"query": "shout"}, {"query": "zwölf", "kind": "function", "limit": 1})},
    "context_get": {"valid": ({"query": "shout"}, {"query": "where is the text printed"})},
    "trace_execution": {
        "valid": ({"function": "acme.main.main"}, {"function": "shout", "direction": "up", "depth": 1})
    },
    "find_callers": {"valid": ({"function": "shout"},)},
    "find_entry_points": {"valid": ({}, {"kind": "main"})},
}


@pytest.mark.parametrize("name", CASES)
class TestTools(ToolContract):
    files = FILES
    tool: Any

    @pytest.fixture(autouse=True)
    def case(self, name: str, tmp_path: Path) -> None:
        context = PluginContext("brief-tracer", str(tmp_path / "workspace"), cache_dir=str(tmp_path / "cache"))
        (self.tool,) = (tool for tool in inarch_tools(context) if tool.name == name)
        vars(self).update(CASES[name])

    def make(self) -> Any:
        return self.tool


class TestImpact(TracerContract):
    composition: Callable[..., App]

    @pytest.fixture(autouse=True)
    def composed(self, composition: Callable[..., App]) -> None:
        self.composition = composition

    def make(self) -> Tracer:
        (bound,) = self.composition(["brief-tracer"]).composition.tracers
        return bound.value
