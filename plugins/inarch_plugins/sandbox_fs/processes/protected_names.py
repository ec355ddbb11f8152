"""Protection of names in a workspace while a program that may write runs in it.

If the kernel can show a name read-only, it does. A name that does not exist yet cannot be shown, and is removed
afterwards. Without mount namespaces the content is remembered, compared and put back.

All of this goes through the workspace's own descriptor and never through a link. Inarch has rights that the program
lacks, and the program may have left a link to anywhere under any name.
"""

from __future__ import annotations

import errno
import os
import socket
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache

from attrs import define, field

from inarch_lib.staging.steering_names import steers
from inarch_plugins.sandbox_fs.file_write import parent_folder
from inarch_plugins.sandbox_fs.paths import above, is_protected, own_folders, split
from inarch_plugins.sandbox_fs.processes.cleanup import remove
from inarch_plugins.sandbox_fs.processes.tree_snapshot import Kept
from inarch_plugins.sandbox_fs.safe_open import FOLDER, LIST, Open, held

MOST_FOLDERS = 4_000
"""Maximum folders that are searched for nested repositories and sockets."""

_MOST_KEPT = 64 << 20  # maximum bytes stored of all protected files together
_MOST_NAMED, _MOST_NOTES = 10, 20
_BEHIND_A_LINK = (-1, -1)


