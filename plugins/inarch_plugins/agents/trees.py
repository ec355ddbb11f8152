"""Work trees of tasks: copied from the workspace, locked while the task runs, removed when its change is stored.

A process locks its work trees. If it is killed, its locks are released, and the next start takes its work trees over.
It stores their changes as if the tasks had ended.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from attrs import define, field

import inarch
from inarch_lib.staging import make_folder
from inarch_plugins.agents import git_trees
from inarch_plugins.agents.agents import TREES
from inarch_plugins.agents.changes import BYTES, FOLDER, PATCH, Change, Sides, is_link, read_change
from inarch_plugins.agents.work_tree_copy import GIT, Began, Copying, keep, pieces_of, present

LOCK, RECORD, TOUCHED, BEGAN, MADE = "lock", "tree.json", "touched", "began", "made"
NO_RECORD: dict[str, Any] = {"agent": "", "task": "", "roots": [], "place": "root", "prefix": "", "common": ""}
MERGED_DAYS = 30
"""Days until a merged change is deleted."""


@define(eq=False, repr=False)
class Tree:
    """A work tree locked by this process.

    Args:
        folder: Its folder in the plugin's state, named like the resulting change.
        record: Its data: agent, task, roots, repository, and the work tree's path in the folder.
    """

    folder: Path
    record: dict[str, Any]
    files: dict[str, Began]
    lock: int
    touched: set[str] = field(factory=set)
    session: str = ""

    @property
    def place(self) -> Path:
        """The directory to work in."""
        return Path(self.folder, self.record["place"], self.record["prefix"])

    def saw(self, event: inarch.Event) -> None:
        """Record which files the agent changes, so that another process can store them if this one is killed."""
        if event.kind == "session.started":
            self._note(session=event.session_id)
        elif event.kind == "file.changed" and not event.data.get("ignored"):
            for path in (event.data["path"], event.data["new_path"]):
                if path and path not in self.touched:
                    self._note(path=path)

    def _note(self, *, path: str = "", session: str = "") -> None:
        self.session = session or self.session
        self.touched |= {path} if path else set()
        with suppress(OSError), (self.folder / TOUCHED).open("a") as file:
            file.write(json.dumps({"path": path} if path else {"session": session}) + "\n")

    def end(self) -> Change | None:
        """Store the change and remove the work tree. Return None if nothing changed.

        Raises:
            OSError: The change cannot be stored. The work tree stays, and the next start tries again.
        """
        try:
            change = self._kept()
            self._remove()
            return change
        finally:
            os.close(self.lock)

    def drop(self) -> None:
        """Remove the work tree and all its files."""
        try:
            self._remove()
        finally:
            os.close(self.lock)

    def leave(self) -> None:
        """Release the lock, so that another process takes the work tree over."""
        os.close(self.lock)

    def _kept(self) -> Change | None:
        state, name = self.folder.parent.parent, self.folder.name
        target, made = state / FOLDER / name, self.folder / MADE
        if target.is_dir():  # left by a process that was killed at this point
            return read_change(state, name)
        shutil.rmtree(made, ignore_errors=True)
        files = {path: sides for path in sorted(self._candidates()) if (sides := self._sides(path, made)) is not None}
        if not files:
            return None
        change = Change(
            made, self.record["agent"], self.record["task"], tuple(self.record["roots"]), self.session, files
        )
        change.write()
        target.parent.mkdir(mode=0o700, exist_ok=True)
        made.rename(target)
        _sync(target.parent)
        return read_change(state, name)

    def _candidates(self) -> Iterator[str]:
        """Yield the paths that may have changed: those recorded, and those that differ from the start."""
        yield from self.touched - self.files.keys()
        for path, began in self.files.items():
            try:
                if path in self.touched or not began.is_untouched((self.place / path).lstat()):
                    yield path
            except OSError:
                yield path

    def _sides(self, path: str, made: Path) -> Sides | None:
        """Return both sides of a path and store their bytes, or return None if it is unchanged or not a file."""
        nothing = inarch.Standing()
        base = self.files[path].standing if path in self.files else nothing
        theirs, descriptor = present(self.place, path)
        if GIT in path.casefold().split("/") or (descriptor < 0 and not is_link(theirs.mode) and theirs != nothing):
            theirs = nothing  # a folder or special file: no bytes to store
        if descriptor >= 0:
            with os.fdopen(descriptor, "rb") as file:
                theirs = inarch.Standing(keep(made / BYTES, pieces_of(file), safely=True), theirs.mode)
        elif is_link(theirs.mode):
            keep(made / BYTES, [os.fsencode((self.place / path).readlink())], safely=True)
        if theirs == base:
            return None
        if base.hash is not None and not (made / BYTES / base.hash).exists():
            with (self.folder / BEGAN / base.hash).open("rb") as file:
                keep(made / BYTES, pieces_of(file), safely=True)
        return base, theirs

    def _remove(self) -> None:
        place = self.folder / self.record["place"]
        for path in (place, self.folder):
            git_trees.remove(self.record["common"], path)
        _remove_all(place)
        with _alone(self.folder.parent):  # without its lock file it would look abandoned
            _remove_all(self.folder)


def begin(state: Path, workspace: inarch.Workspace, agent: str, task: str, more: Iterable[str], path: str) -> Tree:
    """Make a work tree from the present state of a workspace.

    Raises:
        ToolFailed: The work tree cannot be made. Nothing of it is left.
    """
    root = workspace.root
    try:
        with _alone(state / TREES) as trees:
            folder = trees / sha256(os.urandom(16)).hexdigest()[:12]
            folder.mkdir(mode=0o700)
            lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(lock, fcntl.LOCK_EX)
    except OSError as error:
        raise _failure(state, error) from error
    roots = list(dict.fromkeys([root, *_roots_above(state, root)]))
    first = task.strip().split("\n")[0][:200]
    record = {**NO_RECORD, "agent": agent, "task": first, "roots": roots, "place": Path(root).name or "root"}
    tree = Tree(folder, record, {}, lock)
    try:
        _fill(tree, workspace, more, path)
    except OSError as error:
        tree.drop()
        raise _failure(state, error) from error
    except BaseException:
        tree.drop()
        raise
    return tree


def _fill(tree: Tree, workspace: inarch.Workspace, more: Iterable[str], path: str) -> None:
    found = git_trees.find(workspace.root, path)
    place = tree.folder / tree.record["place"]
    if found is not None:
        tree.record |= {"common": found.common, "prefix": found.prefix}
        _write_record(tree)  # before Git has an entry, so that a kill in between leaves nothing behind
        if not git_trees.add(found, place):
            git_trees.remove(found.common, place)
            shutil.rmtree(place, ignore_errors=True)
            tree.record |= {"common": "", "prefix": ""}
    make_folder(tree.place)
    copying = Copying(workspace, tree.place, tree.folder / BEGAN)
    copying.copy((*(found.tracked if found is not None else ()), *more))
    tree.files = copying.files
    _write_record(tree)


def _write_record(tree: Tree) -> None:
    files = {path: [*began.standing, *began[1:]] for path, began in tree.files.items()}
    new = tree.folder / f"{RECORD}.new"
    new.write_text(json.dumps({**tree.record, "files": files}))
    new.replace(tree.folder / RECORD)


def take_up(state: Path) -> tuple[list[Change], list[str]]:
    """Store the changes of abandoned work trees and remove those trees and old merged changes.

    Returns:
        The changes, and a message for each failure.
    """
    changes, told = list[Change](), list[str]()
    if not (state / TREES).is_dir():
        return changes, told
    try:
        with _alone(state / TREES) as trees:
            left = [tree for folder in trees.iterdir() if folder.is_dir() and (tree := _left(folder)) is not None]
    except OSError as error:
        return changes, [f"work trees in {state / TREES} can't be read: {error.strerror}"]
    for tree in left:
        try:
            change = tree.end()
            changes += [change] if change is not None else []
        except (OSError, inarch.ToolFailed) as error:
            told.append(f"the work tree {tree.folder} of {tree.record['agent']} stays: {error}")
    _forget_merged(state)
    return changes, told


def _left(folder: Path) -> Tree | None:
    """Return an abandoned work tree, or None if it is locked. An incomplete one has no files."""
    lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        return None
    record = {**NO_RECORD}
    with suppress(OSError, ValueError):
        record |= json.loads((folder / RECORD).read_text())
    files = {path: Began(inarch.Standing(one[0], one[1]), *one[2:]) for path, one in record.pop("files", {}).items()}
    tree = Tree(folder, record, files, lock)
    for said in _json_lines(folder / TOUCHED):
        tree.touched |= {said["path"]} if said.get("path") else set()
        tree.session = said.get("session") or tree.session
    return tree


def _json_lines(path: Path) -> Iterator[dict[str, str]]:
    with suppress(OSError):
        for line in path.read_text().splitlines():
            with suppress(ValueError):  # the last line may be incomplete
                yield json.loads(line)


def _roots_above(state: Path, root: str) -> list[str]:
    """Return the roots of the work tree that contains `root`, if any. Its own change may be merged there, too."""
    trees = f"{os.path.realpath(state / TREES)}/"
    inside = os.path.realpath(root)
    if not inside.startswith(trees):
        return []
    folder = Path(trees, inside.removeprefix(trees).split("/")[0])
    try:
        return [str(one) for one in json.loads((folder / RECORD).read_text())["roots"]]
    except (OSError, ValueError, KeyError):
        return []


def _forget_merged(state: Path) -> None:
    for folder in [*(state / FOLDER).iterdir()] if (state / FOLDER).is_dir() else ():
        with suppress(OSError, inarch.ToolFailed):
            is_old = time.time() - (folder / PATCH).stat().st_mtime > MERGED_DAYS * 86_400
            if is_old and read_change(state, folder.name).is_merged:
                shutil.rmtree(folder)


@contextmanager
def _alone(trees: Path) -> Iterator[Path]:
    """Lock the folder of work trees against other processes."""
    make_folder(trees)
    lock = os.open(trees, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield Path(os.path.realpath(trees))
    finally:
        os.close(lock)


def _remove_all(path: Path) -> None:
    """Remove a folder, even if copied modes deny access."""
    for parent, folders, _ in os.walk(path):
        for name in folders:
            inner = Path(parent, name)
            with suppress(OSError):
                if not inner.is_symlink() and inner.stat().st_mode & 0o700 != 0o700:
                    inner.chmod(0o700)
    if path.exists():
        shutil.rmtree(path)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _failure(state: Path, error: OSError) -> inarch.ToolFailed:
    what = f"can't make a work tree in {state}: {error.strerror or error}"
    return inarch.ToolFailed(
        "execution", what, "free disk space or make it writable, or use an agent without a work tree"
    )
