"""Lines above a definition: its documenting comment and its annotations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from attrs import Factory, define

from inarch_brief.languages.nodes import flat, line_of, text_of
from inarch_brief.languages.records import Symbol

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_DOC = 1_500
"""Characters of a comment that are stored."""
_MOST_HEAD = 60
"""The comment about a file begins above this line."""
_OPENING = re.compile(r"^\s*(?:/\*+!?|//[/!]?|--+|#+!?|\*+(?!/))[ \t]?")
_CLOSING = re.compile(r"\s*\*+/\s*$")
_TAG = re.compile(r"^\s*[@\\](?:param|returns?|throws|template|type|see|since|author|private|api|public|internal)\b")
_NO_DOC = re.compile(
    r"copyright|licen[cs]e|spdx|all rights reserved|eslint|jshint|istanbul|prettier|@ts-|@flow|go:build|\+build|"
    r"use strict|vim:|-\*-|code generated|@preserve|^!|module (?:dependencies|exports|variables)|^[-=*#~\s]*$",
    re.I,
)
_BEGINNINGS = (b"'use ", b'"use ', b"#!", b"package ", b"<?php", b"#ifndef", b"#define", b"#pragma", b"#include")
"""Lines that may precede the comment about a file."""


@define(eq=False, repr=False)
class Above:
    """Comments and annotations of a file by the lines that they end on."""

    data: bytes
    _comments: dict[int, tuple[int, str]] = Factory(dict)
    _annotations: dict[int, tuple[int, str]] = Factory(dict)
    _inner: list[tuple[int, int, str]] = Factory(list)
    _lines: list[bytes] = Factory(lambda self: self.data.split(b"\n"), takes_self=True)

    def add(self, node: Node, role: str) -> None:
        """Record a comment on lines of its own, an annotation, or another node allowed above a definition."""
        last = node.end_point[0] + 1
        if role != "comment":
            text = flat(text_of(node)[:900], 200) if role == "annotation" else ""
            self._annotations[last] = line_of(node), text
            self._inner.append((node.start_byte, node.end_byte, text))
        elif not self._lines[line_of(node) - 1][: node.start_point[1]].strip():
            # In some grammars the line end belongs to the comment.
            self._comments[last if node.end_point[1] else last - 1] = line_of(node), text_of(node)[: 4 * MOST_DOC]

    def of(self, node: Node, body: int) -> tuple[int, str, tuple[str, ...]]:
        """Return the first line of a definition's annotations, its comment, and its annotations.

        Args:
            node: The whole definition.
            body: The start of its body: annotations before it are in the head.
        """
        begin = node.start_byte
        annotations = [
            text
            for start, end, text in self._inner
            if begin <= start < body or (end <= begin < end + 20 and not self.data[end:begin].strip(b" "))
        ]
        first = line_of(node)
        while first - 1 in self._annotations:
            first, text = self._annotations[first - 1]
            annotations.insert(0, text)
        doc = self._ending(first - 1)
        if not doc and not self._lines[first - 2].strip() and self._comments.get(first - 2, (0, ""))[1][:2] == "/*":
            doc = self._ending(first - 2)  # a block with a blank line below
        return first, "" if _NO_DOC.match(doc) else doc, tuple(dict.fromkeys(filter(None, annotations)))

    def of_file(self, symbols: Sequence[Symbol]) -> str:
        """Return the first comment about the file: neither a licence nor the comment of the first definition."""
        heads = {symbol.first or symbol.line for symbol in symbols}
        beginning = {first: last for last, (first, _) in self._comments.items()}
        line = 1
        while line <= min(_MOST_HEAD, len(self._lines)):
            text = self._lines[line - 1].lstrip(b"\xef\xbb\xbf ")
            if line in beginning:
                line = beginning[line]
                while line + 1 in beginning and not self._lines[line].lstrip().startswith(b"/*"):
                    line = beginning[line + 1]
                doc = self._ending(line)
                if line + 1 in heads:
                    return ""
                if doc and not _NO_DOC.search(doc):
                    return doc
            elif text.strip() and not text.startswith(_BEGINNINGS):
                return ""
            line += 1
        return ""

    def _ending(self, line: int) -> str:
        """Return the comment that ends on a line. Adjacent one-line comments are one."""
        found: list[str] = []
        while line in self._comments and sum(map(len, found)) < MOST_DOC:
            first, text = self._comments[line]
            if found and text.startswith("/*"):
                break
            found.insert(0, text)
            line = first - 1
            if text.startswith("/*"):
                break
        return cleaned("\n".join(found))


def cleaned(comment: str) -> str:
    """Remove comment marks and parts for tools: parameter tags, rulers."""
    lines = []
    for line in _CLOSING.sub("", comment).split("\n"):
        text = _CLOSING.sub("", _OPENING.sub("", line)).rstrip()
        if _TAG.match(text):
            break
        lines.append("" if re.fullmatch(r"[-=*#~\s/]*", text) else text)
    return "\n".join(lines).strip()[:MOST_DOC]
