"""`.env` files: their names, their locations in a workspace, and the variables in one."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

LARGEST = 1 << 18
"""Maximum bytes of a `.env` file that are examined."""
_DEPTH = 2
_MOST_FOLDERS = 64
_MOST_ENTRIES = 4000
_PASSED_OVER = frozenset({"node_modules", "venv", "env", "vendor", "target", "dist", "build", "site-packages"})
_SAMPLES = (".example", ".sample", ".template", ".dist", ".tmpl", ".defaults")
_VARIABLE = re.compile(r"[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*=[ \t]*")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


def is_dotenv(path: str) -> bool:
    """Return whether a path's last component names a `.env` file that is not a template."""
    name = path.replace("\\", "/").rpartition("/")[2].lower()
    return (name.startswith(".env.") or name.endswith(".env")) and not name.endswith(_SAMPLES)


def find_dotenvs(root: str) -> list[str]:
    """Return the `.env` files of a folder and two levels below, examining a limited number of names."""
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
                # A name with a suffix is not a folder worth asking the system about.
                yield entry.name, entry.is_dir(follow_symlinks=False)
    except OSError:
        return


def parse_dotenv(data: bytes | str) -> Iterator[tuple[str, str]]:
    """Yield the variables of a `.env` file with their values; interpolations are not expanded."""
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
    """Return a file's text, whatever its bytes are."""
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
        start += 1  # no closing quote: the value is only this line
    end = _line_end(text, start)
    line = text[start:end]
    return re.split(r"(?:^|\s)#", line, maxsplit=1)[0].strip(), end


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end + 1


MOST_VERSIONS = 2_000
"""Maximum versions that are examined, the newest first."""
MOST_BYTES = 1 << 24
"""Maximum bytes of versions that are examined at once."""

Run = Callable[[Sequence[str], bytes], bytes]
"""Runs git with arguments and an input, and returns its output, as far as it came in time."""

_PATHS = ("--", ":(top,icase,glob)**/.env.*", ":(top,icase,glob)**/*.env")
_LOG = (
    "log", "--full-history", "-m", "--root", "--raw", "--no-abbrev", "--no-renames", "--no-relative", "--no-ext-diff",
    "--no-textconv", "--no-show-signature", "--ignore-missing", "--format=", "-z", "--stdin",
)  # fmt: skip
# `git log --raw -z`: ":MODE MODE OLD NEW LETTER", then the path (git-diff(1), "RAW OUTPUT FORMAT", Git 2.39).
_CHANGED = re.compile(rb":\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) [A-Z]\0([^\0]+)\0")
_STAGED = re.compile(rb"\d+ ([0-9a-f]+) \d\t([^\0]+)\0")


def learn_kept(run: Run, learn: Callable[[bytes], None], known: set[bytes]) -> None:
    """Pass each version that is not in `known` to `learn`, and add it to `known`."""
    tips = set(run(("rev-list", "--no-walk", "--all", "--reflog"), b"").split())
    printed = b""
    if new := tips - known:
        wanted = (*new, *(b"^" + tip for tip in known & tips), b"")
        printed = run((*_LOG, *_PATHS), b"\n".join(wanted))
    staged = run(("ls-files", "--stage", "-z", "--full-name", *_PATHS), b"")
    versions = list(islice((name for name in _versions(printed, staged) if name not in known), MOST_VERSIONS))
    if versions:
        for data in _contents(run(("cat-file", "--batch"), b"\n".join((*versions, b"")))):
            learn(data)
    known.update(tips, versions)


def _versions(printed: bytes, staged: bytes) -> dict[bytes, None]:
    """Return the names of the versions, those of the index first, then the newest."""
    listed: list[tuple[bytes, bytes]] = _STAGED.findall(staged)
    for old, new, path in _CHANGED.findall(printed):
        listed += [(new, path), (old, path)]
    return {name: None for name, path in listed if name.strip(b"0") and is_dotenv(path.decode("utf-8", "replace"))}


def _contents(printed: bytes) -> Iterator[bytes]:
    """Yield each object's content from `git cat-file --batch`: "NAME TYPE SIZE", its bytes, a line's end."""
    place = 0
    while (end := printed.find(b"\n", place)) >= 0 and place < MOST_BYTES:
        fields = printed[place:end].split()
        size = int(fields[2]) if len(fields) == 3 and fields[2].isdigit() else -1
        if size >= 0 and fields[1] == b"blob":
            yield printed[end + 1 : end + 1 + min(size, LARGEST)]
        place = end + 1 + size + 1
