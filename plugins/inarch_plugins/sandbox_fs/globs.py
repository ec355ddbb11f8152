"""Glob patterns as regular expressions with little backtracking.

A star that is not the last one may commit to the first position where the text after it fits: a later star can take up
the rest. Each therefore becomes an atomic group, and the time stays near linear for any pattern.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from inarch import ToolFailed

_CLASSES = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "blank": " \\t", "cntrl": "\\x00-\\x1f\\x7f", "digit": "0-9",
    "graph": "!-~", "lower": "a-z", "print": " -~", "punct": "!-/:-@\\[-`{-~", "space": "\\s", "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}  # fmt: skip


def bracket(pattern: str, index: int) -> tuple[str, int]:
    """Return the regular expression of a bracket whose `[` is before `index`, and where the bracket ends.

    The text is empty if the bracket is never closed or names an unknown class.
    """
    negated = pattern[index : index + 1] in ("!", "^")
    index += negated
    items, previous, first = "", "", True
    while index < len(pattern):
        char = pattern[index]
        if char == "]" and not first:
            return f"[^/{items}]" if negated else f"(?!/)[{items}]", index + 1
        first = False
        if char == "-" and previous and pattern[index + 1 : index + 2] not in ("", "]"):
            last, index = _plain(pattern, index + 1)
            if last == "":
                break
            items += f"{_escaped_char(previous)}-{_escaped_char(last)}" if previous <= last else ""
            previous = ""
        elif char == "[" and pattern[index + 1 : index + 2] == ":":
            name, closed, _ = pattern[index + 2 :].partition(":]")
            if not closed or name not in _CLASSES:
                break
            items += _CLASSES[name]
            index += len(name) + 4
            previous = ""
        else:
            previous, index = _plain(pattern, index)
            if previous == "":
                break
            items += _escaped_char(previous)
    return "", index


def _plain(pattern: str, index: int) -> tuple[str, int]:
    if pattern[index] == "\\":
        index += 1
    return pattern[index : index + 1], index + 1


def _escaped_char(char: str) -> str:
    return char if char.isalnum() else f"\\U{ord(char):08x}"


_MAGIC = frozenset("*?[\\{")
_MOST_ALTERNATIVES = 64
_LONGEST = 1000
_NEVER = "(?!)"


def name_regex(pattern: str, strict: bool = False) -> str:
    """Return the regular expression of one path component, without anchors."""
    chunks, index = [""], 0
    while index < len(pattern):
        char = pattern[index]
        index += 1
        if char == "*":
            if chunks[-1] or len(chunks) == 1:
                chunks.append("")
            continue
        if char == "?":
            chunks[-1] += "[^/]"
        elif char == "[":
            text, after = bracket(pattern, index)
            if not text and strict:
                return _NEVER
            chunks[-1] += text or re.escape("[")
            index = after if text else index
        else:
            if char == "\\":
                if index == len(pattern):
                    return _NEVER
                char, index = pattern[index], index + 1
            chunks[-1] += re.escape(char)
    if len(chunks) == 1:
        return chunks[0]
    middle = "".join(f"(?>[^/]*?{chunk})" for chunk in chunks[1:-1])
    return f"{chunks[0]}{middle}[^/]*{chunks[-1]}"


def folder_regex(components: Sequence[str], strict: bool = False) -> str:
    """Return the regular expression of a directory's path with a `/` after each component; `**` is any number."""
    groups: list[str] = [""]
    for index, component in enumerate(components):
        if component != "**":
            groups[-1] += name_regex(component, strict) + "/"
        elif index == 0 or components[index - 1] != "**":
            groups.append("")
    if len(groups) == 1:
        return groups[0]
    middle = "".join(f"(?>(?:[^/]+/)*?{group})" for group in groups[1:-1])
    return f"{groups[0]}{middle}(?:[^/]+/)*{groups[-1]}"


class Glob(NamedTuple):
    """Compiled pattern."""

    start: str
    accepts: Callable[[str], object] | None
    enters: Callable[[str], object] | None


def compile_glob(pattern: str, below: str = ".") -> Glob:
    """Compile a pattern whose components were checked: none is `..`."""
    if len(pattern) > _LONGEST:
        raise ToolFailed("validation", f"the pattern is {len(pattern)} characters long; at most {_LONGEST} are allowed")
    split = [_components(one) for one in _alternatives(pattern)]
    start = _common_start(split)
    base = [] if below == "." else below.split("/")
    where = "/".join([*base, *start]) or "."
    if len(split) == 1 and split[0][len(start) :] in (["**"], ["**", "*"]):
        return Glob(where, None, None)
    prefix = re.escape("".join(f"{part}/" for part in base))
    names: dict[tuple[str, ...], list[str]] = {}  # by folder: of many endings in one, only these are told apart
    for *folder, name in map(_with_last_name, split):
        names.setdefault(tuple(folder), []).append(name_regex(name))
    whole = "|".join(f"{folder_regex(folder)}(?:{'|'.join(found)})" for folder, found in names.items())
    enters = None
    if not any("**" in parts for parts in split):
        ancestors = "|".join(_ancestors(parts[:-1]) for parts in split)
        enters = re.compile(f"{prefix}(?:{ancestors})").fullmatch
    return Glob(where, re.compile(f"{prefix}(?:{whole})").fullmatch, enters)


def _components(pattern: str) -> list[str]:
    return [part for part in pattern.split("/") if part not in ("", ".")] or ["**"]


def _with_last_name(parts: list[str]) -> list[str]:
    return [*parts, "*"] if parts[-1] == "**" else parts


def _common_start(split: list[list[str]]) -> list[str]:
    start: list[str] = []
    for level in zip(*(parts[:-1] for parts in split), strict=False):
        if len(set(level)) != 1 or _MAGIC.intersection(level[0]):
            break
        start.append(level[0])
    return start


def _ancestors(parts: Sequence[str]) -> str:
    """Match every directory on the way down: `a/b` becomes `(?:a/(?:b/)?)?`."""
    text = ""
    for part in reversed(parts):
        text = f"(?:{name_regex(part)}/{text})?"
    return text


def _alternatives(pattern: str) -> list[str]:
    """Write `a.{py,md}` out as `a.py` and `a.md`; braces without a comma stay what they are."""
    done: list[str] = []
    pending = [pattern]
    while pending:
        one = pending.pop()
        found = re.search(r"\{([^{}]*,[^{}]*)\}", one)
        if found is None:
            done.append(one)
        else:
            pending += [one[: found.start()] + choice + one[found.end() :] for choice in found[1].split(",")]
        if len(done) + len(pending) > _MOST_ALTERNATIVES:
            raise ToolFailed("validation", f"the pattern {pattern!r} has more than {_MOST_ALTERNATIVES} alternatives")
    return done
