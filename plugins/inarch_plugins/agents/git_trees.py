"""Git work trees for copies, made without a checkout so that no filter or hook of the repository runs."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from attrs import frozen

import inarch

SECONDS = 60.0
_SETTINGS = {"core.hooksPath": os.devnull, "core.fsmonitor": "false", "gc.auto": "0", "maintenance.auto": "false"}
_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0", "GIT_LITERAL_PATHSPECS": "1", "GIT_TRACE2": "0", "GIT_TRACE2_EVENT": "0",
    "GIT_TRACE2_PERF": "0", "LC_ALL": "C",
}  # fmt: skip


@frozen
class Repository:
    """The repository of a folder.

    Args:
        common: The folder of its objects. Inarch's files are below `worktrees` in it.
        prefix: The folder's path in the working tree, with a final slash; empty for the top.
        tracked: The tracked files in the folder.
    """

    common: str
    prefix: str
    commit: str
    tracked: tuple[str, ...]
    program: str


def find(root: str, environ_path: str) -> Repository | None:
    """Return the repository of a folder, or None without Git, a repository or a commit."""
    try:
        (program,) = inarch.user_command(("git",), root=root, brought=None, path=environ_path)
    except inarch.ToolFailed:
        return None
    places = _git(program, root, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir")
    commit = _git(program, root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    if places is None or commit is None:
        return None
    top, common = (os.path.realpath(os.fsdecode(one)) for one in places.rstrip(b"\n").split(b"\n"))
    if root != top and not root.startswith(f"{top}/"):
        return None  # its configuration redirects Git
    prefix = "" if root == top else f"{os.path.relpath(root, top)}/"
    listed = _git(program, root, "ls-files", "-z", "--cached") or b""
    tracked = tuple(os.fsdecode(one) for one in listed.split(b"\0") if one and _is_text(one))
    return Repository(common, prefix, commit.decode().strip(), tracked, program)


def add(repository: Repository, place: Path) -> bool:
    """Make `place`, which must not exist, a work tree with an index and no files. Return whether it worked."""
    words = ("worktree", "add", "--quiet", "--no-checkout", "--detach", str(place), repository.commit)
    if _git(repository.program, repository.common, *words) is None:
        return False
    return _git(repository.program, str(place), "read-tree", repository.commit) is not None


def remove(common: str, place: Path) -> None:
    """Remove a work tree's entry from a repository. Other work trees stay, even if their folders are missing."""
    folder = Path(common, "worktrees")
    for entry in [*folder.iterdir()] if common and folder.is_dir() else ():
        try:
            named = (entry / "gitdir").read_text().strip()
        except (OSError, ValueError):
            continue
        if os.path.dirname(named) in (str(place), os.path.realpath(place)):  # noqa: PTH120 - as text: it may be gone
            shutil.rmtree(entry, ignore_errors=True)


def _git(program: str, folder: str, *words: str) -> bytes | None:
    settings = [*_SETTINGS.items()]
    environ = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | _ENVIRONMENT
    environ["GIT_CONFIG_COUNT"] = str(len(settings))
    for at, (key, value) in enumerate(settings):
        environ |= {f"GIT_CONFIG_KEY_{at}": key, f"GIT_CONFIG_VALUE_{at}": value}
    try:
        ran = subprocess.run(
            (program, *words), cwd=folder, env=environ, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS,
            check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    return ran.stdout if ran.returncode == 0 else None


def _is_text(path: bytes) -> bool:
    try:
        path.decode()
    except UnicodeDecodeError:
        return False
    return True
