"""What a file that is no text is, by the bytes it begins with."""

from __future__ import annotations

_BEGINNINGS = (
    (b"\x7fELF", "a program or library (ELF)"),
    (b"MZ", "a Windows program or library"),
    (b"\xcf\xfa\xed\xfe", "a macOS program or library"),
    (b"\xca\xfe\xba\xbe", "compiled Java or a macOS program"),
    (b"\0asm", "WebAssembly"),
    (b"!<arch>\n", "a library of object files"),
    (b"\x89PNG\r\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"\0\0\1\0", "an icon"),
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a zip archive, or a format made of one"),
    (b"\x1f\x8b", "gzip data"),
    (b"BZh", "bzip2 data"),
    (b"\xfd7zXZ\0", "xz data"),
    (b"\x28\xb5\x2f\xfd", "zstandard data"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"wOFF", "a web font"),
    (b"wOF2", "a web font"),
    (b"\0\1\0\0\0", "a TrueType font"),
    (b"OggS", "Ogg sound or film"),
    (b"ID3", "MP3 sound"),
    (b"\x93NUMPY", "a NumPy array"),
)


def kind_of(data: bytes) -> str:
    """Name what bytes begin, "" where that is not known."""
    if data[:4] == b"RIFF":
        return {b"WAVE": "WAVE sound", b"WEBP": "a WebP picture", b"AVI ": "an AVI film"}.get(data[8:12], "")
    if data[257:262] == b"ustar":
        return "a tar archive"
    if data[2:4] == b"\r\n" and data[4:8] == b"\0\0\0\0":
        return "compiled Python"
    return next((kind for beginning, kind in _BEGINNINGS if data.startswith(beginning)), "")
