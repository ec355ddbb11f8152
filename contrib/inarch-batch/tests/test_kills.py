"""Workers and coordinators that are killed, and services that want to be left alone."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from inarch.testing import HttpReply

pytestmark = pytest.mark.needs("git")


def workers_of(pid: int) -> list[int]:
    """Return the worker processes of a coordinator; multiprocessing has another child for its own bookkeeping."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [int(one) for one in children if b"spawn_main" in Path(f"/proc/{one}/cmdline").read_bytes()]
    except OSError:
        return []


def test_workers_that_are_killed_again_and_again_cost_no_result_and_little_money(person: Any) -> None:
    """Six tasks of four requests, and a worker dies each second: only the request that it waited for is asked again."""

    def steps(task: str, step: int) -> HttpReply:
        time.sleep(0.2)
        return person.writes(f"{step}.txt") if step < 3 else person.says(f"{task} is done")

    def step_of(messages: Any) -> int:
        """Like a model, go by what was done: a call in whose midst the worker died may have to be made again."""
        told = [one["content"] for one in messages if one["role"] == "user" or '"note"' in str(one["content"])]
        return next(n for n in range(4) if not any(f"{n}.txt" in str(content) for content in told))

    person.steps, person.step_of = steps, step_of
    running = person.start(person.many(6), "-w", "2", "--max-cost", "2")
    killed: set[int] = set()
    while running.poll() is None:
        time.sleep(1)
        for worker in workers_of(running.pid)[:1]:
            os.kill(worker, signal.SIGKILL)
            killed.add(worker)
        if len(killed) == 8:
            break
    _, err = running.communicate(timeout=300)
    assert running.returncode == 0, err
    found = person.results()
    assert {one["status"] for one in found.values()} == {"done"} and len(found) == 6
    assert all(f"b/{step}.txt" in one["patch"] for one in found.values() for step in range(3))
    assert len(killed) >= 2
    assert 24 <= sum(person.asked.values()) <= 24 + len(killed)


def test_a_result_that_nobody_took_is_not_made_again(person: Any) -> None:
    """The coordinator is killed between the end of a task and its line in the results."""
    stopped = threading.Event()

    def steps(task: str, step: int) -> HttpReply:
        stopped.wait(60)
        return person.says("done")

    person.steps = steps
    running = person.start(person.many(1), "-w", "1")
    while not person.asked:
        time.sleep(0.02)
    running.send_signal(signal.SIGSTOP)
    stopped.set()
    result = person.out / "tasks" / "t0" / "result.json"
    while not result.exists():
        time.sleep(0.02)
    running.kill()
    running.communicate()
    ran = person.run(person.many(1), "-w", "1")
    assert (ran.returncode, person.asked["t0"], len(person.results())) == (0, 1, 1)
