"""Work trees of tasks: made as the workspace is, held while the task runs, and gone when its change is kept.

Whoever holds a work tree has its lock; a process that is killed has none, and its work trees are taken up by the next
start: what was changed in them is kept as if the task had ended.
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
"""Days for which a change that was merged stays."""


@define(eq=False, repr=False)
class Tree:
    """A work tree that this process holds.

    Args:
        folder: Its folder in the plugin's state; its name is that of the change that comes of it.
        record: What is known of it: agent, task, roots, where in the folder the work tree is, its repository.
        files: What it began with.
        lock: The descriptor that holds it.
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
        """Note which files the agent changes: should this process be killed, the next one knows where to look."""
        if event.kind == "session.started":
            self._note(session=event.session_id)
        elif event.kind == "file.changed":
            for path in (event.data["path"], event.data["new_path"]):
                if path and path not in self.touched:
                    self._note(path=path)

    def _note(self, *, path: str = "", session: str = "") -> None:
        self.session = session or self.session
        self.touched |= {path} if path else set()
        with suppress(OSError), (self.folder / TOUCHED).open("a") as file:
            file.write(json.dumps({"path": path} if path else {"session": session}) + "\n")

    def end(self) -> Change | None:
        """Keep the change and remove the work tree; None where nothing was changed.

        Raises:
            OSError: It can't be kept; the work tree stays, for the next start to try it again.
        """
        try:
            change = self._kept()
            self._remove()
            return change
        finally:
            os.close(self.lock)

    def drop(self) -> None:
        """Remove the work tree with all that is in it."""
        try:
            self._remove()
        finally:
            os.close(self.lock)

    def leave(self) -> None:
        """Let the next one who looks for what was left take it up."""
        os.close(self.lock)

    def _kept(self) -> Change | None:
        state, name = self.folder.parent.parent, self.folder.name
        target, made = state / FOLDER / name, self.folder / MADE
        if target.is_dir():  # a process that was killed has got as far as that
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
        """Yield the paths that may have changed: what was seen to, and what doesn't stand there as it began."""
        yield from self.touched - self.files.keys()
        for path, began in self.files.items():
            try:
                if path in self.touched or not began.is_untouched((self.place / path).lstat()):
                    yield path
            except OSError:
                yield path

    def _sides(self, path: str, made: Path) -> Sides | None:
        """Return both sides of a path with their bytes kept, None where it is as it was, or no file."""
        nothing = inarch.Standing(None, 0)
        base = self.files[path].standing if path in self.files else nothing
        theirs, descriptor = present(self.place, path)
        if GIT in path.casefold().split("/") or (descriptor < 0 and not is_link(theirs.mode) and theirs != nothing):
            theirs = nothing  # a folder, or what is no file: no bytes to bring back
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
        with _alone(self.folder.parent):  # without its file of the lock it would look as if it had been left behind
            _remove_all(self.folder)


def begin(state: Path, workspace: inarch.Workspace, agent: str, task: str, more: Iterable[str], path: str) -> Tree:
    """Make a work tree of what stands in a workspace now.

    Args:
        state: The plugin's folder.
        workspace: What is copied.
        agent: Who will work there.
        task: What it is asked.
        more: Files that come along even if Git ignores them.
        path: Where programs are looked for.

    Raises:
        ToolFailed: It can't be made; nothing of it is left.
    """
    root = workspace.root
    try:
        with _alone(state / TREES) as trees:
            folder = trees / sha256(os.urandom(16)).hexdigest()[:12]
            folder.mkdir(mode=0o700)
            lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(lock, fcntl.LOCK_EX)
    except OSError as error:
        raise _unmade(state, error) from error
    roots = list(dict.fromkeys([root, *_roots_above(state, root)]))
    first = task.strip().split("\n")[0][:200]
    record = {**NO_RECORD, "agent": agent, "task": first, "roots": roots, "place": Path(root).name or "root"}
    tree = Tree(folder, record, {}, lock)
    try:
        _fill(tree, workspace, more, path)
    except OSError as error:
        tree.drop()
        raise _unmade(state, error) from error
    except BaseException:
        tree.drop()
        raise
    return tree


def _fill(tree: Tree, workspace: inarch.Workspace, more: Iterable[str], path: str) -> None:
    found = git_trees.find(workspace.root, path)
    place = tree.folder / tree.record["place"]
    if found is not None:
        tree.record |= {"common": found.common, "prefix": found.prefix}
        _write_record(tree)  # before Git knows of it: a kill in between leaves nothing behind
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
    """Keep the changes of work trees that nobody holds any more, remove those, and what was merged long ago.

    Returns:
        The changes, and a sentence for each thing that can't be done.
    """
    changes, told = list[Change](), list[str]()
    if not (state / TREES).is_dir():
        return changes, told
    try:
        with _alone(state / TREES) as trees:
            left = [tree for folder in trees.iterdir() if folder.is_dir() and (tree := _left(folder)) is not None]
    except OSError as error:
        return changes, [f"work trees in {state / TREES} can't be looked at: {error.strerror}"]
    for tree in left:
        try:
            change = tree.end()
            changes += [change] if change is not None else []
        except (OSError, inarch.ToolFailed) as error:
            told.append(f"the work tree {tree.folder} of {tree.record['agent']} is kept: {error}")
    _forget_merged(state)
    return changes, told


def _left(folder: Path) -> Tree | None:
    """Return a work tree that nobody holds; one that was never whole has no files."""
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
    for said in _said(folder / TOUCHED):
        tree.touched |= {said["path"]} if said.get("path") else set()
        tree.session = said.get("session") or tree.session
    return tree


def _said(path: Path) -> Iterator[dict[str, str]]:
    with suppress(OSError):
        for line in path.read_text().splitlines():
            with suppress(ValueError):  # the last one was cut off
                yield json.loads(line)


def _roots_above(state: Path, root: str) -> list[str]:
    """Return the directories that a work tree is a copy of, where the root is one: its own change may go there, too."""
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
    """Let nobody else make or take up work trees meanwhile."""
    make_folder(trees)
    lock = os.open(trees, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield Path(os.path.realpath(trees))
    finally:
        os.close(lock)


def _remove_all(path: Path) -> None:
    """Remove a folder, also where modes that were copied would keep us from that."""
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


def _unmade(state: Path, error: OSError) -> inarch.ToolFailed:
    what = f"no work tree can be made in {state}: {error.strerror or error}"
    return inarch.ToolFailed("execution", what, "make room or let it be written, or use an agent without one")
