"""Bracket expressions of glob patterns, read as git reads them."""

from __future__ import annotations

_CLASSES = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "blank": " \\t", "cntrl": "\\x00-\\x1f\\x7f", "digit": "0-9",
    "graph": "!-~", "lower": "a-z", "print": " -~", "punct": "!-/:-@\\[-`{-~", "space": "\\s", "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}  # fmt: skip


def bracket(pattern: str, index: int) -> tuple[str, int]:
    """Return the regular expression of a bracket whose `[` stands before `index`, and where it ends.

    The text is empty where the bracket is never closed or names an unknown class.
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
            items += f"{_escaped(previous)}-{_escaped(last)}" if previous <= last else ""
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
            items += _escaped(previous)
    return "", index


def _plain(pattern: str, index: int) -> tuple[str, int]:
    if pattern[index] == "\\":
        index += 1
    return pattern[index : index + 1], index + 1


def _escaped(char: str) -> str:
    return char if char.isalnum() else f"\\U{ord(char):08x}"
