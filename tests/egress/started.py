"""The proxies that a process has started: read from /proc, where a thread or a process may end meanwhile."""

from __future__ import annotations

from pathlib import Path


def proxies_of(parent: int) -> list[int]:
    """Return the ids of the proxies among a process's children."""
    threads = Path(f"/proc/{parent}/task").iterdir()
    children = [int(pid) for thread in threads for pid in _read(thread / "children").split()]
    return [pid for pid in children if b"inarch_lib.egress" in _read(Path(f"/proc/{pid}/cmdline"))]


def _read(file: Path) -> bytes:
    """Return what a file says; nothing of what has just ended."""
    try:
        return file.read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""
