"""Workspace handle of one call: it records accesses, demands reading before writing, and is revoked after the call."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from stat import S_ISDIR
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field

from inarch.calls.call_order import changes_protected, may_write, normalised
from inarch.calls.rules import path_matches
from inarch.contract.capabilities import RunsPiped, StartsPrograms, TriesPrograms, able
from inarch.contract.errors import Cancelled, ToolFailed
from inarch.contract.records import Effects, FileBytes, FileChange, FileStat, SearchHits, Walk
from inarch.contract.workspaces import Workspace
from inarch_lib.staging.steering_names import steers

if TYPE_CHECKING:
    from inarch.calls.before_images import Images, Keeping
    from inarch.calls.secrets import Secrets
    from inarch.contract.files import FileState
    from inarch.contract.processes import Confinement, Piped, Ran, Rights


LEFT_OUT = "files that a rule is about are left out"
MANY_HITS = 10_000


@define(eq=False, repr=False)
class Lease:
    """Right of one call to act; once revoked it never comes back."""

    call_id: str
    cancelled: threading.Event = field(init=False, factory=threading.Event)
    revoked: bool = field(init=False, default=False)

    def check(self) -> None:
        """Return if the call may still act.

        Raises:
            Cancelled: It may not.
        """
        if self.revoked:
            raise Cancelled(f"call {self.call_id} is over: it was cancelled, timed out or has ended")

    def revoke(self, cancel: bool = True) -> None:
        """Revoke the right; `cancel` also signals a running call to stop."""
        self.revoked = True
        if cancel:
            self.cancelled.set()


@define(eq=False, repr=False)
class Handle:
    """`Workspace` for one call that records reads and writes and demands reading before writing.

    It writes only to paths that the call declared; `effects` of None belong to a call that may do anything.

    The call's own reads count only after it succeeded: a tool that reads a file in order to overwrite it has not shown
    it to the model or the user. Files that match a glob of `hidden` are left out of what it reads.
    """

    _workspace: Workspace
    _lease: Lease
    _seen: dict[str, str]
    _keeping: Keeping
    _effects: Effects | None = None
    _secrets: Secrets | None = None
    _approved: bool = False
    hidden: tuple[str, ...] = ()
    files: dict[str, str | None] = field(init=False, factory=dict)
    _reads: dict[str, str] = field(init=False, factory=dict)

    @property
    def root(self) -> str:
        """The root's absolute path, for messages only."""
        return self._workspace.root

    def stat(self, path: str) -> FileStat | None:
        """Return the state of `path`."""
        self._lease.check()
        return self._workspace.stat(path)

    def read(self, path: str, offset: int = 0, max_bytes: int | None = None) -> FileBytes:
        """Return the bytes of a file and remember their hash."""
        self._lease.check()
        if not self._is_shown(path):
            raise ToolFailed(
                "permission", f"a rule keeps {path} from calls that read whole folders", "name the file in a call"
            )
        found = self._workspace.read(path, offset, max_bytes)
        self._lease.check()
        if found.hash:
            self._reads[normalised(path)] = found.hash
        if self._secrets is not None:
            self._secrets.learn_read(found)
        return found

    def digest(self, path: str) -> str:
        """Return the hash of a whole file, which counts as read even if the call read only a part."""
        self._lease.check()
        self._reads[normalised(path)] = found = self._workspace.digest(path)
        self._lease.check()
        return found

    def replace(self, path: str, chunks: Iterable[bytes], expected_hash: str | None) -> FileChange:
        """Write a file whose present bytes the session knows."""
        self._demand_declared(path)
        self._demand_seen(path, expected_hash)
        # Store the old bytes, announce the change, then make it: undo knows of it whenever the process is killed.
        images = self._keeping.before(path, expected_hash)
        taken = self._keeping.taking(path, images, _while_allowed(self._lease, chunks))
        self._announce(FileChange(path, expected_hash, images.after), images)
        return self._note(self._workspace.replace(path, taken, expected_hash), images)

    def remove(self, path: str, expected_hash: str) -> FileChange:
        """Remove a file, unless it has changed since the session last read it."""
        self._demand_declared(path)
        self._demand_seen(path, expected_hash, unread=expected_hash)
        images = self._keeping.before(path, expected_hash)
        self._announce(FileChange(path, expected_hash, None), images)
        return self._note(self._workspace.remove(path, expected_hash), images)

    def move(self, path: str, new_path: str, expected_hash: str) -> FileChange:
        """Move a file, unless it has changed since the session last read it."""
        self._demand_declared(path, new_path)
        self._demand_seen(path, expected_hash, unread=expected_hash)
        images = self._keeping.before(path, expected_hash, new_path)
        self._announce(FileChange(path, expected_hash, expected_hash, new_path), images)
        return self._note(self._workspace.move(path, new_path, expected_hash), images)

    def restore(self, path: str, entry: FileStat, blob: bytes) -> FileChange:
        """Restore an earlier state of a file whose present bytes the session knows."""
        self._demand_declared(path)
        present = None if self._workspace.stat(path) is None else self._workspace.digest(path)
        self._demand_seen(path, present)
        images = self._keeping.before(path, present)
        self._keeping.taking(path, images, (blob,))
        self._announce(FileChange(path, present, images.after), images)
        return self._note(self._workspace.restore(path, entry, blob), images)

    def walk(self, pattern: str = "**/*", limit: int | None = None) -> Walk:
        """Return the files that match a glob."""
        self._lease.check()
        found = self._workspace.walk(pattern, limit)
        if not self.hidden:
            return found
        # Always show the note: its presence must not reveal whether a hidden file matched.
        return evolve(found, paths=tuple(filter(self._is_shown, found.paths)), notes=(*found.notes, LEFT_OUT))

    def entries(self, path: str = ".") -> tuple[FileStat, ...]:
        """Return what is in a folder."""
        self._lease.check()
        return tuple(entry for entry in self._workspace.entries(path) if self._is_shown(entry.path))

    def search(
        self, pattern: str, path: str = ".", glob: str | None = None, ignore_case: bool = False, limit: int = 100
    ) -> SearchHits:
        """Return the lines that match a regular expression."""
        self._lease.check()
        # Neither a count nor used-up places of the limit may reveal that hidden files match.
        most = max(limit, MANY_HITS) if self.hidden else limit
        found = self._workspace.search(pattern, path, glob, ignore_case, most)
        if self.hidden:
            left = tuple(hit for hit in found.hits if self._is_shown(hit.path))
            truncated = found.truncated or len(left) > limit
            found = evolve(found, hits=left[:limit], truncated=truncated, notes=(*found.notes, LEFT_OUT))
        if self._secrets is not None:
            self._secrets.learn_hits(found)
        return found

    def run(
        self,
        argv: Sequence[str],
        rights: Rights,
        *,
        cwd: str = ".",
        stdin: bytes = b"",
        timeout_s: float = 30.0,
        merged: bool = False,
        on_output: Callable[[bytes], None] | None = None,
        cancelled: threading.Event | None = None,
    ) -> Ran:
        """Run a program with rights that the call declared; kill it when the call is over."""
        self._demand_allowed(argv, rights, cwd)
        with self._keeping.comparing(rights.writes):
            return self._workspace.run(
                argv, self._within_undo(rights), cwd=cwd, stdin=stdin, timeout_s=timeout_s, merged=merged,
                on_output=on_output, cancelled=self._lease.cancelled if cancelled is None else cancelled,
            )  # fmt: skip

    def run_piped(self, parts: Sequence[Piped], *, cwd: str = ".", **more: Any) -> Ran:
        """Run the programs of a pipeline, each as `run` does; `more` are its other options.

        Raises:
            ToolFailed: The workspace runs one program at a time.
        """
        self._demand_all_allowed(parts, cwd)
        workspace = able(self._workspace, RunsPiped)
        if workspace is None:
            raise ToolFailed("execution", "this workspace cannot run pipelines", "run one command a call")
        with self._keeping.comparing(_written(parts)):
            parts = [evolve(one, rights=self._within_undo(one.rights)) for one in parts]
            return workspace.run_piped(parts, cwd=cwd, **{"cancelled": self._lease.cancelled, **more})

    def try_piped(self, parts: Sequence[Piped], *, cwd: str = ".", trial: Any, **more: Any) -> Ran:
        """Run the programs of a pipeline as `run_piped` does, in a copy of the workspace.

        Raises:
            ToolFailed: The workspace has no copies.
        """
        self._demand_all_allowed(parts, cwd)
        workspace = able(self._workspace, TriesPrograms)
        if workspace is None:
            raise ToolFailed("execution", "this workspace cannot try commands", "run it instead")
        return workspace.try_piped(parts, cwd=cwd, trial=trial, **{"cancelled": self._lease.cancelled, **more})

    def apply_trial(self, states: Sequence[FileState]) -> Sequence[str]:
        """Leave every path as its state says, or all as they are; the session does not count as having seen them."""
        return self._restore_all(self._workspace.restore_all, states, shown=False)  # type: ignore[attr-defined]

    def start(self, parts: Sequence[Piped], *, cwd: str = ".", on_end: Callable[[], object], **more: Any) -> Any:
        """Start programs that outlive the call, each with rights that it declared.

        Changes below the paths they may write belong to the call until they end. Then a thread calls `on_end`.

        Raises:
            ToolFailed: The workspace does not support such programs.
        """
        self._demand_all_allowed(parts, cwd)
        workspace = able(self._workspace, StartsPrograms)
        if workspace is None:
            raise ToolFailed("execution", "this workspace cannot run background programs", "run commands that end")
        goes_on = self._keeping.begin_going_on(_written(parts))

        def ended() -> None:
            goes_on()
            on_end()

        try:
            parts = [evolve(one, rights=self._within_undo(one.rights)) for one in parts]
            return workspace.start(parts, cwd=cwd, on_end=ended, **more)
        except BaseException:  # the programs did not start, so no later change is the call's
            goes_on()
            raise

    def _is_shown(self, path: str) -> bool:
        return not any(path_matches(normalised(path), glob) for glob in self.hidden)

    def _within_undo(self, rights: Rights) -> Rights:
        """Return rights to change only what undo covers, unless the user approved the call."""
        keeper = self._keeping.keeper if "" in rights.writes and not self._approved else None
        return rights if keeper is None else evolve(rights, uncovered=keeper.tree.uncovered)

    def confinement(self) -> Confinement:
        """Return how well programs are confined here."""
        self._lease.check()
        return self._workspace.confinement()

    def close(self) -> None:
        """Do nothing: the workspace outlives the call."""

    def __getattr__(self, name: str) -> Any:
        # A workspace may offer more than the port; the handle can revoke that as well.
        if name.startswith("_"):
            raise AttributeError(name)
        member = getattr(self._workspace, name)
        if not callable(member):
            return member
        if name == "restore_all":
            return partial(self._restore_all, member)

        def forward(*args: Any, **kwargs: Any) -> Any:
            self._lease.check()
            return member(*args, **kwargs)

        return forward

    def publish_reads(self) -> None:
        """Report the files that the call read to the session; for calls that succeeded."""
        for path, digest in self._reads.items():
            # A later write of the call is newer than its read.
            if path not in self.files:
                self.files[path] = self._seen[path] = digest

    def _demand_declared(self, *paths: str) -> None:
        self._lease.check()
        for path in paths:
            # The user was not asked about other paths, and concurrent calls did not wait for them.
            if self._effects is not None and not _was_declared(path, self._effects):
                raise ToolFailed(
                    "permission", f"{path} is not among what this call declared to write; nothing was written",
                    "report it to the plugin's author",
                )  # fmt: skip

    def _demand_all_allowed(self, parts: Sequence[Piped], cwd: str) -> None:
        for part in parts:
            self._demand_allowed(part.argv, part.rights, cwd)

    def _demand_allowed(self, argv: Sequence[str], rights: Rights, cwd: str) -> None:
        """Refuse rights that the call did not declare, and learn the secrets in files that the program may read."""
        self._demand_declared(*rights.writes)
        if self._effects is not None:
            wanted = {
                "start programs": rights.executes and not self._effects.programs,
                "use the network": (rights.network or bool(rights.hosts)) and not self._effects.programs,
                "write outside the workspace": bool(rights.writes_outside) and not changes_protected(self._effects),
            }
            if what := next((what for what, asked in wanted.items() if asked), ""):
                raise ToolFailed(
                    "permission", f"this call did not declare that it may {what}; nothing was run",
                    "report it to the plugin's author",
                )  # fmt: skip
        if self._secrets is not None:
            self._secrets.learn_run(argv, cwd, rights)

    def _demand_seen(self, path: str, expected_hash: str | None, unread: str | None = None) -> None:
        """Refuse to touch bytes that the session does not know; `unread` replaces the hash of an unread file."""
        self._lease.check()
        if expected_hash is None or self._seen.get(normalised(path), unread) == expected_hash:
            return
        known = normalised(path) in self._seen
        why = "has changed since it was last read" if known else "has not been read in this session"
        raise ToolFailed("conflict", f"{path} {why}; nothing was written", "read it first, then repeat the change")

    def _restore_all(
        self,
        restore_all: Callable[..., tuple[str, ...]],
        states: Sequence[FileState],
        near: Sequence[str] = (),
        shown: bool = True,
    ) -> tuple[str, ...]:
        """Set every path to its given state, or leave all as they are.

        A state also says which state the path must have before.
        """
        self._demand_declared(*(state.path for state in states))
        changes = [self._planned(state) for state in states]
        for change, images in changes:
            self._announce(change, images)
        stayed = restore_all(states, near)
        for change, images in changes:
            if change.path not in stayed:
                self._remember(change, images, shown)
        self._lease.check()
        return stayed

    def _planned(self, state: FileState) -> tuple[FileChange, Images]:
        data = state.data() if callable(state.data) else state.data
        images = self._keeping.before(state.path, state.expected)
        images.is_folder = S_ISDIR(state.mode)
        if state.mode and not S_ISDIR(state.mode):
            self._keeping.taking(state.path, images, (data,))
        return FileChange(normalised(state.path), state.expected, images.after or None), images

    def _announce(self, change: FileChange, images: Images) -> None:
        new_path = None if change.new_path is None else normalised(change.new_path)
        self._keeping.announce(evolve(change, path=normalised(change.path), new_path=new_path), images)
        self._lease.check()

    def _note(self, change: FileChange, images: Images) -> FileChange:
        """Remember a change that has happened, even if the call was stopped meanwhile."""
        self._remember(change, images)
        self._lease.check()
        return change

    def _remember(self, change: FileChange, images: Images, shown: bool = True) -> None:
        for path, digest in _present(change).items() if shown else ():
            self.files[path] = digest
            if digest is None:
                self._seen.pop(path, None)
            else:
                self._seen[path] = digest
        self._keeping.changed(change, images, at_once=self._lease.revoked)  # then its call has a result already


def _while_allowed(lease: Lease, chunks: Iterable[bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        lease.check()
        yield chunk


def _written(parts: Sequence[Piped]) -> list[str]:
    return [*dict.fromkeys(path for part in parts for path in part.rights.writes)]


def _was_declared(path: str, effects: Effects) -> bool:
    """Return whether a call declared to write a path; a declared folder does not cover steering files in it."""
    if not steers(path):
        return may_write(effects, path)
    return may_write(evolve(effects, writes=frozenset(filter(steers, effects.writes))), path)


def _present(change: FileChange) -> dict[str, str | None]:
    if change.new_path is None:
        return {normalised(change.path): change.after}
    return {normalised(change.path): None, normalised(change.new_path): change.after or change.before}
