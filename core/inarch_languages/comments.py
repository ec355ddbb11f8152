"""What stands above a definition: the comment that documents it, and its annotations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from attrs import Factory, define

from inarch_languages.nodes import flat, line_of, text_of
from inarch_languages.records import Symbol

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_DOC = 1_500
"""Characters of a comment that are kept."""
_OPENING = re.compile(r"^\s*(?:/\*+!?|//[/!]?|--+|#+!?|\*+(?!/))[ \t]?")
_CLOSING = re.compile(r"\s*\*+/\s*$")
_TAG = re.compile(r"^\s*[@\\](?:param|returns?|throws|template|type|see|since|author|private|api|public|internal)\b")
_NO_DOC = re.compile(
    r"copyright|licen[cs]e|spdx|all rights reserved|eslint|jshint|istanbul|prettier|@ts-|@flow|go:build|\+build|"
    r"use strict|vim:|-\*-|code generated|@preserve|^!|module (?:dependencies|exports|variables)|^[-=*#~\s]*$",
    re.I,
)


@define(eq=False, repr=False)
class Above:
    """Comments and annotations of a file by the lines that they end on."""

    data: bytes
    _comments: dict[int, tuple[int, str]] = Factory(dict)
    _annotations: dict[int, tuple[int, str]] = Factory(dict)
    _inner: list[tuple[int, int, str]] = Factory(list)
    _first: list[tuple[int, int, str]] = Factory(list)
    _lines: list[bytes] = Factory(list)

    def comment(self, node: Node) -> None:
        """Note a comment that has its lines for itself."""
        start = self.data.rfind(b"\n", 0, node.start_byte) + 1
        if self.data[start : node.start_byte].strip():
            return
        text = text_of(node)[: 4 * MOST_DOC]
        # In some grammars the line end belongs to the comment.
        last = node.end_point[0] + (1 if node.end_point[1] else 0)
        self._comments[last] = line_of(node), text
        if len(self._first) < 40:
            self._first.append((line_of(node), last, text))

    def annotation(self, node: Node, is_kept: bool) -> None:
        """Note an annotation, or what else may stand between a comment and a definition."""
        text = flat(text_of(node)[:900], 200) if is_kept else ""
        self._annotations[node.end_point[0] + 1] = line_of(node), text
        if is_kept:
            self._inner.append((node.start_byte, node.end_byte, text))

    def of(self, node: Node, body: int) -> tuple[int, str, tuple[str, ...]]:
        """Give the line on which annotations begin, the comment, and the annotations of a definition.

        Args:
            node: The whole of it.
            body: Where its body begins: annotations before stand in its head.
        """
        annotations = [text for start, _, text in self._inner if node.start_byte <= start < body]
        annotations += [
            text
            for start, end, text in self._inner
            if end <= node.start_byte < end + 20 and not self.data[end : node.start_byte].strip(b" ")
        ]
        first = line_of(node)
        line = first - 1
        outer: list[str] = []
        while line in self._annotations:
            first, text = self._annotations[line]
            if text:
                outer.insert(0, text)
            line = first - 1
        doc = self._ending(line)
        if not doc and self._comments.get(line - 1, (0, ""))[1].startswith("/*") and self._is_blank(line):
            doc = self._ending(line - 1)  # a block with a blank line below
        return first, doc, tuple(dict.fromkeys([*outer, *annotations]))

    def of_file(self, symbols: Sequence[Symbol]) -> str:
        """Give the first comment that is about the file: no licence, and not what documents the first definition."""
        heads = {symbol.first or symbol.line for symbol in symbols}
        blocks: list[tuple[int, int, str]] = []
        for first, last, text in self._first:
            if blocks and blocks[-1][1] == first - 1 and not text.startswith("/*"):
                blocks[-1] = (blocks[-1][0], last, f"{blocks[-1][2]}\n{text}")
            else:
                blocks.append((first, last, text))
        for first, last, text in blocks[:4]:
            doc = cleaned(text)
            if first > 60 or last + 1 in heads or not self._is_above_code(first, blocks):
                return ""
            if doc and not _NO_DOC.search(doc):
                return doc
        return ""

    def _is_above_code(self, line: int, blocks: Sequence[tuple[int, int, str]]) -> bool:
        """Whether nothing but comments and what any file begins with stands above a line."""
        told = {one for first, last, _ in blocks for one in range(first, last + 1)}
        above = (one for one in range(1, line) if one not in told and not self._is_blank(one))
        return all(self._lines[one - 1].lstrip(b"\xef\xbb\xbf ").startswith(_BEGINNINGS) for one in above)

    def _is_blank(self, line: int) -> bool:
        if not self._lines:
            self._lines = self.data.split(b"\n")
        return not self._lines[line - 1].strip()

    def _ending(self, line: int) -> str:
        """Give the comment that ends on a line; comments of one line each are one."""
        found: list[str] = []
        while line in self._comments and sum(map(len, found)) < MOST_DOC:
            first, text = self._comments[line]
            if found and text.startswith("/*"):
                break
            found.insert(0, text)
            if text.startswith("/*"):
                break
            line = first - 1
        doc = cleaned("\n".join(found))
        return "" if _NO_DOC.match(doc) else doc


_BEGINNINGS = (b"'use ", b'"use ', b"#!", b"package ", b"<?php", b"#ifndef", b"#define", b"#pragma", b"#include")
"""What may stand above the comment that is about a file."""


def cleaned(comment: str) -> str:
    """Take the signs of a comment away, and what is only for tools: tags of parameters, rulers."""
    lines = []
    for line in _CLOSING.sub("", comment).split("\n"):
        text = _CLOSING.sub("", _OPENING.sub("", line)).rstrip()
        if _TAG.match(text):
            break
        lines.append("" if re.fullmatch(r"[-=*#~\s/]*", text) else text)
    return "\n".join(lines).strip()[:MOST_DOC]
