"""Folders of changes that wait for a review: one for each copy of a workspace."""

from __future__ import annotations

import fcntl
import json
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from attrs import define, field

from inarch import UsageError, new_id, utc_now
from inarch_lib.confinement.overlay import BELOW, UPPER, WORK
from inarch_lib.staging.copies import mounts_below
from inarch_plugins.sandbox_fs.processes.cleanup import remove
from inarch_plugins.sandbox_fs.safe_open import LIST, held

FOLDER = "changes"
"""Folder of all changes, in the user's state folder."""
KEPT_DAYS = 30
_META, _LOCK, _SESSIONS, _BASES = "meta.json", "lock", "sessions", "bases"


@define(eq=False, repr=False)
class ChangeFolder:
    """Changes of one copy."""

    path: str
    root: str
    began_ns: int
    began: str
    bases: dict[str, tuple[str | None, int]] = field(factory=dict)

    @classmethod
    def make(cls, state: str, root: str) -> ChangeFolder:
        """Make one for a copy of `root`."""
        _require_copyable(state, root)
        path, found = os.path.join(state, FOLDER, new_id()), os.stat(root)
        os.makedirs(path, 0o700)
        for name in (WORK, BELOW, _BASES, UPPER):
            os.mkdir(os.path.join(path, name), 0o700)
        upper = os.path.join(path, UPPER)
        os.chmod(upper, stat.S_IMODE(found.st_mode))  # programs see it as the workspace's folder
        with suppress(PermissionError):
            os.chown(upper, found.st_uid, found.st_gid)
        made = cls(path, root, os.stat(upper).st_ctime_ns, utc_now())
        made.save()
        return made

    @classmethod
    def read(cls, path: str) -> ChangeFolder:
        """Read one."""
        with open(os.path.join(path, _META), encoding="utf-8") as file:
            data = json.load(file)
        bases = {one: (ref, mode) for one, (ref, mode) in data["bases"].items()}
        return cls(path, data["root"], data["began_ns"], data["began"], bases)

    @property
    def id(self) -> str:
        """Its name."""
        return os.path.basename(self.path)

    @property
    def sessions(self) -> list[str]:
        """The sessions that worked in the copy, oldest first."""
        with suppress(OSError), open(os.path.join(self.path, _SESSIONS), encoding="ascii") as file:
            return list(dict.fromkeys(file.read().split()))
        return []

    def save(self) -> None:
        """Write its facts at once."""
        data = {"root": self.root, "began_ns": self.began_ns, "began": self.began, "bases": self.bases}
        place = os.path.join(self.path, _META)
        with open(f"{place}.new", "w", encoding="utf-8") as file:
            json.dump(data, file)
        os.replace(f"{place}.new", place)

    def put(self, ref: str, data: bytes) -> None:
        """Store the bytes of a base."""
        with open(os.path.join(self.path, _BASES, ref), "wb") as file:
            file.write(data)

    def get(self, ref: str) -> bytes:
        """Return the bytes of a base."""
        with open(os.path.join(self.path, _BASES, ref), "rb") as file:
            return file.read()

    @contextmanager
    def locked(self) -> Iterator[int]:
        """Keep other sessions and reviews away. A process that inherits the descriptor does so until it ends."""
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        with held(os.open(os.path.join(self.path, _LOCK), flags, 0o600)) as descriptor:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise UsageError(f"change {self.id} is in use by a session or a review", "end that first") from None
            yield descriptor

    def is_empty(self) -> bool:
        """Return whether nothing was changed."""
        with os.scandir(os.path.join(self.path, UPPER)) as found:
            return next(found, None) is None

    def size(self) -> int:
        """Return its bytes."""
        found = (os.path.join(at, name) for at, _, names in os.walk(self.path) for name in names)
        return sum(os.lstat(path).st_blocks * 512 for path in found if os.path.lexists(path))

    def remove(self) -> None:
        """Remove it with all changes."""
        # Without its facts it is not a change any more, even if this process is killed.
        with suppress(FileNotFoundError):
            os.unlink(os.path.join(self.path, _META))
        with held(os.open(os.path.dirname(self.path), LIST | os.O_CLOEXEC)) as above:
            remove(above, self.id)


def note_session(path: str, session_id: str) -> None:
    """Note a session that works in a copy."""
    with open(os.path.join(path, _SESSIONS), "a", encoding="ascii") as file:
        file.write(f"{session_id}\n")


def kept(state: str, root: str = "") -> list[ChangeFolder]:
    """Return the changes of a root, or all, oldest first."""
    found, above = [], os.path.join(state, FOLDER)
    for name in sorted(os.listdir(above)) if os.path.isdir(above) else ():
        with suppress(OSError, ValueError, KeyError, TypeError):
            found.append(ChangeFolder.read(os.path.join(above, name)))
    return [one for one in found if not root or one.root == root]


def find(state: str, root: str, beginning: str = "") -> ChangeFolder:
    """Return the root's latest change, or the one whose id begins or ends so."""
    found = [one for one in kept(state, root) if one.id.startswith(beginning) or one.id.endswith(beginning)]
    if not found:
        raise UsageError(
            f"no change {beginning!r} of {root} waits for a review", "inarch changes lists those that wait"
        )
    if beginning and len(found) > 1:
        raise UsageError(f"{len(found)} changes begin or end with {beginning!r}", "give more of the id")
    return found[-1]


def prune(state: str) -> list[str]:
    """Remove changes that have waited too long, and what a killed removal left; return their ids."""
    gone, above = [], os.path.join(state, FOLDER)
    known = {one.id: one for one in kept(state)}
    for name in os.listdir(above) if os.path.isdir(above) else ():
        one = known.get(name) or ChangeFolder(os.path.join(above, name), "", 0, "")
        age_s = time.time() - os.stat(one.path).st_mtime
        if age_s > (KEPT_DAYS if name in known else 1) * 86_400:
            with suppress(UsageError, OSError), one.locked():
                one.remove()
                gone.append(name)
    return gone


def _require_copyable(state: str, root: str) -> None:
    remedy = "choose --approve auto, or an agent with a work tree"
    real = os.path.realpath(state)
    if f"{real}/".startswith(f"{root.rstrip('/')}/"):
        raise UsageError(f"{root} contains Inarch's state folder {real}, and a copy can't hold that", remedy)
    if mounts := mounts_below(root):
        raise UsageError(f"{mounts[0]} is mounted in the workspace, and a copy would not show it", remedy)
