"""Random batches over real files: together, they end as if each call had run alone in call order."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inarch.contract.errors import ToolFailed
from inarch.contract.records import Effects, ToolCall
from inarch_sdk.tool_decorator import FunctionTool, tool

Kitchen = Any
FILES = ["a", "b", "d/a", "d/b", "d/e/a"]
START = {"a": b"first", "d/a": b"", "d/e/a": b"deep"}


def _reads(arguments: Any) -> Effects:
    return Effects(reads=frozenset({arguments["path"]}))


def _writes(arguments: Any) -> Effects:
    return Effects(writes=frozenset({arguments["path"]}))


def _moves(arguments: Any) -> Effects:
    return Effects(writes=frozenset({arguments["path"], arguments["new_path"]}))


def _pause(pause: float) -> None:
    if pause:
        time.sleep(pause)


@tool(effects=_reads)
def read(path: str, pause: float, context: Any) -> str:
    """Read a file."""
    _pause(pause)
    return str(context.workspace.read(path).data.decode())


@tool(effects=_reads)
def show(path: str, pause: float, context: Any) -> list[str]:
    """Read all files of a folder."""
    _pause(pause)
    found = context.workspace.walk(f"{path}/**/*" if path else "**/*").paths
    return [f"{name}={context.workspace.read(name).data.decode()}" for name in found]


@tool(effects=_writes)
def write(path: str, text: str, pause: float, context: Any) -> str | None:
    """Write a file that the session knows, or a new one."""
    _pause(pause)
    changed = context.workspace.replace(path, [text.encode()], context.seen.get(path))
    return str(changed.after)


@tool(effects=_writes)
async def append(path: str, text: str, pause: float, context: Any) -> str:
    """Append to a file, in two steps with a pause between them."""
    present = context.workspace.read(path)
    await asyncio.sleep(pause)
    changed = context.workspace.replace(path, [present.data, text.encode()], present.hash)
    return str(changed.after)


@tool(effects=_moves)
def move(path: str, new_path: str, pause: float, context: Any) -> str:
    """Move a file to where nothing stands."""
    _pause(pause)
    if context.workspace.stat(new_path) is not None:
        raise ToolFailed("conflict", f"{new_path} exists")
    return str(context.workspace.move(path, new_path, context.seen.get(path, "unseen")).new_path)


@tool(effects=_writes)
def remove(path: str, pause: float, context: Any) -> None:
    """Remove a file that the session knows."""
    _pause(pause)
    context.workspace.remove(path, context.seen.get(path, "unseen"))


@tool(effects=Effects(exclusive=True))
def count(pause: float, context: Any) -> int:
    """Count all bytes, and nobody knows that it only reads."""
    _pause(pause)
    return sum(context.workspace.read(path).size for path in context.workspace.walk().paths)


TOOLS: tuple[FunctionTool, ...] = (read, show, write, append, move, remove, count)
_files = st.sampled_from([*FILES, "./a", "d//a"])
_pauses = st.sampled_from([0.0, 0.0, 0.001, 0.003])
_calls = st.one_of(
    st.tuples(st.just("read"), st.fixed_dictionaries({"path": _files, "pause": _pauses})),
    st.tuples(st.just("show"), st.fixed_dictionaries({"path": st.sampled_from(["", "d", "d/e"]), "pause": _pauses})),
    st.tuples(
        st.sampled_from(["write", "append"]),
        st.fixed_dictionaries({"path": _files, "text": st.sampled_from(["x", "yy", "zzz"]), "pause": _pauses}),
    ),
    st.tuples(st.just("move"), st.fixed_dictionaries({"path": _files, "new_path": _files, "pause": _pauses})),
    st.tuples(st.just("remove"), st.fixed_dictionaries({"path": _files, "pause": _pauses})),
    st.tuples(st.just("count"), st.fixed_dictionaries({"pause": _pauses})),
)


def _outcome(call: ToolCall) -> tuple[Any, ...]:
    result = call.result
    assert result is not None
    error = result.error and (result.error.code, result.error.message)
    return call.name, call.status, result.data, error, result.metadata.get("files")


def _run(kitchen: Kitchen, batches: list[list[tuple[str, dict[str, Any]]]]) -> tuple[Any, ...]:
    for name, data in START.items():
        kitchen.file(name, data)
    scheduler = kitchen.scheduler(*TOOLS)
    parts = [[kitchen.part(name, **arguments) for name, arguments in batch] for batch in batches]

    async def all_batches() -> list[ToolCall]:
        return [call for batch in parts for call in await scheduler.run("turn", batch)]

    outcomes = [_outcome(call) for call in asyncio.run(all_batches())]
    files = {path: (kitchen.folder / path).read_bytes() for path in kitchen.workspace.walk().paths}
    return outcomes, files, dict(kitchen.seen)


@settings(
    max_examples=2 * settings().max_examples, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(_calls, min_size=2, max_size=10))
def test_a_batch_ends_like_its_calls_one_by_one(
    new_kitchen: Callable[[Path], Kitchen], batch: list[tuple[str, dict[str, Any]]]
) -> None:
    folder = Path(tempfile.mkdtemp())
    try:
        (folder / "together").mkdir()
        (folder / "alone").mkdir()
        together = _run(new_kitchen(folder / "together"), [batch])
        alone = _run(new_kitchen(folder / "alone"), [[call] for call in batch])
        assert together == alone
    finally:
        shutil.rmtree(folder)
