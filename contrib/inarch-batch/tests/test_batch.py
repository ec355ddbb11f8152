"""Whole batches, as processes, against a model server on loopback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from inarch_batch.trees import git

from inarch.testing import HttpReply

pytestmark = pytest.mark.needs("git")
EXECUTORS = pytest.mark.parametrize("executor", ["threads", "processes"])


@EXECUTORS
def test_each_task_has_one_result_with_its_patch_and_cost(person: Any, executor: str) -> None:
    ran = person.run(person.many(3), "-w", "2", "--executor", executor)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("3 done · $0.0012 spent")
    found = person.results()
    assert {task: one["answer"] for task, one in found.items()} == {f"t{n}": f"t{n} is done" for n in range(3)}
    one = found["t1"]
    assert (one["status"], one["cost_usd"], one["tokens"]["input"], one["error"]) == ("done", 0.0004, 200, "")
    assert "+++ b/made.txt" in one["patch"] and one["session"]
    assert sorted(path.name for path in person.project.iterdir()) == ["a.txt"]
    assert not list((person.out / "tasks").iterdir())


def test_a_task_of_a_repository_begins_at_its_commit_and_sees_nothing_later(person: Any) -> None:
    commits = person.repository("one\n", "two\n", "three\n")
    person.steps = lambda task, step: (
        person.writes("a.txt", "mine\n")
        if step == 1
        else (person.calls("read_file", {"file_path": "a.txt"}) if step == 0 else person.says("done"))
    )
    tasks = person.tasks({"id": "t0", "prompt": "t0", "repo": "project", "base_commit": commits[1][:9]})
    ran = person.run(tasks, "--executor", "threads", "--keep-trees")
    assert ran.returncode == 0, ran.stderr
    patch = person.results()["t0"]["patch"]
    assert "-two\n+mine\n" in patch
    tree = person.out / "tasks" / "t0" / "tree"
    assert person.git("log", "--format=%s", "--all", "HEAD", cwd=tree).split() == ["two", "one"]
    assert subprocess.run(["git", "cat-file", "-e", commits[2]], cwd=tree, capture_output=True).returncode != 0
    person.git("checkout", "-q", commits[1])
    subprocess.run(["git", "apply"], cwd=person.project, input=patch, text=True, check=True)
    assert (person.project / "a.txt").read_text() == "mine\n"


def test_a_repository_at_an_address_is_fetched_once(person: Any) -> None:
    (commit,) = person.repository("one\n")
    repo = person.project.as_uri()
    tasks = person.tasks(*({"id": f"t{n}", "prompt": f"t{n}", "repo": repo, "base_commit": commit} for n in range(2)))
    assert person.run(tasks, "--executor", "threads").returncode == 0
    assert {one["status"] for one in person.results().values()} == {"done"}
    assert len(list((person.out / "repos").iterdir())) == 1


@pytest.mark.parametrize("folder", [".", "bin", ""])
def test_a_git_of_the_folder_that_it_is_started_in_is_not_run(
    tmp_path: Path, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / folder / "git"
    place.parent.mkdir(exist_ok=True)
    place.write_text("#!/bin/sh\necho theirs\n")
    place.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    assert git("--version").startswith(b"git version")


def test_run_again_it_asks_only_for_what_has_no_result(person: Any) -> None:
    assert person.run(person.many(2), "--executor", "threads").returncode == 0
    assert person.run(person.many(3), "--executor", "threads").returncode == 0
    assert person.asked == {"t0": 2, "t1": 2, "t2": 2}
    assert set(person.results()) == {"t0", "t1", "t2"}


def test_filter_and_slice_choose_among_the_tasks(person: Any) -> None:
    ran = person.run(person.many(12), "--executor", "threads", "--filter", "^t1", "--slice", "1:")
    assert ran.returncode == 0
    assert set(person.results()) == {"t10", "t11"}


def test_a_failed_task_is_tried_again_in_a_fresh_tree_and_redone_when_asked(person: Any) -> None:
    person.steps = lambda task, step: HttpReply([b"no"], 400)
    tasks = person.many(2)
    ran = person.run(tasks, "--executor", "threads", "--retry", "1", "--slice", ":1")
    assert ran.returncode == 1
    assert (person.results()["t0"]["status"], person.asked["t0"]) == ("failed", 2)
    assert "400" in person.results()["t0"]["error"]
    person.steps = lambda task, step: person.says("now it works")
    assert person.run(tasks, "--executor", "threads").returncode == 1
    assert person.asked == {"t0": 2, "t1": 1}
    assert person.run(tasks, "--executor", "threads", "--redo", "failed").returncode == 0
    assert [one["status"] for one in person.results().values()] == ["done", "done"]


@EXECUTORS
def test_the_ceiling_is_never_passed_and_nearly_all_of_it_is_usable(person: Any, executor: str) -> None:
    """A request costs 0.0102 dollars, and could cost up to 0.08 more: eight workers ask at once."""
    person.steps = lambda task, step: (
        person.writes(f"{step}.txt", taken=200, made=1000) if step < 3 else person.says("done", 200, 1000)
    )
    ran = person.run(person.many(24), "-w", "8", "--executor", executor, "--max-cost", "0.5")
    assert ran.returncode == 3, ran.stderr
    assert "the money is spent" in ran.stderr
    billed = sum(person.asked.values()) * 0.0102
    assert 0.45 <= billed <= 0.5
    assert sum(person.asked.values()) > 4 * len(person.results()) or len(person.results()) >= 11
    before = person.asked.copy()
    ran = person.run(person.many(24), "-w", "8", "--executor", executor, "--max-cost", "3")
    assert (ran.returncode, len(person.results())) == (0, 24), ran.stderr
    assert sum(person.asked.values()) == 24 * 4
    assert all(person.asked[task] == 4 for task in before)


def test_a_model_without_a_price_is_not_asked_under_a_ceiling(person: Any) -> None:
    person.configure()
    file = person.home / "config" / "inarch" / "config.toml"
    file.write_text("\n".join(line for line in file.read_text().splitlines() if "_price" not in line))
    ran = person.run(person.many(1), "--executor", "threads", "--max-cost", "1")
    assert ran.returncode == 3
    assert not person.asked
    assert "the price of openai-compatible/m is unknown" in ran.stderr
    assert person.run(person.many(1), "--executor", "threads").returncode == 0


def test_a_tasks_own_limit_ends_it_and_not_the_batch(person: Any) -> None:
    person.steps = lambda task, step: person.writes(f"{step}.txt") if step < 5 else person.says("done")
    tasks = person.tasks(
        {"id": "t0", "prompt": "t0", "root": "project", "max_cost_usd": "0.0001"},
        {"id": "t1", "prompt": "t1", "root": "project"},
    )
    assert person.run(tasks, "--executor", "threads", "--max-cost", "1").returncode == 3
    assert {task: one["status"] for task, one in person.results().items()} == {"t0": "limited", "t1": "done"}


def test_an_answer_keeps_the_schema_of_its_task(person: Any) -> None:
    person.steps = lambda task, step: person.says('{"risk": "low"}')
    schema = {"type": "object", "required": ["risk"]}
    assert person.run(person.many(1, schema=schema), "--executor", "threads").returncode == 0
    assert json.loads(person.results()["t0"]["answer"]) == {"risk": "low"}


def test_setup_runs_with_the_rights_of_a_build_and_is_no_part_of_the_patch(person: Any) -> None:
    outside = person.home / "outside.txt"
    setup = [["sh", "-c", f"echo x > built.txt; echo x > {outside}; true"], ["cat", "built.txt"]]
    ran = person.run(person.many(1, setup=setup), "--executor", "threads")
    assert ran.returncode == 0, person.results()
    assert not outside.exists()
    assert "built.txt" not in person.results()["t0"]["patch"]
    failing = person.tasks(
        {"id": "bad", "prompt": "bad", "root": "project", "setup": ["sh", "-c", "echo no tools; exit 1"]}
    )
    assert person.run(failing, "--executor", "threads").returncode == 1
    error = person.results()["bad"]["error"]
    assert "exited with 1" in error and "no tools" in error
    assert "bad" not in person.asked


@EXECUTORS
def test_ctrl_c_stops_in_order_and_the_task_goes_on_where_it_was(person: Any, executor: str) -> None:
    reached, go_on = threading.Event(), threading.Event()

    def steps(task: str, step: int) -> HttpReply:
        if step == 0:
            return person.writes()
        reached.set()
        go_on.wait(20)
        return person.says("done")

    person.steps = steps
    running = person.start(person.many(3), "-w", "1", "--executor", executor)
    assert reached.wait(60)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=60)
    go_on.set()
    assert (running.returncode, person.asked["t1"]) == (130, 0)
    assert "3 tasks have no result" in err
    ran = person.run(person.many(3), "-w", "1", "--executor", executor)
    assert ran.returncode == 0, ran.stderr
    assert "made.txt" in person.results()["t0"]["patch"]
    assert person.asked == {"t0": 3, "t1": 2, "t2": 2}


def test_a_second_ctrl_c_ends_at_once_with_its_workers(person: Any) -> None:
    reached, go_on = threading.Event(), threading.Event()

    def steps(task: str, step: int) -> HttpReply:
        reached.set()
        go_on.wait(60)
        return person.says("done")

    person.steps = steps
    running = person.start(person.many(1), "-w", "1")
    assert reached.wait(60)
    workers = children_of(running.pid)
    running.send_signal(signal.SIGINT)
    running.send_signal(signal.SIGINT)
    assert running.wait(60) == 130
    running.communicate()
    go_on.set()
    deadline = time.monotonic() + 30
    while any(Path(f"/proc/{pid}").exists() for pid in workers) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert workers and not any(Path(f"/proc/{pid}").exists() for pid in workers)


def children_of(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(one) for one in text.split()]


def test_two_batches_do_not_share_an_output_folder(person: Any) -> None:
    reached, go_on = threading.Event(), threading.Event()

    def steps(task: str, step: int) -> HttpReply:
        reached.set()
        go_on.wait(60)
        return person.says("done")

    person.steps = steps
    first = person.start(person.many(1), "--executor", "threads")
    assert reached.wait(60)
    second = person.run(person.many(1), "--executor", "threads")
    go_on.set()
    first.communicate(timeout=60)
    assert (first.returncode, second.returncode) == (0, 2)
    assert f"another batch works in {person.out} (process {first.pid})" in second.stderr


def test_an_output_folder_inside_the_copied_root_is_not_copied(person: Any) -> None:
    person.out = person.project / "out"
    assert person.run(person.many(2), "--executor", "threads", "--keep-trees").returncode == 0
    assert not (person.out / "tasks" / "t0" / "tree" / "out").exists()


def test_a_full_disk_stops_the_batch_and_loses_nothing(person: Any) -> None:
    def steps(task: str, step: int) -> HttpReply:
        if step == 0:
            (person.out / "results.jsonl").symlink_to("/dev/full")
        return person.says("done")

    person.steps = steps
    ran = person.run(person.many(3), "-w", "1", "--executor", "threads")
    assert ran.returncode == 1
    assert "can't be written: No space left on device" in ran.stderr
    assert person.asked == {"t0": 1}
    (person.out / "results.jsonl").unlink()
    person.steps = lambda task, step: person.says("done")
    assert person.run(person.many(3), "-w", "1", "--executor", "threads").returncode == 0
    assert (person.asked, len(person.results())) == ({"t0": 1, "t1": 1, "t2": 1}, 3)


def test_a_task_whose_folder_can_not_be_written_is_told_by_its_place(person: Any) -> None:
    (person.out / "tasks").mkdir(parents=True)
    (person.out / "tasks" / "t0").write_text("no folder")
    ran = person.run(person.many(1), "--executor", "threads")
    assert ran.returncode == 1
    assert f"{person.out}/tasks/t0 can't be written: File exists; 1 task has no result" in ran.stderr
    assert not person.asked


def test_a_line_that_a_kill_cut_off_is_written_anew(person: Any) -> None:
    assert person.run(person.many(2), "--executor", "threads").returncode == 0
    results = person.out / "results.jsonl"
    whole = results.read_bytes()
    results.write_bytes(whole[:-20])
    assert person.run(person.many(2), "--executor", "threads").returncode == 0
    assert set(person.results()) == {"t0", "t1"}
    assert sum(person.asked.values()) == 6


def test_nobody_else_may_read_what_a_batch_keeps(person: Any) -> None:
    tasks = person.many(2)
    before = set(person.home.rglob("*"))
    command = [sys.executable, "-P", "-m", "inarch", "batch", str(tasks), "-o", str(person.home / "far" / "out")]
    ran = subprocess.run(command, cwd=person.home, env=person.environ, umask=0, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    made = {path for path in person.home.rglob("*") if path not in before and not path.is_symlink()}
    assert len(made) > 10
    assert [path for path in made if path.stat().st_mode & 0o077] == []
