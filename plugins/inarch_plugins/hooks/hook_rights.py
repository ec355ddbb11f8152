"""Rights of hooks beyond the usual ones: which a failed run lacked, and which the user gave."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

import inarch
from inarch_lib.staging import make_folder, write_whole

_WITHHELD = re.compile(
    r"permission denied|read-only file system|can(?:no|')t create|operation not permitted", re.IGNORECASE
)
_MISSING = re.compile(r"no such file or directory|directory nonexistent|nonexistent directory", re.IGNORECASE)
_NETWORK = re.compile(
    r"could not resolve host|failure in name resolution|name or service not known|network is unreachable|dns error"
    r"|nodename nor servname|failed to lookup address|ENOTFOUND|EAI_AGAIN",
    re.IGNORECASE,
)
"""Messages of programs about what the sandbox withheld: strerror(3), dash(1), curl, libuv, Rust, as of 2026-11."""
_CERTAIN = re.compile(r"^\S*sh: (?:line )?\d+: |\(os error \d+\)|\[Errno -?\d+\]", re.MULTILINE)
_LIKELY = re.compile(r"^[\w./+-]+: .*: [a-z -]+$", re.IGNORECASE | re.MULTILINE)
"""Forms in which programs, unlike the reasons of guards, report a failed system call. The second needs a path."""
_PATH = re.compile(r"(?:/|~/)[^\s'\"`:;,()]+")
_PRIVATE = re.compile(r"/\S*?/inarch-[0-9a-f]{24}/\d+(?=/|$)")
"""The private home of a confined program. The real one takes its place once the hook may write there."""
_PROGRAM = re.compile(r"^/(?:usr/)?s?bin/\S+: ")
_DEEP = (".cache", ".config", ".local", ".claude")
"""Folders in home whose parts, not the whole, are given."""
_NEVER = re.compile(
    r"~/\.(?:ssh|gnupg|aws|kube|docker|netrc|config/(?:inarch|gh|gcloud|autostart|systemd)|local/bin"
    r"|claude/settings)|inarch"
)
"""Places that steer or open other things: no question offers them."""
_SYSTEM = re.compile(r"/(?:usr|s?bin|lib\w*|etc|opt|boot|dev|proc|sys|run|nix|root)(?:/|$)")


@frozen
class HookRights:
    """Rights of a hook: files and folders that it may change (`.` is the workspace), and the network."""

    write: tuple[str, ...] = ()
    network: bool = False

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> HookRights:
        """Return the rights in a table."""
        write, network = given.get("write", []), given.get("network", False)
        if not isinstance(write, list) or not all(isinstance(path, str) and path for path in write):
            raise ValueError('"write" must be a list of paths')
        if not isinstance(network, bool) or set(given) - {"write", "network"}:
            raise ValueError('use "write", a list of paths, and "network", true or false')
        return cls(tuple(write), network)

    def __or__(self, other: HookRights) -> HookRights:
        return HookRights(tuple(sorted({*self.write, *other.write})), self.network or other.network)

    def __bool__(self) -> bool:
        return bool(self.write) or self.network

    def __str__(self) -> str:
        write = [f"write = {json.dumps(list(self.write))}"] if self.write else []
        return ", ".join([*write, *(["network = true"] if self.network else [])])

    def outside(self, home: str) -> tuple[str, ...]:
        """Return the absolute paths outside the workspace that it may change. Missing ones are created.

        Raises:
            ToolFailed: One cannot be created.
        """
        paths = [Path(path.replace("~", home, 1)) for path in self.write if path.startswith(("~/", "/"))]
        try:
            for path in paths:
                folder = path.parent if path.suffix else path
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                if path.suffix and not path.exists():
                    path.touch(mode=0o600)
        except OSError as error:
            raise inarch.ToolFailed("permission", f"{error.filename} can't be created: {error.strerror}") from None
        return tuple(map(str, paths))


def withheld(code: int | None, errors: str, root: str, home: str) -> HookRights | None:
    """Return the rights whose lack made a confined hook fail, none of them if they are unknown.

    Returns:
        None if it failed by itself. An exit code of 2 counts as its own unless a program's message says otherwise.
    """
    lines = [_PROGRAM.sub("", _PRIVATE.sub("~", line)) for line in errors.splitlines()]
    found, lacked = HookRights(), False
    for line in lines:
        if _NETWORK.search(line):
            found, lacked = found | HookRights(network=True), True
            continue
        is_missing = not _WITHHELD.search(line)
        if is_missing and not _MISSING.search(line):
            continue
        folders = tuple(filter(None, (_folder(path, root, home, is_missing) for path in _PATH.findall(line))))
        if not is_missing and not folders and not _PATH.search(line):
            folders = (".",) if re.search(r"read-only file system", line, re.IGNORECASE) else ()
        found, lacked = found | HookRights(folders), lacked or not is_missing or bool(folders)
    is_reported = bool(_CERTAIN.search(errors) or _NETWORK.search(errors) or (found and _LIKELY.search(errors)))
    if not lacked or code in (0, None) or (code == 2 and not is_reported):
        return None
    return found


def _folder(path: str, root: str, home: str, is_missing: bool) -> str:
    """Return what a hook would have to change for a path, empty if it cannot be given that."""
    path = path.replace("~", home, 1) if path.startswith("~") else path
    if path == root or path.startswith(f"{root}/"):
        return "" if is_missing else "."
    if path.startswith(f"{home}/"):
        parts = path[len(home) + 1 :].split("/")
        folder = "/".join(parts[: 2 if parts[0] in _DEEP else 1])
        is_given = len(parts) > 1 and parts[0].startswith(".") and not _NEVER.search(f"~/{folder}")
        return f"~/{folder}" if is_given else ""
    parent = Path(path).parent
    is_given = len(parent.parts) > 2 and not _SYSTEM.match(path) and not _NEVER.search(path)
    return str(parent) if is_given and parent.is_dir() and os.access(parent, os.W_OK) else ""


NO_RIGHTS = HookRights()


@frozen
class Grants:
    """Rights that the user gave hooks in answers, stored by the hash of workspace, file and command.

    An agreed `permissions.allow` is stored as a command without rights.
    """

    file: Path
    root: str
    is_stored: bool
    _given: dict[str, HookRights]

    @classmethod
    def read(cls, folder: str, root: str, is_stored: bool) -> Grants:
        """Return the stored rights; a damaged file has none."""
        file = Path(folder, "rights.json")
        return cls(file, root, is_stored, dict(_stored(file)))

    def of(self, source: str, command: str) -> HookRights:
        """Return the rights of a hook."""
        return self._given.get(self._key(source, command), NO_RIGHTS)

    def has(self, source: str, command: str) -> bool:
        """Return whether the user was asked and agreed, with or without rights."""
        return self._key(source, command) in self._given

    def give(self, hooks: Iterable[tuple[str, str]], rights: HookRights) -> None:
        """Give rights to hooks, each as its file and its command."""
        for source, command in hooks:
            self._given[self._key(source, command)] = self.of(source, command) | rights
        if self.is_stored:
            tables = {key: {"write": one.write, "network": one.network} for key, one in self._given.items()}
            make_folder(self.file.parent)
            write_whole(self.file, json.dumps(tables).encode())

    def _key(self, source: str, command: str) -> str:
        return hashlib.sha256("\0".join((self.root, source, command)).encode()).hexdigest()


def _stored(file: Path) -> Iterator[tuple[str, HookRights]]:
    try:
        for key, given in json.loads(file.read_bytes()).items():
            yield key, HookRights.of(given)
    except (OSError, ValueError, AttributeError, TypeError, RecursionError):
        return
