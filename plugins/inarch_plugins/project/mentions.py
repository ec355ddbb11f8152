"""Mentions in a prompt: `@file`, `@file:2-8`, `@dir/` and `@picture.png` are read before the model is asked."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import inarch
from inarch_lib.pictures import picture_type

SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
LARGEST = 10_000_000
"""Maximum bytes of all pictures of one prompt; services refuse about twice as much, and base64 adds a third."""


def looks_like_picture(path: str) -> bool:
    """Return whether a path's name is that of a supported picture."""
    return path.lower().endswith(SUFFIXES)


def read_picture(path: str, workspace: inarch.Workspace, room: int) -> inarch.Image | str:
    """Return a picture, or why it cannot be shown.

    Raises:
        ToolFailed: It cannot be read.
    """
    found = workspace.read(path, 0, room + 1)
    if found.size > room:
        return f"not shown: pictures of one prompt may have {LARGEST // 1_000_000} MB together"
    media_type = picture_type(found.data)
    return inarch.Image(media_type, found.data) if media_type else "not shown: no PNG, JPEG, GIF or WebP picture"


DIRECTORY_FILES = 20
"""Maximum files of a mentioned directory that are included whole; the others are named."""
READER, LINES_READER = "read_multiple_files", "read_file"
MOST_COUNTED = 1_000_000
"""Maximum bytes of a file whose lines are counted before some of them are read."""

_MENTION = re.compile(r"(?:(?<=\s)|^)@((?:\\.|[^\s\\])+)")
_FENCE = re.compile(r"^(`{3,})[^\n]*\n.*?(?:^\1`*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_LINES = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")
_TRAILING = ".,;:!?)]}'\""


class Mention(NamedTuple):
    """Mentioned path and its files, or the first and the last line of one.

    A failed mention is also reported to the user.
    """

    word: str
    files: tuple[str, ...] = ()
    note: str = ""
    is_missed: bool = False
    lines: tuple[int, int] | None = None

    @property
    def words(self) -> str:
        """Return the mention with its note."""
        return f"@{self.word}: {self.note}"


async def mentions(situation: inarch.Situation) -> inarch.Contribution | None:
    """Return the calls that read the mentioned files, and a note on failed mentions."""
    words = [word for word in mentioned_words(situation.turn.content) if not _is_agent(word, situation)]
    if not words:
        return None
    resources = {word: call for word in words if (call := _resource(word, situation)) is not None}
    words = [word for word in words if word not in resources]
    found, images = await asyncio.to_thread(_found, words, situation.workspace)
    files = list(dict.fromkeys(path for mention in found if not mention.lines for path in mention.files))
    notes = "\n".join(mention.words for mention in found if mention.note)
    missed = tuple(mention.words for mention in found if mention.is_missed)
    calls = [inarch.PlannedCall(READER, {"file_paths": files})] if files else []
    for mention in found:
        if mention.lines:
            first, last = mention.lines
            arguments = {"file_path": mention.files[0], "start_line": first, "end_line": last}
            calls.append(inarch.PlannedCall(LINES_READER, arguments))
    calls += resources.values()
    names = {spec.name for spec in situation.tools}
    return inarch.Contribution(notes, tuple(call for call in calls if call.name in names), images, missed)


def _resource(word: str, situation: inarch.Situation) -> inarch.PlannedCall | None:
    """Return the call that reads `@SERVER:URI`, if a tool reads resources of that server."""
    server, _, uri = word.rstrip(_TRAILING).partition(":")
    for spec in situation.tools if uri else ():
        has = spec.input_schema.get("properties", {})
        if "uri" in has and server in has.get("server", {}).get("enum", ()):
            return inarch.PlannedCall(spec.name, {"server": server, "uri": uri})
    return None


def _is_agent(word: str, situation: inarch.Situation) -> bool:
    """Return whether a prompt begins with the name of an agent that a tool hands it to, and not of a file."""
    if not situation.turn.content.lstrip().startswith(f"@{word}"):
        return False
    takers = [spec.input_schema.get("properties", {}).get("agent", {}) for spec in situation.tools]
    return any(word in taker.get("enum", ()) for taker in takers) and situation.workspace.stat(word) is None


