"""Writing a project's own `.inarch` files: beneath the root whatever links stand there, whole or not at all."""

from __future__ import annotations

import os
import re

from inarch.config.files import READ, Unreadable, why
from inarch_lib.staging import write_whole


def write_project_file(root: str, path: str, data: bytes | None) -> None:
    """Write a file, or remove it where `data` is None.

    Raises:
        Unreadable: A link or something else stands in the way.
    """
    *folders, name = path.split("/")
    try:
        folder = _folder(root, folders)
        try:
            if data is None:
                _remove(name, folder)
            else:
                write_whole(name, data, folder=folder, former=rf"\.{re.escape(name)}\.[0-9]+\.tmp")
        finally:
            os.close(folder)
    except OSError as error:
        raise Unreadable(why(error).replace("read", "written")) from error


def _folder(root: str, names: list[str]) -> int:
    """Open a folder below the root, making what is missing; no component may be a link."""
    folder = os.open(root, READ | os.O_DIRECTORY)
    for name in names:
        try:
            _make(name, folder)
            inner = os.open(name, READ | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
        finally:
            os.close(folder)
        folder = inner
    return folder


def _make(name: str, folder: int) -> None:
    try:
        os.mkdir(name, 0o700, dir_fd=folder)
    except FileExistsError:
        pass


def _remove(name: str, folder: int) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        pass
