"""Pictures in the workspace that a prompt mentions: what they are is told by their bytes, not their names."""

from __future__ import annotations

import inarch

SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
LARGEST = 10_000_000
"""Bytes of all pictures of one prompt; services refuse requests of about twice as much, and base64 adds a third."""

_BEGINNINGS = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"))


def looks_like_picture(path: str) -> bool:
    """Whether a path's name is that of a picture a model can be shown."""
    return path.lower().endswith(SUFFIXES)


def read_picture(path: str, workspace: inarch.Workspace, room: int) -> inarch.Image | str:
    """Return a picture, or why it can't be shown.

    Raises:
        ToolFailed: It can't be read.
    """
    found = workspace.read(path, 0, room + 1)
    if found.size > room:
        return f"not shown: pictures of one prompt may have {LARGEST // 1_000_000} MB together"
    media_type = next((kind for beginning, kind in _BEGINNINGS if found.data.startswith(beginning)), "")
    if found.data[:4] == b"RIFF" and found.data[8:12] == b"WEBP":
        media_type = "image/webp"
    return inarch.Image(media_type, found.data) if media_type else "not shown: no PNG, JPEG, GIF or WebP picture"
