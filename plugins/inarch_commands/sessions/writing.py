"""Writing an export to a file: readable by its owner only, whole or not at all, and over nothing that is there."""

from __future__ import annotations

import io
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

import inarch
from inarch_staging import opened, staged, sweep

PROTECTED = frozenset({".git", ".inarch"})


class _Staged(io.FileIO):
    """A file that is being written: what the disk refuses is no fault of whoever writes."""

    target: Path

    def write(self, data: object) -> int:
        """Write bytes."""
        try:
            return super().write(data)  # type: ignore[arg-type]
        except OSError as error:
            raise _unwritable(self.target, error) from None


def write_export(write: Callable[[TextIO], object], target: Path, *, force: bool = False) -> int:
    """Have a new file written and return its size in bytes.

    Args:
        write: Writes what is to be in it.
        target: The file.
        force: Whether a file that is there may be replaced.

    Raises:
        UsageError: The place is protected, taken, or can't be written.
    """
    check_place(target, force=force)
    try:
        with opened(target.parent) as folder:
            sweep(folder, rf"\.{re.escape(target.name[:100])}\.[0-9a-f-]{{36}}\.part")
            with staged(folder) as file:
                with _Staged(file.descriptor, "wb", closefd=False) as raw:
                    raw.target = target
                    with io.TextIOWrapper(io.BufferedWriter(raw), "utf-8", "backslashreplace", newline="") as out:
                        write(out)
                os.fsync(file.descriptor)
                (file.place_over if force else file.place_new)(target.name)
                return os.fstat(file.descriptor).st_size
    except FileExistsError:
        raise _taken(target) from None
    except OSError as error:
        raise _unwritable(target, error) from None


def check_place(target: Path, *, force: bool = False) -> None:
    """Make sure that a file may be written there, before any work is done for it.

    Raises:
        UsageError: It may not.
    """
    folder = Path(os.path.realpath(target.parent))
    if any(part.lower() in PROTECTED for part in (*folder.parts, target.name)):
        raise inarch.UsageError(f"{target} is protected: exports don't go into .git or .inarch", "name another file")
    if not folder.is_dir():
        raise inarch.UsageError(f"there is no folder {target.parent}", "make it first, or name another file")
    try:
        found = target.lstat()
    except OSError:
        return
    if not stat.S_ISREG(found.st_mode):
        what = "a folder" if stat.S_ISDIR(found.st_mode) else "no ordinary file"
        raise inarch.UsageError(f"{target} is {what}", "name a file, or - for standard output")
    if not force:
        raise _taken(target)


def _taken(target: Path) -> inarch.UsageError:
    return inarch.UsageError(f"{target} is there already", "name another file, or add --force to replace it")


def _unwritable(target: Path, error: OSError) -> inarch.UsageError:
    return inarch.UsageError(f"{target} can't be written: {error.strerror or error}", "name another file")
