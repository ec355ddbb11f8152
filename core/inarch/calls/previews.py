"""What the person sees before a call runs: a short diff for edits, the arguments for everything else."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from inarch.contract.errors import InarchError
from inarch.contract.ports import Workspace

MOST_LINES = 40
LARGEST_FILE = 200_000
"""Bytes of a present file up to which a diff against it is made."""


def preview(arguments: Mapping[str, Any], workspace: Workspace) -> str:
    """Return what a call would do, in a screen at most."""
    path = arguments.get("file_path")
    search, replace, content = (arguments.get(name) for name in ("search", "replace", "content"))
    if isinstance(path, str) and isinstance(search, str) and isinstance(replace, str):
        return _cut([f"--- {path}", f"+++ {path}", *_marked("-", search), *_marked("+", replace)])
    if isinstance(path, str) and isinstance(content, str):
        return _cut(_diff(path, _present(path, workspace), content))
    text = json.dumps(dict(arguments), ensure_ascii=False, indent=2, default=repr)
    return _cut(text.splitlines())


def _marked(mark: str, text: str) -> list[str]:
    return [f"{mark}{line}" for line in text.splitlines()]


def _present(path: str, workspace: Workspace) -> str | None:
    try:
        stat = workspace.stat(path)
        if stat is None or stat.kind != "file" or stat.size > LARGEST_FILE:
            return None
        return workspace.read(path).data.decode("utf-8", "replace")
    except InarchError:
        return None  # the call itself will say what is wrong with the path


def _diff(path: str, present: str | None, content: str) -> Iterable[str]:
    if present is None:
        return [f"+++ {path}", *_marked("+", content)]
    from difflib import unified_diff

    return list(unified_diff(present.splitlines(), content.splitlines(), path, path, n=2, lineterm=""))


def _cut(lines: Iterable[str]) -> str:
    shown = [line if len(line) <= 200 else f"{line[:200]}…" for line in lines]
    left = len(shown) - MOST_LINES
    return "\n".join(shown[:MOST_LINES] + ([f"… {left} more lines"] if left > 0 else []))
