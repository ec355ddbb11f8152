"""Small JSON files that are replaced whole, so that a reader finds the old one or the new one."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inarch_lib.staging import write_cache

VERSION = 1
"""Of these files; what another version wrote counts for nothing, and it is written anew."""


def save(path: Path, data: Mapping[str, Any]) -> None:
    """Replace the file; where that can't be done, nothing is kept."""
    text = json.dumps({"version": VERSION, **data})
    write_cache(path, text.encode(), former=rf"{re.escape(path.name)}\.[0-9]+")


def load(path: Path) -> Any:
    """Return what the file holds, None where it can't be read or is of another version."""
    try:
        data = json.loads(path.read_bytes())
        return data if data.get("version", VERSION) == VERSION else None  # the first ones said none
    except (OSError, ValueError, AttributeError, RecursionError):
        return None
