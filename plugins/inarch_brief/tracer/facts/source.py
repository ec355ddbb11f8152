"""Source text of a file: decoding, lines, slices and signatures, and the detection of generated files."""

from __future__ import annotations

import ast
import codecs
import gc
import io
import re
import tokenize
from collections.abc import Iterator
from contextlib import contextmanager

from attrs import define, field


@contextmanager
def uncollected() -> Iterator[None]:
    """Disable the garbage collector: trees have many objects and no cycles, and scanning costs a third more time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


_TOP, _LINES = 3_000, 12
_SAYS_SO = re.compile(
    r"(?i)^[ \t]*(?:#|//(?![/!])|/?\*|--|;|<!--|%).*(?:@generated\b|\bdo not (?:edit|modify)\b|"
    r"\b(?:auto-?|automatically )generated (?:file|by|from|with|using)\b|"
    r"\bgenerated (?:automatically\b|by (?:the protocol|antlr|coffeescript|swig)))",
    re.M,
)
_BUNDLED = re.compile(
    r"^\(function \(global, factory\) \{|^!?\(?function\s*\(f\)\s*\{\s*if\s*\(typeof exports\s*===?\s*[\"']object|"
    r"webpackUniversalModuleDefinition|\b__webpack_require__\b|^var __(?:defProp|create|commonJS) = |"
    r"^require=\(function|^\"use strict\";\s*var __create = ",
    re.M,
)
"""First lines of output from rollup, browserify, webpack and esbuild, which no person types."""
_SCRIPTS = (".js", ".mjs", ".cjs")


def is_bundled(path: str, text: str) -> bool:
    """Return whether a script is a bundler's output."""
    return path.endswith(_SCRIPTS) and bool(_BUNDLED.search(text[:_TOP]))


def is_generated(text: str) -> bool:
    """Return whether the top of a file says that a program wrote it."""
    return bool(_SAYS_SO.search("\n".join(text[:_TOP].split("\n", _LINES)[:_LINES])))


_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*[-\w.]+", re.M)
_COMMENT = re.compile(r"\s#[^\n'\"]*$", re.M)
_BLANKS = re.compile(r"\s+")
MAX_SIGNATURE = 300

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Undecodable(ValueError):
    """The bytes of a file are not text in the encoding it declares."""


def decoded(data: bytes) -> str:
    """Decode a source file as Python would, with `\\n` line ends.

    Raises:
        Undecodable: unknown or wrong encoding, or NUL bytes.
    """
    if b"\0" in data:
        raise Undecodable("holds NUL bytes")
    encoding = "utf-8-sig" if data.startswith(codecs.BOM_UTF8) else "utf-8"
    try:
        if b"coding" in data[:400] and _COOKIE.search(b"\n".join(data[:400].splitlines()[:2])):
            encoding = tokenize.detect_encoding(io.BytesIO(data).readline)[0]
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise Undecodable(f"not {encoding} at byte {error.start}") from error
    except (SyntaxError, LookupError, ValueError) as error:
        raise Undecodable(str(error)) from error
    if not encoding.startswith("utf-8") and text != sound(text):
        raise Undecodable(f"holds lone surrogates in {encoding}")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text


@define(eq=False, repr=False)
class Source:
    """The lines of one file, sliced by the positions of `ast` (UTF-8 columns)."""

    text: str
    lines: list[str] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.lines = self.text.split("\n")

    def column(self, line: int, offset: int) -> int:
        """Convert a UTF-8 column of a line to an index of its text."""
        text = self.lines[line - 1]
        return offset if text.isascii() else len(text.encode()[:offset].decode(errors="replace"))

    def slice(self, line: int, column: int, end_line: int, end_column: int) -> str:
        """Return the text between two positions (lines from 1, columns in UTF-8 bytes)."""
        first, last = self.column(line, column), self.column(end_line, end_column)
        if line == end_line:
            return self.lines[line - 1][first:last]
        return "\n".join(
            (self.lines[line - 1][first:], *self.lines[line : end_line - 1], self.lines[end_line - 1][:last])
        )

    def of(self, node: ast.expr, most: int = 200) -> str:
        """Return the text of an expression on one line, cut to `most` characters."""
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
        text = self.slice(node.lineno, node.col_offset, end_line, end_column)
        return flat(text)[:most]

    def signature(self, node: Function) -> str:
        """Return the source text of a function's signature: `(self, x: int = 3) -> str`."""
        first = node.body[0]
        decorators = getattr(first, "decorator_list", None)
        line, column = (decorators[0].lineno, 0) if decorators else (first.lineno, first.col_offset)
        text = self.slice(node.lineno, node.col_offset, line, column)
        text = flat(_COMMENT.sub("", text) if "#" in text else text).rstrip("@ ")
        text = text[text.find("(") :].rstrip().removesuffix(":")
        return text.replace("( ", "(").replace(", )", ")").replace(" )", ")")[:MAX_SIGNATURE]


def sound(text: str) -> str:
    """Replace lone surrogates: escapes in literals can create them, but files and databases reject them."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def flat(text: str) -> str:
    """Put a text on one line, runs of white space as one blank."""
    return text if "\n" not in text and "  " not in text and "\t" not in text else _BLANKS.sub(" ", text).strip()


def first_paragraph(docstring: str, most: int = 400) -> str:
    """Return the first paragraph of a docstring on one line."""
    return sound(flat(docstring.strip().split("\n\n", 1)[0].strip())[:most])


def first_sentence(paragraph: str) -> str:
    """Return the first sentence of a paragraph."""
    found = re.search(r"(?<!e\.g)(?<!i\.e)[.!?](?=\s+[A-Z`:*\"(]|$)", paragraph)
    return paragraph[: found.end()] if found else paragraph
