"""What the owner of a batch may add to it: hosts for the setup, and executors of others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

COUNTING = '''
"""An executor that notes what it was given and runs it at once."""
from concurrent.futures import Executor, Future
from pathlib import Path

class Counting(Executor):
    def __init__(self, workers, address=""):
        self.note = Path(address)
        self.note.write_text(f"{workers} workers\\n")

    def submit(self, fn, /, *args, **kwargs):
        with self.note.open("a") as file:
            file.write("a task\\n")
        future = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except BaseException as error:
            future.set_exception(error)
        return future
'''


@pytest.mark.needs("git", "confinement", "curl")
def test_setup_reaches_the_hosts_that_are_named_and_no_other(person: Any) -> None:
    url = f"{person.server.url}/v1/models"
    tasks = person.many(1, setup=["curl", "--silent", "--show-error", "--fail", "--max-time", "20", url])
    closed = person.run(tasks, "--executor", "threads")
    assert closed.returncode == 1
    assert "setup" in person.results()["t0"]["error"]
    assert not person.asked
    host = person.server.url.removeprefix("http://")
    opened = person.run(tasks, "--executor", "threads", "--redo", "failed", "--setup-host", host)
    assert opened.returncode == 0, person.results()
    assert person.results()["t0"]["status"] == "done"


@pytest.mark.needs("git")
def test_an_executor_of_another_distribution_is_taken_by_its_name(person: Any, tmp_path: Path) -> None:
    site, note = tmp_path / "site", tmp_path / "note"
    info = site / "counting-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "counting.py").write_text(COUNTING)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: counting\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[inarch_batch.executors]\ncounting = counting:Counting\n")
    person.environ["PYTHONPATH"] = str(site)
    ran = person.run(person.many(2), "-w", "3", "--executor", f"counting://{note}")
    assert ran.returncode == 0, ran.stderr
    assert note.read_text() == "3 workers\na task\na task\n"
    assert {one["status"] for one in person.results().values()} == {"done"}
