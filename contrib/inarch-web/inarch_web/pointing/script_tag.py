"""A script tag put at the beginning of an HTML page while it streams, before anything of the page's own runs."""

from __future__ import annotations

import re

from attrs import define, field

LONGEST_HEAD = 8 * 1024
"""Bytes within which a page says its document type; one that doesn't is given the tag at its very beginning."""
_MARK = b"\xef\xbb\xbf"
_BEFORE = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s|<!--.*?-->|<\?[^>]*>)*(?:<!doctype[^>]*>)?", re.DOTALL | re.IGNORECASE)
_MAY_GO_ON = re.compile(rb"<(?:!(?:-(?:-.*)?|d[^>]*)?|\?[^>]*)?", re.DOTALL | re.IGNORECASE)
_OTHER_BYTES = re.compile(r"charset\s*=\s*[\"']?\s*(utf-?16|utf-?32|ucs-?2|iso-2022|utf-7|hz-)", re.IGNORECASE)


def can_be_changed(content_type: str, encoding: str) -> bool:
    """Whether an answer is HTML whose bytes a tag can be put between."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind not in ("text/html", "application/xhtml+xml") or _OTHER_BYTES.search(content_type):
        return False
    return encoding.strip().lower() in ("", "identity", "gzip", "x-gzip", "deflate")


@define(eq=False, repr=False)
class Injection:
    """Takes a page in pieces, as they come, and returns what goes on.

    Args:
        tag: What is put in.
    """

    tag: bytes
    _head: bytes | None = field(init=False, default=b"")

    def add(self, piece: bytes) -> bytes:
        """Return what of the page can be sent now."""
        if self._head is None:
            return piece
        self._head += piece
        place = _place(self._head)
        return b"" if place is None else self._split(place)

    def end(self) -> bytes:
        """Return what is left: the page is over."""
        if self._head is None:
            return b""
        found = _BEFORE.match(self._head)
        return self._split(found.end() if found else 0)

    def _split(self, place: int) -> bytes:
        head, self._head = self._head or b"", None
        if head[:2] in (b"\xff\xfe", b"\xfe\xff"):  # UTF-16 in spite of what was said
            return head
        return head[:place] + self.tag + head[place:]


def _place(head: bytes) -> int | None:
    """Return where the tag goes, None where more has to come first to know it."""
    found = _BEFORE.match(head)
    place = found.end() if found else 0
    if len(head) >= LONGEST_HEAD:
        return place
    rest = head[place:]
    if len(head) < len(_MARK) or not rest:
        return None
    if _MAY_GO_ON.fullmatch(rest) and b"doctype" not in head[:place].lower():
        return None
    return place
