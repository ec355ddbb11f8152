"""Applications that have the same plugin in this process or in a process of its own."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import inarch

HERE = Path(__file__).parent
EVERY_KIND = str(HERE / "every_kind.py")
GRACE_S = 120.0


def make(home: Path, mode: str = "process", *, files: tuple[str, ...] = (EVERY_KIND,), **more: Any) -> inarch.App:
    root = home / "root"
    root.mkdir(exist_ok=True)
    (root / "a.txt").write_text("what lies inside\n")
    variables = {"HOME": str(home), "SECRET_KEY": "hush", "EVERY_KEY": "k3y", **more.pop("environ", {})}
    settings = more.pop("settings", {})
    table = {"mode": mode, **more}
    names = [Path(file).stem for file in files]
    config = {
        "profiles": {"default": {"plugins": ["sandbox-fs"], "model": "offline", "approve": "all"}},
        "isolation": dict.fromkeys(names, table),
        "plugins": {"every_kind": settings} if settings else {},
    }
    return inarch.compose(root=root, config=config, environ=variables, files=files, journal=False)


def call(app: inarch.App, name: str, **arguments: Any) -> inarch.ToolResult:
    return asyncio.run(asyncio.wait_for(app.call_tool(name, arguments), GRACE_S))
