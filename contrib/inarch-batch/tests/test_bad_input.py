"""What is wrong with a task file or the command line is said with its place, before anything is asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inarch_batch.tasks import LONGEST_PROMPT, Task, TaskFault, TaskFileFaults, open_tasks, read_task

GOOD = {"id": "a", "prompt": "p", "root": "."}


def faults(tmp_path: Path, *lines: Any) -> list[str]:
    file = tmp_path / "tasks.jsonl"
    file.write_bytes(b"".join((one if isinstance(one, bytes) else json.dumps(one).encode()) + b"\n" for one in lines))
    with pytest.raises(TaskFileFaults) as caught:
        open_tasks(file, tmp_path, lambda task: None)
    return [fault.removeprefix(f"{file}:") for fault in caught.value.faults]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b'{"id": "a", ', "the line is no JSON: "),
        (b'{"id": "\xff"}', "the line is no JSON: "),
        (b"[" * 100_000, "the line is no JSON: "),
        ([1], "the whole: [1] is not an object"),
        ({**GOOD, "promt": ""}, "unknown key 'promt'"),
        ({**GOOD, "id": ""}, "'id' is ''"),
        ({**GOOD, "id": "a\nb"}, "'id' is 'a\\nb', which can't be one"),
        ({**GOOD, "id": 3}, "id: 3 is not a string"),
        ({**GOOD, "prompt": "\ud800"}, "'prompt' is empty, or has what is no character"),
        ({**GOOD, "prompt": "x" * 10_000_000}, "'prompt' has 10,000,000 characters; no more than 1,000,000"),
        ({**GOOD, "repo": "."}, "give 'root' (a folder that is copied) or 'repo'"),
        ({**GOOD, "base_commit": "abc"}, "'base_commit' is of a 'repo'"),
        ({"id": "a", "prompt": "p", "repo": "."} | {"base_commit": "--all"}, "'base_commit' is '--all'"),
        ({**GOOD, "max_cost_usd": 0}, "'max_cost_usd' is 0"),
        ({**GOOD, "max_cost_usd": "much"}, "'max_cost_usd' is 'much'"),
        ({**GOOD, "max_cost_usd": float("nan")}, "'max_cost_usd' is nan"),
        ({**GOOD, "max_cost_usd": True}, "max_cost_usd: True is not a number or string"),
        ({**GOOD, "schema": []}, "schema: [] is not an object"),
        ({**GOOD, "setup": "make"}, "setup: 'make' is not a list"),
        ({**GOOD, "setup": ["make", ["x"]]}, "setup: ['make', ['x']] is not a list"),
    ],
)
def test_a_line_that_is_no_task_is_told_with_its_number(tmp_path: Path, line: Any, says: str) -> None:
    (fault,) = faults(tmp_path, GOOD, line)
    assert fault.startswith(f"2: {says}")


def test_a_repeated_id_names_both_lines_and_many_faults_are_counted(tmp_path: Path) -> None:
    assert faults(tmp_path, GOOD, {**GOOD, "id": "b"}, GOOD) == ["3: the id 'a' is that of line 1, too"]
    told = faults(tmp_path, *[[n] for n in range(30)])
    assert (len(told), told[-1]) == (11, "and 20 more")
    assert faults(tmp_path, b"", b"  ")[0].endswith("there is no task in it")


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(), lambda one: st.lists(one) | st.dictionaries(
    st.sampled_from(["id", "prompt", "root", "repo", "setup", "schema", "max_cost_usd", "x"]), one)))  # fmt: skip
def test_whatever_stands_in_a_line_it_is_a_task_or_a_fault(value: Any) -> None:
    try:
        task = read_task(json.dumps(value).encode(), Path("/x"))
    except TaskFault as fault:
        assert str(fault)
    else:
        assert isinstance(task, Task) and task.id and len(task.prompt) <= LONGEST_PROMPT


@pytest.mark.needs("git")
@pytest.mark.parametrize(
    ("task", "says"),
    [
        ({"root": "nowhere"}, "'root' {home}/nowhere is no folder"),
        ({"repo": "nowhere"}, "'repo' {home}/nowhere is no folder"),
        ({"repo": "plain"}, "'repo' {home}/plain is no Git repository: "),
        ({"repo": "project", "base_commit": "abcdef0"}, "{home}/project has no commit 'abcdef0'"),
        ({"repo": "file://{home}/nowhere"}, "'repo' file://{home}/nowhere can't be fetched: "),
        ({"root": "project", "schema": {"$ref": "http://x.example/s"}}, "'schema': "),
    ],
)
def test_what_is_not_there_stops_the_batch_before_it_begins(person: Any, task: dict[str, Any], says: str) -> None:
    person.repository("one\n")
    (person.home / "plain").mkdir()
    home = str(person.home)
    given = {key: value.replace("{home}", home) if isinstance(value, str) else value for key, value in task.items()}
    file = person.tasks({"id": "t0", "prompt": "t0", "root": "project"}, {"id": "t1", "prompt": "t1", **given})
    ran = person.run(file, "--executor", "threads")
    assert ran.returncode == 2
    assert f"inarch: error: {file}:2: {says.replace('{home}', home)}" in ran.stderr
    assert not person.asked


@pytest.mark.needs("git")
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--filter", "("), "--filter '(' is no regular expression"),
        (("--slice", "x"), "--slice 'x' is no slice"),
        (("--max-cost", "lots"), "--max-cost 'lots' is not an amount of US dollars"),
        (("--executor", "clouds"), "there is no executor 'clouds'"),
    ],
)
def test_words_that_are_wrong(person: Any, words: tuple[str, ...], says: str) -> None:
    ran = person.run(person.many(1), *words)
    assert (ran.returncode, person.asked.total()) == (2, 0)
    assert says in ran.stderr


@pytest.mark.needs("git")
def test_a_task_file_or_an_output_folder_that_is_none(person: Any) -> None:
    ran = person.run(person.home / "none.jsonl")
    assert (ran.returncode, "none.jsonl can't be read: No such file" in ran.stderr) == (2, True)
    person.out = person.home / "a-file"
    person.out.write_text("a file")
    ran = person.run(person.many(1))
    assert (ran.returncode, f"{person.out} can't be written" in ran.stderr) == (2, True)
