"""Types and sizes of pictures, from their own bytes."""

from __future__ import annotations

from collections.abc import Iterator

MOST_BYTES = 3_900_000
"""Bytes of one picture. Anthropic refuses more than 5 MiB of base64 (claude-code issue 10612, as of Nov 2026)."""
MOST_PIXELS = 8_000
"""Longest side that Anthropic takes (platform.claude.com, Images and vision, Nov 2026)."""

_BEGINNINGS = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"))


def picture_type(data: bytes) -> str:
    """Return the media type of a PNG, JPEG, GIF or WebP picture by its first bytes, "" for anything else."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for beginning, kind in _BEGINNINGS if data.startswith(beginning)), "")


def picture_fault(data: bytes) -> str:
    """Return why models cannot get a picture, "" if they can; some of them take less."""
    kind = picture_type(data)
    if not kind:
        return "no PNG, JPEG, GIF or WebP picture"
    if len(data) > MOST_BYTES:
        return f"larger than {MOST_BYTES / 1_000_000:g} MB; make it smaller first"
    width, height = picture_size(data)
    if max(width, height) > MOST_PIXELS:
        return f"{width} x {height} pixels, and a side may have {MOST_PIXELS:,}; make it smaller first"
    return ""


def picture_size(data: bytes) -> tuple[int, int]:
    """Return width and height in pixels of a PNG, GIF or JPEG picture; zeros if they are not found."""
    kind = picture_type(data)
    if kind == "image/png":
        return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    if kind == "image/gif":
        return int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little")
    for marker, start in _segments(data) if kind == "image/jpeg" else ():
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):  # a frame's header: ITU-T T.81, table B.1
            height, width = (int.from_bytes(data[start + at : start + at + 2], "big") for at in (3, 5))
            return width, height
    return 0, 0


def _segments(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the marker of each JPEG segment and the position of its length."""
    place = 2
    while place + 4 <= len(data) and data[place] == 0xFF:
        if data[place + 1] != 0xFF:  # else a fill byte
            yield data[place + 1], place + 2
            place += 1 + int.from_bytes(data[place + 2 : place + 4], "big")
        place += 1