@define(eq=False, repr=False)
class Protection:
    """Protected names of one run."""

    root: str
    descriptor: int = field(converter=os.dup)  # the workspace may be closed before `check` is done
    open_it: Open
    writes: tuple[str, ...]
    skip: frozenset[str]
    keeps: tuple[str, ...] = ()
    steers: bool = True
    uncovered: Sequence[str] = ()
    found: tuple[str, ...] = field(init=False)
    """Existing protected names that the program could otherwise change, relative to the root."""
    notes: list[str] = field(init=False, factory=list)
    _kept: list[Kept] = field(init=False, factory=list)
    _before: dict[str, tuple[int, int] | None] = field(init=False)
    _places: dict[str, tuple[int, int] | None] = field(init=False)
    """Identities of what must not be lost, by path: existing protected names and what undo does not cover."""
    _own: frozenset[str] = field(init=False)

    def __attrs_post_init__(self) -> None:
        own = {path: self._made(path) for path in own_folders(self.root) if self._is_guarded(path)}
        names = [path for path in self._names() if self._is_guarded(path)] + [*self.keeps]
        self._before = {path: self._standing(path) for path in names} | own
        self._own = frozenset(own)
        self.found = tuple(path for path, there in self._before.items() if there)
        self._places = {path: self._standing(path) for path in (*self.found, *self.uncovered)}

    def to_bind(self) -> tuple[str, ...]:
        """Return the paths to show read-only; for a link, its target inside the workspace."""
        real = [os.path.realpath(os.path.join(self.root, path)) for path in (*self.found, *self.uncovered)]
        return tuple(path for path in dict.fromkeys(real) if path.startswith(f"{self.root}/") and os.path.exists(path))

    @property
    def why_read_only(self) -> str:
        """Why a program could not change paths that undo does not cover; empty if there are none."""
        if not self.uncovered:
            return ""
        named = ", ".join(self.uncovered[:_MOST_NAMED]) + (", …" if len(self.uncovered) > _MOST_NAMED else "")
        return (
            f"read-only here, because undo does not cover them (too many or too big): {named}; if the command must "
            "change them, ask the user to approve it"
        )

    def remember(self, links_only: bool) -> None:
        """Remember the present state, to restore it later; links suffice if all else is shown read-only."""
        room = [_MOST_KEPT]
        kept = (Kept.of(self.descriptor, self.open_it, path, room, links_only) for path in self.found)
        self._kept = [one for one in kept if one is not None]

    def check(self) -> tuple[str, ...]:
        """Undo the program's changes to protected names; return notes on what was or could not be undone."""
        for kept in self._kept:
            self.notes += kept.restore(self.descriptor, self.open_it, [_MOST_KEPT])
        while self._clear_new():
            pass
        for path in self.keeps:
            if path not in self.found and self._standing(path):
                self._clear_way(path)
        self._look_above({kept.path for kept in self._kept if self.steers or self._lies_where_it_was(kept)})
        more = len(self.notes) - _MOST_NOTES
        return (*self.notes[:_MOST_NOTES], *(f"and {more} more names" for _ in range(more > 0)))

    def _clear_new(self) -> bool:
        """Remove protected names that the program made; return whether a folder was put aside, with others in it."""
        names = (name for name, _ in self._entries(".")) if self.steers else self._names()
        aside = False
        for path in [*names]:
            if not _is_kept(path, self.steers) or path in self._before or not self._is_guarded(path):
                continue
            if (standing := self._standing(path)) in self._places.values():
                self.notes.append(f"{path} was moved here by the program: check it before you use it")
                self._before[path] = standing
            else:
                aside = self._clear_way(path) or aside
        return aside

    def _look_above(self, seen_to: set[str]) -> None:
        """Find names shown read-only that were replaced by renaming a folder above them."""
        for path, before in self._before.items():
            if self._standing(path) in (before, None):
                continue
            is_made = self._standing(path) not in (_BEHIND_A_LINK, *self._places.values())
            if path in self._own or (is_made and not self.steers and path not in seen_to):
                self._clear_way(path)
            elif path not in seen_to:
                self.notes.append(f"{path} is not the same as before the program ran: check it before you use it")

    def _are_places_empty(self) -> bool:
        """Return whether something that must not be lost has moved."""
        return any(self._standing(path) != there for path, there in self._places.items())

    def _lies_where_it_was(self, kept: Kept) -> bool:
        folder = split(kept.path)[0]
        return folder == "." or self._standing(folder) == kept.parent

    def close(self) -> None:
        """Close the workspace's descriptor."""
        os.close(self.descriptor)

    def _made(self, path: str) -> tuple[int, int] | None:
        """Return the identity of a folder while it is the same one; one that can be shown is made first."""
        made = parent_folder(self.descriptor, self.open_it, path, make=True)
        with suppress(OSError), made as (folder, name), suppress(FileExistsError):
            os.mkdir(name, 0o700, dir_fd=folder)
        return self._standing(path)

    def _standing(self, path: str) -> tuple[int, int] | None:
        """Return the identity of what is at a path now, None for nothing."""
        parent, name = split(path)
        try:
            with held(self.open_it(self.descriptor, parent, FOLDER, False)) as folder:
                found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return None
        except OSError:
            return _BEHIND_A_LINK
        return found.st_dev, found.st_ino

    def _clear_way(self, path: str) -> bool:
        """Remove what is at a path, or what replaced a folder on the way to it; return whether it was put aside."""
        for place in [*reversed([*above(path)]), path]:
            parent, name = split(place)
            try:
                with held(self.open_it(self.descriptor, parent, FOLDER, False)) as folder:
                    is_folder = stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
                    if place == path or not is_folder:
                        return self._take_away(folder, name, place, is_folder)
            except OSError as error:
                self.notes.append(f"{path} could not be looked at after the program: {error.strerror}")
                return False
        return False

    def _take_away(self, folder: int, name: str, path: str, is_folder: bool) -> bool:
        # The program may have moved a folder here that holds what undo could not bring back.
        if is_folder and not self.steers and self._are_places_empty():
            aside = f"moved-{os.urandom(4).hex()}"
            os.rename(name, aside, src_dir_fd=folder, dst_dir_fd=folder)
            self.notes.append(f"{path} was made by the program and is now {aside} beside it: the name is protected")
            return True
        gone = remove(folder, name)
        what = "removed again" if gone else "could not be removed"
        self.notes.append(f"{path} was made by the program and {what}: the name is protected")
        return False

    def _names(self) -> Iterator[str]:
        """Yield the protected names below the writable paths, parents first."""
        pending, seen = [""], 0
        while pending:
            folder = pending.pop()
            seen += 1
            if seen > MOST_FOLDERS and self.steers:  # no person has seen an unasked command, so no folder is left out
                self.notes.append(f"repositories inside the workspace were looked for in {MOST_FOLDERS} folders only")
                return
            for name, is_folder in self._entries(folder):
                path = f"{folder}/{name}" if folder else name
                if _is_kept(path, self.steers):
                    yield path
                elif is_folder and name not in self.skip and self._leads(path):
                    pending.append(path)

    def _entries(self, folder: str) -> list[tuple[str, bool]]:
        """Return the entries of a folder, and for each whether it is a folder."""
        try:
            with held(self.open_it(self.descriptor, folder or ".", LIST, False)) as place, os.scandir(place) as entries:
                return [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        except OSError:
            return []

    def _leads(self, path: str) -> bool:
        """Return whether a writable path lies at, above or below a path."""
        return self._is_writable(path) or any(granted.startswith(f"{path}/") for granted in self.writes)

    def _is_guarded(self, path: str) -> bool:
        """Return whether the program could change a protected name without having been granted it by name."""
        return self._is_writable(path) and not self._is_granted(path)

    def _is_writable(self, path: str) -> bool:
        return any(not granted or _covers(granted, path) for granted in self.writes)

    def _is_granted(self, path: str) -> bool:
        return any(_covers(granted, path) for granted in self.writes if granted and is_protected(granted.rstrip("/")))


# Each command looks at the same paths, before it runs and after.
@lru_cache(maxsize=1 << 15)
def _is_kept(path: str, may_steer: bool) -> bool:
    return is_protected(path) or (not may_steer and bool(steers(path)))


def _covers(granted: str, path: str) -> bool:
    folder = granted.rstrip("/")
    return path == folder or path.startswith(f"{folder}/")


def repositories(root: str, descriptor: int, open_it: Open, skip: Sequence[str]) -> list[str]:
    """Return the paths of each `.git`; without a mount namespace, only small files in it can be put back."""
    protection = Protection(root, descriptor, open_it, ("",), frozenset(skip))
    protection.close()
    return [path for path in protection.found if split(path)[1] == ".git"]


def live_sockets(root: int, open_it: Open, skip: frozenset[str]) -> Iterator[str]:
    """Yield the paths of sockets that a process listens on, relative to the root.

    A socket file that a program left behind does not count.
    """
    pending, seen = ["."], 0
    while pending and seen < MOST_FOLDERS:
        folder, seen = pending.pop(), seen + 1
        with suppress(OSError), held(open_it(root, folder, LIST, False)) as descriptor:
            for entry in os.scandir(descriptor):
                path = entry.name if folder == "." else f"{folder}/{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    pending += [path] if entry.name not in skip else []
                elif not entry.is_file(follow_symlinks=False) and _is_live(descriptor, entry):
                    yield path


def _is_live(folder: int, entry: os.DirEntry[str]) -> bool:
    if entry.is_symlink() or not stat.S_ISSOCK(entry.stat(follow_symlinks=False).st_mode):
        return False
    # Hardly any server takes packets in order: for all others this is the wrong kind, and they notice nothing.
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_NONBLOCK) as end:
        return end.connect_ex(f"/proc/self/fd/{folder}/{entry.name}") not in (errno.ECONNREFUSED, errno.ENOENT)
