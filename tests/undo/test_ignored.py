"""Undo of commands that touch what Git ignores, in real repositories."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inarch import Rights
from inarch.calls.before_images import Keeping
from inarch.calls.lease import Handle, Lease
from inarch.sessions.extension import Access
from inarch_plugins.sandbox_fs import survey
from inarch_plugins.undo.undo_run import Undoing

from .test_property import Files

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
RULES = ".env\nkeep/\ndata/\nnode_modules/\nvenv/\n*.secret\n"


def repository(desk: Any) -> None:
    subprocess.run(["git", "init", "-q", str(desk.root)], check=True)
    desk.write(".gitignore", RULES)


def is_full(desk: Any) -> bool:
    return "mount namespace" in desk.workspace.confinement().layers


def test_a_clean_that_removes_ignored_files_is_undone(desk: Any, do: Any) -> None:
    repository(desk)
    desk.write(".env", b"KEY=\xff\0", 0o600)
    desk.write("keep/deep/tool", "#!/bin/sh\n", 0o750)
    (desk.root / "keep" / "empty").mkdir(mode=0o700)
    desk.write("node_modules/m/index.js", "1")
    desk.write("venv/pyvenv.cfg", "")
    before = desk.tree()
    desk.turn("clean", do.run("rm -rf .env keep node_modules; echo x >> venv/new"))
    assert not (desk.root / ".env").exists() and not (desk.root / "keep").exists()
    report = desk.undo()
    assert report.done and "caches that commands changed are not undone: node_modules, venv" in report.notes
    left = {path: found for path, found in before.items() if not path.startswith(("node_modules", "venv"))}
    assert {path: found for path, found in desk.tree().items() if not path.startswith("venv")} == left
    assert desk.redo().done and not (desk.root / "keep").exists()


def test_what_is_too_much_for_undo_is_read_only_or_named(desk: Any, do: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(survey, "MOST_IGNORED", 5)
    repository(desk)
    for number in range(6):
        desk.write(f"data/{number}", "1")
    desk.write(".env", "1")
    assert desk.workspace.uncovered() == ("data",)
    if not is_full(desk):
        pytest.skip("no mount namespaces here")
    before = desk.tree()
    (call,) = desk.turn("remove", do.run("rm -rf data .env; exec mv data gone"))
    assert {path: found for path, found in before.items() if path.startswith("data")}.items() <= desk.tree().items()
    assert call.result.data != 0
    assert desk.undo().done and desk.tree() == before


def test_the_result_says_what_is_read_only_and_a_person_may_allow_it(desk: Any, do: Any) -> None:
    repository(desk)
    desk.write("data/big", "1")
    if not is_full(desk):
        pytest.skip("no mount namespaces here")
    ran = desk.workspace.run(
        ("/bin/sh", "-c", "echo 2 > data/big"), Rights(("",), executes=True, uncovered=("data",)), merged=True
    )
    assert ran.exit_code != 0 and b"Read-only file system" in ran.output
    assert any("read-only here" in note and "data" in note for note in ran.notes)
    ran = desk.workspace.run(("/bin/sh", "-c", "echo 2 > data/big"), Rights(("",), executes=True))
    assert ran.exit_code == 0 and not any("read-only" in note for note in ran.notes)


def test_a_call_that_the_user_approved_may_change_it(desk: Any, do: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(survey, "MOST_IGNORED", 0)
    repository(desk)
    desk.write(".env", "1")
    keeping = Keeping(desk.scheduler.keeper, "c1", lambda *_, **__: None)
    for approved in (False, True):
        handle = Handle(desk.workspace, Lease("c1"), {}, keeping, approved=approved)
        ran = handle.run(("/bin/sh", "-c", "echo 2 > .env"), Rights(("",), executes=True))
        assert (ran.exit_code == 0) is (approved or not is_full(desk))


def test_a_patch_leaves_out_what_git_ignores(desk: Any, do: Any) -> None:
    repository(desk)
    desk.write(".env", "1")
    desk.turn("change", do.run("echo 2 > .env; echo 3 > new"))
    assert [file.path for file in Undoing(Access(desk.workspace, desk.journal)).changed()] == ["new"]


def test_a_folder_that_grows_beyond_the_limit_is_still_restored(
    desk: Any, do: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(survey, "MOST_IGNORED", 5)
    repository(desk)
    for number in range(3):
        desk.write(f"data/{number}", str(number))
    before = desk.tree()
    desk.turn("grow", do.run("rm data/0; echo new > data/1; for i in 3 4 5 6 7 8; do echo > data/$i; done"))
    assert desk.undo().done
    assert before.items() <= desk.tree().items()


def test_one_that_shrinks_below_the_limit_loses_nothing_more(
    desk: Any, do: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(survey, "MOST_IGNORED", 5)
    monkeypatch.setattr(type(desk.workspace), "survey", _only_reported(desk.workspace))
    repository(desk)
    for number in range(9):
        desk.write(f"data/{number}", str(number))
    desk.write("a", "1")
    desk.turn("shrink", do.run("rm data/[0-5]; echo 2 > a"))
    assert desk.undo().done
    assert sorted(path.name for path in (desk.root / "data").iterdir()) == ["6", "7", "8"]


def _only_reported(workspace: Any) -> Callable[..., Any]:
    """Return a survey as of a machine that cannot show folders read-only."""
    whole = type(workspace).survey
    return lambda self, limit: evolve(whole(self, limit), uncovered=())


NAMES = st.sampled_from([
    "a", "d/b", ".env", "d/.env", "keep/x", "keep/in/y", "d/z.secret", "node_modules/m/i", "keep/node_modules/q",
    "venv/pyvenv.cfg", "venv/lib/p",
])  # fmt: skip
FILES = st.dictionaries(NAMES, st.tuples(st.binary(max_size=4), st.sampled_from([0o644, 0o755, 0o600])), max_size=8)


def is_cache(path: str) -> bool:
    return "node_modules" in path.split("/") or path.split("/")[0] == "venv"


@settings(
    max_examples=max(settings().max_examples // 4, 10), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
@given(before=FILES, after=FILES, gone=st.lists(NAMES, max_size=4))
def test_after_a_command_and_undo_all_but_caches_is_as_it_was(
    before: dict[str, tuple[bytes, int]], after: dict[str, tuple[bytes, int]], gone: list[str]
) -> None:
    def lay(files: dict[str, tuple[bytes, int]]) -> None:
        for path, (data, mode) in files.items():
            place = root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
            place.chmod(mode)

    def found() -> dict[str, tuple[int, bytes]]:
        places = (place for place in sorted(root.rglob("*")) if ".git" not in place.parts)
        return {
            path: (place.stat().st_mode, place.read_bytes() if place.is_file() else b"")
            for place in places
            if not is_cache(path := str(place.relative_to(root)))
        }

    with tempfile.TemporaryDirectory() as folder:
        files, root = Files(folder), Path(folder)
        subprocess.run(["git", "init", "-q", folder], check=True)
        lay({".gitignore": (RULES.encode(), 0o644), "venv/pyvenv.cfg": (b"", 0o644), **before})
        try:
            first = found()
            keeping = Keeping(files.keeper, "c1", lambda *payloads, **_: files.journal.keep(payloads, "t1"))
            with keeping.comparing(("",)):
                for path in gone:
                    top = root / path.split("/")[0]
                    if not is_cache(path):
                        shutil.rmtree(top) if top.is_dir() else top.unlink(missing_ok=True)
                lay(after)
            files.put_back("undo")
            now = found()
            assert {path: one for path, one in now.items() if path in first} == first
            # A folder that holds a cache stays.
            assert all(path not in before and any((root / path).rglob("node_modules")) for path in now.keys() - first)
        finally:
            files.workspace.close()
