"""Configured commands: the paths behind their words, and the project files that they may run."""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from inarch.config.files import CONFIG_FILE, LOCAL_SETTINGS, Unreadable, read_user_file
from inarch.config.project_files import read_project_file
from inarch.contract.errors import ToolFailed
from inarch.contract.files import KeptFolder

_HOOK_FILES = (".inarch/hooks.json", ".claude/settings.json", LOCAL_SETTINGS)
_USER_FILES = ("hooks.json", "config.toml")
_ROOT = re.compile(r"\$\{?(?:CLAUDE|INARCH)_PROJECT_DIR\}?|\{root\}")
_BREAKS = re.compile(r"[\s|&;<>()`=,]+")
_TRUST = "look at it, then: inarch config trust"
_MOST_WORDS = 10_000


def user_command(
    argv: Sequence[str],
    *,
    root: str,
    brought: KeptFolder | None,
    beside: str = "",
    cwd: str = "",
    path: str | None = None,
) -> tuple[str, ...]:
    """Return a configured command in the form in which it may run in a workspace.

    A relative program, and a word that names a file beside the configuration, become absolute. A file of the workspace
    counts only if the project is trusted and the file is unchanged since then.

    Args:
        argv: The words. A word may be a line for a shell.
        root: The workspace's folder.
        brought: `PluginContext.brought`: None in a project that is not trusted.
        beside: The folder of the user's file that names the command. Empty for a project's own file.
        cwd: The folder in which the command runs, the workspace if empty.
        path: The folders in which a bare name is looked up. None leaves it to the caller.

    Raises:
        ToolFailed: The program is missing, or a word names a file of the workspace that trust does not cover.
    """
    words = [_beside(word, beside, number == 0) for number, word in enumerate(argv)] if beside else list(argv)
    if path is not None and "/" not in words[0]:
        words[0] = _program(words[0], root, path)
    for file in named_files(words, root, cwd or root, links=brought is None):
        if brought is None:
            raise ToolFailed("permission", f"{file} is a file of a project that is not trusted", _TRUST)
        if brought.read(file) is None:
            raise ToolFailed("permission", f"{file} has changed since the project was trusted", _TRUST)
    return tuple(words)


def _beside(word: str, folder: str, is_program: bool) -> str:
    """Return a word of a user's file, absolute if it names a program or a file beside it."""
    place = os.path.join(folder, word)
    if is_program:
        return os.path.normpath(place) if "/" in word else word
    return place if word and os.path.isfile(place) else word


def _program(name: str, root: str, path: str) -> str:
    """Return the program of a bare name; folders of the workspace and relative ones do not count."""
    import shutil

    top = os.path.realpath(root)
    folders = [
        one for one in path.split(os.pathsep) if os.path.isabs(one) and _below(os.path.realpath(one), top) is None
    ]
    found = shutil.which(name, path=os.pathsep.join(folders))
    if found is None:
        raise ToolFailed("not_found", f"there is no program {name}", "install it, or give its absolute path")
    return found


def named_files(words: Iterable[str], root: str, cwd: str, links: bool = False) -> list[str]:
    """Return the regular files of a workspace that words name, as sorted paths in it.

    With `links`, links of the workspace that lead out of it count, too.
    """
    return sorted({path for path, mode in _named(words, root, cwd, links) if stat.S_ISREG(mode)})


def named_folders(words: Iterable[str], root: str) -> list[str]:
    """Return the folders of a workspace that a command line names, as sorted relative paths.

    `.` is the workspace itself.
    """
    return sorted({path for path, mode in _named(words, root, root, False) if stat.S_ISDIR(mode)})


def files_to_bind(root: str, found: Iterable[str], config_dir: Path | None) -> list[str]:
    """Return the files of a project named by commands in its own files (`found`) and in the user's folder."""
    texts: list[str] = []
    for name in {*_HOOK_FILES, CONFIG_FILE}.intersection([*found, LOCAL_SETTINGS]):
        texts += _texts(name, partial(read_project_file, root, name))
    if config_dir is not None:
        for name in _USER_FILES:
            texts += _texts(name, partial(read_user_file, config_dir / name))
    return named_files(texts[:_MOST_WORDS], root, root)


def _named(words: Iterable[str], root: str, cwd: str, links: bool) -> Iterator[tuple[str, int]]:
    for word in words:
        for part in _parts(_ROOT.sub(lambda _: root, word)):
            place = os.path.join(cwd, part)
            try:
                mode = os.stat(place).st_mode
            except (OSError, ValueError):
                continue
            path = _below(os.path.realpath(place), os.path.realpath(root))
            if path is None and links:
                path = _below(os.path.normpath(place), os.path.normpath(root))
            if path is not None:
                yield path, mode


def _below(place: str, top: str) -> str | None:
    if place == top:
        return "."
    return place[len(top) + 1 :] if place.startswith(f"{top}/") else None


def _parts(word: str) -> set[str]:
    """Return the possible names in a word: itself, the words of a shell line, and values of options."""
    try:
        split = shlex.split(word)
    except ValueError:
        split = []
    bare = _BREAKS.split(re.sub(r"[\"'\\]", "", word))
    return {part for part in (word, *split, *bare) if part}


def _texts(name: str, read: Callable[[], bytes | None]) -> list[str]:
    """Return the texts of a file that may contain commands; for a configuration, those of plugins."""
    from inarch_lib.toml import loads

    try:
        text = (read() or b"").decode("utf-8-sig")
        found = loads(text).get("plugins") if name.endswith(".toml") else json.loads(text or "null")
    except (Unreadable, ValueError, RecursionError):
        return []  # an unreadable file names no command
    return list(_strings(found))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _strings(one)
