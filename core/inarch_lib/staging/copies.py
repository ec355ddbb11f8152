"""Folders that are a copy at the original's own path: what marks one for the processes in it."""

from __future__ import annotations

import os
import re
from contextlib import suppress

CHANGE = "INARCH_CHANGE"
"""Variable that names the folder which takes a copy's changes."""
APPLY = "INARCH_APPLY"
"""Variable that says what is applied at the end: `none`, `clean` or `all`."""
_MOUNTS = "/proc/self/mountinfo"
_ESCAPED = re.compile(r"\\([0-7]{3})")


def change_of(root: str) -> str:
    """Return the folder that takes the changes of a root that is a copy, "" if the root is not a copy."""
    folder = os.environ.get(CHANGE, "")
    return folder if folder and os.path.realpath(root) in _mounted("overlay") else ""


def waiting_change() -> str:
    """Return the name of the change of this process's copy if it waits for a review, "" for none."""
    folder = os.environ.get(CHANGE, "")
    with suppress(OSError):
        if folder and os.environ.get(APPLY) == "none" and {*os.listdir(f"{folder}/upper")} - {".git", ".inarch"}:
            return os.path.basename(folder)
    return ""


def mounts_below(root: str) -> list[str]:
    """Return the mount points below a folder, which a copy of it would not show."""
    return [path for path in _mounted() if path.startswith(f"{root.rstrip('/')}/")]


def _mounted(kind: str = "") -> list[str]:
    """Return the mount points; the format is that of proc_pid_mountinfo(5), man-pages 6.9, read 2026-11-29."""
    found = []
    with suppress(OSError), open(_MOUNTS, encoding="utf-8", errors="surrogateescape") as mounts:
        for line in mounts:
            fields, _, rest = line.partition(" - ")
            if not kind or rest.split(" ", 1)[0] == kind:
                found.append(_ESCAPED.sub(lambda code: chr(int(code[1], 8)), fields.split(" ")[4]))
    return found
