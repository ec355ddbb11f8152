"""Big blobs: files named by their hash, a folder a session, readable by their owner only."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

import inarch
from inarch_lib.staging import opened, staged, sweep
from inarch_plugins.sqlite_store.durability import sync_path

_AT_ONCE = 16
"""Files flushed to disk together: the drive flushes many in little more than the time of one."""
_FORMER = r"\.[0-9a-f]{64}-[0-9]+-[0-9]+"  # names of blobs during writing by an older version
_REF = re.compile("[0-9a-f]{64}")
_SAFE_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")


class Blobs:
    """Files under one folder; a written one is on disk after the next `sync`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._unsynced: set[Path] = set()
        self._made: set[Path] = set()
        self._lock = threading.Lock()

    @property
    def waits(self) -> bool:
        """Return whether some file is not on disk yet."""
        return bool(self._unsynced)

    def put(self, session_id: str, ref: str, data: bytes) -> str:
        """Write bytes once and return their SHA-256, which the caller knows."""
        folder = self._of(session_id)
        target = folder / ref
        if target.exists():
            return ref
        if folder not in self._made:
            self._make(folder)
        try:
            _write(folder, ref, data)
        except FileNotFoundError:  # the session was deleted meanwhile, maybe by another process
            self._make(folder)
            _write(folder, ref, data)
        with self._lock:
            self._unsynced.add(target)
        return ref

    def _make(self, folder: Path) -> None:
        self._folder.mkdir(exist_ok=True, mode=0o700)
        folder.mkdir(exist_ok=True, mode=0o700)
        with opened(folder) as inner:
            sweep(inner, _FORMER)
        with self._lock:
            self._made.add(folder)
            self._unsynced |= {self._folder, self._folder.parent}  # so that the entry for the folder is on disk, too

    def get(self, session_id: str, ref: str, is_damaged: bool = False) -> bytes:
        """Return the bytes of a reference after checking them; `is_damaged` says that another copy is damaged."""
        try:
            data = (self._of(session_id) / Path(ref).name).read_bytes()
        except (FileNotFoundError, IsADirectoryError):
            if is_damaged:
                raise inarch.StoreError("damaged", f"blob {ref} of session {session_id} is damaged") from None
            raise inarch.StoreError("missing", f"session {session_id} has no blob {ref}") from None
        if hashlib.sha256(data).hexdigest() != ref:
            raise inarch.StoreError("damaged", f"blob {ref} of session {session_id} is damaged")
        return data

    def delete(self, session_id: str, keep: Collection[str] = ()) -> None:
        """Remove the blobs of a session, except some."""
        folder = self._of(session_id)
        if keep:
            for path in folder.glob("*"):
                if path.name not in keep:
                    path.unlink(missing_ok=True)
            return
        with self._lock:
            self._unsynced = {path for path in self._unsynced if path.parent != folder}
            self._made.discard(folder)
        from shutil import rmtree

        rmtree(folder, ignore_errors=True)

    def share(self, session_id: str, other_id: str) -> None:
        """Give all blobs of a session to another one, too."""
        source = self._of(session_id)
        if session_id == other_id or not source.is_dir():
            return
        for path in source.iterdir():
            if _REF.fullmatch(path.name):
                self.put(other_id, path.name, path.read_bytes())

    def sync(self) -> None:
        """Flush everything written to disk, with the folders' entries."""
        with self._lock:
            paths, self._unsynced = self._unsynced, set()
        try:
            _sync_all({*paths, *(path.parent for path in paths if path.parent in self._made)})
        except OSError:
            with self._lock:
                self._unsynced |= paths
            raise

    def _of(self, session_id: str) -> Path:
        safe = _SAFE_NAME.fullmatch(session_id)
        return self._folder / (session_id if safe else hashlib.sha256(session_id.encode()).hexdigest())


def _write(folder: Path, ref: str, data: bytes) -> None:
    with opened(folder) as inner, staged(inner, (data,), sync=False) as file, suppress(FileExistsError):
        file.place_new(ref)


def _sync_all(paths: set[Path]) -> None:
    if len(paths) <= 4:
        for path in paths:
            sync_path(path)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for _ in pool.map(sync_path, paths):
            pass
