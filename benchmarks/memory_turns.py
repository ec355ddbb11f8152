"""Memory over 1,000 turns in one process: what it grows by after the first 100.

`python benchmarks/memory_turns.py [TURNS]` runs turns of two requests and a read of about 2,000 characters in one
session, with the real plugins, store and log and a scripted model; reach: 10 MB more after the last than after 100.
"""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import tempfile
from pathlib import Path

from inarch.testing import calls, says, scripted_app
from inarch.testing.scripted import Step

TURNS = 1000
WARM = 100


def resident_mb() -> float:
    """Return the memory that the process has now, after a collection."""
    gc.collect()
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


async def talk(root: str, turns: int) -> None:
    """Run the turns and print the memory on the way."""
    asked = 0

    def step(_: object) -> Step:
        nonlocal asked
        asked += 1
        if asked % 2:
            return calls(("read_file", {"file_path": f"module_{asked % 7}.py"}))
        return says(f"answer {asked} " * 20)

    app, model = scripted_app([step], root, journal=True, flags={"approve": "all"})
    model.repeat = True
    session = app.session()
    after: dict[int, float] = {}
    for number in range(1, turns + 1):
        turn = await session.run(f"Have a look at number {number}, please.")
        assert turn.status == "done", turn
        model.requests.clear()  # a script remembers what it was asked, no real model does
        if number in (10, WARM) or number % 100 == 0:
            after[number] = resident_mb()
            seq = session.conversation.journal.seq
            print(f"{number:>6} turns {after[number]:>8.1f} MB {seq:>8} events", flush=True)
    await app.aclose()
    print(f"growth after the first {WARM}: {after[max(after)] - after[WARM]:.1f} MB")


def main() -> None:
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else TURNS
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {f"XDG_{name}_HOME": f"{folder}/{name}" for name in ("STATE", "CONFIG", "CACHE")}
        root = Path(folder, "project")
        root.mkdir()
        for number in range(7):
            (root / f"module_{number}.py").write_text(f"# {number}\n" + "value = 'a line of code'\n" * 80)
        asyncio.run(talk(str(root), turns))


if __name__ == "__main__":
    main()
