"""Settings of configuration files: each table and key with its line, even in a file with syntax errors.

The readers work line by line. A parser reports no lines, and fails on the first mistake.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
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
    """A key or a table.

    Args:
        line: its first line, counted from 1.
        end: its last line.
        names: the keys that lead to it, and its own.
        value: its text, truncated.
        comment: the comment on the lines right above and behind it.
    """

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
    found = list(_READERS[written](lines))
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


def _toml(lines: Sequence[str]) -> Iterator[_Key]:
    inside, quote = 0, ""
    for number, line in enumerate(lines):
        if quote:
            quote = "" if quote in line else quote
            continue
        if inside <= 0 and (table := _TABLE.match(line)):
            yield _Key(number, 0, (table[1],), "")
        elif inside <= 0 and (found := _TOML_KEY.match(line)):
            yield _Key(number, 1, (found[1],), found[2])
            opened = next((mark for mark in ('"""', "'''") if found[2].count(mark) == 1), "")
            quote, inside = opened, 0 if opened else _depth(found[2])
        else:
            inside += _depth(line)


def _depth(text: str) -> int:
    bare = re.sub(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'|#.*", "", text)
    return sum(bare.count(sign) for sign in "[{") - sum(bare.count(sign) for sign in "]}")


def _ini(lines: Sequence[str]) -> Iterator[_Key]:
    for number, line in enumerate(lines):
        if table := _TABLE.match(line):
            yield _Key(number, 0, (table[1],), "")
        elif not line[:1].isspace() and not _COMMENT.match(line) and (found := _ASSIGNED.match(line)):
            yield _Key(number, 1, (found[1],), found[2])


def _env(lines: Sequence[str]) -> Iterator[_Key]:
    for number, line in enumerate(lines):
        # A commented-out variable shows a possible setting.
        found = _ASSIGNED.match(re.sub(r"^#\s?(?=[A-Z][A-Z0-9_]*=)", "", line))
        if found and not line.startswith(("# ", "//")):
            yield _Key(number, 0, (found[1],), found[2])


def _yaml(lines: Sequence[str]) -> Iterator[_Key]:
    block = -1
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if not line.strip() or line.lstrip().startswith("#") or (0 <= block < indent):
            continue
        block = -1
        if found := _YAML_KEY.match(line):
            depth, value = len(found[1]), found[3] or ""
            yield _Key(number, depth, (found[2],), value)
            if re.match(r"[|>][+-]?\d?\s*$", value):
                block = indent


def _json(lines: Sequence[str]) -> Iterator[_Key]:
    for number, line in enumerate(lines):
        if found := _JSON_KEY.match(line):
            yield _Key(number, len(found[1]), (found[2],), found[3].rstrip(","))


def _dockerfile(lines: Sequence[str]) -> Iterator[_Key]:
    is_open = False
    for number, line in enumerate(lines):
        found = None if is_open or _COMMENT.match(line) else _INSTRUCTION.match(line)
        is_open = line.rstrip().endswith("\\")
        if found:
            word = found[1].upper()
            names = (word, re.split(r"[\s=]", found[2])[0]) if word in _NAMED_BY_IT else (word,)
            yield _Key(number, 0, names, found[2])


def _makefile(lines: Sequence[str]) -> Iterator[_Key]:
    for number, line in enumerate(lines):
        if line[:1].isspace() or _COMMENT.match(line):
            continue
        if found := _VARIABLE.match(line) or _TARGET.match(line):
            yield _Key(number, 0, (found[1],), found[2])


_READERS: Mapping[str, Callable[[Sequence[str]], Iterator[_Key]]] = MappingProxyType(
    {
        TOML: _toml,
        INI: _ini,
        ENV: _env,
        YAML: _yaml,
        JSON: _json,
        DOCKERFILE: _dockerfile,
        MAKEFILE: _makefile,
    }
)
