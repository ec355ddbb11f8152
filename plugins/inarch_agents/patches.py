"""A file's change as a patch in the form of Git. Pure."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Sequence

from inarch_sdk.matching import Hunk, hunks, is_binary, split_lines

AROUND = 3
"""Lines that are shown around those that changed."""
Side = tuple[bytes | None, int]
"""Bytes and whole mode; None and 0 for nothing."""


def patch_of(path: str, before: Side, after: Side) -> Iterator[str]:
    """Yield the lines, with their ends, of what makes the one of the other; what is no UTF-8 is as surrogates."""
    name = _quoted(path)
    yield f"diff --git {_quoted(path, 'a/')} {_quoted(path, 'b/')}\n"
    if not before[1]:
        yield f"new file mode {_git_mode(after[1])}\n"
    elif not after[1]:
        yield f"deleted file mode {_git_mode(before[1])}\n"
    elif _git_mode(before[1]) != _git_mode(after[1]):
        yield f"old mode {_git_mode(before[1])}\nnew mode {_git_mode(after[1])}\n"
    old, new = before[0] or b"", after[0] or b""
    if old == new:
        return
    if is_binary(old) or is_binary(new):
        yield f"Binary files of {name} differ\n"
        return
    yield f"--- {_quoted(path, 'a/') if before[1] else '/dev/null'}\n"
    yield f"+++ {_quoted(path, 'b/') if after[1] else '/dev/null'}\n"
    lines = split_lines(old), split_lines(new)
    for group in _groups(hunks(*lines)):
        yield from _shown(group, *lines)


def _git_mode(mode: int) -> str:
    """Return a mode as Git has them: a link, a program, or any other file."""
    return "120000" if stat.S_ISLNK(mode) else "100755" if mode & 0o111 else "100644"


def _groups(found: Sequence[Hunk]) -> Iterator[list[Hunk]]:
    """Yield hunks that are shown as one, for what is shown around them touches."""
    group: list[Hunk] = []
    for hunk in found:
        if group and hunk.start - group[-1].end > 2 * AROUND:
            yield group
            group = []
        group.append(hunk)
    if group:
        yield group


def _shown(group: Sequence[Hunk], old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[str]:
    before = min(AROUND, group[0].start)
    start, new_start = group[0].start - before, group[0].new_start - before
    end = min(len(old), group[-1].end + AROUND)
    length = group[-1].new_end + (end - group[-1].end) - new_start
    yield f"@@ -{_span(start, end - start)} +{_span(new_start, length)} @@\n"
    at = start
    for hunk in group:
        yield from _marked(" ", old[at : hunk.start])
        yield from _marked("-", old[hunk.start : hunk.end])
        yield from _marked("+", new[hunk.new_start : hunk.new_end])
        at = hunk.end
    yield from _marked(" ", old[at:end])


def _span(start: int, length: int) -> str:
    return f"{start + 1 if length else start},{length}"


def _marked(mark: str, lines: Sequence[bytes]) -> Iterator[str]:
    for line in lines:
        text = line.decode("utf-8", "surrogateescape")
        yield f"{mark}{text}" if text.endswith("\n") else f"{mark}{text}\n\\ No newline at end of file\n"


def _quoted(path: str, before: str = "") -> str:
    """Return a path as Git writes it where it has bytes that would not stay on their line."""
    text = before + path
    if not any(character < " " or character in '"\\\x7f' for character in text):
        return text
    inner = "".join(
        f"\\{one}" if one in '"\\' else f"\\{ord(one):03o}" if one < " " or one == "\x7f" else one for one in text
    )
    return f'"{inner}"'
