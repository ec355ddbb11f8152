"""Small JSON files that are replaced whole, so that a reader finds the old one or the new one."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

VERSION = 1
"""Of these files; what another version wrote counts for nothing, and it is written anew."""


def save(path: Path, data: Mapping[str, Any]) -> None:
    """Replace the file; where that can't be done, nothing is kept."""
    scratch = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(json.dumps({"version": VERSION, **data}))
        scratch.replace(path)
    except OSError:
        scratch.unlink(missing_ok=True)


def load(path: Path) -> Any:
    """Return what the file holds, None where it can't be read or is of another version."""
    try:
        data = json.loads(path.read_bytes())
        return data if data.get("version", VERSION) == VERSION else None  # the first ones said none
    except (OSError, ValueError, AttributeError, RecursionError):
        return None
