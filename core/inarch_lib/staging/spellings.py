"""One canonical name for all spellings that a file system may treat as the same file."""

from __future__ import annotations


def folded(name: str) -> str:
    """Return the canonical name of all spellings that a file system may treat as the same path component."""
    if name.isascii():
        plain = name.lower()
    else:
        import unicodedata

        # File systems that ignore case may also ignore invisible characters and compatibility forms.
        visible = "".join(char for char in unicodedata.normalize("NFKC", name) if unicodedata.category(char) != "Cf")
        plain = visible.casefold()
    # FAT and NTFS drop dots and spaces at the end, and the part after a colon is a stream of the same file.
    return plain.partition(":")[0].rstrip(". ")
