"""What a replay of a long session costs beside one of a short one: CPU time and memory, an event.

`python benchmarks/replay.py [PYTHON ...] [--turns N ...]` records sessions with a scripted model and the real plugins
and store (six calls a turn, of which one changes a file: 44 events), and runs `inarch replay` on each in a process of
its own. Interpreters may be named to see other versions side by side; each replays what it has recorded itself. CPU is
user and system time of the process above one that only composes the application, memory its greatest resident set.
Reach: microseconds of CPU an event that don't grow with the session, and flat memory.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from long_sessions import measured

TURNS = (150, 300, 600, 1200)

_RECORD = """
import asyncio, sys
from inarch.testing import calls, says, scripted_app

root, turns = sys.argv[1], int(sys.argv[2])
asked, edits = 0, 0

def step(_):
    global asked, edits
    turn, place = divmod(asked, 7)
    asked += 1
    path = f"shop/module_{(turn + place) % 20}.py"
    if place == 6:
        return says("It is done.")
    if place != 1:
        return calls(("read_file", {"file_path": path}))
    edits += 1
    path = f"shop/module_{turn % 20}.py"
    number = turn // 20
    was = f"line = {number - 1}  #" if number else "first = 0  #"
    edit = {"file_path": path, "search": was, "replace": f"line = {number}  #", "description": "count"}
    return calls(("patch_source_file", edit))

async def go():
    app, model = scripted_app([step], root, journal=True, flags={"approve": "all"})
    model.repeat = True
    session = app.session()
    for number in range(turns):
        turn = await session.run(f"Do the thing number {number}, please.")
        assert turn.status == "done" and all(call.result.success for call in turn.calls), turn
        model.requests.clear()
    state = getattr(session, "state", None) or session.conversation  # its name in 0.1, for a look at older trees
    print(session.id, state.journal.seq)
    await app.aclose()

asyncio.run(go())
"""


def record(python: str, root: Path, turns: int) -> tuple[str, int]:
    """Record a session of so many turns; return its id and how many events it has."""
    for number in range(20):
        path = root / f"shop/module_{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("first = 0  # here\n" + "line = 'as it was'\n" * 40)
    argv = [python, "-P", "-c", _RECORD, str(root), str(turns)]
    said = subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True).stdout
    session_id, events = said.split()[-2:]
    return session_id, int(events)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("interpreters", nargs="*", default=[sys.executable], metavar="PYTHON")
    parser.add_argument("--turns", nargs="+", type=int, default=TURNS)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        print(f"{'turns':>6}{'events':>9}{'CPU s':>8}{'µs an event':>13}{'MB':>7}  Python", flush=True)
        for turns in asked.turns:
            for place, python in enumerate(asked.interpreters):
                folder = Path(name, f"{turns}-{place}")
                os.environ |= {f"XDG_{kind}_HOME": f"{folder}/{kind}" for kind in ("STATE", "CONFIG", "CACHE")}
                root = folder / "project"
                session_id, events = record(python, root, turns)
                composed, _ = measured([python, "-P", "-m", "inarch", "sessions", "list"], root)
                cpu, mb = measured([python, "-P", "-m", "inarch", "replay", session_id], root)
                each = (cpu - composed) / events * 1e6
                print(f"{turns:>6}{events:>9}{cpu:>8.1f}{each:>13.0f}{mb:>7.0f}  {python}", flush=True)


if __name__ == "__main__":
    main()
