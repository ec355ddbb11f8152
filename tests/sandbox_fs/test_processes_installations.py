"""What of a home folder a build is shown because of its programs: files, and folders that are surely installations."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from inarch import Rights, ToolFailed
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace

from .test_processes_programs import script

pytestmark = pytest.mark.once

BUILDS = Rights(writes=("",), executes=True)


@pytest.fixture
def home(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with a folder of programs in `PATH`."""
    (own_home / ".local/bin").mkdir(parents=True)
    monkeypatch.setenv("PATH", f"{own_home}/.local/bin:/usr/bin:/bin")
    return own_home


def reads(workspace: FolderWorkspace, path: Path) -> bool:
    ran = workspace.run(["cat", str(path)], BUILDS)
    return ran.exit_code == 0


def test_of_what_a_link_in_path_leads_to_only_the_file_is_shown(workspace: FolderWorkspace, home: Path) -> None:
    dotfiles = home / "dotfiles"
    script(dotfiles / "tool")
    script(dotfiles / "bin/other", f"#!{dotfiles}/mine/sh\necho other\n")
    (dotfiles / "mine").mkdir()
    (dotfiles / "mine/sh").symlink_to("/bin/sh")
    for secret in ("secret", "bin/secret", "mine/secret", "jre", "lib/python3-notes", "conda-meta", "include/node"):
        (dotfiles / secret).parent.mkdir(exist_ok=True)
        (dotfiles / secret).write_text("secret")
    for name, target in {"tool": "tool", "other": "bin/other", "folder": "", "notes": "secret"}.items():
        (home / ".local/bin" / name).symlink_to(dotfiles / target)
    assert workspace.run(["tool"], BUILDS).output == b"ran\n"
    assert workspace.run(["other"], BUILDS).output == b"other\n"
    assert workspace.run(["sh", "-c", "tool; other"], BUILDS).output == b"ran\nother\n"
    for secret in ("secret", "bin/secret", "mine/secret", "jre", "lib/python3-notes", "conda-meta"):
        assert not reads(workspace, dotfiles / secret), secret
        assert not reads(workspace, home / ".local/bin/folder" / secret), secret
    assert not reads(workspace, home / ".local/bin/notes")
    script(dotfiles / "named")
    assert workspace.run([str(dotfiles / "named")], BUILDS).output == b"ran\n"


def test_installations_are_shown_whole(workspace: FolderWorkspace, home: Path) -> None:
    kinds = {
        "venv": ("bin/python", "pyvenv.cfg"),
        "python": ("bin/python3", "lib/python3.11/os.py"),
        "node": ("bin/node", "include/node/node.h"),
        "npm": ("lib/node_modules/tool/cli", "lib/node_modules/tool/package.json"),
        "conda": ("bin/any", "conda-meta/history"),
        "java": ("bin/java", "lib/modules"),
        "go": ("bin/go", "pkg/tool/x"),
    }
    for kind, (program, mark) in kinds.items():
        prefix = home / "opt" / kind
        script(prefix / program)
        (prefix / mark).parent.mkdir(parents=True, exist_ok=True)
        (prefix / mark).write_text("")
        if kind == "npm":  # the programs of a user's own prefix are links
            (prefix / "bin").mkdir()
            (prefix / "bin/cli").symlink_to("../lib/node_modules/tool/cli")
            program = "bin/cli"
        (home / ".local/bin" / f"my-{kind}").symlink_to(prefix / program)
    (home / "opt/secret").write_text("secret")
    for kind, (_, mark) in kinds.items():
        assert workspace.run([f"my-{kind}"], BUILDS).output == b"ran\n", kind
        assert reads(workspace, home / "opt" / kind / mark), kind
    assert not reads(workspace, home / "opt/secret")


def test_a_workspace_cannot_name_what_is_not_an_interpreter(workspace: FolderWorkspace, home: Path) -> None:
    root = Path(workspace.root)
    keys = script(home / "keys/key", "secret\n")
    (home / "keys/python").symlink_to("/bin/sh")
    (home / "keys/secret").write_text("secret")
    (root / "link").symlink_to(keys)
    script(root / "first", f"#!{root}/link\n")
    script(root / "second", f"#!{keys}\n")
    (root / "venv/bin").mkdir(parents=True)
    (root / "venv/pyvenv.cfg").write_text(f"home = {home}/keys\n")
    script(root / "venv/bin/look", f"#!/bin/sh\ncat {keys} {home}/keys/secret; ls {home}/keys\n")
    for program in ("./first", "./second", "venv/bin/look"):
        with suppress(ToolFailed):  # who says that it can't be started differs
            assert b"secret" not in workspace.run([program], BUILDS).output, program
