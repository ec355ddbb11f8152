"""Running programs: what they are given, what comes back, and what is refused."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch import Cancelled, Rights, ToolFailed
from inarch_plugins.sandbox_fs.processes.output import Captured
from inarch_plugins.sandbox_fs.settings import Settings
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace

from ..forking import LONGEST_S

READS = Rights()
BUILDS = Rights(writes=("",), executes=True)


def refused(act: Callable[..., Any], *arguments: Any, **more: Any) -> ToolFailed:
    with pytest.raises(ToolFailed) as caught:
        act(*arguments, **more)
    return caught.value


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_errors_are_apart_or_in_their_order(workspace: FolderWorkspace) -> None:
    code = "import os\nfor i in range(200): os.write(1 + i % 2, b'%d,' % i)"
    apart = workspace.run(python(code), BUILDS)
    assert apart.output == b"".join(b"%d," % i for i in range(0, 200, 2))
    assert apart.errors == b"".join(b"%d," % i for i in range(1, 200, 2))
    merged = workspace.run(python(code), BUILDS, merged=True)
    assert (merged.output, merged.errors) == (b"".join(b"%d," % i for i in range(200)), b"")


def test_output_is_handed_on_while_the_program_runs(workspace: FolderWorkspace) -> None:
    seen: list[bytes] = []
    cancelled = threading.Event()

    def take(piece: bytes) -> None:
        seen.append(piece)
        cancelled.set()  # reached only if it comes before the program ends

    with pytest.raises(Cancelled):
        workspace.run(
            python("import os, time; os.write(1, b'first\\n'); time.sleep(60)"),
            BUILDS,
            on_output=take,
            cancelled=cancelled,
        )
    assert b"".join(seen) == b"first\n"


@given(st.lists(st.binary(max_size=40), max_size=30), st.integers(1, 30))
def test_what_is_kept_is_the_head_and_the_tail(pieces: list[bytes], kept: int) -> None:
    captured = Captured(kept)
    for piece in pieces:
        captured.add(piece)
    whole = b"".join(pieces)
    assert captured.total == len(whole)
    if len(whole) <= 2 * kept:
        assert (captured.value(), captured.dropped) == (whole, 0)
    else:
        assert captured.value().startswith(whole[:kept]) and captured.value().endswith(whole[-kept:])
        assert captured.dropped == len(whole) - 2 * kept


def test_standard_input_is_given_or_empty(workspace: FolderWorkspace) -> None:
    assert workspace.run(["cat"], READS).output == b""
    data = bytes(range(256)) * 4096
    assert workspace.run(["cat"], READS, stdin=data).output == data
    assert workspace.run(["true"], READS, stdin=data).exit_code == 0  # it doesn't read any of it


def test_the_working_directory_is_below_the_root(workspace: FolderWorkspace, folder: Path, tmp_path: Path) -> None:
    (folder / "sub").mkdir()
    (tmp_path / "outside").mkdir()
    (folder / "out").symlink_to(tmp_path / "outside")
    (folder / "file").write_text("")
    assert workspace.run(["pwd"], READS, cwd="sub").output == f"{folder}/sub\n".encode()
    assert workspace.run(["pwd", "-P"], BUILDS, cwd="sub").output == f"{folder}/sub\n".encode()
    assert refused(workspace.run, ["pwd"], READS, cwd="out").code == "permission"
    assert refused(workspace.run, ["pwd"], READS, cwd="../outside").code == "permission"
    assert refused(workspace.run, ["pwd"], READS, cwd="file").code == "validation"
    assert refused(workspace.run, ["pwd"], READS, cwd="missing").code == "not_found"


def test_cancelling_before_and_while_it_runs(workspace: FolderWorkspace) -> None:
    cancelled = threading.Event()
    cancelled.set()
    with pytest.raises(Cancelled):
        workspace.run(["true"], READS, cancelled=cancelled)
    for delay in (0.0, 0.001, 0.003, 0.01, 0.05, 0.2):
        event = threading.Event()
        timer = threading.Timer(delay, event.set)
        timer.start()
        with pytest.raises(Cancelled):
            workspace.run(["sleep", "60"], BUILDS, cancelled=event)
        timer.join()


def test_no_descriptor_and_no_folder_is_left(
    workspace: FolderWorkspace, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = [tmp_path / "disk", tmp_path / "memory"]  # where nobody else makes folders
    for place in places:
        place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(places[0]))
    monkeypatch.setattr("inarch_plugins.sandbox_fs.processes.confinement_plan._MEMORY", str(places[1]))

    def left() -> tuple[int, list[str]]:
        return descriptors(), [name for place in places for name in os.listdir(place)]

    workspace.run(["true"], READS)
    before = left()
    for number in range(60):
        workspace.run(["true"], READS, stdin=b"x" * (number % 2))
        refused(workspace.run, ["true"], READS, cwd="missing")
    (folder / "empty").write_bytes(b"")
    (folder / "empty").chmod(0o755)
    for _ in range(20):
        refused(workspace.run, [str(folder / "empty")], BUILDS)
    made = "import os, tempfile\nd = tempfile.mkdtemp()\nos.mkdir(d + '/x')\nopen(d + '/x/y', 'w').close()\n"
    made += "os.symlink('/usr', d + '/link')\nos.makedirs(os.path.expanduser('~/.cache'))\nos.chmod(d + '/x', 0)"
    assert workspace.run(python(made), BUILDS).exit_code == 0
    assert left() == before
    assert os.path.isdir("/usr/bin")


def test_no_descriptor_is_inherited(workspace: FolderWorkspace, folder: Path) -> None:
    held = os.open(folder, os.O_RDONLY)
    os.set_inheritable(held, True)
    try:
        ran = workspace.run(["ls", "/proc/self/fd"], Rights(executes=True))
    finally:
        os.close(held)
    assert ran.output.split() == [b"0", b"1", b"2", b"3"]  # the last is how it reads the folder


def test_a_closed_workspace_runs_nothing(folder: Path) -> None:
    workspace = FolderWorkspace.open(str(folder))
    before = descriptors()
    workspace.run(["true"], READS)
    begun = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        argv = ["sh", "-c", "echo begun; exec sleep 60"]
        running = pool.submit(workspace.run, argv, BUILDS, on_output=lambda *_: begun.set())
        assert begun.wait(LONGEST_S)
        workspace.close()
        assert isinstance(running.exception(), ToolFailed)
    workspace.close()
    assert descriptors() == before - 1
    assert refused(workspace.run, ["true"], READS).code == "cancelled"


@pytest.mark.parametrize(
    ("required", "rights", "allowed"), [(0, BUILDS, True), (3, READS, False), (None, BUILDS, False)]
)
def test_less_confinement_than_required_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, required: int | None, rights: Rights, allowed: bool
) -> None:
    from inarch_lib.confinement import Features
    from inarch_plugins.sandbox_fs.processes.fork_client import ForkServer

    workspace = FolderWorkspace.open(str(folder), Settings(require_level=required))
    try:
        workspace.confinement()
        # A machine without any of the layers: the child really puts on none.
        server: ForkServer = workspace._with_runner()._started()
        monkeypatch.setattr(server, "features", tuple(Features(0, False, False, False, "x86_64", ("none",))))
        if allowed:
            assert workspace.run(["true"], rights).level == 1
        else:
            failed = refused(workspace.run, ["true"], rights)
            assert failed.code == "permission" and "require_level" in failed.remedy
            if required is None:
                assert workspace.run(["true"], READS).level == 1
    finally:
        workspace.close()
