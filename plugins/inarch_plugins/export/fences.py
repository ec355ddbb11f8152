"""Markdown that its content cannot break out of: longer fences than any in it, and inert marks."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from inarch import escape
from inarch_plugins.export.words import one_line

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

LONGEST_PROSE = 60_000
_TICKS = re.compile(r"`+")
_MARKS = re.compile(r"([\\`*_{}\[\]()<>#|~&])")
_LOADING = frozenset({"html_block", "html_inline", "image"})


def fenced(content: str, language: str = "") -> str:
    """Return content between fences that it does not contain."""
    clean = escape(content)
    longest = max((len(ticks) for ticks in _TICKS.findall(clean)), default=0)
    fence = "`" * max(3, longest + 1)
    end = "" if clean.endswith("\n") or not clean else "\n"
    return f"{fence}{language}\n{clean}{end}{fence}\n"


def code(content: str, longest: int = 200) -> str:
    """Return content as code within a line."""
    clean = escape(one_line(content, longest), keep_newlines=False)
    longest_run = max((len(ticks) for ticks in _TICKS.findall(clean)), default=0)
    ticks = "`" * (longest_run + 1)
    space = " " if clean[:1] in ("`", "", " ") or clean[-1:] in ("`", " ") else ""
    return f"{ticks}{space}{clean}{space}{ticks}"


def words(content: str, longest: int = 200) -> str:
    """Return content as plain text within a line."""
    return _MARKS.sub(r"\\\1", escape(one_line(content, longest), keep_newlines=False))


def quoted(markdown: str) -> str:
    """Return Markdown as a quotation that it cannot leave; with HTML or pictures in it, between fences."""
    lines = escape(markdown).strip("\n").splitlines()
    quotation = "".join(f"> {line}".rstrip() + "\n" for line in lines)
    is_plain = len(quotation) <= LONGEST_PROSE and not _brings_more(quotation)
    return quotation if is_plain else fenced(markdown, "markdown")


def _brings_more(markdown: str) -> bool:
    """Return whether a viewer would load or run something for it, or resolve link definitions in it."""
    environment: dict[str, Any] = {}
    tokens = _reader().parse(markdown, environment)
    parts = (part for token in tokens for part in (token, *(token.children or ())))
    return bool(environment.get("references")) or any(part.type in _LOADING for part in parts)


@cache
def _reader() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": True, "maxNesting": 20}).enable("table")
