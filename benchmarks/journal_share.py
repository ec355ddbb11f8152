"""The journal's share of a scripted run of 50 calls: numbering, redacting, encoding, keeping and syncing events.

`python benchmarks/journal_share.py` runs 50 reads, then 50 edits (whose before-images are kept), one call a reply,
through the real kernel, plugins, store and log, with a scripted model, in a process each. The clock is CPU of the
thread around the journal's and the store's own functions; what onlookers (the JSONL log, a tracer) take stands apart.

Two shares are printed: `of run` is that of the whole process, from its start to the end of the turn (reach: 10 %);
`of turn` leaves out the start. A scripted model takes nothing, so that one is the upper end of what a turn can be.

`--beside PYTHON` runs the same with another interpreter, whose environment has another Inarch, and prints what an
iteration takes here in relation to there: CPU of the whole turn, of the process and the children it has waited for
(reach of what keeps an edit's undo from kill -9: 1.05). A first run of both and a first turn of each see to it that all
is compiled and imported; runs alternate as here, there, there, here. Load makes a run slower and never faster, so the
ratio of the fastest runs is told, and that of the medians; `spread` is what the middle half of the pairs gives.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median, quantiles

CALLS = 50
WARM = 5
RUNS = 5

_PROGRAM = """
import asyncio, gc, json, resource, sys, time
gc.set_threshold(250_000)  # as `inarch` does
from inarch.testing import calls, says, scripted_app
from inarch.journal.journal import Journal
from inarch_sqlite_store.store import SqliteStore

root, kind, count, warm = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
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
warming = [*first, *map(step, range(warm)), says("warm")] if warm else []
script = [*warming, *first, *map(step, range(warm, warm + count)), says("done")]
app, _ = scripted_app(script, root, journal=True, flags={"approve": "all", "max_iterations": count + 5})

def cpu_ns():
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time_ns() + int(1e9 * (children.ru_utime + children.ru_stime))

async def go():
    session = app.session()
    if warm:
        await session.run("warm up")
        gc.collect()
    begun = cpu_ns()
    turn = await session.run("do it")
    took = cpu_ns() - begun
    assert turn.status == "done" and len(turn.calls) == count + len(first), turn
    assert all(call.result.success for call in turn.calls), turn.calls
    await app.aclose()
    state = getattr(session, "state", None) or session.conversation  # its name in 0.1, for `--beside`
    rows = {"turn": took, "process": time.process_time_ns(), "events": state.journal.seq}
    print(json.dumps({**spent, **rows}))

asyncio.run(go())
"""


def measured(kind: str, python: str = sys.executable, warm: int = 0) -> dict[str, float]:
    """Run the program once in folders of its own, after a turn of `warm` calls."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "project")
        root.mkdir()
        (root / "module.py").write_text("".join(f"line {number} \n" for number in range(400)))
        environ = {**os.environ, **{f"XDG_{name}_HOME": f"{folder}/{name}" for name in ("STATE", "CONFIG", "CACHE")}}
        done = subprocess.run(
            [python, "-P", "-c", _PROGRAM, str(root), kind, str(CALLS), str(warm)],
            env=environ, check=True, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        result: dict[str, float] = json.loads(done.stdout)
        return result


def compare(python: str, runs: int) -> None:
    """Print what an iteration takes in relation to another interpreter's, pair by pair."""
    for kind in ("read", "edit"):
        taken: dict[str, list[float]] = {sys.executable: [], python: []}
        for number in range(-1, runs):
            for one in (sys.executable, python)[:: -1 if number % 2 else 1]:
                took = measured(kind, one, WARM)["turn"]
                if number >= 0:
                    taken[one].append(took)
        here, there = taken.values()
        low, _, high = quantiles((ours / theirs for ours, theirs in zip(here, there, strict=True)), n=4)
        row = {
            "what": f"iteration of one {kind}",
            "ratio": round(min(here) / min(there), 3),
            "of the medians": round(median(here) / median(there), 3),
            "spread": [round(low, 3), round(high, 3)],
            "ms": round(min(here) / 1e6 / CALLS, 2),
            "runs": runs,
        }
        print(json.dumps(row), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--beside", metavar="PYTHON", help="compare with the Inarch of another environment")
    parser.add_argument("--runs", type=int, default=RUNS, help="how often; four times as many with --beside are few")
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
