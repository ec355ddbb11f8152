"""The held cases under the other `--approve` levels with nobody to ask: a level denies, and never lets more happen.

`test_commands.py` and `test_paths.py` run each case under the level it is written for, mostly `all`. What must come of
the same case under `ask`, `edits` and `none` is in a table here; whatever it is, all that the runner demands holds.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
from attrs import evolve
from command_runner import Stage, load_commands
from safety_runner import Case, load

from . import test_hostile_repository as hostile
from . import test_secrets as secrets

pytestmark = [pytest.mark.once, pytest.mark.needs("git")]

LEVELS = ("ask", "edits", "none")
SAME, DENIED = "as the case says", "denied"
EXPECTED = {
    "looks": {"ask": SAME, "edits": SAME, "none": SAME},
    "is granted": {"ask": SAME, "edits": SAME, "none": SAME},
    "edits": {"ask": DENIED, "edits": SAME, "none": DENIED},
    "could show a secret in pieces": {"ask": DENIED, "edits": DENIED, "none": DENIED},
    "runs programs": {"ask": DENIED, "edits": DENIED, "none": DENIED},
    "is refused": {"ask": SAME, "edits": SAME, "none": SAME},
}
"""What comes of a case by what its call does, and by level. One that is refused may be denied before it gets there."""

EDITING = frozenset({"write_file", "create_file", "patch_source_file", "delete_file", "move_file"})
LOOKING = frozenset({
    "ls", "cat", "head", "tail", "wc", "pwd", "grep", "rg", "find", "sort", "uniq", "cut", "stat", "du", "echo",
    "diff", "file", "nl", "basename", "dirname", "git", "sha256sum", "md5sum", "true", "false", "date", "cmp",
    "comm", "od", "tac", "tr", "tree", "realpath", "sed",
})  # fmt: skip
"""Programs of which the cases that are allowed only look."""


def what_it_does(case: Case) -> str:
    """Return the row of the table for a case, from its words alone."""
    if case.refused:
        return "is refused"
    if re.match(r"git (?:log|diff|show) .*-[SG]|git grep .*HEAD|tail -c 3 s$", str(case.arguments.get("command"))):
        return "could show a secret in pieces"
    if case.tool != "execute_command":
        return "edits" if case.tool in EDITING else "runs programs" if case.tool == "git_commit" else "looks"
    if case.config.get("commands"):
        return "is granted"
    return "looks" if shlex.split(case.arguments["command"])[0] in LOOKING else "runs programs"


def under(level: str, case: Case) -> Case:
    """Return the case as it must come out under a level."""
    what = what_it_does(case)
    if EXPECTED[what][level] == DENIED:
        # A call that can only fail does so before anybody is asked: an attempt, or one that an earlier call prepared.
        codes = ("denied", "conflict", "validation") if case.earlier or case.contained else ("denied",)
        return evolve(
            case, approve=level, earlier=(), contained=False, refused=codes, allowed=None, says="", has=(), lacks=(),
            files={},
        )  # fmt: skip
    if what == "is refused":
        return evolve(case, approve=level, earlier=(), refused=(*case.refused, "denied"), says="")
    return evolve(case, approve=level)


CASES = [(level, case) for case in [*load_commands(), *load("paths.json")] if case.approve == "all" for level in LEVELS]
DAILY = {(level, what_it_does(case), case.tool): f"{case.name}-{level}" for level, case in reversed(CASES)}.values()
"""The first case of each level, row and tool."""


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """One place for all cases."""
    stage = Stage.make(tmp_path_factory.mktemp("levels"))
    yield stage
    stage.close()


@pytest.mark.parametrize(
    ("level", "case"),
    [
        pytest.param(level, case, id=name, marks=() if name in DAILY else pytest.mark.slow)
        for level, case in CASES
        for name in [f"{case.name}-{level}"]
    ],
)
def test_case_under_level(level: str, case: Case, stage: Stage) -> None:
    stage.check(under(level, case))


def test_every_row_has_cases_under_every_level() -> None:
    for level in LEVELS:
        rows = [what_it_does(case) for one, case in CASES if one == level]
        assert {*rows} == {*EXPECTED} and len(rows) > 1000


@pytest.mark.parametrize("level", LEVELS)
def test_a_session_holds_no_secret_under_any_level(level: str, tmp_path: Any, caplog: pytest.LogCaptureFixture) -> None:
    class Place(secrets.Place):
        def config(self) -> dict[str, Any]:
            found = super().config()
            found["profiles"]["default"]["approve"] = level
            return found

    secrets.test_nothing_of_a_session_holds_a_secret(Place(tmp_path), caplog)


clone = hostile.clone


@pytest.mark.slow
def test_a_hostile_repository_springs_nothing_under_any_level(clone: hostile.Clone) -> None:
    for name, arguments in hostile.CALLS:
        found = []
        for level in (*LEVELS, "all"):
            done = clone.run("tools", "call", name, json.dumps(arguments), "--quiet", "--approve", level)
            error = json.loads(done.stdout)["error"]
            found.append("success" if error is None else error["code"])
            clone.assert_unharmed()
        assert len({*found}) == 1, f"all of them only look, so no level differs: {name} {arguments} {found}"
