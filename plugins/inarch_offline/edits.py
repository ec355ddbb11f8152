"""Mechanical edits that a prompt can ask for: replace, create, delete and move."""

from __future__ import annotations

import re
from typing import NamedTuple

REPLACE, CREATE, DELETE, MOVE = "replace", "create", "delete", "move"


class Edit(NamedTuple):
    """A change, word for word as the user gave it."""

    kind: str
    path: str
    search: str = ""
    replace: str = ""
    everywhere: bool = False
    content: str = ""
    new_path: str = ""


_FILE = r"(?P<q>[`'\"]?)(?P<path>[^\s`'\"]*[^\s`'\".,;:!?])(?P=q)"
_NEW_FILE = r"(?P<r>[`'\"]?)(?P<new>[^\s`'\"]*[^\s`'\".,;:!?])(?P=r)"
_PLEASE = r"\s*(?:(?:please|can you|could you|now)[\s,]+)*"
_IN_FILE = rf"(?:in|inside|within)\s+(?:the\s+)?(?:file\s+)?{_FILE}"
_MOST_CHARACTERS = 4_000
"""A longer text is no mechanical replacement, and slow to match."""
_VERBS = (
    "replace", "change", "substitute", "create", "make", "write", "add", "delete", "remove", "move", "rename",
)  # fmt: skip
_PATH_LIKE = r"[\w@+-]*[./][\w./@+-]*\w|Makefile|Dockerfile|LICENSE|README"


def edit_of(prompt: str) -> Edit | None:
    """Read an edit out of a prompt, None where it asks for none or leaves something open."""
    low = prompt.lower()
    if not any(verb in low for verb in _VERBS):
        return None  # the expressions below take longer to compile than most answers to make
    return _replacement(prompt) or _creation(prompt) or _removal(prompt) or _move(prompt)


def _replacement(prompt: str) -> Edit | None:
    if len(prompt) > _MOST_CHARACTERS:
        return None
    forms = (
        rf"{_PLEASE}(?:replace|change|substitute)\s+(?P<what>.+?)\s+{_IN_FILE}[.\s]*",
        rf"{_PLEASE}{_IN_FILE}[,:]?\s+(?:replace|change|substitute)\s+(?P<what>.+)",
    )
    for form in forms:
        found = re.fullmatch(form, prompt, re.I | re.S)
        if not found or not re.fullmatch(_PATH_LIKE, found["path"]):
            continue
        pair = _pair(found["what"])
        if pair is not None:
            everywhere, old, new = pair
            return Edit(REPLACE, _relative(found["path"]), old, new, everywhere)
    return None


def _pair(text: str) -> tuple[bool, str, str] | None:
    """Split `all "a" by "b"` into its old and new text, quoted or bare."""
    found = re.match(r"(?:(?P<all>all|every|each)\s+)?(?:(?:occurrences?|instances?)\s+of\s+)?", text, re.I)
    start = found.end() if found else 0
    everywhere = bool(found and found["all"])
    rest = text[start:].strip()
    for quote in ("```", "`", '"', "'"):
        mark = re.escape(quote)
        pair = re.fullmatch(
            rf"{mark}(.+?){mark}\s+(?:by|with|to|into|for)\s+{mark}(.*?){mark}\s*(everywhere)?", rest, re.S
        )
        if pair:
            return everywhere or bool(pair[3]), pair[1], pair[2]
    bare = re.fullmatch(r"(\S+|\S.*?\S)\s+(?:by|with|to|into)\s+(\S+|\S.*?\S)(\s+everywhere)?", rest)
    return (everywhere or bool(bare[3]), bare[1], bare[2]) if bare else None


def _creation(prompt: str) -> Edit | None:
    found = re.fullmatch(
        rf"{_PLEASE}(?:create|make|write|add)\s+(?:(?:a|an|the)\s+)?(?:new\s+)?(?:empty\s+)?(?:file\s+)?"
        rf"(?:called\s+|named\s+)?{_FILE}"
        r"(?:\s*(?:with|containing|that (?:says|contains))\s*(?:the\s+)?(?:contents?|text|lines?)?\s*[:=]?\s?"
        r"(?P<content>.+)|[:]\s*\n(?P<block>.+))?",
        prompt.rstrip(),
        re.I | re.S,
    )
    if not found or not re.fullmatch(_PATH_LIKE, found["path"]):
        return None
    content = found["content"] or found["block"] or ""
    if re.match(r"(?:a|an|the|some|tests?|code|functions?|all)\s", content, re.I):
        return None  # a description of what to write: that takes a model
    return Edit(CREATE, _relative(found["path"]), content=_unquoted(content))


def _unquoted(content: str) -> str:
    """Take a text out of its fence or quotes; a last line is ended."""
    fenced = re.fullmatch(r"\s*```[\w-]*\n(.*?)\n?```\s*", content, re.S)
    text = fenced[1] if fenced else content
    if not fenced and len(text.strip()) > 1 and text.strip()[0] == text.strip()[-1] and text.strip()[0] in "\"'`":
        text = text.strip()[1:-1]
    return text if not text or text.endswith("\n") else text + "\n"


def _removal(prompt: str) -> Edit | None:
    found = re.fullmatch(rf"{_PLEASE}(?:delete|remove)\s+(?:the\s+)?(?:file\s+)?{_FILE}[.\s]*", prompt, re.I)
    return Edit(DELETE, _relative(found["path"])) if found and re.fullmatch(_PATH_LIKE, found["path"]) else None


def _move(prompt: str) -> Edit | None:
    found = re.fullmatch(
        rf"{_PLEASE}(?:move|rename)\s+(?:the\s+)?(?:file\s+)?{_FILE}\s+(?:to|into|as)\s+{_NEW_FILE}[.\s]*", prompt, re.I
    )
    if not found or not all(re.fullmatch(_PATH_LIKE, found[group]) for group in ("path", "new")):
        return None
    new = found["new"]
    return Edit(MOVE, _relative(found["path"]), new_path=_relative(new))


def _relative(path: str) -> str:
    """Give a path without the mark of a mention and without the folder that it is relative to."""
    return path.removeprefix("@").removeprefix("./")
