"""The files of a bundle's source: a repository, read without a checkout, or a folder."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from posixpath import dirname, join, normpath
from tempfile import TemporaryDirectory
from typing import NamedTuple

import inarch
from inarch_lib.bundles.store import File

MOST_BYTES, MOST_FILES = 50_000_000, 10_000
_SECONDS = 300.0
_HUB = re.compile(r"([\w-][\w.-]*/[\w.-]+?)(?:\.git)?(?:@(.+))?")
_LIMITED = ("sh", "-c", 'ulimit -f 200000; exec "$@"', "sh", "git")
"""Git with a limit of 100 MB a file, because a pack may be large before it is known."""
_OFF = ("core.hooksPath=/dev/null", "protocol.allow=never", "protocol.https.allow=always", "protocol.file.allow=user")
_LINK = "120000"


class Source(NamedTuple):
    """Where a bundle comes from: an address or an absolute path, a branch, tag or commit, and a folder in it."""

    place: str
    ref: str = ""
    folder: str = ""

    @property
    def is_local(self) -> bool:
        """Return whether it is a folder of this machine, which is not read as a repository."""
        return self.place.startswith("/")


Tree = Mapping[str, File]


def source_of(text: str) -> Source:
    """Return the source that a person's words name: a folder, OWNER/REPO[@ref], or an https address[@ref].

    Raises:
        UsageError: They name none.
    """
    if (path := Path(text).expanduser()).is_dir():
        return Source(str(path.resolve()))
    if text.startswith("https://"):
        address, _, ref = text.removeprefix("https://").partition("@")
        return Source(f"https://{address}", ref)
    if (found := _HUB.fullmatch(text)) is not None:
        return Source(found[1], found[2] or "")
    raise inarch.UsageError(f"{text!r} is neither a folder nor OWNER/REPO", "or give an https address")


def fetch(source: Source) -> tuple[Tree, str]:
    """Return all files of a source, and the commit, which is empty for a folder.

    Raises:
        UsageError: It cannot be fetched, is too large, or contains a path or a link that leaves it.
    """
    if source.is_local:
        return _checked(_of_folder(Path(source.place))), ""
    if source.ref.startswith("-"):
        raise inarch.UsageError(f"{source.ref!r} is not a branch, tag or commit")
    address = source.place if "://" in source.place else f"https://github.com/{source.place}.git"
    with TemporaryDirectory(prefix="inarch-bundle-") as folder:
        _git(folder, "init", "--quiet", "--template=")
        _git(folder, "fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", address,
             source.ref or "HEAD")  # fmt: skip
        sha = _git(folder, "rev-parse", "FETCH_HEAD^{commit}").decode().strip()
        return _checked(_of_commit(folder, sha)), sha


def _git(folder: str, *words: str, given: bytes = b"") -> bytes:
    off = [word for one in _OFF for word in ("-c", one)]
    env = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1", "GIT_NO_LAZY_FETCH": "1"}
    try:
        command = (*_LIMITED, "-C", folder, *off, *words)
        done = subprocess.run(command, input=given, capture_output=True, env=env, timeout=_SECONDS, check=False)
    except FileNotFoundError:
        raise inarch.UsageError("bundles need sh and Git") from None
    except subprocess.TimeoutExpired:
        raise inarch.UsageError(f"git {words[0]} took more than {_SECONDS:g} s") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip() or f"exit {done.returncode}, the source may be too large"
        raise inarch.UsageError(f"git {words[0]} failed: {inarch.shorten(said, 300)}")
    return done.stdout


def _of_commit(folder: str, sha: str) -> Iterator[tuple[str, str, bytes]]:
    """Yield path, mode and bytes of a commit's files; submodules are left out."""
    entries, total = [], 0
    for line in os.fsdecode(_git(folder, "ls-tree", "-r", "-l", "-z", "--full-tree", sha)).split("\0")[:-1]:
        facts, _, path = line.partition("\t")
        mode, kind, blob, size = facts.split()
        if kind == "blob":
            entries.append((path, mode, blob))
            total += int(size)
    if total > MOST_BYTES or len(entries) > MOST_FILES:
        raise _too_large()
    out = _git(folder, "cat-file", "--batch", given="".join(f"{blob}\n" for _, _, blob in entries).encode())
    at = 0
    for path, mode, _ in entries:
        end = out.index(b"\n", at)
        last = end + 1 + int(out[at:end].split()[2])
        yield path, mode, out[end + 1 : last]
        at = last + 1


def _of_folder(top: Path) -> Iterator[tuple[str, str, bytes]]:
    total = 0
    found = (one for one in top.rglob("*") if ".git" not in one.relative_to(top).parts)
    for number, path in enumerate(sorted(one for one in found if one.is_symlink() or not one.is_dir())):
        name = path.relative_to(top).as_posix()
        if path.is_symlink():
            yield name, _LINK, os.fsencode(path.readlink())
            continue
        total += (facts := path.stat()).st_size
        if total > MOST_BYTES or number > MOST_FILES:
            raise _too_large()
        if path.is_file():
            yield name, "100755" if facts.st_mode & 0o100 else "100644", path.read_bytes()


def _checked(entries: Iterator[tuple[str, str, bytes]]) -> Tree:
    """Return the files of a tree. A link to others of its files becomes a copy.

    Raises:
        UsageError: A path or a link leaves the tree.
    """
    files: dict[str, File] = {}
    links: dict[str, str] = {}
    for path, mode, data in entries:
        if path.startswith("/") or {"", ".", "..", ".git"} & set(path.casefold().split("/")) or "\0" in path:
            raise inarch.UsageError(f"the source has the path {path!r}, which leaves it")
        if mode == _LINK:
            links[path] = os.fsdecode(data)
        else:
            files[path] = File(data, mode == "100755")
    for path, target in links.items():
        joined = normpath(join(dirname(path), target))
        if joined.startswith(("..", "/")):
            raise inarch.UsageError(f"the source has the link {path!r} to {target!r}, which leaves it")
        linked = {one: file for one, file in files.items() if one == joined or one.startswith(f"{joined}/")}
        files |= {f"{path}{one.removeprefix(joined)}": file for one, file in linked.items()}
        if len(files) > MOST_FILES:
            raise _too_large()
    return files


def _too_large() -> inarch.UsageError:
    return inarch.UsageError(f"the source has more than {MOST_BYTES // 1_000_000} MB or {MOST_FILES:,} files")
