"""Test bench of `ToolContract`: the real kernel over a real folder, with records of the tool's runs."""

from __future__ import annotations

import asyncio
import copy
import inspect
import json
import shutil
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from attrs import define, field

from inarch import App
from inarch.contract.codec import to_data
from inarch.contract.errors import Cancelled, ToolFailed
from inarch.contract.ports import Tool
from inarch.contract.records import PluginContext, ToolResult
from inarch_lib.schemas.repair import repair_arguments
from inarch_testing.apps import environ_in, scripted_app
from inarch_testing.scripted import ScriptedModel, says

PLUGIN = "tested"
_READING = ("read", "digest", "search")


@define(eq=False)
class Run:
    """Run of the tool: its arguments, its reads and its end."""

    given: Any
    left: Any = None
    read: list[str] = field(factory=list)
    error: BaseException | None = None
    ended: threading.Event = field(factory=threading.Event)

    @property
    def fault(self) -> BaseException | None:
        """The exception that the contract does not allow."""
        return None if isinstance(self.error, (ToolFailed, Cancelled, asyncio.CancelledError)) else self.error


class Noting:
    """Proxy of an object; `replaced` overrides members."""

    def __init__(self, inner: object, **replaced: Any) -> None:
        self._inner = inner
        self.__dict__.update(replaced)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class WatchedTool(Noting):
    """Tool that records its runs."""

    def __init__(self, tool: Tool, **replaced: Any) -> None:
        super().__init__(tool, **replaced)
        self.runs: list[Run] = []

    def run(self, arguments: Mapping[str, Any], context: Any) -> Any:
        """Run the tool."""
        run = Run(copy.deepcopy(arguments), arguments)
        self.runs.append(run)
        try:
            value = self._inner.run(arguments, _LookingContext(context, run))  # type: ignore[attr-defined]
        except BaseException as error:
            run.error = error
            run.ended.set()
            raise
        if inspect.isawaitable(value):
            return _awaited(value, run)
        run.ended.set()
        return value


class WatchedAsyncTool(WatchedTool):
    """Same for a tool that the kernel runs on its loop."""

    async def run(self, arguments: Mapping[str, Any], context: Any) -> Any:
        """Run the tool."""
        value = super().run(arguments, context)
        return await value if inspect.isawaitable(value) else value


async def _awaited(value: Awaitable[Any], run: Run) -> Any:
    try:
        return await value
    except BaseException as error:
        run.error = error
        raise
    finally:
        run.ended.set()


def watched(tool: Tool, **replaced: Any) -> WatchedTool:
    """Return a tool that records its runs; `replaced` overrides members."""
    return (WatchedAsyncTool if inspect.iscoroutinefunction(tool.run) else WatchedTool)(tool, **replaced)


class _LookingContext(Noting):
    def __init__(self, context: Any, run: Run) -> None:
        super().__init__(context)
        self._run = run

    @property
    def workspace(self) -> Any:
        workspace = self._inner.workspace  # type: ignore[attr-defined]
        looking = {name: self._looking(name, getattr(workspace, name)) for name in _READING}
        return Noting(workspace, **looking)

    def _looking(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def look(*args: Any, **kwargs: Any) -> Any:
            path = kwargs.get("path", (args[1:2] or (".",))[0] if name == "search" else (args or ("",))[0])
            self._run.read.append(str(path))
            return method(*args, **kwargs)

        return look


@define(eq=False)
class ToolBench:
    """Application with the tool; `prepare` fills the workspace's folder."""

    app: App
    tool: WatchedTool
    root: Path
    prepare: Callable[[Path], None]

    async def call(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Call the tool like a user, in a new session that knows the files to be written."""
        session = self.app.session()
        session.state.seen.update(self._present(arguments))
        try:
            return await session.call_tool(self.tool.name, copy.deepcopy(dict(arguments)))
        finally:
            session.state.scheduler.close()

    def _present(self, arguments: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Yield the files that a call will write, with their hashes."""
        with suppress(Exception):  # the call itself reports what is wrong with its effects
            repaired = repair_arguments(copy.deepcopy(dict(arguments)), self.tool.input_schema)
            for path in self.tool.effects(repaired).writes:
                with suppress(ToolFailed):  # the call will create it
                    yield path, self.app.workspace.digest(path)

    def result(self, arguments: Mapping[str, Any], *, fresh: bool = True) -> ToolResult:
        """Call the tool and wait for its result; `fresh` resets the folder first."""
        if fresh:
            self.reset()
        return asyncio.run(self.call(arguments))

    def reset(self) -> None:
        """Restore the initial state of the folder."""
        for path in self.root.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        self.prepare(self.root)


@contextmanager
def tool_bench(
    tool: Tool, folder: Path, prepare: Callable[[Path], None], settings: Any, **replaced: Any
) -> Iterator[ToolBench]:
    """Compose an application around the tool, over a new folder; all calls are approved."""
    root = folder / "workspace"
    root.mkdir(parents=True, exist_ok=True)
    config = {"profiles": {"default": {"plugins": ["sandbox-fs"], "approve": "all"}}}
    model = ScriptedModel([says("done")], repeat=True)  # for the children of its calls
    app, _ = scripted_app(model, root, config=config, environ=environ_in(folder / "home"))
    with app:
        looked_at = watched(tool, **replaced)
        places: dict[str, Any] = {"cache_dir": str(folder / "cache"), "state_dir": str(folder / "state")}
        context = PluginContext(PLUGIN, str(root), settings=settings, **places)
        app.composition = app.composition.adding("tools", looked_at, context)
        prepare(root)
        yield ToolBench(app, looked_at, root, prepare)


def snapshot(root: Path) -> dict[str, bytes | None]:
    """Return path to bytes of everything below a folder; None for folders and links."""
    found = {}
    for path in sorted(root.rglob("*")):
        plain = path.is_file() and not path.is_symlink()
        found[path.relative_to(root).as_posix()] = path.read_bytes() if plain else None
    return found


def text_arguments(schema: Mapping[str, Any], text: str) -> Iterator[tuple[str, Any]]:
    """Yield each argument that accepts any text, with a value that contains this text."""
    for name, property_schema in schema.get("properties", {}).items():
        if _takes(property_schema, "string"):
            yield name, text
        elif _takes(property_schema, "array") and _takes(property_schema.get("items", {}), "string"):
            yield name, [text]


def _takes(schema: Any, kind: str) -> bool:
    if not isinstance(schema, Mapping) or any(word in schema for word in ("enum", "const", "pattern", "format")):
        return False
    kinds = schema.get("type", ())
    inner = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    return kind == kinds or (not isinstance(kinds, str) and kind in kinds) or any(_takes(one, kind) for one in inner)


def in_json(result: ToolResult) -> str:
    """Return a result as JSON."""
    return json.dumps(to_data(result))
