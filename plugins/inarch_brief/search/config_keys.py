"""Settings of configuration files: each table and key with its line, even in a file with syntax errors.

The readers work line by line. A parser reports no lines, and fails on the first mistake.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from inarch_brief.search.formats import DOCKERFILE, ENV, INI, JSON, MAKEFILE, TOML, YAML

_TABLE = re.compile(r"\s*\[\[?\s*([^\]\n]+?)\s*\]\]?\s*(?:[#;].*)?$")
_ASSIGNED = re.compile(r"(?:export\s+|set\s+)?([\w.\"'*/@-][\w .\"'*/@-]*?)\s*[=:]\s*(.*)$")
_TOML_KEY = re.compile(r"\s*((?:[\w-]+|\"[^\"\n]*\"|'[^'\n]*')(?:\s*\.\s*(?:[\w-]+|\"[^\"\n]*\"))*)\s*=\s*(.*)$")
_YAML_KEY = re.compile(r"(\s*(?:- +)?)([\w.$/@-][\w .$/@*-]*|\"[^\"\n]+\"|'[^'\n]+')\s*:(?:\s+(.*)|\s*)$")
_JSON_KEY = re.compile(r"(\s*)(\"(?:[^\"\\\n]|\\.)*\")\s*:\s*(.*)$")
_INSTRUCTION = re.compile(r"\s*([A-Za-z]+)\s+(\S.*)$")
_TARGET = re.compile(r"([\w./%$(){}-][\w ./%$(){}-]*?)\s*:(?!=)\s*(.*)$")
_VARIABLE = re.compile(r"(?:export\s+)?([\w.-]+)\s*(?:[:?+!]?=)\s*(.*)$")
_COMMENT = re.compile(r"\s*(?:#|;|//|!)+\s?(.*)$")
_NAMED_BY_IT = ("ENV", "ARG", "FROM", "EXPOSE", "LABEL")
_LONGEST = 400


class Setting(NamedTuple):
    """A key or a table."""

    line: int
    end: int
    names: tuple[str, ...]
    value: str
    comment: str


class _Key(NamedTuple):
    line: int
    depth: int
    names: tuple[str, ...]
    value: str


def settings(text: str, written: str) -> Iterator[Setting]:
    """Yield the settings of a file in order. A table ends before the next item outside it."""
    lines = text.split("\n")
    found = list(_keys(lines, written))
    above: list[_Key] = []
    for number, key in enumerate(found):
        above = [*(other for other in above if other.depth < key.depth), key]
        after = (other.line for other in found[number + 1 :] if other.depth <= key.depth)
        last = next(after, len(lines))
        while last > key.line + 1 and (not lines[last - 1].strip() or _COMMENT.match(lines[last - 1])):
            last -= 1
        value = key.value if last == key.line + 1 else " ".join([key.value, *lines[key.line + 1 : last]])
        names = tuple(re.sub("[\"']", "", name) for other in above for name in other.names)
        yield Setting(key.line + 1, last, names, " ".join(value[:_LONGEST].split()), _comments(lines, key.line))


def _comments(lines: Sequence[str], line: int) -> str:
    first = line
    while first and (found := _COMMENT.match(lines[first - 1])) and found[1].strip():
        first -= 1
    return " ".join(_COMMENT.sub(r"\1", text) for text in lines[first:line])[:_LONGEST]


def _keys(lines: Sequence[str], written: str) -> Iterator[_Key]:
    """Yield tables and keys; a line within a list, a text or a continued line has none."""
    inside, quote, block, is_continued = 0, "", -1, False
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if quote or is_continued or 0 <= block < (indent if line.strip() else block + 1):
            quote = "" if quote in line else quote
            is_continued = is_continued and line.rstrip().endswith("\\")
            continue
        block = -1
        if written in (TOML, INI) and inside <= 0 and (table := _TABLE.match(line)):
            yield _Key(number, 0, (table[1],), "")
        elif inside <= 0 and (found := _key_in(line, written)):
            names, value, depth = found
            yield _Key(number, depth, names, value)
            quote = next((mark for mark in ('"""', "'''") if written == TOML and value.count(mark) == 1), "")
            inside = _depth(value) if written == TOML and not quote else 0
            block = indent if written == YAML and re.match(r"[|>][+-]?\d?\s*$", value) else -1
        elif written == TOML:
            inside += _depth(line)
        is_continued = written == DOCKERFILE and line.rstrip().endswith("\\")


def _key_in(line: str, written: str) -> tuple[tuple[str, ...], str, int] | None:
    """Return the names, the value and the depth of the key on a line."""
    if written == ENV:  # a commented-out variable shows a possible setting
        line = re.sub(r"^#\s?(?=[A-Z][A-Z0-9_]*=)", "", line)
    is_inner = line[:1].isspace() and written in (INI, MAKEFILE)
    found = (
        None
        if _COMMENT.match(line) or is_inner
        else next(filter(None, (one.match(line) for one in _KEYS[written])), None)
    )
    if found is None:
        return None
    if written in (YAML, JSON):
        return (found[2],), (found[3] or "").rstrip("," if written == JSON else ""), len(found[1])
    if written == DOCKERFILE and (word := found[1].upper()):
        return (word, re.split(r"[\s=]", found[2])[0])[: 1 + (word in _NAMED_BY_IT)], found[2], 0
    return (found[1],), found[2], int(written in (TOML, INI))


def _depth(text: str) -> int:
    bare = re.sub(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'|#.*", "", text)
    return sum(bare.count(sign) for sign in "[{") - sum(bare.count(sign) for sign in "]}")


_KEYS = {
    TOML: (_TOML_KEY,), INI: (_ASSIGNED,), ENV: (_ASSIGNED,), YAML: (_YAML_KEY,), JSON: (_JSON_KEY,),
    DOCKERFILE: (_INSTRUCTION,), MAKEFILE: (_VARIABLE, _TARGET),
}  # fmt: skip
"""The forms of a key in each format."""
