"""The searchable words of each symbol: packed_words by file, since only the best candidates' are ever read again."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Sequence
from functools import lru_cache

Texts = tuple[str, str, str, str, str]
"""Words of the name, the qualified name, the docstring, the path and the body."""


def packed_words(rows: Sequence[Texts]) -> bytes:
    """Pack the words of a file's symbols, in order of their places; the path's are the same for all."""
    lines = [rows[0][3]] if rows else []
    lines += ["\t".join((name, qualname, doc, body)) for name, qualname, doc, _, body in rows]
    return zlib.compress("\n".join(lines).encode("utf-8", "surrogatepass"), 4)


def unpacked_words(blob: bytes) -> list[Texts]:
    """Give back what was packed_words.

    Raises:
        sqlite3.DatabaseError: the blob is damaged.
    """
    path, *lines = unpacked_lines(blob)
    return [texts(path, line) for line in lines]


@lru_cache(maxsize=400)
def unpacked_lines(blob: bytes) -> list[str]:
    """Unpack the lines of a file: questions in a row often look at the same files."""
    try:
        return zlib.decompress(blob).decode("utf-8", "surrogatepass").split("\n")
    except (zlib.error, ValueError) as error:
        raise sqlite3.DatabaseError(f"damaged words: {error}") from error


def texts(path: str, line: str) -> Texts:
    """Give the words of one symbol, from its file's and its own line."""
    try:
        name, qualname, doc, body = line.split("\t")
    except ValueError as error:
        raise sqlite3.DatabaseError(f"damaged words: {error}") from error
    return name, qualname, doc, path, body
