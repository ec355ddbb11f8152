"""A session as a file that the browser downloads: in parts, as fast as the page takes them."""

from __future__ import annotations

import asyncio
import base64
import io
import tempfile
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from inarch_web.server.message_log import encoded

if TYPE_CHECKING:
    from inarch_web.server.page import Page
    from inarch_web.server.room import Room

PART = 256 << 10
"""Bytes of one message."""
_IN_MEMORY = 8 << 20
_TYPES = {".html": "text/html", ".md": "text/markdown", ".jsonl": "application/x-ndjson"}


async def export(page: Page, room: Room, request: Any, form: str) -> Mapping[str, Any]:
    """Send a session to a page in the format of an exporter and return what the file is called.

    Raises:
        UsageError: Nothing of the session is kept, or there is no such format.
        PluginError: The exporter failed.
    """
    bound = room.app.composition.exporters.get(form)
    with tempfile.SpooledTemporaryFile(_IN_MEMORY) as file:
        await asyncio.to_thread(_write, room, form, file)
        parts = 0
        file.seek(0)
        while data := file.read(PART):
            page.put(encoded({"re": request, "part": parts, "base64": base64.b64encode(data).decode()}))
            await page.outbox.comfortable()
            parts += 1
    suffix = bound.value.suffixes[0] if bound is not None and bound.value.suffixes else ""
    return {
        "name": f"session-{room.id[:8]}{suffix}",
        "type": _TYPES.get(suffix, "application/octet-stream"),
        "parts": parts,
    }


def _write(room: Room, form: str, file: Any) -> None:
    out = io.TextIOWrapper(file, encoding="utf-8", errors="replace", newline="")
    room.app.export(room.app.transcript(room.id), form, out)
    out.detach()
