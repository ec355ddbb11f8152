"""Changes that sessions made in a copy of the workspace (`--approve review`), by the commands that review them."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import inarch
from inarch_web.server.message_log import Raw

if TYPE_CHECKING:
    from inarch_web.server.room_list import Desk


async def waiting(desk: Desk) -> Mapping[str, Any]:
    """Return the changes that wait for a review, the oldest first."""
    return {"changes": json.loads(await _run(desk, "changes", "--json"))}


async def change(desk: Desk, id: str) -> Mapping[str, Any]:
    """Return a change with its files and their changed lines.

    Raises:
        UsageError: There is none, or a session works in its copy.
    """
    data = json.loads(await _run(desk, "changes", "--json", "--diff", "--", id))
    files = [{**one, "name": one["path"], "path": Raw(one["path"])} for one in data["files"]]
    return {**data, "files": files}


async def apply(desk: Desk, id: str, paths: Sequence[str]) -> Mapping[str, Any]:
    """Apply files of a change, all that need no look of their own if none are named; return what was done.

    Raises:
        UsageError: Some can't be applied.
    """
    return {"text": await _run(desk, "apply", "--", id, *paths)}


async def discard(desk: Desk, id: str) -> Mapping[str, Any]:
    """Remove a change."""
    return {"text": await _run(desk, "discard", "--", id)}


async def _run(desk: Desk, *words: str) -> str:
    command = [sys.executable, "-P", "-m", "inarch", words[0], "--root", desk.root, *desk.flags, *words[1:]]
    # In a thread: a page that leaves must not end a command that writes.
    run = await asyncio.to_thread(
        subprocess.run, command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False
    )
    if run.returncode:
        first, *rest = run.stderr.removeprefix("inarch: error: ").strip().splitlines() or ["it failed"]
        raise inarch.UsageError(first, " ".join(rest))
    return run.stdout
