"""Writing an export to a file: readable by its owner only, whole or not at all, and over nothing that is there."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path

from inarch.contract.errors import UsageError
from inarch.staging import write_whole

PROTECTED = frozenset({".git", ".inarch"})


def write_export(pieces: Iterable[str], target: Path, *, force: bool = False) -> int:
    """Write the pieces to a new file and return its size in bytes.

    Args:
        pieces: What to write, one after the other.
        target: The file.
        force: Whether a file that is there may be replaced.

    Raises:
        UsageError: The place is protected, taken, or can't be written.
    """
    check_place(target, force=force)
    data = (piece.encode("utf-8", "backslashreplace") for piece in pieces)
    try:
        former = rf"\.{re.escape(target.name[:100])}\.[0-9a-f-]{{36}}\.part"
        return write_whole(target, data, replace=force, former=former)
    except FileExistsError:
        raise _taken(target) from None
    except OSError as error:
        raise UsageError(f"{target} can't be written: {error.strerror or error}", "name another file") from None


def check_place(target: Path, *, force: bool = False) -> None:
    """Make sure that a file may be written there, before any work is done for it.

    Raises:
        UsageError: It may not.
    """
    folder = Path(os.path.realpath(target.parent))
    if any(part.lower() in PROTECTED for part in (*folder.parts, target.name)):
        raise UsageError(f"{target} is protected: exports don't go into .git or .inarch", "name another file")
    if not folder.is_dir():
        raise UsageError(f"there is no folder {target.parent}", "make it first, or name another file")
    try:
        found = target.lstat()
    except OSError:
        return
    if not stat.S_ISREG(found.st_mode):
        what = "a folder" if stat.S_ISDIR(found.st_mode) else "no ordinary file"
        raise UsageError(f"{target} is {what}", "name a file, or - for standard output")
    if not force:
        raise _taken(target)


def _taken(target: Path) -> UsageError:
    return UsageError(f"{target} is there already", "name another file, or add --force to replace it")
