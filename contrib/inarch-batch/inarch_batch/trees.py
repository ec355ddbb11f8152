"""Clean trees for tasks, and the patches of their changes.

A repository's tree has the history up to the base commit only, so a task can't look up later changes. The batch reads a
task's changes through its own Git folder beside the tree, because a tree's `.git` could name programs to run.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import inarch
from inarch.staging import make_folder
from inarch_batch.tasks import Task, TaskFault, is_address

_SERVES_ALL = "git -c uploadpack.allowAnySHA1InWant=true upload-pack"
_PLAIN = (
    "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "advice.detachedHead=false",
    "-c", "core.autocrlf=false", "-c", "core.quotePath=true",
)  # fmt: skip


class GitFailed(Exception):
    """Git failed. The message is Git's output."""


def git(*words: str | os.PathLike[str], alone: bool = False) -> bytes:
    """Run Git and return its output.

    Raises:
        GitFailed: Git failed.
    """
    environ = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environ |= {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C.UTF-8"}
    if alone:
        environ |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    try:
        path = environ.get("PATH", os.defpath)  # `.` in it must not run a repository's programs
        (program,) = inarch.user_command(("git",), root=str(Path.cwd()), brought=None, path=path)
        ran = subprocess.run(
            [program, *_PLAIN, *words], env=environ, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except (FileNotFoundError, inarch.ToolFailed):
        raise GitFailed("git is not installed") from None
    if ran.returncode:
        said = ran.stderr.decode("utf-8", "replace").strip().splitlines()
        raise GitFailed(said[-1][:300] if said else f"git exited with {ran.returncode}")
    return ran.stdout


class Sources:
    """Sources of the trees. Repositories at an address are fetched once, into the output folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._commits: dict[tuple[str, str], str] = {}

    def check(self, task: Task) -> None:
        """Raise `TaskFault` if a task's folder, repository or commit does not exist."""
        if task.root:
            if not Path(task.root).is_dir():
                raise TaskFault(f"'root' {task.root} is no folder")
            if not os.access(task.root, os.R_OK | os.X_OK):
                raise TaskFault(f"'root' {task.root} can't be read")
        else:
            self.commit(task)

    def commit(self, task: Task) -> str:
        """Return the full name of a task's base commit.

        Raises:
            TaskFault: It does not exist.
        """
        key = (task.repo, task.base_commit)
        if key not in self._commits:
            place = self.place(task.repo)
            wanted = f"{task.base_commit}^{{commit}}"
            try:
                found = git("-C", place, "rev-parse", "--verify", "--quiet", "--end-of-options", wanted)
            except GitFailed:
                raise TaskFault(f"{task.repo} has no commit {task.base_commit!r}") from None
            self._commits[key] = found.decode().strip()
        return self._commits[key]

    def place(self, repo: str) -> Path:
        """Return the local path of a repository.

        Raises:
            TaskFault: It does not exist.
        """
        if not is_address(repo):
            if not Path(repo).is_dir():
                raise TaskFault(f"'repo' {repo} is no folder")
            try:
                git("-C", repo, "rev-parse", "--git-dir")
            except GitFailed as error:
                raise TaskFault(f"'repo' {repo} is no Git repository: {error}") from None
            return Path(repo)
        place = self.folder / sha256(repo.encode()).hexdigest()[:16]
        if not place.is_dir():
            make_folder(self.folder)
            made = place.with_suffix(".new")
            shutil.rmtree(made, ignore_errors=True)
            try:
                git("clone", "-q", "--mirror", "--template=", "--", repo, made)
            except GitFailed as error:
                raise TaskFault(f"'repo' {repo} can't be fetched: {error}") from None
            made.rename(place)
        return place


def make_tree(tree: Path, root: str, source: str, commit: str, left_out: Path) -> None:
    """Make a clean tree: a copy of `root`, or the commit of a repository.

    Raises:
        GitFailed: Git failed.
        OSError: A file can't be read or written.
    """
    remove(tree)
    if root:
        shutil.copytree(root, tree, symlinks=True, ignore=_special(left_out))
        return
    make_folder(tree.parent)
    git("-c", "init.defaultBranch=main", "init", "-q", "--template=", tree)
    address = Path(source).absolute().as_uri()
    fetched = ("fetch", "-q", "--no-tags", "--update-shallow", "--upload-pack", _SERVES_ALL, address, commit)
    git("-C", tree, *fetched)
    git("-C", tree, "checkout", "-q", "--detach", "FETCH_HEAD")


def _special(left_out: Path) -> Callable[[str, list[str]], set[str]]:
    """Return an ignore function for `copytree`: special files, and the folder that is left out."""

    def named(folder: str, names: list[str]) -> set[str]:
        return {name for name in names if _is_special(Path(folder, name)) or Path(folder, name) == left_out}

    return named


def _is_special(path: Path) -> bool:
    mode = path.lstat().st_mode
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode))


def snapshot(tree: Path, own: Path) -> str:
    """Store the state of a tree in a separate Git folder and return its name."""
    remove(own)
    git("init", "-q", "--bare", "--template=", own, alone=True)
    _add(tree, own)
    return git(f"--git-dir={own}", "write-tree", alone=True).decode().strip()


def patch_since(tree: Path, own: Path, before: str) -> str:
    """Return a tree's changes since a snapshot as a patch for `git apply`, without files that Git ignores."""
    _add(tree, own)
    words = ("diff", "--cached", "--binary", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", before)
    return git(f"--git-dir={own}", *words, "--", alone=True).decode("utf-8", "surrogateescape")


def _add(tree: Path, own: Path) -> None:
    git("-c", "core.bare=false", f"--git-dir={own}", f"--work-tree={tree}", "add", "-A", "--", tree, alone=True)


def remove(folder: Path) -> None:
    """Remove a folder and its contents, even if a task has removed its own permissions."""
    if folder.is_symlink() or folder.is_file():
        folder.unlink()
    elif folder.exists():
        try:
            shutil.rmtree(folder)
        except PermissionError:
            for inner, _, _ in os.walk(folder):
                os.chmod(inner, 0o700)  # noqa: PTH101 - os.walk must be able to enter it next
            shutil.rmtree(folder)
