"""Content of a user's message or of a result: a text, or texts and pictures."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import Any

from inarch import Image, Part, Text


def content_of(parts: Sequence[Part]) -> str | list[dict[str, Any]]:
    """Return a text, or a list if there are pictures, with their bytes."""
    if not any(isinstance(part, Image) for part in parts):
        return "\n\n".join(part.text for part in parts if isinstance(part, Text))
    content: list[dict[str, Any]] = []
    for part in parts:
        if isinstance(part, Text):
            content.append({"type": "input_text", "text": part.text})
        elif isinstance(part, Image):
            url = f"data:{part.media_type};base64,{b64encode(part.data).decode('ascii')}"
            content.append({"type": "input_image", "image_url": url, "detail": "auto"})
    return content
