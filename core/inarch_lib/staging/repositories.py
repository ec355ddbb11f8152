"""Location of a workspace's repository, without trusting what a cloned file says about it.

Every git gets `Repository.variables`, so `core.worktree`, a `commondir` file or a `.git` file cannot send it to an
unrelated repository.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import Literal

from attrs import frozen

_LONGEST = 65_536
_WORKTREE = re.compile(r"^\s*worktree\s*=\s*\"?(.+?)\"?\s*$", re.MULTILINE | re.IGNORECASE)
_OPERATIONS = {
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
}


class NoRepository(Exception):
    """Error for a missing or unusable repository: a code (`not_found` or `permission`), the reason, and the remedy."""

    def __init__(self, code: Literal["not_found", "permission"], message: str, remedy: str = "") -> None:
        super().__init__(code, message, remedy)


@frozen
class Repository:
    """Repository and its working tree.

    Args:
        top: The top of the working tree.
        git_dir: The folder of this working tree's `HEAD` and index.
        common_dir: The folder of objects and refs; `git_dir`, except for a linked worktree.
        root: The workspace's root: `top` or a folder below it.
    """

    top: str
    git_dir: str
    common_dir: str
    root: str

    @property
    def within(self) -> bool:
        """Return whether it is the folder `.git` of the workspace's root."""
        return self.git_dir == os.path.join(self.root, ".git")

    @property
    def prefix(self) -> str:
        """Return the root's path below the top, with a slash at its end; empty if they are the same."""
        return "" if self.root == self.top else f"{os.path.relpath(self.root, self.top)}/"

    @property
    def folders(self) -> tuple[str, ...]:
        """Return its folders outside the workspace."""
        return () if self.within else tuple(dict.fromkeys((self.git_dir, self.common_dir)))

    @property
    def variables(self) -> dict[str, str]:
        """Return the variables that limit git to it."""
        return {
            "GIT_DIR": self.git_dir,
            "GIT_COMMON_DIR": self.common_dir,
            "GIT_WORK_TREE": self.top,
            "GIT_CEILING_DIRECTORIES": os.path.dirname(self.top),
        }

    def reads(self) -> tuple[str, ...]:
        """Return the outside paths that git reads: its folders, and rules of the folders above the root."""
        above, folder = list(self.folders), self.root
        while folder != self.top:
            folder = os.path.dirname(folder)
            rules = (os.path.join(folder, name) for name in (".gitignore", ".gitattributes"))
            above += [path for path in rules if _kind(path) == "file"]
        return tuple(above)

    def operation(self) -> str | None:
        """Return the name of an unfinished operation, such as a merge."""
        begun = (name for mark, name in _OPERATIONS.items() if os.path.lexists(os.path.join(self.git_dir, mark)))
        return next(begun, None)


def find(root: str) -> Repository:
    """Return the repository that a workspace is in.

    Raises:
        NoRepository: `not_found` if there is none, `permission` if it may not belong to the workspace.
    """
    root = os.path.realpath(root)
    for top in (root, *_parents(root)):
        mark = os.path.join(top, ".git")
        kind = _kind(mark)
        if kind is None or (top != root and kind == "directory" and not _is_repository(mark)):
            continue
        if os.lstat(mark).st_uid != os.stat(root).st_uid:
            raise NoRepository(
                "permission", f"{mark} belongs to another user than the workspace, so it is not used",
                "let both belong to the same user, or make a repository here with `git init`",
            )  # fmt: skip
        if kind == "directory":
            _demand_repository(mark)
            if os.path.lexists(os.path.join(mark, "commondir")):
                raise NoRepository("permission", f"{mark}/commondir leads to another repository, so {mark} is not used")
            return Repository(top, mark, mark, root)
        if kind == "file":
            return _linked(top, mark, root)
        raise NoRepository("permission", f"{mark} is a symbolic link or special file, which is not followed")
    if _is_repository(root):
        raise NoRepository("not_found", "the workspace is a bare repository: it has no files", "open a clone of it")
    raise NoRepository("not_found", "the workspace is not in a git repository", "make one with `git init`")


def _parents(root: str) -> list[str]:
    """Return the folders above the root, up to the user's home if the root is below it."""
    above = [str(folder) for folder in Path(root).parents]
    home = os.path.realpath(os.path.expanduser("~"))
    if root == home:
        return []
    return above[: above.index(home) + 1] if home in above else above


def _linked(top: str, mark: str, root: str) -> Repository:
    """Follow the `.git` file of a linked worktree or a submodule, if its target points back."""
    line = _text(mark).strip()
    if not line.startswith("gitdir: "):
        raise _damaged(mark)
    git_dir = os.path.realpath(os.path.join(top, line.removeprefix("gitdir: ")))
    if not os.path.isdir(git_dir):
        raise NoRepository(
            "not_found", f"{mark} names {git_dir}, which is not there",
            "run `git worktree repair` or `git submodule update --init`",
        )  # fmt: skip
    common_dir = _common_of_worktree(git_dir, mark) or _own_of_submodule(git_dir, top)
    if common_dir is None or f"{git_dir}/".startswith(f"{root}/"):
        raise NoRepository(
            "permission", f"{mark} names {git_dir}, which doesn't point back here, so it is not followed",
            "run `git worktree repair` there if it is this folder's repository",
        )  # fmt: skip
    _demand_repository(common_dir)
    return Repository(top, git_dir, common_dir, root)


def _common_of_worktree(git_dir: str, mark: str) -> str | None:
    back, common = _text(os.path.join(git_dir, "gitdir")).strip(), _text(os.path.join(git_dir, "commondir")).strip()
    if not back or not common:
        return None
    common_dir = os.path.realpath(os.path.join(git_dir, common))
    points_back = os.path.realpath(os.path.join(git_dir, back)) == os.path.realpath(mark)
    # A folder that only claims to be a worktree of another repository is not where git stores them.
    return common_dir if points_back and os.path.dirname(git_dir) == os.path.join(common_dir, "worktrees") else None


def _own_of_submodule(git_dir: str, top: str) -> str | None:
    named = _WORKTREE.findall(_text(os.path.join(git_dir, "config")))
    return git_dir if named and os.path.realpath(os.path.join(git_dir, named[-1])) == top else None


def _demand_repository(folder: str) -> None:
    if not _is_repository(folder):
        raise _damaged(folder)


def _is_repository(folder: str) -> bool:
    inside = (os.path.join(folder, name) for name in ("HEAD", "objects", "refs"))
    return all(map(os.path.lexists, inside))


def _damaged(path: str) -> NoRepository:
    return NoRepository("not_found", f"{path} is there, but it is not a git repository", "make one with `git init`")


def _kind(path: str) -> str | None:
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return None
    return "directory" if stat.S_ISDIR(mode) else "file" if stat.S_ISREG(mode) else "other"


def _text(path: str) -> str:
    """Return a small regular file's text, empty if there is none."""
    if _kind(path) != "file":
        return ""
    try:
        with open(path, "rb") as file:
            return os.fsdecode(file.read(_LONGEST))
    except OSError:
        return ""
