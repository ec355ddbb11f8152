"""One name for every spelling of a file's that a file system may take for it."""

from __future__ import annotations


def folded(name: str) -> str:
    """Return the name that stands for every spelling of one path component that a file system may take for it."""
    if name.isascii():
        plain = name.lower()
    else:
        import unicodedata

        # File systems that ignore case may also ignore invisible characters and compatibility forms.
        visible = "".join(char for char in unicodedata.normalize("NFKC", name) if unicodedata.category(char) != "Cf")
        plain = visible.casefold()
    # FAT and NTFS leave off dots and spaces at the end, and what follows a colon is a stream of the same file.
    return plain.partition(":")[0].rstrip(". ")
