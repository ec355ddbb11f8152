"""What a session changed in files, as a unified diff: from what undoing it would leave to what stands now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import frozen

MOST_LINES = 2_000
"""Lines of a diff that are shown."""
MOST_BYTES = 1_000_000
"""A file that is bigger before or after is told, not compared."""
_NO_NEWLINE = "\\ No newline at end of file"


@frozen
class ChangedFile:
    """A file that a session changed: its bytes without the session and now, None where there is none."""

    path: str
    before: bytes | None
    after: bytes | None


def diff_lines(files: Iterable[ChangedFile]) -> Iterator[str]:
    """Yield the lines of a unified diff, not made harmless; of a long one the beginning, and how much more there is."""
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
    """Return lines with their ends; a carriage return is part of a line."""
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop().removesuffix("\n")
    return [*lines, last] if last else lines
