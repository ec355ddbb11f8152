"""The page at the end of a batch, and the predictions for SWE-bench."""

from __future__ import annotations

import json
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inarch_batch.reports import LONGEST, kind_of, write_report
from inarch_batch.results import Output

from inarch.testing import NASTY_TEXTS

ONE = {
    "id": "a", "status": "failed", "answer": "", "patch": "", "cost_usd": 0.5, "unknown_costs": 0, "model": "p/m",
    "tokens": {"input": 1, "output": 2, "cached": 0}, "session": "", "seconds": 1.0, "error": "",
}  # fmt: skip


class Read(HTMLParser):
    """What a page says, and the elements in it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.words, self.names = list[str](), list[str]()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.names.append(tag)

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def page_of(folder: Path, *results: dict[str, Any]) -> Read:
    output = Output(folder)
    for result in results:
        output.add(result)
    return Read(write_report(output, "$1.00").read_text("utf-8"))


def test_the_page_has_table_kinds_and_diffs(tmp_path: Path) -> None:
    done = {**ONE, "status": "done", "patch": "--- a/x\n+++ b/x\n-old\n+new\n", "answer": "I did it"}
    failed = [{**ONE, "id": f"f{n}", "error": f"line {n}: 0x{n}f is wrong\nmore"} for n in range(3)]
    page = page_of(tmp_path, done, *failed)
    assert {"-old", "+new", "I did it", "failed: line N: NxN is wrong", "3", "0.5000"} <= {*page.words}
    assert (page.names.count("ins"), page.names.count("del"), page.names.count("details")) == (1, 1, 4)


@given(st.text() | st.sampled_from(NASTY_TEXTS))
def test_nothing_in_a_result_is_markup(text: str) -> None:
    hostile = f"<script>{text}</script><b>".replace("\n", " ")  # a line of a patch may become an element of ours
    with TemporaryDirectory() as plain, TemporaryDirectory() as other:
        names = page_of(Path(plain), {**ONE, **dict.fromkeys(("id", "error", "answer", "patch", "session"), "x")}).names
        page = page_of(Path(other), {**ONE, **dict.fromkeys(("id", "error", "answer", "patch", "session"), hostile)})
    assert page.names == names


def test_a_long_patch_is_cut_and_says_so(tmp_path: Path) -> None:
    page = page_of(tmp_path, {**ONE, "patch": "+" * (LONGEST + 1_234)})
    assert any("1,234 more characters in results.jsonl" in words for words in page.words)


def test_failures_that_differ_in_numbers_are_of_one_kind() -> None:
    assert kind_of("timed out after 30 s\nmore") == kind_of("timed out after 120 s") == "timed out after N s"
    assert kind_of("  ") == "no reason was given"


@pytest.mark.needs("git")
def test_instances_of_swebench_become_predictions(person: Any, part: Callable[[str], str]) -> None:
    (commit,) = person.repository("one\n")
    instance = {"repo": "project", "base_commit": commit, "problem_statement": "t0 is broken", "test_patch": "secret"}
    tasks = person.tasks({"instance_id": "a__b-1", **instance})
    ran = person.run(tasks, "--executor", "threads", "--format", "swebench")
    assert ran.returncode == 0, ran.stderr
    (line,) = (person.out / "predictions.jsonl").read_text().splitlines()
    found = json.loads(line)
    assert (found["instance_id"], found["model_name_or_path"]) == ("a__b-1", "inarch openai-compatible/m")
    assert found["model_patch"].startswith("diff --git a/made.txt b/made.txt\n")
    assert "1 done" in ran.stdout and (person.out / "report.html").exists()
    part("swebench")
    from swebench.harness.utils import get_predictions_from_file  # it takes seconds to import

    assert get_predictions_from_file(str(person.out / "predictions.jsonl"), "none", "test") == [found]
