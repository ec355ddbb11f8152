"""A session's changes to files as a unified diff, from the files without the session to the present ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import frozen

MOST_LINES = 2_000
"""Most lines of a diff that are shown."""
MOST_BYTES = 1_000_000
"""Size limit in bytes for a diff. Larger files are only named."""
_NO_NEWLINE = "\\ No newline at end of file"


@frozen
class ChangedFile:
    """A file that a session changed: its bytes without the session and now, or None if it does not exist."""

    path: str
    before: bytes | None
    after: bytes | None


def diff_lines(files: Iterable[ChangedFile]) -> Iterator[str]:
    """Yield the lines of a unified diff, unescaped. Cut a long one, and give the number of further lines."""
    left = 0
    for number, line in enumerate(line for file in files for line in _of(file)):
        if number < MOST_LINES:
            yield line
        else:
            left += 1
    if left:
        yield f"… {left:,} more lines"


def _of(file: ChangedFile) -> Iterator[str]:
    from inarch_lib.output.line_matches import unified

    before, after = (None if data is None else _text(data) for data in (file.before, file.after))
    old, new = (f"{side}/{file.path}" if data is not None else "/dev/null"
                for side, data in (("a", file.before), ("b", file.after)))  # fmt: skip
    if (before is None) != (file.before is None) or (after is None) != (file.after is None):
        yield f"binary or big: {old} ({_size(file.before)}) and {new} ({_size(file.after)})"
    elif file.before == file.after:
        yield f"the mode of {file.path} changed"
    else:
        for line in unified(_split(before or ""), _split(after or ""), (old, new), end="\n"):
            yield line.removesuffix("\n")
            if not line.endswith("\n"):
                yield _NO_NEWLINE


def _text(data: bytes) -> str | None:
    if len(data) > MOST_BYTES or b"\0" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _size(data: bytes | None) -> str:
    return "not there" if data is None else f"{len(data):,} bytes"


def _split(text: str) -> list[str]:
    """Return lines with their ends. A carriage return is part of a line."""
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop().removesuffix("\n")
    return [*lines, last] if last else lines
