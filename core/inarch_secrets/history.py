"""Versions of `.env` files that a repository keeps: in its branches, tags, stashes, reflogs and index."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from inarch_secrets.dotenv import LARGEST, is_dotenv

MOST_VERSIONS = 2_000
"""Versions that are looked at, the newest first."""
MOST_BYTES = 1 << 24
"""Bytes of versions that are looked at in one go."""

Run = Callable[[Sequence[str], bytes], bytes]
"""What runs git with arguments and an input, and returns its output, or as much of it as came in time."""

_PATHS = ("--", ":(top,icase,glob)**/.env.*", ":(top,icase,glob)**/*.env")
_LOG = (
    "log", "--full-history", "-m", "--root", "--raw", "--no-abbrev", "--no-renames", "--no-relative", "--no-ext-diff",
    "--no-textconv", "--no-show-signature", "--ignore-missing", "--format=", "-z", "--stdin",
)  # fmt: skip
# `git log --raw -z`: ":MODE MODE OLD NEW LETTER", then the path (git-diff(1), "RAW OUTPUT FORMAT", Git 2.39).
_CHANGED = re.compile(rb":\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) [A-Z]\0([^\0]+)\0")
_STAGED = re.compile(rb"\d+ ([0-9a-f]+) \d\t([^\0]+)\0")


def learn_kept(run: Run, learn: Callable[[bytes], None], known: set[bytes]) -> None:
    """Pass each version to `learn` that is not among the `known` objects, which then get what was looked at."""
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
    """Yield what `git cat-file --batch` printed of each object: "NAME TYPE SIZE", its bytes, a line's end."""
    place = 0
    while (end := printed.find(b"\n", place)) >= 0 and place < MOST_BYTES:
        fields = printed[place:end].split()
        size = int(fields[2]) if len(fields) == 3 and fields[2].isdigit() else -1
        if size >= 0 and fields[1] == b"blob":
            yield printed[end + 1 : end + 1 + min(size, LARGEST)]
        place = end + 1 + size + 1
