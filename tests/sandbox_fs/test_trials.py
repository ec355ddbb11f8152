"""A command is tried before the answer: what is seen is what a yes applies, and nothing else happens."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field
from hypothesis import given, settings
from hypothesis import strategies as st

import inarch
from inarch.capabilities import Trial
from inarch.testing import scripted_app
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace
from inarch_testing.apps import environ_in


def _problem() -> str:
    with tempfile.TemporaryDirectory() as root:
        workspace = FolderWorkspace.open(root)
        try:
            return workspace.trial_problem()
        finally:
            workspace.close()


pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="overlays are Linux's"),
    pytest.mark.skipif(bool(_problem()) if sys.platform == "linux" else True, reason="no overlay here"),
]


@define(eq=False)
class Trier:
    """Tries each call that can be tried, does something else meanwhile, then answers."""

    says: str = "approve"
    between: Callable[[], object] = lambda: None
    during: Callable[[], object] | None = None
    asks_always: Any = None
    trials: list[Trial] = field(factory=list)
    refusals: list[inarch.ToolFailed] = field(factory=list)
    offers: list[bool] = field(factory=list)
    name: str = "trier"

    def show(self, event: inarch.Event) -> None:
        """Look away."""

    async def approve(self, batch: Sequence[inarch.ApprovalRequest]) -> Sequence[inarch.Approval]:
        """Try, then answer."""
        for request in batch:
            self.offers.append(request.trial is not None)
            if request.trial is None:
                continue
            try:
                task = asyncio.ensure_future(request.trial())
                if self.during is not None:
                    await asyncio.sleep(0.6)
                    self.during()
                self.trials.append(await task)
            except inarch.ToolFailed as error:
                self.refusals.append(error)
        self.between()
        return [inarch.Approval(one.call.id, self.says) for one in batch]  # type: ignore[arg-type]

    def close(self) -> None:
        """Do nothing."""


def run(
    root: Path, person: Trier, *commands: str, undo: Callable[[], bool] = bool, config: Any = None, applied: Any = None
) -> list[inarch.ToolResult]:
    """Run command lines in one batch of one session; call `applied`; then undo it all if `undo` says so."""

    async def go() -> list[inarch.ToolResult]:
        app, _ = scripted_app(
            [], root, flags={"approve": "ask"}, environ=environ_in(root.parent / "home"), config=config or {},
            journal=True,
        )  # fmt: skip
        try:
            session = app.session(None)
            scheduler = session.state.scheduler
            scheduler.front_end = person
            planned = [inarch.PlannedCall("execute_command", {"command": command}) for command in commands]
            own = person if person.asks_always else None
            found = await scheduler.run("", planned, "user", person=own)
            if applied is not None:
                applied()
            for call in found if undo() else ():
                session.undo(call.id)
            return [call.result for call in found if call.result is not None]
        finally:
            await app.aclose()

    return asyncio.run(go())


def tree(root: Path) -> dict[str, tuple[int, str]]:
    """Return the modes and contents of all below a folder."""
    found = {}
    for path in sorted(root.rglob("*")):
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):
            found[str(path.relative_to(root))] = (stat.S_IFLNK, os.readlink(path))
        else:
            data = path.read_bytes() if path.is_file() else b""
            found[str(path.relative_to(root))] = (status.st_mode, hashlib.sha256(data).hexdigest())
    return found


def fill(root: Path) -> Path:
    """Make a small workspace."""
    for path, text in {"a.txt": "one\ntwo\n", "pkg/b.txt": "b\n", "pkg/deep/c.txt": "c\n", "d/e": "e\n"}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (root / "link").symlink_to("a.txt")
    return root


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small workspace."""
    return fill(tmp_path / "work")


