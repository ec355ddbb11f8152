"""A file's change as a patch in the form of Git. Pure."""

from __future__ import annotations

import stat
from collections.abc import Iterator

from inarch_lib.output.line_matches import split_lines, unified
from inarch_lib.output.line_merge import is_binary

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
    names = _quoted(path, "a/") if before[1] else "/dev/null", _quoted(path, "b/") if after[1] else "/dev/null"
    for line in unified(_lines(old), _lines(new), names, end="\n"):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(data: bytes) -> list[str]:
    return [line.decode("utf-8", "surrogateescape") for line in split_lines(data)]


def _git_mode(mode: int) -> str:
    """Return a mode as Git has them: a link, a program, or any other file."""
    return "120000" if stat.S_ISLNK(mode) else "100755" if mode & 0o111 else "100644"


def _quoted(path: str, before: str = "") -> str:
    """Return a path as Git writes it where it has bytes that would not stay on their line."""
    text = before + path
    if not any(character < " " or character in '"\\\x7f' for character in text):
        return text
    inner = "".join(
        f"\\{one}" if one in '"\\' else f"\\{ord(one):03o}" if one < " " or one == "\x7f" else one for one in text
    )
    return f'"{inner}"'
