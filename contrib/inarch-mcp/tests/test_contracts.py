"""A server's tool, and who watches over the connections, keep the contracts of tools and tracers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from inarch_mcp.catalog import Catalog, Watch
from inarch_mcp.mcp_settings import Server
from inarch_mcp.server_records import Agreed, Cache
from inarch_mcp.server_start import Place

import inarch
from inarch.testing import ToolContract, TracerContract


@pytest.fixture
def catalog(ground: Any) -> Iterator[Catalog]:
    folder = str(ground.home)
    table = ground.server()
    server = Server(**{**table, "args": tuple(table["args"])})
    made = Catalog({"bad": server}, Cache(folder), Agreed(folder), Place(str(ground.root), folder, ground.environ))
    made.compose()
    yield made
    made.hub.close()


class TestServerTool(ToolContract):
    valid = ({"text": "a"}, {"text": "ü"}, {})
    failing = ({"text": "fail"},)
    slow = {"text": "slow"}  # noqa: RUF012 - as the contract has it
    catalog: Catalog

    @pytest.fixture(autouse=True)
    def connected(self, catalog: Catalog) -> None:
        self.catalog = catalog

    def make(self) -> inarch.Tool:
        return next(tool for tool in self.catalog.tools if tool.name == "bad_ok")

    def test_a_guard_means_it_by_the_name_of_claude_code(self) -> None:
        tool = self.make()
        assert inarch.guarding_names(tool, tool.effects({})) == ("mcp__bad__ok", "bad_ok")


class TestWatch(TracerContract):
    def make(self) -> inarch.Tracer:
        return Watch(Catalog({}, Cache(""), Agreed(""), Place("", "")))
