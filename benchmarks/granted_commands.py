"""Three granted commands of one reply, by what their grants say they write: seconds against one of them alone.

    python benchmarks/granted_commands.py [--runs 5] [--seconds 1]

Reach: with `writes = []` about as long as one, without a declaration three times as long.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from inarch.testing import calls, says, scripted_app


def seconds(command: str, count: int, grant: dict[str, Any]) -> float:
    """Return how long a turn takes that calls a granted command some times in one reply."""
    script = [calls(*[("execute_command", {"command": command})] * count), says("done")]

    async def go(root: str) -> float:
        config = {"commands": {"wait": {"argv": command.split(), **grant}}}
        places = {f"XDG_{name}_HOME": str(Path(root, name)) for name in ("STATE", "CACHE", "CONFIG")}
        app, _ = scripted_app(script, Path(root, "project"), config=config, environ={**places, "PATH": "/usr/bin:/bin"})
        try:
            session = app.session()
            began = time.monotonic()
            turn = await session.run("wait")
            took = time.monotonic() - began
        finally:
            await app.aclose()
        failed = [call.result for call in turn.calls if not (call.result and call.result.success)]
        assert not failed and len(turn.calls) == count, failed
        return took

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "project").mkdir()
        return asyncio.run(go(folder))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1)
    given = parser.parse_args()
    command = f"sleep {given.seconds:g}"
    rows = [
        (seconds(command, 1, {"writes": []}), seconds(command, 3, {"writes": []}), seconds(command, 3, {}))
        for _ in range(given.runs)
    ]
    for what, at in (("writes = []", 1), ("nothing declared", 2)):
        ratio = statistics.median(row[at] / row[0] for row in rows)
        print(json.dumps({
            "what": f"three granted commands of one reply, {what}, against one", "ratio": round(ratio, 2),
            "s": round(statistics.median(row[at] for row in rows), 2), "runs": given.runs,
        }))  # fmt: skip


if __name__ == "__main__":
    main()
