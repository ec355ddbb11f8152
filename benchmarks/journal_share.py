"""The journal's share of a scripted run of 50 calls: numbering, redacting, encoding, keeping and syncing events.

`python benchmarks/journal_share.py` runs 50 reads, then 50 edits (whose before-images are kept), one call a reply,
through the real kernel, plugins, store and log, with a scripted model, in a process each. The clock is CPU of the
thread around the journal's and the store's own functions; what onlookers (the JSONL log, a tracer) take stands apart.

Two shares are printed: `of run` is that of the whole process, from its start to the end of the turn (reach: 10 %);
`of turn` leaves out the start. A scripted model takes nothing, so that one is the upper end of what a turn can be.

`--beside PYTHON` runs the same with another interpreter, whose environment has another Inarch, in turns with this one,
and prints what an iteration takes here in relation to there: CPU of the whole turn (reach of what keeps an edit's undo
from kill -9: 1.05).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

CALLS = 50
RUNS = 5

_PROGRAM = """
import asyncio, gc, json, sys, time
gc.set_threshold(100_000)  # as `inarch` does
from inarch.testing import calls, says, scripted_app
from inarch.journal import Journal
from inarch_sqlite_store.store import SqliteStore

root, kind, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
spent = {"journal": 0, "onlookers": 0}
doing = []

def timed(cls, name, account):
    function = getattr(cls, name)
    def run(*words, **more):
        if doing and doing[-1] == account:
            return function(*words, **more)
        doing.append(account)
        begun = time.thread_time_ns()
        try:
            return function(*words, **more)
        finally:
            took = time.thread_time_ns() - begun
            doing.pop()
            spent[account] += took
            if doing:
                spent[doing[-1]] -= took
    setattr(cls, name, run)

for cls, name in ((Journal, "record"), (Journal, "flush"), (SqliteStore, "_sync_now"), (SqliteStore, "put_blob")):
    timed(cls, name, "journal")
timed(Journal, "_tell", "onlookers")

def step(number):
    if kind == "read":
        return calls(("read_file", {"file_path": "module.py", "start_line": number + 1, "end_line": number + 1}))
    return calls(("patch_source_file", {"file_path": "module.py", "search": f"line {number} \\n",
                                        "replace": f"LINE {number} \\n", "description": "shout"}))

first = [] if kind == "read" else [calls(("read_file", {"file_path": "module.py"}))]
script = [*first, *map(step, range(count)), says("done")]
app, _ = scripted_app(script, root, journal=True, flags={"approve": "all", "max_iterations": count + 5})

async def go():
    session = app.session()
    begun = time.process_time_ns()
    turn = await session.run("do it")
    took = time.process_time_ns() - begun
    assert turn.status == "done" and len(turn.calls) == count + len(first), turn
    assert all(call.result.success for call in turn.calls), turn.calls
    await app.aclose()
    rows = {"turn": took, "process": time.process_time_ns(), "events": session.conversation.journal.seq}
    print(json.dumps({**spent, **rows}))

asyncio.run(go())
"""


def measured(kind: str, python: str = sys.executable) -> dict[str, float]:
    """Run the program once in folders of its own."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "project")
        root.mkdir()
        (root / "module.py").write_text("".join(f"line {number} \n" for number in range(400)))
        environ = {**os.environ, **{f"XDG_{name}_HOME": f"{folder}/{name}" for name in ("STATE", "CONFIG", "CACHE")}}
        done = subprocess.run(
            [python, "-P", "-c", _PROGRAM, str(root), kind, str(CALLS)],
            env=environ, check=True, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        result: dict[str, float] = json.loads(done.stdout)
        return result


def compare(python: str, runs: int) -> None:
    """Print what an iteration takes in relation to another interpreter's, pair by pair."""
    for kind in ("read", "edit"):
        pairs = [(measured(kind)["turn"], measured(kind, python)["turn"]) for _ in range(runs)]
        ratios = sorted(here / there for here, there in pairs)
        best = min(here for here, _ in pairs) / min(there for _, there in pairs)
        print(
            json.dumps({"what": f"iteration of one {kind}", "ratio": median(ratios), "of the best": best, "runs": runs})
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--beside", metavar="PYTHON", help="compare with the Inarch of another environment")
    parser.add_argument("--runs", type=int, default=RUNS)
    asked = parser.parse_args()
    measured("read")
    if asked.beside:
        compare(asked.beside, asked.runs)
        return
    print(f"{'':<8}{'events':>8}{'turn ms':>9}{'journal ms':>12}{'of run':>12}{'of turn':>9}{'onlookers':>11}")
    for kind in ("read", "edit"):
        rows = [measured(kind) for _ in range(asked.runs)]
        middle = {name: median(row[name] for row in rows) for name in rows[0]}
        share = median(row["journal"] / row["turn"] for row in rows)
        whole = median(row["journal"] / row["process"] for row in rows)
        others = median(row["onlookers"] / row["turn"] for row in rows)
        print(
            f"{kind:<8}{middle['events']:>8.0f}{middle['turn'] / 1e6:>9.0f}{middle['journal'] / 1e6:>12.1f}"
            f"{whole:>12.1%}{share:>9.1%}{others:>11.1%}"
        )


if __name__ == "__main__":
    main()
