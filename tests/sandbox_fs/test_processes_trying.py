"""The level that is told is what was tried on this machine, for each promise."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from inarch import Rights, ToolFailed
from inarch_lib.confinement import Features, features
from inarch_plugins.sandbox_fs.processes import fork_client
from inarch_plugins.sandbox_fs.processes.confinement_trial import BUILD, PROMISES, READER, SIGNALS, tried
from inarch_plugins.sandbox_fs.settings import Settings
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(not features().landlock, reason=f"this machine has no Landlock: {features()}"),
]

BUILDS = Rights(writes=("",), executes=True)
FULL = features()
NO_SPACES = FULL._replace(namespaces=False, network_namespace=False)
NEITHER = NO_SPACES._replace(seccomp=False, problems=("no mount namespace (tried)",))


def reached(found: Features, kind: str) -> set[str]:
    return {one.promise for one in tried(found) if one.kind == kind and one.what != SIGNALS}


@pytest.mark.skipif(not FULL.seccomp, reason="this machine has no seccomp")
@pytest.mark.parametrize("found", [FULL, NO_SPACES], ids=["full", "without namespaces"])
def test_nothing_gets_through_with_seccomp(found: Features) -> None:
    assert reached(found, READER) == reached(found, BUILD) == set()


def test_without_seccomp_and_namespaces_files_and_network_are_reached() -> None:
    for kind in (READER, BUILD):
        assert reached(NEITHER, kind) == {"files", "network"}


def test_nothing_is_left_of_the_trial() -> None:
    before = len(os.listdir("/proc/self/fd"))
    tried(FULL)
    assert not [name for name in os.listdir("/tmp") if name.startswith("inarch-trial-") and _is_ours(name)]
    assert len(os.listdir("/proc/self/fd")) == before


def _is_ours(name: str) -> bool:
    """Whether nobody else's trial is going on there: other tests make theirs at the same time, for a moment."""
    return not os.path.exists(f"/tmp/{name}/outside/socket")


@pytest.fixture
def poor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the fork server find neither seccomp nor namespaces."""
    line = "from inarch_plugins.sandbox_fs.processes.server import main"
    known = f"from inarch_lib.confinement import levels\nlevels._known = levels.Features{tuple(NEITHER)!r}"
    monkeypatch.setattr(fork_client, "_START", fork_client._START.replace(line, f"{known}\n{line}"))


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        server.listen()
        yield server


@pytest.mark.usefixtures("poor")
def test_level_2_is_not_claimed_where_something_got_through(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    workspace = FolderWorkspace.open(str(tmp_path / "ws"))
    found = workspace.confinement()
    assert found.level == 1 and list(found.promises) == [*PROMISES, "undo"]
    assert "a build sends datagrams to other programs" in found.promises["network"]
    assert "a build changes permissions outside the workspace" in found.promises["files"]
    assert found.promises["devices"] == "" and "no mount namespace" in found.reason
    with pytest.raises(ToolFailed) as caught:
        workspace.run(["true"], BUILDS)
    assert (caught.value.code, "require_level = 1" in caught.value.remedy) == ("permission", True)
    assert workspace.run(["true"], Rights()).level == 1
    workspace.close()


@pytest.mark.usefixtures("poor")
def test_what_is_told_is_what_a_command_can_do(tmp_path: Path, outside: socket.socket) -> None:
    (tmp_path / "ws").mkdir()
    kept = tmp_path / "kept"
    kept.write_text("")
    kept.chmod(0o600)
    workspace = FolderWorkspace.open(str(tmp_path / "ws"), Settings(require_level=1))
    code = f"import os, socket; os.chmod({str(kept)!r}, 0o644); socket.socket(1).connect({str(tmp_path / 'socket')!r})"
    ran = workspace.run([sys.executable, "-c", code], BUILDS)
    workspace.close()
    assert (ran.exit_code, ran.level, kept.stat().st_mode & 0o777) == (0, 1, 0o644), ran
    assert any("changes permissions outside" in note for note in ran.notes), ran
    assert any("Unix sockets" in note for note in ran.notes), ran
