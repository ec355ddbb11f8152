"""Lines of keys in a manifest: parsers give values, this finds where they stand."""

from __future__ import annotations

import re

from inarch_offline.material import FileText
from inarch_offline.readme import Fact
from inarch_offline.writing import Place, one_line


def line_of(text: FileText, pattern: str, after: str = "") -> Place:
    """Find the first line that matches, after the first line that matches `after`; the file's first line otherwise."""
    lines = text.text.split("\n")
    start = next((index for index, line in enumerate(lines) if re.search(after, line)), 0) if after else 0
    for index in range(start, len(lines)):
        if re.search(pattern, lines[index]):
            return text.place(index)
    return text.place(start)


def fact(text: FileText, value: object, pattern: str, after: str = "") -> Fact | None:
    """Give a value as a fact at the line where its key stands; None for what is no text."""
    if not isinstance(value, str) or not value.strip():
        return None
    return Fact(one_line(value), line_of(text, pattern, after))