PATHS = ("a.txt", "pkg", "pkg/b.txt", "pkg/deep", "d", "d/e", "link", "new", "new/x", "pkg/y")
STEPS = st.one_of(
    st.builds("printf w{1} > {0}".format, st.sampled_from(PATHS), st.integers(0, 3)),
    st.builds("printf more >> {}".format, st.sampled_from(PATHS)),
    st.builds("rm -rf {}".format, st.sampled_from(PATHS)),
    st.builds("mkdir -p {}".format, st.sampled_from(PATHS)),
    st.builds("mv -T {} {}".format, st.sampled_from(PATHS), st.sampled_from(PATHS)),
    st.builds("chmod {1} {0}".format, st.sampled_from(PATHS), st.sampled_from(("700", "755", "600", "u+x"))),
    st.builds("ln -snf {1} {0}".format, st.sampled_from(PATHS), st.sampled_from(PATHS)),
    st.builds("sed -i s/o/0/ {}".format, st.sampled_from(PATHS)),
)


@settings(max_examples=20, deadline=None)
@given(st.lists(STEPS, min_size=1, max_size=6))
def test_a_yes_applies_what_the_bare_command_does_and_undo_restores_it(steps: list[str]) -> None:
    script = "umask 022\n" + "\n".join(f"{step} || true" for step in steps)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder).resolve()
        bare, tried = fill(place / "bare"), fill(place / "tried")
        before, seen = tree(tried), list[Any]()
        subprocess.run(["sh", "-c", script], cwd=bare, check=True, capture_output=True)
        person = Trier(between=lambda: seen.append(tree(tried)))
        (result,) = run(
            tried,
            person,
            f"sh -c '{script}'",
            undo=lambda: tree(tried) != before,
            applied=lambda: seen.append(tree(tried)),
        )
        assert result.success, result
        assert person.trials[0].applies, person.trials
        assert seen == [before, tree(bare)]
        assert tree(tried) == before


LINE = "sh -c 'rm -r pkg; echo more >> a.txt; echo x > n'"


def test_a_no_leaves_nothing_behind(root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    before, there = tree(root), list[int]()
    person = Trier("deny", between=lambda: there.append(len(list(place.glob("inarch-try-*")))))
    run(root, person, LINE)
    assert (there, list(place.iterdir()), tree(root)) == ([1], [], before)
    assert {one["path"]: one["change"] for one in person.trials[0].data["files"]} == {
        "a.txt": "change", "n": "add", "pkg": "delete",
    }  # fmt: skip
    assert "would change 1, add 1, delete 1 (2 files in all), exit 0" in person.trials[0].lines[0]


@pytest.mark.parametrize(
    "change",
    [
        lambda root: (root / "a.txt").write_text("other"),
        lambda root: (root / "a.txt").chmod(0o600),
        lambda root: (root / "pkg/b.txt").write_text("other"),
        lambda root: (root / "pkg/late").write_text("late"),
        lambda root: (root / "n").write_text("late"),
    ],
)
def test_a_change_below_in_between_refuses_the_yes(root: Path, change: Callable[[Path], object]) -> None:
    seen: list[Any] = []

    def between() -> None:
        change(root)
        seen.append(tree(root))

    (result,) = run(root, Trier(between=between), LINE)
    assert result.error is not None and result.error.code == "conflict", result
    assert "since the dry run; nothing was written" in result.error.message
    assert [tree(root)] == seen


def test_a_change_below_while_it_is_tried_can_not_be_applied(root: Path) -> None:
    person = Trier("deny", during=lambda: (root / "a.txt").write_text("meanwhile"))
    run(root, person, "sh -c 'echo more >> a.txt; sleep 1'")
    assert not person.trials[0].applies
    assert "a.txt was changed meanwhile" in person.trials[0].lines[-1]


def _commands() -> set[str]:
    found = set()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.add(path.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue
    return found


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("sh -c '(setsid sleep 4321 &) ; sleep 4321'", "did not finish within 10 s"),
        ("sh -c 'setsid sleep 4322 & i=0; while :; do i=$((i+1)); head -c 50000000 /dev/zero > f$i; done'", "256 MB"),
        ("sh -c 'while :; do mkdir n && cd n && head -c 9000000 /dev/zero > f; done'", "256 MB"),
        ("sh -c 'head -c 290000000 /dev/zero > big'", "256 MB"),
    ],
)
def test_a_hostile_command_is_stopped_with_all_it_started(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, why: str
) -> None:
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    before, mounts = tree(root), Path("/proc/self/mountinfo").read_text()
    person = Trier("deny")
    run(root, person, line)
    if person.refusals:
        assert why in person.refusals[0].message
    else:  # the limit of one file ended the program itself
        assert max(one["bytes"] for one in person.trials[0].data["files"]) <= 256 << 20
        assert "exit 0" not in person.trials[0].lines[0]
    assert tree(root) == before
    assert Path("/proc/self/mountinfo").read_text() == mounts
    assert not any(sleep in command for command in _commands() for sleep in re.findall("sleep 432.", line))
    assert not list(place.iterdir())


