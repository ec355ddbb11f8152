"""Git's words in a workspace that is a folder of a repository: no other folder may be shown.

Git reads a word before `--` only as a revision, and one after it as a path below the working directory. So each word is
put on its side. Revisions must be commits, because the hash of a blob or a tree may belong to another folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from inarch import ToolFailed
from inarch_plugins.sandbox_fs.commands.git_rules import GIT, prepared
from inarch_plugins.sandbox_fs.commands.rules import Reader

_WITHOUT_REVISION = frozenset({"git status", "git ls-files"})
_OF_FOLDER = _WITHOUT_REVISION | {"git diff", "git log", "git show", "git grep"}
_SCOPED = _OF_FOLDER | {"git blame", "git cat-file", "git ls-tree"}
"""Subcommands limited to the folder; the others show names and messages of commits, as `git_show` does."""
_HISTORY = ("--follow", "--full-diff", "-L")  # they continue with a file's old name
_LEADING_OUT = {"git log": _HISTORY, "git show": (*_HISTORY, "--all", "--tags")}  # a tag may name a blob
_BELOW = re.compile(r"(?P<revision>[^:]*|:[0-3]):\./[^:]*")
_OF_COMMIT = re.compile(r"(?!.*\.\.).+\^(?:[@!]|-[0-9]*)")
_DOTS = re.compile(r"(\.{2,3})")
_WILD = re.compile(r"[*?\[]")


def scoped(name: str, words: Sequence[str], root: str) -> tuple[str, ...]:
    """Return the command line of git for a workspace that is a folder of its repository."""
    rule = next(one for one in GIT if one.name == name)
    rest = tuple(words[len(rule.words) :])
    if name not in _SCOPED:
        return prepared(rest, rule)
    reader = Reader(rule, root, rest)
    reader.read()
    if option := next((one for one in _LEADING_OUT.get(name, ()) if one in reader.given), ""):
        raise _beyond(f"{name} {option}", f"leave {option} out")
    before, revisions, paths = _parted(reader, rest)
    if next((path for path in paths if path.startswith(":")), ""):
        raise _beyond("a path that begins with :", "name files as they are called in the workspace")
    two_files = name == "git diff" and len(revisions) == 2 and all(map(_BELOW.fullmatch, revisions))
    if name in _OF_FOLDER and not paths and not two_files:
        paths = ["."]
    return prepared((*before, *(("--", *paths) if paths else ())), rule)


def _parted(reader: Reader, rest: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """Return the words for before `--`, the revisions among them, and the paths."""
    name, end = reader.rule.name, reader.options_end
    before: list[str] = []
    revisions: list[str] = []
    paths: list[str] = []
    needs_pattern = name == "git grep" and "-e" not in reader.given
    for place, word in enumerate((*rest[:end], *rest[end + 1 :])):
        if place < end and place not in reader.places:
            before.append(word)
        elif needs_pattern:
            before += ("-e", word)
            needs_pattern = False
        elif place >= end or _is_path(reader, word, is_first=place == reader.places[0]):
            paths.append(word)
        else:
            revisions.append(word)
            before.append(_peeled(word))
    return before, revisions, paths


def _is_path(reader: Reader, word: str, *, is_first: bool) -> bool:
    if reader.rule.name == "git ls-tree":
        return not is_first
    found = os.path.lexists(os.path.join(reader.root, word)) or _WILD.search(word) is not None
    return reader.rule.name in _WITHOUT_REVISION or (found and reader.rule.name != "git cat-file")


def _peeled(word: str) -> str:
    """Return a revision that can only be a commit, or a file of one that lies in the workspace."""
    if ":" in word:
        found = _BELOW.fullmatch(word)
        if found is None or "/.." in word:
            raise _beyond(word, "name a file of a revision from the workspace, such as HEAD:./FILE")
        revision = found["revision"]
        return word if revision.startswith(":") or not revision else f"{revision}^{{commit}}{word[len(revision) :]}"
    if _OF_COMMIT.fullmatch(word):
        return word
    return "".join(part if _DOTS.fullmatch(part) or not part else f"{part}^{{commit}}" for part in _DOTS.split(word))


def _beyond(what: str, remedy: str) -> ToolFailed:
    return ToolFailed(
        "permission", f"{what} could show other folders of the repository, of which the workspace is one", remedy
    )
