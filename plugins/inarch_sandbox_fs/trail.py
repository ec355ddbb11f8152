"""Which folders a process writes to, kept while it lives: who starts next sweeps those of one that was killed."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from attrs import define, field

from inarch import ToolFailed
from inarch_sandbox_fs.leftovers import alone, remove_leftovers
from inarch_sandbox_fs.opening import FOLDER, Open
from inarch_staging import hold, lock, make_folder, sweep

_FLAGS = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC


@define(eq=False, repr=False)
class Trail:
    """One process's list of folders below a root, in the state folder of the plugin; without one nothing is kept.

    It is held as long as the process lives. It is no more than help: where it can't be written, what a kill leaves is
    removed by the next write to the same folder.
    """

    root: str
    state: str
    _seen: set[str] = field(init=False, factory=set)
    _lock: threading.Lock = field(init=False, factory=threading.Lock)
    _file: Path | None = field(init=False, default=None)
    _descriptor: int = field(init=False, default=-1)

    def recover(self, root: int, open_it: Open) -> None:
        """Remove what processes that were killed left in the folders of their lists, and the lists."""
        if not self.state:
            return
        with suppress(OSError):
            for name in os.listdir(self._folder()):
                # Where somebody is at it, or it is not ours, it is left for another start.
                with suppress(OSError, ToolFailed):
                    _recover(self._folder() / name, root, open_it)

    def begin(self, folders: Iterable[str], root: int, open_it: Open) -> None:
        """Say that files in these folders are about to be written; the first time each of them is swept."""
        with self._lock:
            new = [folder for folder in folders if folder not in self._seen]
            if not new:
                return
            self._seen.update(new)
            with suppress(OSError):
                self._keep(new)
        _sweep_all(new, root, open_it)

    def close(self) -> None:
        """Remove the list: nothing is being written any more."""
        with self._lock:
            if self._file is not None:
                self._file.unlink(missing_ok=True)
                os.close(self._descriptor)
                self._file = None

    def _folder(self) -> Path:
        return Path(self.state) / "writing" / sha256(os.fsencode(os.path.realpath(self.root))).hexdigest()[:16]

    def _keep(self, folders: list[str]) -> None:
        if not self.state:
            return
        while self._file is None:
            make_folder(self._folder())
            file = self._folder() / os.urandom(8).hex()
            descriptor = os.open(file, _FLAGS | os.O_CREAT | os.O_EXCL, 0o600)
            if hold(descriptor):
                self._file, self._descriptor = file, descriptor
            else:
                os.close(descriptor)  # taken for a dead one's before it was held
        os.write(self._descriptor, b"".join(os.fsencode(folder) + b"\0" for folder in folders))


def _recover(file: Path, root: int, open_it: Open) -> None:
    descriptor = os.open(file, _FLAGS)
    try:
        if not lock(descriptor):
            return
        with open(descriptor, "rb", closefd=False) as kept:
            folders = [os.fsdecode(name) for name in kept.read().split(b"\0")[:-1]]
        _sweep_all(folders, root, open_it)
        with alone(root, open_it, patiently=False) as certainly:
            if certainly:
                remove_leftovers(root, open_it, [f"{folder}/-" for folder in folders])
        file.unlink()
    finally:
        os.close(descriptor)


def _sweep_all(folders: Iterable[str], root: int, open_it: Open) -> None:
    for path in folders:
        with suppress(OSError):  # gone, or a link by now
            descriptor = open_it(root, path, FOLDER, False)
            try:
                sweep(descriptor)
            finally:
                os.close(descriptor)
