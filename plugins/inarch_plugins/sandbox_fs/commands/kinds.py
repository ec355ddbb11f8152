"""Kinds of words that a program may be given, and the form of each."""

from __future__ import annotations

import re
from collections.abc import Iterable

from inarch import ToolFailed
from inarch_plugins.sandbox_fs.paths import normal


class Refused(Exception):
    """Refused command line: why, what to do, and whether the user's own rule could allow it."""

    def __init__(self, reason: str, remedy: str = "", *, grantable: bool = True) -> None:
        super().__init__(reason)
        self.reason, self.remedy, self.grantable = reason, remedy, grantable


_LOG_PLACEHOLDER = (
    r"%(?:%|n|[-+ ]?(?:[HhTtPpdDSesfbBN]|a[nNeElLdDrtiIsh]|c[nNeElLdDrtiIsh]|g[dDsnNeE])|m|x[0-9a-fA-F]{2}"
    r"|C(?:red|green|blue|reset|\([\w ,]*\))"
    r"|[<>]{1,2}\|?\(-?[0-9]+(?:,\w+)?\)|w\([0-9,]*\)|\(trailers(?::[\w=,. -]*)?\))"
)
_LOG_FORMAT = re.compile(rf"(?:[^%]|{_LOG_PLACEHOLDER})*")
_NAMED_FORMATS = ("oneline", "short", "medium", "full", "fuller", "reference", "email", "raw")
_ATOMS = (
    "refname objecttype objectname objectsize upstream push HEAD symref subject body contents authorname authoremail"
    " authordate author committername committeremail committerdate committer creator creatordate taggername taggerdate"
)
_REF_FORMAT = re.compile(rf"(?:[^%]|%%|%\(\*?(?:{'|'.join(_ATOMS.split())})(?::[\w=,.:-]*)?\))*")

_LINES = r"(?:[0-9]+|\$)(?:,(?:[0-9]+|\$|\+[0-9]+))?p"
_PATTERNS = {
    "number": (re.compile(r"[0-9]+"), "a number"),
    "count": (re.compile(r"[+-]?[0-9]+[bcwkKMGTPEi]{0,3}"), "a number"),
    "date_format": (re.compile(r"\+.*", re.S), "a format that begins with +"),
    "lines": (re.compile(rf"{_LINES}(?:;{_LINES})*"), "lines to print, such as 10,20p"),
    "log_format": (_LOG_FORMAT, "a format of plain placeholders such as %h %an %ad %s"),
    "ref_format": (_REF_FORMAT, "a format of plain fields such as %(refname:short)"),
}  # fmt: skip
_ATTACHED = re.compile(r"-[A-Za-z](?P<path>/.*|\.\..*)", re.S)  # -C../x
KINDS = frozenset({"text", "path", "object", *_PATTERNS})
"""The kinds with a name; any other kind is the list of its words, separated by `|`."""


def check(kind: str, word: str, root: str) -> None:
    """Refuse a word that is not of its kind."""
    if kind in ("path", "object"):
        check_path(word, root)
    elif kind in _PATTERNS:
        pattern, said = _PATTERNS[kind]
        if not pattern.fullmatch(word) or (kind == "log_format" and _names_an_alias(word)):
            raise Refused(f"{word!r} is not {said}")
    elif kind != "text" and word not in kind.split("|"):
        raise Refused(f"{word!r} is not one of {', '.join(kind.split('|'))}")


def _names_an_alias(word: str) -> bool:
    """Return whether git could look a format's name up in the repository's configuration."""
    own = word.startswith(("format:", "tformat:"))
    return bool(word) and "%" not in word and not own and word not in _NAMED_FORMATS


def check_path(word: str, root: str) -> None:
    """Refuse a word that, read as a path, is absolute or has a `..` component."""
    if not word or word == "-":
        return
    try:
        normal(word, root)
    except ToolFailed as error:
        raise Refused(error.message, _inside(word, root) or error.remedy, grantable=False) from None


def _inside(word: str, root: str) -> str:
    """Return the relative spelling of a path that, links aside, lies in the workspace."""
    import posixpath

    base = root or "/workspace"
    full = posixpath.normpath(posixpath.join(base, word))
    if full != base and not full.startswith(base.rstrip("/") + "/"):
        return ""
    return f"use {posixpath.relpath(full, base)!r}"


def check_free(word: str, root: str) -> None:
    """Refuse a free argument with a path that leaves the workspace, by itself or after an option's `=`."""
    if "://" in word:  # an address is not a path
        return
    attached = _ATTACHED.match(word)
    for part in (word, word.partition("=")[2], attached["path"] if attached else ""):
        if part.startswith("/") or ".." in re.split(r"[/:,]", part):
            check_path(part, root)


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the known word most like another one, or nothing."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, list(known), n=1, cutoff=0.7)), "")
