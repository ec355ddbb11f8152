"""Which program runs, what surrounds it, and what it may not touch."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from inarch import Rights, ToolFailed
from inarch_plugins.sandbox_fs.settings import Settings
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace

pytestmark = pytest.mark.once

READS = Rights()
BUILDS = Rights(writes=("",), executes=True)


def failed(workspace: FolderWorkspace, argv: list[str], rights: Rights) -> ToolFailed:
    with pytest.raises(ToolFailed) as caught:
        workspace.run(argv, rights)
    return caught.value


def script(path: Path, text: str = "#!/bin/sh\necho ran\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_only_the_table_counts_for_what_reads(
    workspace: FolderWorkspace, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(tmp_path / "bin" / "cat")
    script(folder / "cat")
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{folder}:.")
    assert workspace.run(["cat"], READS, stdin=b"x").output == b"x"
    assert failed(workspace, ["./cat"], READS).code == "permission"
    assert failed(workspace, [str(folder / "cat")], READS).code == "permission"
    (tmp_path / "out").symlink_to(folder)
    assert failed(workspace, [str(tmp_path / "out" / "cat")], READS).code == "permission"


def test_a_virtual_environment_of_the_workspace_works_with_home_hidden(
    workspace: FolderWorkspace, folder: Path, own_home: Path
) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / ".venv")], check=True)
    (own_home / "secret").write_text("x")
    code = f"import sys, json, sqlite3, ssl; print(sys.prefix); open({str(own_home / 'secret')!r})"
    ran = workspace.run([".venv/bin/python", "-c", code], BUILDS)
    assert ran.output == f"{folder}/.venv\n".encode(), ran
    assert ran.exit_code == 1 and (b"PermissionError" in ran.errors or b"FileNotFoundError" in ran.errors)
    assert workspace.run([str(folder / ".venv/bin/python"), "-c", "print(1)"], BUILDS).output == b"1\n"


def test_the_environment_is_built_from_zero(
    workspace: FolderWorkspace, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "secret-value")
    monkeypatch.setenv("LD_PRELOAD_NOT", "x")
    monkeypatch.setenv("TZ", "UTC")
    code = (
        "import json, os, tempfile\nh, t = os.environ['HOME'], tempfile.gettempdir()\n"
        "for d in (h, t): open(d + '/x', 'w').close()\n"
        "print(json.dumps([dict(os.environ), h, t, os.getcwd(), os.getsid(0) == os.getpid()]))"
    )
    rights = Rights(writes=("",), executes=True, env={"CI": "1", "TERM": "xterm"})
    env, home, temporary, cwd, _leads = json.loads(workspace.run([sys.executable, "-c", code], rights).output)
    env.pop("LC_CTYPE", None)  # Python sets it itself
    names = {
        "PATH",
        "HOME",
        "TMPDIR",
        "PWD",
        "LANG",
        "LC_ALL",
        "TERM",
        "SHELL",
        "TZ",
        "CI",
        "PYTHONUNBUFFERED",
        "GIT_CONFIG_NOSYSTEM",
    }
    assert names <= env.keys() <= names | {"RUSTUP_HOME", "PYENV_ROOT", "GOMODCACHE"}
    assert (env["CI"], env["TERM"], env["LC_ALL"], cwd) == ("1", "xterm", "C.UTF-8", str(folder))
    assert all(os.path.isabs(part) for part in env["PATH"].split(":"))
    assert not os.path.exists(home) and not os.path.exists(temporary)
    assert home != os.path.expanduser("~")


def protected_tree(folder: Path) -> dict[str, bytes]:
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    subprocess.run(["git", "init", "-q", str(folder / "vendor" / "lib")], check=True)
    (folder / ".inarch").mkdir()
    (folder / ".inarch" / "config.toml").write_text("mode = 1\n")
    (folder / "tree").mkdir()
    (folder / "tree" / ".git").write_text("gitdir: ../x\n")
    return contents(folder)


def contents(folder: Path) -> dict[str, bytes]:
    found = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return {path: data for path, data in found.items() if {".git", ".inarch"} & set(path.split("/"))}


ATTACK = """
import os, shutil, sys
def attempt(act, *arguments):
    try: act(*arguments)
    except OSError: pass
def write(path, text):
    with open(path, "a") as file: file.write(text)
for path in (".git/config", ".git/hooks/pre-commit", ".inarch/config.toml", "vendor/lib/.git/config", "tree/.git"):
    attempt(write, path, "evil")
for path in (".git", ".inarch", "vendor/lib/.git"):
    attempt(os.rename, path, path + "-moved")
    attempt(shutil.rmtree, path, True)
attempt(os.unlink, "tree/.git")
attempt(os.unlink, ".git/HEAD")
attempt(os.mkdir, ".GIT")
attempt(os.mkdir, "fresh")
write("made", "x")
"""


@pytest.mark.needs("git")
def test_protected_names_stay_as_they_are(workspace: FolderWorkspace, folder: Path) -> None:
    before = protected_tree(folder)
    ran = workspace.run([sys.executable, "-c", ATTACK], BUILDS)
    assert ran.exit_code == 0, ran.errors
    assert contents(folder) == before
    assert sorted(os.listdir(folder)) == [".git", ".inarch", "fresh", "made", "tree", "vendor"]
    assert any(".GIT was made" in note for note in ran.notes)


@pytest.mark.needs("git")
def test_a_protected_name_that_is_named_may_be_written(workspace: FolderWorkspace, folder: Path) -> None:
    protected_tree(folder)
    rights = Rights(writes=("", ".git/"), executes=True)
    ran = workspace.run(["sh", "-c", "echo x >> .git/config; echo x >> .inarch/config.toml"], rights)
    assert (folder / ".git" / "config").read_text().endswith("x\n"), ran
    assert (folder / ".inarch" / "config.toml").read_text() == "mode = 1\n"


def test_only_what_is_named_may_be_written(workspace: FolderWorkspace, folder: Path, tmp_path: Path) -> None:
    (folder / "src").mkdir()
    (tmp_path / "outside").mkdir()
    (folder / "out").symlink_to(tmp_path / "outside")
    rights = Rights(writes=("src/",), executes=True)
    ran = workspace.run(["sh", "-c", "echo x > src/a; echo x > b; echo x > out/c"], rights)
    assert os.listdir(folder / "src") == ["a"], ran
    assert not (folder / "b").exists() and os.listdir(tmp_path / "outside") == []
    assert failed(workspace, ["true"], Rights(writes=("out/",), executes=True)).code == "permission"
    assert failed(workspace, ["true"], Rights(writes=("nothing/",), executes=True)).code == "not_found"


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("how", ["echo x > c/inarch/config.toml", "mv c c2; mkdir -p c/inarch; echo x > $T; true"])
def test_no_program_grants_itself_anything_where_the_home_is_the_workspace(
    workspace: FolderWorkspace, folder: Path, monkeypatch: pytest.MonkeyPatch, how: str, there: bool
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "c"))
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", str(folder))
    if there:
        (folder / "c/inarch").mkdir(parents=True)
    ran = workspace.run(["sh", "-c", how.replace("$T", "c/inarch/config.toml")], BUILDS)
    assert not (folder / "c/inarch/config.toml").exists(), ran
    assert (folder / ".local/state/inarch").is_dir()


def test_the_former_bubblewrap_key_is_accepted_and_reported(folder: Path) -> None:
    workspace = FolderWorkspace.open(str(folder), Settings(confine="bwrap"))
    assert "remove the key" in workspace.confinement().reason
    workspace.close()