def test_it_has_no_network_and_says_that_it_was_wanted(root: Path) -> None:
    (root / "reach.py").write_text("import socket\nsocket.create_connection(('192.0.2.1', 80), 2)\n")
    person = Trier("deny")
    run(root, person, "sh -c 'python3 reach.py'")
    assert person.trials[0].data["exit_code"] != 0
    assert person.trials[0].data["asked_for_network"]
    quiet = Trier("deny")
    run(root, quiet, LINE)
    assert not quiet.trials[0].data["asked_for_network"]


@pytest.mark.needs("git")
def test_protected_names_stay_as_they_are(root: Path) -> None:
    subprocess.run(["git", "init", "--quiet", str(root)], check=True)
    config = (root / ".git/config").read_bytes()
    person = Trier()
    line = "sh -c 'echo x >> .git/config; mv .git g; rm -rf .git; mkdir -p .inarch d/.git; echo y > d/.git/config; :'"
    run(root, person, line)
    assert (root / ".git/config").read_bytes() == config
    assert not (root / ".inarch").exists() and not (root / "d/.git").exists()
    assert not any(".git" in one["path"].split("/") for one in person.trials[0].data["files"])


def test_only_the_first_call_of_a_batch_is_offered(root: Path) -> None:
    person = Trier("deny")
    run(root, person, "touch x", "touch y")
    assert person.offers == [True, False]


CURL = {"commands": {"curl": {"argv": ["curl", "*"], "network": ["127.0.0.1:9"]}}}


@pytest.mark.parametrize(
    ("line", "config", "why"),
    [
        ("seq 3 | awk 1 | sort -r", {}, "several commands of one pipe"),
        ("curl http://127.0.0.1:9/", CURL, "needs the network"),
    ],
)
def test_a_line_that_can_not_be_tried_says_why(root: Path, line: str, config: Any, why: str) -> None:
    person = Trier("deny", asks_always=True)
    run(root, person, line, config=config)
    assert why in person.refusals[0].message


def test_files_with_more_names_are_not_applied(root: Path) -> None:
    os.link(root / "a.txt", root / "same")
    person = Trier()
    run(root, person, "sh -c 'echo more >> a.txt'")
    assert not person.trials[0].applies
    assert (root / "same").read_text() == "one\ntwo\nmore\n"  # it ran again, on the file itself


def test_a_machine_without_namespaces_offers_no_trial(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from inarch_plugins.sandbox_fs.processes import runner

    monkeypatch.setattr(runner, "judged", lambda *_: inarch.Confinement(2, (), "no namespaces"))
    person = Trier("deny")
    run(root, person, "touch x")
    assert person.offers == [False]


@pytest.mark.parametrize(
    ("words", "code", "has", "applies"),
    [
        (["--yes", "mkdir x && echo hi > x/y"], 0, "would add 2, exit 0", True),
        (["rm", "-r", "pkg"], 0, "delete pkg/ (2 files)", False),
        (["--yes", "rm", "missing"], 1, "would change nothing, exit 1", False),
        (["seq 3 | awk 1 | sort -r"], 2, "can't be tried", False),
    ],
)
def test_the_shell_command_shows_and_applies(root: Path, words: list[str], code: int, has: str, applies: bool) -> None:
    before, environ = tree(root), environ_in(root.parent / "home")
    command = [sys.executable, "-m", "inarch", "try", *words]
    ended = subprocess.run(command, cwd=root, env=environ, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert ended.returncode == code, ended
    assert has in ended.stdout + ended.stderr
    assert (tree(root) != before) is applies
