"""Read files through the workspace against `open().read()`.

    python benchmarks/files_safe_read.py

Prints three JSON lines a size of file: the safe opening alone (openat2 below the root's descriptor, fstat, read,
close); the workspace's `read`, which also checks the path's text and hashes the bytes, without which no later edit
could know that the file is still the same; and the same against bare reading with that hash.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

from files_cpu import compare

from inarch_sandbox_fs.opening import best_open
from inarch_sandbox_fs.reading import read_all, require_regular
from inarch_sandbox_fs.workspace import FolderWorkspace

FILES = 2_000
REACH = 1.5


def measure(root: str, size: int) -> None:
    """Print the rows for files of so many bytes."""
    paths = [f"src/package/module{number}.py" for number in range(FILES)]
    Path(root, "src/package").mkdir(parents=True)
    for path in paths:
        Path(root, path).write_bytes(os.urandom(size // 2).hex().encode())
    workspace = FolderWorkspace.open(root)
    folder = os.open(root, os.O_RDONLY)
    open_it = best_open(folder)

    def bare() -> None:
        for path in paths:
            with open(f"{root}/{path}", "rb") as file:
                file.read()

    def bare_hashed() -> None:
        for path in paths:
            with open(f"{root}/{path}", "rb") as file:
                hashlib.sha256(file.read()).hexdigest()

    def safe() -> None:
        for path in paths:
            descriptor = open_it(folder, path, os.O_RDONLY, True)
            read_all(descriptor, require_regular(descriptor, path).st_size)
            os.close(descriptor)

    def whole() -> None:
        for path in paths:
            workspace.read(path)

    what = f"{FILES} files of {size} bytes"
    compare(f"{what}, safe opening and reading", safe, bare, REACH)
    compare(f"{what}, the workspace's read with hash", whole, bare, REACH)
    compare(f"{what}, the workspace's read against bare with hash", whole, bare_hashed, REACH)
    workspace.close()
    os.close(folder)


def main() -> None:
    for size in (1_000, 10_000, 100_000):
        with tempfile.TemporaryDirectory() as root:
            measure(root, size)


if __name__ == "__main__":
    main()
