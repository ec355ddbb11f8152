"""Changes that sessions made in a copy of the workspace (`--approve review`), by the commands that review them."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import inarch
from inarch_web.server.message_log import Raw

if TYPE_CHECKING:
    from inarch_web.server.page import Page


async def review(page: Page, message: Mapping[str, Any]) -> Mapping[str, Any]:
    """Run what a page asks about changes: without `change` list those that wait, else show, apply or discard it."""
    words, named = message.get("words"), message.get("change")
    if named is None:
        return {"changes": json.loads(await _run(page, ["changes", "--json"]))}
    if words is None:
        data = json.loads(await _run(page, ["changes", "--json", "--diff", "--", str(named)]))
        return {**data, "files": [{**one, "name": one["path"], "path": Raw(one["path"])} for one in data["files"]]}
    if not isinstance(words, list) or words[:1] not in (["apply"], ["discard"]):
        raise inarch.UsageError("words do not say what to do", "send apply and paths, or discard")
    return {"text": await _run(page, [words[0], "--", str(named), *map(str, words[1:])])}


async def _run(page: Page, words: list[str]) -> str:
    desk = page.desk
    command = [sys.executable, "-P", "-m", "inarch", words[0], "--root", desk.root, *desk.flags, *words[1:]]
    # In a thread: a page that leaves must not end a command that writes.
    run = await asyncio.to_thread(
        subprocess.run, command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False
    )
    if run.returncode:
        first, *rest = run.stderr.removeprefix("inarch: error: ").strip().splitlines() or ["it failed"]
        raise inarch.UsageError(first, " ".join(rest))
    return run.stdout
