"""A command is tried before the answer: what is seen is what a yes applies, and nothing else happens."""

from __future__ import annotations

import asyncio
import hashlib
import os
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
from inarch_testing.apps import environ_in
from inarch_plugins.sandbox_fs.settings import Settings
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace


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
                self.trials.append(await request.trial())
            except inarch.ToolFailed as error:
                self.refusals.append(error)
        self.between()
        return [inarch.Approval(one.call.id, self.says) for one in batch]  # type: ignore[arg-type]

    def close(self) -> None:
        """Do nothing."""


def run(root: Path, person: Trier, *commands: str, undo: bool = False, config: Any = None) -> list[inarch.ToolResult]:
    """Run command lines in one batch of one session; then undo it all if that is wanted."""

    async def go() -> list[inarch.ToolResult]:
        home = root.parent / "home"
        app, _ = scripted_app(
            [], root, flags={"approve": "ask"}, environ=environ_in(home), config=config or {}, journal=True
        )
        try:
            session = app.session(None)
            scheduler = session.state.scheduler
            scheduler.front_end = person
            planned = [inarch.PlannedCall("execute_command", {"command": command}) for command in commands]
            found = await scheduler.run("", planned, "user")
            if undo:
                for call in reversed(found):
                    report = session.undo(call.id)
                    assert report.done, report
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


@settings(max_examples=25, deadline=None)
@given(st.lists(STEPS, min_size=1, max_size=6))
def test_a_yes_applies_what_the_bare_command_would_do_and_undo_restores_it(steps: list[str]) -> None:
    script = "umask 022\n" + "\n".join(f"{step} || true" for step in steps)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder).resolve()
        bare, tried = fill(place / "bare"), fill(place / "tried")
        before = tree(tried)
        subprocess.run(["sh", "-c", script], cwd=bare, check=True, capture_output=True)
        person = Trier(between=lambda: seen.append(tree(tried)))
        seen: list[Any] = []
        (result,) = run(tried, person, f"sh -c '{script}'", undo=False)
        assert seen == [before]
        assert person.trials and person.trials[0].applies, person.trials
        assert result.success, result
        assert tree(tried) == tree(bare)


def test_undo_after_a_yes_is_exact(root: Path) -> None:
    before = tree(root)
    person = Trier()
    line = "sh -c 'rm -r pkg; echo more >> a.txt; mkdir n; echo x > n/x; chmod 700 d; ln -snf d link'"
    (result,) = run(root, person, line, undo=True)
    assert result.success
    assert tree(root) == before
