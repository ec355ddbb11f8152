"""The searchable words of each symbol: packed by file, since only the best candidates' are ever read again."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from inarch_brief_tracer.finding.hits import Hit

Texts = tuple[str, str, str, str, str]
"""Words of the name, the qualified name, the docstring, the path and the body."""


def packed(rows: Sequence[Texts]) -> bytes:
    """Pack the words of a file's symbols, in order of their places; the path's are the same for all."""
    lines = [rows[0][3]] if rows else []
    lines += ["\t".join((name, qualname, doc, body)) for name, qualname, doc, _, body in rows]
    return zlib.compress("\n".join(lines).encode("utf-8", "surrogatepass"), 4)


def unpacked(blob: bytes) -> list[Texts]:
    """Give back what was packed.

    Raises:
        sqlite3.DatabaseError: the blob is damaged.
    """
    path, *lines = unpacked_lines(blob)
    return [_texts(path, line) for line in lines]


@lru_cache(maxsize=400)
def unpacked_lines(blob: bytes) -> list[str]:
    """Unpack the lines of a file: questions in a row often look at the same files."""
    try:
        return zlib.decompress(blob).decode("utf-8", "surrogatepass").split("\n")
    except (zlib.error, ValueError) as error:
        raise sqlite3.DatabaseError(f"damaged words: {error}") from error


def _texts(path: str, line: str) -> Texts:
    try:
        name, qualname, doc, body = line.split("\t")
    except ValueError as error:
        raise sqlite3.DatabaseError(f"damaged words: {error}") from error
    return name, qualname, doc, path, body


def texts_of(connection: sqlite3.Connection, hits: Collection[Hit]) -> Iterator[tuple[Hit, Texts]]:
    """Read the words of some symbols."""
    files = {hit.file for hit in hits}
    marks = ", ".join("?" * len(files))
    bags = {
        file: unpacked_lines(blob)
        for file, blob in connection.execute(f"SELECT file, texts FROM bags WHERE file IN ({marks})", list(files))
    }
    for hit in hits:
        lines = bags.get(hit.file, [])
        if hit.place + 1 < len(lines):
            yield hit, _texts(lines[0], lines[hit.place + 1])
