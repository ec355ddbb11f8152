"""Pictures that the user pastes into the line: from the clipboard, or as the path of a dropped file."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import subprocess
from pathlib import Path
from urllib.parse import unquote, urlsplit

from inarch_lib.pictures import picture_type
from inarch_plugins.terminal.pasted_pictures import hold

MOST_CHARACTERS = 4_000
"""Characters of a paste that may be paths."""
PATIENCE_S = 5
_CLIPBOARDS = (
    ("WAYLAND_DISPLAY", ("wl-paste", "--type", "image/png")),
    ("DISPLAY", ("xclip", "-selection", "clipboard", "-target", "image/png", "-out")),
    ("", ("pngpaste", "-")),
)
"""Programs that print the picture of the clipboard, each with the variable that it needs."""


def dropped(text: str, root: Path) -> str:
    """Return mentions of the workspace's pictures and signs of others; "" if the text is no list of their paths."""
    try:
        words = shlex.split(text) if len(text) <= MOST_CHARACTERS else []
        signs = [_dropped(word, root.resolve()) for word in words]
    except (OSError, ValueError):
        return ""
    return " ".join(signs) if all(signs) else ""


def _dropped(word: str, root: Path) -> str:
    path = Path(unquote(urlsplit(word).path) if word.startswith("file://") else word)
    if not path.is_absolute() or not path.is_file():
        return ""
    with path.open("rb") as file:
        if not picture_type(file.read(16)):
            return ""
    if (found := path.resolve()).is_relative_to(root):
        return "@" + re.sub(r"([\\\s])", r"\\\1", found.relative_to(root).as_posix())
    return hold(path.read_bytes(), path.name)


async def from_clipboard() -> str:
    """Return the sign of the clipboard's picture."""
    for variable, command in _CLIPBOARDS:
        if not variable or os.environ.get(variable):
            try:
                done = await asyncio.to_thread(subprocess.run, command, capture_output=True, timeout=PATIENCE_S)
            except (OSError, subprocess.TimeoutExpired):
                continue
            if done.returncode == 0 and done.stdout:
                return hold(done.stdout)
    raise ValueError("no picture on the clipboard that wl-paste, xclip or pngpaste can read")
