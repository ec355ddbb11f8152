"""Reading of configuration files: regular files only, without waiting, at most a megabyte."""

from __future__ import annotations

import os
import stat
import tomllib
from pathlib import Path
from typing import Any

from inarch.config.values import Source
from inarch.contract.errors import ConfigError

MAX_BYTES = 1_000_000
CONFIG_FILE = ".inarch/config.toml"
GUIDE_FILES = ("AGENTS.override.md", "AGENTS.md", "GEMINI.md", "CLAUDE.md", "CLAUDE.local.md")
"""A project's instructions to agents, in order of precedence."""
RULES = ".claude/rules"
TRUSTED_FOLDERS = (
    ".inarch", ".agents", ".claude/agents", ".claude/commands", ".claude/hooks", RULES, ".claude/skills",
)  # fmt: skip
"""Folders whose contents need trust.

Not all of `.claude`: other tools write there, and no agent here reads that.
"""
TRUSTED_FILES = (*GUIDE_FILES, ".claude/settings.json")
LOCAL_SETTINGS = ".claude/settings.local.json"
"""Settings that Claude Code rewrites after a person's answers, so a change must not end trust."""
TRUST_FILE = "trust.json"
_FEW_DOTS = 100
READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC  # opening a pipe without O_NONBLOCK waits for its writer


class Unreadable(Exception):
    """A file exists but cannot be read; the text says why."""


def read_user_file(path: Path) -> bytes | None:
    """Return the bytes of the user's file, None if it does not exist; links are followed, they are the user's own.

    Raises:
        Unreadable: It cannot be read.
    """
    try:
        descriptor = os.open(path, READ)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise Unreadable(why(error)) from error
    return read_regular(descriptor)


def parse(data: bytes, name: str) -> tuple[Source, dict[str, Any]]:
    """Return a file's tables and the source that knows its lines.

    Raises:
        ConfigError: It is not TOML; with the line.
    """
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError("is not UTF-8", source=name, line=line, remedy="save it as UTF-8") from error
    try:
        return Source(name, text), _tables(text)
    except (ValueError, RecursionError) as error:
        message, line = _syntax(str(error), text)
        raise ConfigError(f"is not valid TOML: {message}", source=name, line=line) from error


def _tables(text: str) -> dict[str, Any]:
    if text.count(".") < _FEW_DOTS:  # fewer than the parts that `loads` allows in a key
        return tomllib.loads(text)
    from inarch_lib.toml import loads  # limits the keys, and few files need it

    return loads(text)


def _syntax(message: str, text: str) -> tuple[str, int]:
    """Split tomllib's message: before Python 3.14 the line is only in its text."""
    what, found, place = message.rpartition(" (at ")
    if not found:
        return message or "nested too deeply", 1
    line = place.removeprefix("line ").partition(",")[0]
    if line.isdigit():
        column = place.rstrip(")").rpartition("column ")[2]
        return f"{what}, column {column}", int(line)
    return f"{what} at the end", text.rstrip("\n").count("\n") + 1


def why(error: Exception) -> str:
    """Return that a file cannot be read and the reason of the failed system call, without the path."""
    reason = error.strerror if isinstance(error, OSError) else None
    return f"can't be read: {reason or error}"


def read_regular(descriptor: int, most: int = MAX_BYTES) -> bytes:
    """Return the bytes of an open regular file of at most `most` bytes, and close it.

    Raises:
        Unreadable: It is another type of file, or too large.
    """
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise Unreadable("is a directory" if stat.S_ISDIR(found.st_mode) else "is not a regular file")
        data = bytearray()
        # Do not rely on the size: a file may grow, and some report 0 but have data.
        while found.st_size <= most >= len(data) and (piece := os.read(descriptor, most + 1)):
            data += piece
    except OSError as error:
        raise Unreadable(why(error)) from error
    finally:
        os.close(descriptor)
    if max(found.st_size, len(data)) > most:
        raise Unreadable(f"is larger than {most:,} bytes")
    return bytes(data)


def needs_trust(root: str, state_dir: Path) -> bool:
    """Return whether a project has files that need trust, according to its own folder and stored trust.

    Files in its other folders, such as their `AGENTS.md`, count once the project is trusted with them.
    """
    for name in (*TRUSTED_FOLDERS, *TRUSTED_FILES):
        try:
            os.lstat(f"{root}/{name}")
        except (OSError, ValueError):
            continue
        return True
    if not (state_dir / TRUST_FILE).exists():
        return False
    from inarch.config.private_files import read_kept  # most users have never trusted a project

    return os.path.realpath(root) in read_kept(state_dir / TRUST_FILE, dict)
