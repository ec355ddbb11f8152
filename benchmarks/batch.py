"""What the coordinator of `inarch batch` takes for a task, each measure a JSON line.

    python benchmarks/batch.py [--tasks 1000 10000]

Its workers are an executor that has a result at once, with an answer and a patch of 4 kB: all processor time is the
coordinator's, for reading the task, keeping the result on disk and telling how far it is. Each count runs in a process
of its own, whose greatest memory is measured as well: it should hardly grow with the count. `probe_s` is a fixed piece
of work in the same process, to compare machines by.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from inarch_batch.coordinating import Batch, Plan, failure
from inarch_batch.results import Output
from inarch_batch.running import Outcome
from inarch_batch.tasks import open_tasks

P = ParamSpec("P")
T = TypeVar("T")
TEXT = "+ a line of a patch as long as many are\n" * 100


class AtOnce(Executor):
    """Has a result for each task before it is waited for."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        job: Any = args[0]
        result = {**failure(job.task.id, ""), "status": "done", "answer": "done", "patch": TEXT}
        future: Future[Any] = Future()
        future.set_result(Outcome(result))
        return future


def measured(count: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        tasks = Path(folder, "tasks.jsonl")
        with tasks.open("w") as file:
            for number in range(count):
                file.write(json.dumps({"id": f"task-{number}", "prompt": "Do it. " * 200, "root": "."}) + "\n")
        output = Output(Path(folder, "out"))
        with output.alone():
            began, cpu = time.perf_counter(), time.process_time()
            found = open_tasks(tasks, Path(folder), lambda task: None)
            checked = time.process_time() - cpu
            batch = Batch(found, output, Plan(8, None, {}), AtOnce(), lambda progress: None)
            progress = batch.run()
            spent, seconds = time.process_time() - cpu, time.perf_counter() - began
        assert progress.done == count
    return {
        "tasks": count,
        "cpu_ms_a_task": round(1000 * spent / count, 3),
        "of_it_checking_ms": round(1000 * checked / count, 3),
        "wall_ms_a_task": round(1000 * seconds / count, 3),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
        "probe_s": round(probe(), 4),
    }


def probe() -> float:
    began = time.process_time()
    for _ in range(200):
        json.loads(json.dumps({"text": TEXT, "numbers": list(range(200))}))
    return time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--tasks", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--here", action="store_true", help="measure in this process")
    given = parser.parse_args()
    for count in given.tasks:
        if given.here:
            print(json.dumps(measured(count)))
        else:
            subprocess.run([sys.executable, __file__, "--here", "--tasks", str(count)], check=True)


if __name__ == "__main__":
    main()
