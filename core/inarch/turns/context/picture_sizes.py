"""How many tokens a picture costs, about: by its size in pixels, which its first bytes tell."""

from __future__ import annotations

TILE = 512
TILE_TOKENS = 260
"""A tile of 512 x 512 pixels; services charge between 170 and 258 for a tile, of this size or a larger one."""
MOST_TILES = 8
"""Services shrink larger pictures to about this."""
UNKNOWN_TILES = 4


def picture_tokens(data: bytes) -> int:
    """Return about how many tokens a picture costs with any service; never what its bytes would cost as text."""
    size = pixels(data)
    if size is None:
        return TILE_TOKENS * UNKNOWN_TILES
    width, height = size
    return TILE_TOKENS * max(1, min(MOST_TILES, -(-width // TILE) * -(-height // TILE)))


def pixels(data: bytes) -> tuple[int, int] | None:
    """Return width and height of a PNG, GIF, JPEG or WebP picture, None where its first bytes don't say."""
    if data.startswith(b"\x89PNG\r\n\x1a\n") and len(data) >= 24:
        return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    if data.startswith(b"GIF8") and len(data) >= 10:
        return int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little")
    if data.startswith(b"\xff\xd8"):
        return _jpeg(data)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP" and len(data) >= 30:
        return _webp(data)
    return None


def _jpeg(data: bytes) -> tuple[int, int] | None:
    """Walk the segments to the one that begins a frame (SOF0 to SOF15, but for the tables among them)."""
    place = 2
    while place + 9 <= len(data) and data[place] == 0xFF:
        marker = data[place + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = data[place + 5 : place + 7], data[place + 7 : place + 9]
            return int.from_bytes(width, "big"), int.from_bytes(height, "big")
        place += 2 + int.from_bytes(data[place + 2 : place + 4], "big")
    return None


def _webp(data: bytes) -> tuple[int, int] | None:
    kind = data[12:16]
    if kind == b"VP8X":
        return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    if kind == b"VP8 ":
        return int.from_bytes(data[26:28], "little") & 0x3FFF, int.from_bytes(data[28:30], "little") & 0x3FFF
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    return None
