"""Commit of exactly the named paths, as they are in the workspace now."""

from __future__ import annotations

import os
import posixpath
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO

from inarch import ToolContext, ToolFailed
from inarch_lib.staging.repositories import Repository
from inarch_plugins.git import git_output
from inarch_plugins.git.invocation import Git, text
from inarch_plugins.git.repository_views import filtered, read_status
from inarch_plugins.git.status import Status, relative

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def own_index(repository: Repository) -> Iterator[str]:
    """Lock the index and yield the path of a copy, which becomes the index unless the body raises.

    No other git changes the index meanwhile. After a failure or cancellation the index is unchanged.

    Raises:
        ToolFailed: `conflict` if another git has locked it, `permission` if it cannot be written.
    """
    index, lock = (os.path.join(repository.git_dir, name) for name in ("index", "index.lock"))
    try:
        descriptor = os.open(lock, _NEW, 0o666)
    except FileExistsError:
        raise ToolFailed(
            "conflict", f"{lock} exists: another git is at work, or was killed",
            "wait until it is done; if none runs, remove that file",
        ) from None  # fmt: skip
    except OSError as error:
        raise ToolFailed("permission", f"{repository.git_dir} can't be written: {error.strerror}") from None
    try:
        with open(descriptor, "wb") as copy:
            is_new = not _copied(index, copy)
        if is_new:
            os.unlink(lock)  # git would take an empty file for a damaged index
        yield lock
        os.replace(lock, index)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(lock)
        raise


def _copied(index: str, copy: BinaryIO) -> bool:
    """Copy the index; return whether there is one."""
    try:
        source = os.open(index, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    with open(source, "rb") as file:
        shutil.copyfileobj(file, copy)
        copy.flush()
        # Git compares files changed since the index was written by their bytes: the copy is as old as the index.
        kept = os.fstat(file.fileno())
        os.utime(copy.fileno(), ns=(kept.st_atime_ns, kept.st_mtime_ns))
    return True


_REFUSED = "nothing was committed"


def check(context: ToolContext, paths: list[str], message: str) -> None:
    """Raise the errors that a commit of these paths would raise, as far as a check can find them.

    Raises:
        ToolFailed: The message is invalid, git has no identity, a conflict is in the way or nothing has changed.
    """
    _, _, status = _prepared(context, paths, message)
    if not status.names:
        _raise_refused("")


def commit(context: ToolContext, paths: list[str], message: str) -> dict[str, Any]:
    """Commit exactly these files or directories as they are now. Other staged changes stay staged."""
    git, identity, status = _prepared(context, paths, message)
    present = _present(git, paths, status)
    with own_index(git.repository) as index:
        if present:
            git.write("add", "--all", *git.scope(present), GIT_INDEX_FILE=index)
        ran = git.write(
            "commit", "--quiet", "--no-verify", "--no-gpg-sign", "--no-status", "--cleanup=whitespace", "--file=-",
            "--only", *git.scope(paths),
            stdin=message.encode(), fails=(1,), GIT_INDEX_FILE=index, **identity,
        )  # fmt: skip
        if ran.exit_code == 1:
            _raise_refused(text(ran.output + ran.errors))
    return _committed(git, status)


def _prepared(context: ToolContext, paths: list[str], message: str) -> tuple[Git, dict[str, str], Status]:
    """Return the repository, the committer and the status of the paths, after checking for obstacles."""
    _check_message(message)
    git = Git.open(context)
    identity = _identity(git)
    _check_operation(git)
    status, _ = read_status(git, "all", *git.scope(paths))
    _check_status(git, status)
    return git, identity, status


def _check_message(message: str) -> None:
    try:
        message.encode()
    except UnicodeEncodeError:
        raise ToolFailed("validation", "the message is not valid text") from None
    if not message.strip() or "\0" in message:
        raise ToolFailed("validation", "the message is empty or has a NUL character", "say what the commit is about")


def _identity(git: Git) -> dict[str, str]:
    """Return the variables of the committer's identity, as the user's own git would determine it."""
    found = git.configured.identity()
    if not all(f"GIT_{who}_{what}" in found for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")):
        raise ToolFailed(
            "validation", f"git doesn't know who commits; {_REFUSED}",
            'run `git config --global user.name "Your Name"` and '
            "`git config --global user.email you@example.com`, then try again",
        )  # fmt: skip
    return found


def _check_operation(git: Git) -> None:
    operation = git.repository.operation()
    if operation:
        raise ToolFailed(
            "conflict", f"a {operation} is in progress; {_REFUSED}",
            f"end it yourself with `git {operation} --continue` or `git {operation} --abort`",
        )  # fmt: skip


def _check_status(git: Git, status: Status) -> None:
    if status.conflicted:
        path = status.conflicted[0]["path"]
        raise ToolFailed("conflict", f"{path} has conflicts of a merge; {_REFUSED}", "decide them and stage the file")
    for path in status.untracked:
        if path.endswith("/"):
            raise ToolFailed(
                "validation", f"{path} is a repository of its own; {_REFUSED}", "commit in it, or leave it out"
            )
    for path, name in filtered(git, status.names):
        raise ToolFailed(
            "validation", f"{path} goes through the filter {name}, which is not run here; {_REFUSED}",
            "commit it yourself with `git commit`",
        )  # fmt: skip


def _present(git: Git, paths: list[str], status: Status) -> list[str]:
    """Return the paths without those known to be deleted: `git add` would not find one whose deletion is staged."""
    known = [change["path"] for change in (*status.staged, *status.changed)]

    def is_gone(path: str) -> bool:
        plain = posixpath.normpath(path)
        named = any(f"{one}/".startswith(f"{plain}/") for one in known)
        return named and git.context.workspace.stat(path) is None

    return [path for path in paths if not is_gone(path)]


def _raise_refused(said: str) -> None:
    if "nothing" in said or "no changes added" in said or not said.strip():
        raise ToolFailed(
            "validation", "nothing to commit: the paths are as they are in the last commit",
            "use git_status to see what has changed",
        )  # fmt: skip
    raise ToolFailed("execution", f"git refused to commit: {said.strip()[:300]}")


def _committed(git: Git, before: Status) -> dict[str, Any]:
    (made,) = git_output.commits(
        git.read("log", "-z", f"--format={git_output.LOG_FORMAT}", "--max-count=1", "HEAD").output
    )
    named = git.read("diff-tree", "-z", "-r", "--root", "--no-commit-id", "--name-only", "--no-renames", "HEAD").output
    files = [relative(name, git.repository.prefix) for name in named.split(b"\0") if name]
    notes = _notes(git, before)
    return {
        "commit": made["commit"], "branch": before.head, "subject": made["subject"], "files": files,
        "note": "; ".join(notes) or None,
    }  # fmt: skip


def _notes(git: Git, before: Status) -> list[str]:
    """Report what git would have done and was not done, and other surprises."""
    notes = []
    hooks = git.configured.hooks(git.repository.top, git.repository.common_dir)
    if hooks:
        notes.append(f"the repository's hooks were not run: {', '.join(hooks)}")
    if git.configured.signs():
        notes.append("the commit is not signed, though commit.gpgSign asks for it")
    if before.head is None:
        notes.append("no branch is checked out (detached HEAD): make one with `git branch NAME` to keep the commit")
    changed = {change["path"] for change in before.changed}
    notes += [f"{change['path']} was staged with other content; it was committed as it is now"
              for change in before.staged if change["path"] in changed]  # fmt: skip
    return notes
