"""Files of a project that need trust, read so that no link and no race leads out of it."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice

from inarch.config.files import (
    CONFIG_FILE,
    GUIDE_FILES,
    MAX_BYTES,
    READ,
    RULES,
    TRUSTED_FILES,
    TRUSTED_FOLDERS,
    Unreadable,
    read_regular,
    why,
)
from inarch.contract.frozen import frozen
from inarch_lib.staging import is_leftover

MAX_FILES = 1_000
MAX_FOLDERS = 20_000
MAX_TOTAL_BYTES = 16_000_000
MAX_BOUND_BYTES = 64_000_000
"""Size limit of a file that a command runs, such as a compiled program of a project's environment."""
_MAX_LINKS = 8
_LINK = (errno.ELOOP, errno.ENOTDIR)  # what O_NOFOLLOW reports, the second with O_DIRECTORY
_PACKAGES = ("node_modules", "site-packages", "__pycache__")


@frozen
class ProjectFiles:
    """Files of a project that need trust: hashes by path, and refused ones with reasons."""

    hashes: Mapping[str, str]
    config: bytes | None = None
    refused: Mapping[str, str] = {}


@contextmanager
def _opened(root: str) -> Iterator[int]:
    descriptor = os.open(root, READ | os.O_DIRECTORY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def project_files(root: str, nested: Iterable[str] = ()) -> ProjectFiles:
    """Return the files of a project that need trust, with its `nested_guides`; none if it cannot be opened."""
    hashes: dict[str, str] = {}
    refused: dict[str, str] = {}
    config: bytes | None = None
    total = 0
    try:
        with _opened(root) as top:
            for path in [*_candidates(top, refused), *nested]:
                try:
                    data = _read_beneath(top, path)
                except Unreadable as error:
                    refused[path] = str(error)
                    continue
                if data is None:
                    continue
                total += len(data)
                if total > MAX_TOTAL_BYTES:
                    refused[path] = f"is too much: there are more than {MAX_TOTAL_BYTES:,} bytes that need trust"
                else:
                    hashes[path] = digest(data)
                    config = data if path == CONFIG_FILE else config
    except (OSError, ValueError):
        return ProjectFiles({})
    return ProjectFiles(hashes, config, refused)


def read_project_file(root: str, path: str, most: int = MAX_BYTES) -> bytes | None:
    """Return one file of a project of at most `most` bytes, None if it does not exist.

    Raises:
        Unreadable: It is not a regular file, too large, or a link that leaves the project.
    """
    try:
        with _opened(root) as top:
            return _read_beneath(top, path, most)
    except OSError as error:
        raise Unreadable(why(error)) from error


def read_trusted(root: str, path: str, trusted_files: Mapping[str, str]) -> bytes | None:
    """Return the bytes of a trusted file, as they were when trust was checked; None if it is not trusted."""
    if path not in trusted_files:
        return None
    try:
        data = read_project_file(root, path, MAX_BYTES if needs_trust_itself(path) else MAX_BOUND_BYTES)
    except Unreadable:
        return None
    return data if data is not None and digest(data) == trusted_files[path] else None


def bound_files(root: str, paths: Iterable[str]) -> dict[str, str]:
    """Return the hashes of files that commands run; an unreadable one has none and is not run."""
    hashes: dict[str, str] = {}
    for path in islice((path for path in paths if not needs_trust_itself(path)), MAX_FILES):
        try:
            data = read_project_file(root, path, MAX_BOUND_BYTES)
        except Unreadable:
            continue
        if data is not None:
            hashes[path] = digest(data)
    return hashes


def imported_files(root: str, found: Iterable[str]) -> list[str]:
    """Return the files of a project that its instruction files import."""
    from inarch_lib.staging.guide_imports import imported

    def read(path: str) -> str | None:
        try:
            data = read_project_file(root, path)
        except Unreadable:
            return None
        return None if data is None else data.decode("utf-8", "replace")

    guides = (path for path in found if is_guide(path) or path.startswith(f"{RULES}/"))
    return sorted(imported({path: text for path in guides if (text := read(path))}, read).texts)


def digest(data: bytes | None) -> str:
    """Return the hash that trust is bound to, "" for no file."""
    import hashlib

    return "" if data is None else hashlib.sha256(data).hexdigest()


def _candidates(top: int, refused: dict[str, str]) -> list[str]:
    """Return the paths that need trust: single files, and every file under certain folders, without following links."""
    found = [name for name in TRUSTED_FILES if _exists(top, name)]
    waiting = [name for name in reversed(TRUSTED_FOLDERS) if _exists(top, name)]
    while waiting:
        folder = waiting.pop()
        try:
            entries = _entries(top, folder)
        except OSError as error:
            refused[folder] = "is not a folder of the project" if error.errno in _LINK else why(error)
            continue
        for name, is_folder in entries:
            (waiting if is_folder else found).append(f"{folder}/{name}")
        if len(found) + len(waiting) > MAX_FILES:
            refused[folder.split("/")[0]] = f"has more than {MAX_FILES:,} files"
            return [path for path in found if path in (*TRUSTED_FILES, CONFIG_FILE)]
    return sorted(found)


def needs_trust_itself(path: str) -> bool:
    """Return whether a file at this path always needs trust; any other is bound for a command that runs it."""
    return (
        path in TRUSTED_FILES or path.startswith(tuple(f"{top}/" for top in TRUSTED_FOLDERS)) or is_nested_guide(path)
    )


def is_nested_guide(path: str) -> bool:
    """Return whether a path is that of a guide file in a folder of the project."""
    folder, _, name = path.rpartition("/")
    return name in GUIDE_FILES and bool(folder) and not folder.startswith(TRUSTED_FOLDERS)


def is_guide(path: str) -> bool:
    """Return whether a trusted path is that of a guide file, which is only text, at the root or in a folder."""
    return path in GUIDE_FILES or is_nested_guide(path)


def nested_guides(root: str) -> list[str]:
    """Return the guide files of a project's folders, except package folders and hidden ones."""
    found: list[str] = []
    for number, (folder, folders, files) in enumerate(os.walk(root)):
        if number >= MAX_FOLDERS or len(found) >= MAX_FILES:
            break
        # In place, which keeps os.walk out of the others, and in order, so that the limits always cut the same ones.
        folders[:] = sorted(name for name in folders if name[0] != "." and name not in _PACKAGES)
        found += [f"{folder}/{name}".removeprefix(f"{root}/") for name in GUIDE_FILES if name in files]
    return sorted(filter(is_nested_guide, found))


def _exists(folder: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return True


def _entries(top: int, folder: str) -> list[tuple[str, bool]]:
    """Return the names in a folder, and whether each is a folder, without leftovers of a killed process."""
    descriptor = _walk(top, folder.split("/"), READ | os.O_DIRECTORY)
    try:
        with os.scandir(descriptor) as found:
            return sorted(
                (entry.name, entry.is_dir(follow_symlinks=False))
                for entry in found
                if not (is_leftover(entry.name) and entry.is_file(follow_symlinks=False))
            )
    finally:
        os.close(descriptor)


def _walk(top: int, parts: list[str], flags: int) -> int:
    """Open a path below `top` component by component; a link anywhere is an error."""
    folder = os.dup(top)
    try:
        for part in parts[:-1]:
            inner = os.open(part, READ | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        return os.open(parts[-1], flags | os.O_NOFOLLOW, dir_fd=folder)
    finally:
        os.close(folder)


def _read_beneath(top: int, path: str, most: int = MAX_BYTES) -> bytes | None:
    """Return a file's bytes; a link at its end may lead to a file inside the project (`AGENTS.md -> CLAUDE.md`)."""
    for _ in range(_MAX_LINKS):
        try:
            descriptor = _walk(top, path.split("/"), READ)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise Unreadable(why(error)) from error
            path = _link_target(top, path)
        else:
            return read_regular(descriptor, most)
    raise Unreadable("is a link to a link to a link")


def _link_target(top: int, path: str) -> str:
    folder, _, _ = path.rpartition("/")
    try:
        target = os.readlink(path, dir_fd=top)
    except OSError as error:
        raise Unreadable(why(error)) from error
    joined = os.path.normpath(f"{folder}/{target}" if folder else target)
    if target.startswith("/") or joined == ".." or joined.startswith("../"):
        raise Unreadable("is a link that leaves the project")
    return joined
