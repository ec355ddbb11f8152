"""A tree of files in the real workspace, and the tracer's tools over it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import Factory, define

import inarch
from inarch_brief_tracer import inarch_tools
from inarch_brief_tracer.plugin import Settings
from inarch_sandbox_fs import inarch_workspaces

Ask = Callable[..., Any]


@define
class Call:
    """What a running call is given, as far as the tracer looks at it."""

    workspace: Any
    turn_id: str = "turn"
    cancelled: threading.Event = Factory(threading.Event)
    earlier: tuple[Any, ...] = ()


@define
class Tree:
    """A folder with files, and the tools that look at it."""

    root: Path
    cache: Path
    seconds: float = 60.0

    def write(self, files: Mapping[str, str | bytes]) -> Tree:
        for name, content in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return self

    def workspace(self) -> Any:
        (spec,) = inarch_workspaces(inarch.PluginContext("sandbox-fs", str(self.root)))
        return spec.open(str(self.root))

    def tools(self) -> dict[str, inarch.Tool]:
        context = inarch.PluginContext(
            "brief-tracer", str(self.root), settings=Settings(index_seconds=self.seconds), cache_dir=str(self.cache)
        )
        return {tool.name: tool for tool in inarch_tools(context)}

    def ask(self, name: str, **arguments: Any) -> Any:
        """Ask once, as a new process would."""
        return self.asking()(name, **arguments)

    def asking(self) -> Ask:
        """Ask several times, as one process with a turn a question would."""
        tools = self.tools()

        def ask(name: str, **arguments: Any) -> Any:
            workspace = self.workspace()
            call: Any = Call(workspace, turn_id=inarch.new_id())
            try:
                return tools[name].run(arguments, call)
            finally:
                workspace.close()

        return ask

    def names(self, query: str, **more: Any) -> list[str]:
        return [symbol["qualname"] for symbol in self.ask("find_symbols", query=query, **more)["symbols"]]


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Tree]:
    root = tmp_path / "root"
    root.mkdir()
    yield Tree(root, tmp_path / "cache")
