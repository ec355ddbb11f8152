"""A batch on Dask: its own scheduler and two worker processes, which may go away."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inarch.testing import HttpReply

pytestmark = pytest.mark.needs("git", "distributed")
HERE = "127.0.0.1"


class Cluster:
    """A scheduler and its workers."""

    def __init__(self, person: Any) -> None:
        self.person, self.processes = person, list[subprocess.Popen[bytes]]()
        with socket.socket() as found:
            found.bind((HERE, 0))
            self.address = f"{HERE}:{found.getsockname()[1]}"

    def start(self, *, code: str = "", threads: int = 1) -> None:
        scheduler = ("scheduler", "--host", HERE, "--port", self.address.partition(":")[2], "--no-dashboard")
        worker = ("worker", f"tcp://{self.address}", "--nthreads", str(threads), "--no-nanny", "--no-dashboard")
        worker = (*worker, "--host", HERE)
        for words in (scheduler, worker, worker):
            first = f"import sys; sys.argv[0] = 'dask'; {code if words is worker else ''}\n"
            program = f"{first}from dask.__main__ import main; main()"
            self.processes.append(
                subprocess.Popen(
                    [sys.executable, "-c", program, *words], env=self.person.environ, cwd=self.person.home,
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                )
            )  # fmt: skip
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                with socket.create_connection((HERE, int(self.address.partition(":")[2])), 1):
                    return
            except OSError:
                time.sleep(0.1)
        raise AssertionError("the scheduler does not start")

    def kill_holder(self, file: Path) -> None:
        """Kill the worker that has a file open."""
        for process in self.processes[1:]:
            opened = {os.path.realpath(one) for one in Path(f"/proc/{process.pid}/fd").iterdir()}
            if str(file) in opened:
                process.kill()
                process.wait()
                return
        raise AssertionError(f"no worker has {file}")

    def kill(self, *which: int) -> None:
        for at in which or range(len(self.processes)):
            self.processes[at].kill()
            self.processes[at].wait()
        if not which:
            self.processes.clear()


@pytest.fixture
def cluster(person: Any) -> Iterator[Cluster]:
    found = Cluster(person)
    yield found
    found.kill()


def test_two_workers_of_dask_do_the_tasks(person: Any, cluster: Cluster) -> None:
    cluster.start()
    ran = person.run(person.many(4), "-w", "2", "--executor", f"dask://{cluster.address}", "--max-cost", "1")
    assert ran.returncode == 0, ran.stderr
    assert {one["status"] for one in person.results().values()} == {"done"}
    assert person.asked == {f"t{n}": 2 for n in range(4)}


def test_a_worker_of_dask_that_is_killed_leaves_its_task_to_the_other(person: Any, cluster: Cluster) -> None:
    def steps(task: str, step: int) -> HttpReply:
        if task == "t1" and step == 1 and len(cluster.processes) == 3:
            cluster.processes[1].send_signal(signal.SIGKILL)
        time.sleep(0.3)
        return person.writes() if step == 0 else person.says("done")

    person.steps = steps
    cluster.start()
    ran = person.run(person.many(4), "-w", "2", "--executor", f"dask://{cluster.address}")
    assert ran.returncode == 0, ran.stderr
    assert len(person.results()) == 4
    assert 8 <= person.asked.total() <= 11


def test_a_scheduler_that_goes_away_ends_the_batch_which_goes_on_with_another(person: Any, cluster: Cluster) -> None:
    person.steps = lambda task, step: (time.sleep(0.3), person.writes() if step == 0 else person.says("done"))[1]
    cluster.start()
    words = (person.many(6), "-w", "2", "--executor", f"dask://{cluster.address}")
    running = person.start(*words)
    while len(person.asked) < 3:
        time.sleep(0.05)
    cluster.kill()
    _, err = running.communicate(timeout=120)
    assert (running.returncode, "the scheduler is gone" in err, "run the same again" in err) == (1, True, True), err
    cluster.start()
    assert person.run(*words).returncode == 0
    assert len(person.results()) == 6
    assert 12 <= person.asked.total() <= 16


def test_workers_of_another_version_are_refused_by_name(person: Any, cluster: Cluster) -> None:
    cluster.start(code="import inarch; inarch.__version__ = '9.9.9'")
    time.sleep(3)
    ran = person.run(person.many(1), "--executor", f"dask://{cluster.address}")
    assert (ran.returncode, person.asked.total()) == (2, 0)
    assert f"the worker tcp://{HERE}:" in ran.stderr and "has inarch 9.9.9, inarch-batch 0.2.0" in ran.stderr


@pytest.mark.parametrize(("address", "says"), [("", "names no scheduler"), ("127.0.0.1:1", "can't be reached")])
def test_a_scheduler_that_is_not_there(person: Any, address: str, says: str) -> None:
    ran = person.run(person.many(1), "--executor", f"dask://{address}")
    assert ran.returncode == 2
    assert says in ran.stderr