def _found(words: Sequence[str], workspace: inarch.Workspace) -> tuple[list[Mention], tuple[inarch.Image, ...]]:
    """Return the mention of each word; pictures are removed from the files to read as text."""
    mentions: list[Mention] = []
    images: list[inarch.Image] = []
    room = LARGEST
    for mention in (resolve(word, workspace) for word in words):
        if mention.files == (mention.word,) and looks_like_picture(mention.word):
            try:
                picture = read_picture(mention.word, workspace, room)
            except inarch.ToolFailed as error:
                picture = error.message
            if isinstance(picture, inarch.Image):
                images.append(picture)
                room -= len(picture.data)
                kind = f"{picture.media_type}, {len(picture.data)} bytes"
                mention = Mention(mention.word, note=f"picture {len(images)} of those below ({kind})")
            else:
                mention = _missed(mention.word, picture)
        mentions.append(mention)
    return mentions, tuple(images)


def mentioned_words(prompt: str) -> list[str]:
    """Return the mentioned paths in order, unescaped, each once; mentions in a fence are quotations."""
    prompt = _FENCE.sub(" ", prompt)
    words = (re.sub(r"\\(.)", r"\1", match[1]) for match in _MENTION.finditer(prompt))
    return list(dict.fromkeys(word for word in words if word.strip(_TRAILING + "@")))


def resolve(word: str, workspace: inarch.Workspace) -> Mention:
    """Resolve a mention; punctuation at its end is removed unless the path contains it."""
    note = "there is no such file or directory"
    word = word.removeprefix(f"{workspace.root.rstrip('/')}/")
    for path in _candidates(word):
        try:
            stat = workspace.stat(path.rstrip("/") or ".")
        except inarch.ToolFailed as error:
            note = error.message
            continue
        if stat is None:
            continue
        if stat.kind == "directory":
            return _directory(path.rstrip("/"), workspace)
        if stat.kind == "other":
            return _missed(word, "not a regular file")
        if not workspace.walk(_literal(path), 1).paths:
            return _missed(word, "skipped: git ignores it (read_file still can read it)")
        return Mention(path, (path,))
    found = [one for path in _candidates(word) if (one := _lines(path, workspace)) is not None]
    return next((one for one in found if one.lines), None) or (found[-1] if found else _missed(word, note))


def _lines(word: str, workspace: inarch.Workspace) -> Mention | None:
    """Return mentioned lines of a file; None if the part before the colon is not a path."""
    path, _, said = word.rpartition(":")
    try:
        stat = workspace.stat(path) if path else None
    except inarch.ToolFailed:
        return None
    if stat is None:
        return None
    if stat.kind != "file" or looks_like_picture(path):
        return _missed(word, f"{path} is not a text file, so it has no lines")
    whole = resolve(path, workspace)
    numbers = _LINES.fullmatch(said)
    if numbers is None or whole.is_missed:
        return _missed(word, whole.note or f"{said!r} does not name lines: write {path}:2 or {path}:2-8")
    first, last = int(numbers[1]), int(numbers[2] or numbers[1])
    if first < 1 or last < first:
        return _missed(word, "lines are counted from 1, and the first of them comes first")
    if stat.size <= MOST_COUNTED and (count := _count_lines(path, workspace)) < first:
        return _missed(word, f"{path} has {count} lines")
    return Mention(word, (path,), lines=(first, last))


def _count_lines(path: str, workspace: inarch.Workspace) -> int:
    try:
        data = workspace.read(path).data
    except inarch.ToolFailed:  # the call that reads it reports why
        return sys.maxsize
    return data.count(b"\n") + (data[-1:] not in (b"", b"\n"))


def _missed(word: str, note: str) -> Mention:
    return Mention(word, note=note, is_missed=True)


def _directory(path: str, workspace: inarch.Workspace) -> Mention:
    pattern = f"{_literal(path)}/**/*" if path not in ("", ".") else "**/*"
    walk = workspace.walk(pattern, DIRECTORY_FILES + 1)
    if not walk.paths:
        return _missed(f"{path}/", "no files in it")
    more = " (more files than that are in it; list_files shows them)" if len(walk.paths) > DIRECTORY_FILES else ""
    files = walk.paths[:DIRECTORY_FILES]
    return Mention(f"{path}/", files, f"{len(files)} files{more}" if more else "")


def _candidates(word: str) -> Iterator[str]:
    yield word
    stripped = word.rstrip(_TRAILING)
    if stripped != word and stripped:
        yield stripped


def _literal(path: str) -> str:
    """Escape the glob characters of a path."""
    return re.sub(r"([*?\[])", r"[\1]", path)
