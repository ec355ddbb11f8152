"""Writing a project's own `.inarch` files: beneath the root whatever links stand there, whole or not at all."""

from __future__ import annotations

import os

from inarch.config.files import READ, Unreadable, why
from inarch.config.project_files import digest


def write_project_file(root: str, path: str, data: bytes | None) -> dict[str, str]:
    """Write a file, or remove it where `data` is None; return its entry for the record of trust.

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
                _put(name, data, folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise Unreadable(why(error).replace("read", "written")) from error
    return {} if data is None else {path: digest(data)}


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


def _put(name: str, data: bytes, folder: int) -> None:
    # Below .inarch nothing may be left behind: a stray file there would end the trust.
    temporary = f".{name}.{os.getpid()}.tmp"
    _remove(temporary, folder)
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        _remove(temporary, folder)
        raise
