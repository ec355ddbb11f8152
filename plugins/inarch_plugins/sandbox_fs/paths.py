"""Checks of paths before anything is opened. The operating system confines access, not this module."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from inarch import ToolFailed
from inarch_lib.staging.spellings import folded

MAX_BYTES = 4096
ADDED = "+"
"""Prefix of a path in an added folder. The absolute path follows, so that a record identifies the file."""
_SPECIAL_AT_ROOT = ".inarch"
_SPECIAL_ANYWHERE = ".git"
_OWN = ((".config", "inarch"), (".local", "state", "inarch"))
"""Where Inarch stores the user's configuration and state, relative to a home folder.

A home folder may be the workspace or lie in it.
"""

PROTECTED = "tools never write below .git or .inarch, nor Inarch's own configuration and state"
_RELATIVE = "give a path relative to the workspace root"
_SHORT_NAME = re.compile(r"(git|inarch)~[0-9]+")
"""Short names that FAT and NTFS give to `.git` and `.inarch`."""


def normal(path: object, root: str = "") -> str:
    """Return the path without `.` and empty components; `.` is the root itself."""
    if not isinstance(path, str) or not path:
        raise ToolFailed("validation", f"not a path: {path!r}", _RELATIVE)
    if "\0" in path:
        raise ToolFailed("validation", f"the path {path!r} contains a NUL character")
    try:
        encoded = path.encode()
    except UnicodeEncodeError:
        raise ToolFailed("validation", f"the path {path!r} is not valid text") from None
    if len(encoded) > MAX_BYTES:
        raise ToolFailed("validation", f"the path is {len(encoded)} bytes long; at most {MAX_BYTES} are allowed")
    if path[0] == "/":
        raise _absolute(path, root)
    # Every `.`, `..` or empty component shows in one of these; other paths need no splitting.
    if "./" in path or "//" in path or path[-1] in "./":
        return _joined(path)
    return path


def _joined(path: str) -> str:
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise ToolFailed("permission", f"the path {path!r} has a '..' component", _RELATIVE)
    return "/".join(parts) or "."


def _absolute(path: str, root: str) -> ToolFailed:
    inside = path[len(root) :].strip("/") if root and path.startswith(root.rstrip("/") + "/") else ""
    remedy = f"use {inside!r}" if inside and ".." not in inside.split("/") else _RELATIVE
    return ToolFailed("permission", f"the path {path!r} is absolute", remedy)


def inside(path: object, root: str) -> str:
    """Return a path as `normal` does, but refuse one in a folder that was not added to this root."""
    plain = normal(path, root)
    if is_of_added(plain) and not os.path.lexists(os.path.join(root, ADDED)):
        raise not_added(plain)
    return plain


def is_of_added(path: str) -> bool:
    """Return whether a normal path is in an added folder: `+` before its absolute path."""
    return path == ADDED or path.startswith(f"{ADDED}/")


def not_added(path: str) -> ToolFailed:
    """Return the failure for a path in a folder that was not added to this run."""
    folder = path.removeprefix(ADDED) or "DIR"
    return ToolFailed(
        "permission", f"{path} is in a folder that was not added to the workspace",
        f"let the user start Inarch with --add-dir and the folder that holds {folder}",
    )  # fmt: skip


def is_protected(path: str) -> bool:
    """Return whether a normal path must not be written.

    `.git` and Inarch's own folders are protected anywhere, `.inarch` at the root and anywhere below an added folder.
    """
    parts = [_folded(part) for part in path.split("/")]
    if parts[0] == ADDED and _SPECIAL_AT_ROOT in parts:
        return True
    return parts[0] == _SPECIAL_AT_ROOT or _SPECIAL_ANYWHERE in parts or ("inarch" in parts and _is_own(parts))


def _is_own(parts: list[str]) -> bool:
    return any(tuple(parts[at : at + len(own)]) == own for own in _OWN for at in range(len(parts)))


def own_places() -> tuple[str, ...]:
    """Return where Inarch stores the user's configuration and state: absolute paths without links above them."""
    home = os.path.expanduser("~")
    above = (
        os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config"),
        os.environ.get("XDG_STATE_HOME") or os.path.join(home, ".local/state"),
    )
    return tuple(os.path.join(os.path.realpath(folder), "inarch") for folder in above)


def own_folders(root: str) -> tuple[str, ...]:
    """Return those of Inarch's places that lie below the root, relative to it."""
    start = root.rstrip("/") + "/"
    return tuple(path[len(start) :] for path in own_places() if path.startswith(start))


def _folded(part: str) -> str:
    plain = folded(part)
    short = _SHORT_NAME.fullmatch(plain) if "~" in plain else None
    return f".{short[1]}" if short else plain


def check_writable(path: str) -> None:
    """Raise for a normal path that tools never write."""
    if path == ".":
        raise ToolFailed("validation", "the workspace root is a directory", "give the path of a file")
    if is_protected(path):
        raise ToolFailed("permission", f"{path} is protected: {PROTECTED}", "choose another path")


def split(path: str) -> tuple[str, str]:
    """Return the parent and the last name of a normal path; the parent of a top-level name is `.`."""
    parent, _, name = path.rpartition("/")
    return parent or ".", name


def above(path: str) -> Iterator[str]:
    """Yield the folders above a path below the root, the nearest first."""
    while (path := split(path)[0]) != ".":
        yield path
