"""`.env` files: which they are, where a workspace has them, and what variables stand in one."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

LARGEST = 1 << 18
"""Bytes of a `.env` file that are looked at."""
_DEPTH = 2
_MOST_FOLDERS = 64
_MOST_ENTRIES = 4000
_PASSED_OVER = frozenset({"node_modules", "venv", "env", "vendor", "target", "dist", "build", "site-packages"})
_SAMPLES = (".example", ".sample", ".template", ".dist", ".tmpl", ".defaults")
_VARIABLE = re.compile(r"[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*=[ \t]*")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


def is_dotenv(path: str) -> bool:
    """Whether a path's last component names a `.env` file, and none that is there to be copied."""
    name = path.replace("\\", "/").rpartition("/")[2].lower()
    return (name.startswith(".env.") or name.endswith(".env")) and not name.endswith(_SAMPLES)


def find_dotenvs(root: str) -> list[str]:
    """Return the `.env` files of a folder and of two levels below; so many folders and names are looked at, no more."""
    found: list[str] = []
    level, seen, left = [""], 0, _MOST_ENTRIES
    for _ in range(_DEPTH + 1):
        below: list[str] = []
        for folder in level:
            seen += 1
            if seen > _MOST_FOLDERS:
                return found
            for name, is_folder in _entries(os.path.join(root, folder)):  # noqa: PTH118 - a third of a path's cost
                left -= 1
                if left < 0:
                    return found
                path = f"{folder}/{name}" if folder else name
                if is_folder and not name.startswith(".") and name not in _PASSED_OVER:
                    below.append(path)
                elif not is_folder and ".env" in name.lower() and is_dotenv(name):
                    found.append(path)
        level = below
    return found


def _entries(folder: str) -> Iterator[tuple[str, bool]]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                # What has a suffix is no folder worth asking the system about.
                yield entry.name, entry.is_dir(follow_symlinks=False)
    except OSError:
        return


def parse_dotenv(data: bytes | str) -> Iterator[tuple[str, str]]:
    """Yield the variables of a `.env` file with their values; what is interpolated stays as it stands."""
    text = decoded(data) if isinstance(data, bytes) else data
    text = text.replace("\r\n", "\n")
    place = 0
    while place < len(text):
        match = _VARIABLE.match(text, place)
        if match is None:
            place = _line_end(text, place)
            continue
        value, place = _value(text, match.end())
        if value and "${" not in value and "$(" not in value:
            yield match[1], value


def decoded(data: bytes) -> str:
    """Return a file's text, whatever stands in it."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    return data.decode("utf-8-sig", "surrogateescape")


def _value(text: str, start: int) -> tuple[str, int]:
    """Return the value that begins at `start` and where the next line begins."""
    quote = text[start : start + 1]
    if quote and quote in "'\"`":
        end = start + 1
        while end < len(text) and text[end] != quote:
            end += 2 if text[end] == "\\" and quote == '"' else 1
        if end < len(text):
            inner = text[start + 1 : end]
            if quote == '"':
                inner = re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), inner, flags=re.DOTALL)
            return inner, _line_end(text, end)
        start += 1  # nothing closes it: the line is all there is
    end = _line_end(text, start)
    line = text[start:end]
    return re.split(r"(?:^|\s)#", line, maxsplit=1)[0].strip(), end


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end + 1
