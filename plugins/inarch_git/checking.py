"""Whether git is there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from shutil import which

from inarch import Finding


def look() -> Iterator[Finding]:
    """Say where git is."""
    place = which("git") or ""
    if os.path.isabs(place):  # `.` in PATH: nobody runs what a repository brings along
        yield Finding("programs", "fine", f"git at {place}")
    else:
        yield Finding("programs", "note", "git is not installed", "the git tools need it")
