"""The tasks and the scripted model of `benchmarks/agent`: what they measure goes by them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

AGENT = Path(__file__).parents[2] / "benchmarks" / "agent"


def python(program: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a program beside the benchmark's own modules."""
    return subprocess.run(
        [sys.executable, "-c", program, *words], cwd=AGENT, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.needs("git")
def test_each_task_fails_before_its_mending_and_passes_after_it() -> None:
    ran = python("""
import tempfile
from pathlib import Path
from tasks import FAULTS, tasks

found = tasks()
assert len(found) >= 12 and {fault for task in found for fault in task.faults} == set(FAULTS)
for task in found:
    assert ("stale" in task.faults) == bool(task.stale) and ("wrong-path" in task.faults) == bool(task.guess)
    with tempfile.TemporaryDirectory() as place:
        file = Path(place, task.path)
        task.write(Path(place))
        assert not Path(place, task.guess or "none").exists(), task.name
        assert not task.is_solved(Path(place)), task.name
        content = file.read_text()
        assert content.count(task.old) == 1 and (not task.stale or task.stale not in content), task.name
        file.write_text(content.replace(task.old, task.new))
        assert task.is_solved(Path(place)), task.name
""")
    assert ran.returncode == 0, ran.stderr


def test_the_script_goes_by_what_it_hears() -> None:
    ran = python("""
import json
from script import PATIENCE, play
from tasks import tasks

def heard(task, answers, most=200):
    playing, wants, text = play(task, "/repository"), [], None
    try:
        for _ in range(most):
            wants.append(next(playing) if text is None else playing.send(text))
            text = answers(wants[-1][0])
    except StopIteration:
        pass
    return [[one.kind + ("!" if one.is_cut else "") for one in some] for some in wants]

by_name = {task.name: task for task in tasks()}
def smooth(want): return "OK"
def silent(want): return "the same"
def hard(want): return "error: nothing there" if want.kind == "edit" else "OK"
print(json.dumps({
    "smooth": heard(by_name["slugs"], smooth), "hard": heard(by_name["slugs"], hard),
    "cut": heard(by_name["median"], smooth), "many": heard(by_name["wrap"], smooth),
    "endless": len(heard(by_name["roman"], silent)), "patience": PATIENCE,
}))
""")
    assert ran.returncode == 0, ran.stderr
    said: dict[str, Any] = json.loads(ran.stdout)
    assert said["smooth"] == [["run"], ["read"], ["read"], ["edit"], ["run"], ["say"]]
    assert said["hard"] == [["run"], ["read"], ["read"], ["edit"], ["read"], ["edit"], ["read"], ["say"]]
    assert ["edit!"] in said["cut"]
    assert ["read", "read"] in said["many"]
    assert said["endless"] == said["patience"] + 6


@pytest.mark.slow
@pytest.mark.needs("git")
def test_inarch_solves_every_task() -> None:
    ran = subprocess.run(
        [sys.executable, AGENT / "run.py", "--agents", "inarch"],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    runs = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]
    assert len(runs) >= 12
    assert [one["task"] for one in runs if not one["solved"] or one["code"]] == []


@pytest.mark.needs("git")
def test_inarch_is_told_of_a_circle_and_leaves_it() -> None:
    ran = subprocess.run(
        [sys.executable, AGENT / "run.py", "--agents", "inarch", "--tasks", "roman"],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    (run,) = (json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{"))
    assert (run["solved"], run["requests"]) == (True, 9), ran.stderr
