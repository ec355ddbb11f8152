"""Blobs: raw bytes such as files as they were, by content hash, a folder a session, readable by their owner only."""

from __future__ import annotations

import hashlib
import os
import re
import threading
from pathlib import Path

import inarch
from inarch_sqlite_store.durable import sync_path

_SAFE_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")


class Blobs:
    """Files under one folder; a written one is on disk after the next `sync`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._unsynced: set[Path] = set()
        self._lock = threading.Lock()

    @property
    def waits(self) -> bool:
        """Whether something is not on disk yet."""
        return bool(self._unsynced)

    def put(self, session_id: str, data: bytes) -> str:
        """Write bytes once and return their SHA-256."""
        ref = hashlib.sha256(data).hexdigest()
        folder = self._of(session_id)
        target = folder / ref
        if target.exists():
            return ref
        self._folder.mkdir(exist_ok=True, mode=0o700)
        folder.mkdir(exist_ok=True, mode=0o700)
        half = folder / f".{ref}-{os.getpid()}-{threading.get_ident()}"
        try:
            with os.fdopen(os.open(half, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "wb") as file:
                file.write(data)
            half.replace(target)
        except OSError:
            half.unlink(missing_ok=True)
            raise
        with self._lock:
            self._unsynced.add(target)
        return ref

    def get(self, session_id: str, ref: str) -> bytes:
        """Return the bytes of a reference, checked against it."""
        try:
            data = (self._of(session_id) / Path(ref).name).read_bytes()
        except (FileNotFoundError, IsADirectoryError):
            raise inarch.StoreError("missing", f"session {session_id} has no blob {ref}") from None
        if hashlib.sha256(data).hexdigest() != ref:
            raise inarch.StoreError("damaged", f"blob {ref} of session {session_id} is damaged")
        return data

    def delete(self, session_id: str) -> None:
        """Remove all blobs of a session."""
        folder = self._of(session_id)
        with self._lock:
            self._unsynced = {path for path in self._unsynced if path.parent != folder}
        from shutil import rmtree

        rmtree(folder, ignore_errors=True)

    def sync(self) -> None:
        """Bring everything written to disk, with the folders' entries."""
        with self._lock:
            paths, self._unsynced = self._unsynced, set()
        try:
            for path in {*paths, *(path.parent for path in paths), *(path.parent.parent for path in paths)}:
                sync_path(path)
        except OSError:
            with self._lock:
                self._unsynced |= paths
            raise

    def _of(self, session_id: str) -> Path:
        safe = _SAFE_NAME.fullmatch(session_id)
        return self._folder / (session_id if safe else hashlib.sha256(session_id.encode()).hexdigest())
