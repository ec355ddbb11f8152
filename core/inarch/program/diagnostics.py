"""Diagnostics file that `INARCH_LOG=debug` writes for debugging."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

from inarch.contract.errors import ConfigError
from inarch.program.failure import say

if TYPE_CHECKING:
    from loguru import Logger

LEVELS = ("trace", "debug", "info", "warning", "error")
_MOST_BYTES = 10_000_000
_MOST_OF_AN_EVENT = 2000
_descriptors: list[int] = []  # of the open file


@cache
def diagnostics() -> Logger | None:
    """Return the logger that writes the file, None if `INARCH_LOG` is not set.

    Raises:
        ConfigError: `INARCH_LOG` is not a level, or the file cannot be written.
    """
    level = os.environ.get("INARCH_LOG", "").lower()
    if not level:
        return None
    if level not in LEVELS:
        raise ConfigError(f"{level!r} is no level", source="INARCH_LOG", remedy=f"one of {', '.join(LEVELS)}")
    from loguru import logger

    from inarch.config.directories import state_dir

    path = state_dir(os.environ) / "inarch.log"
    logger.remove()
    try:
        from inarch_lib.staging import make_folder  # not on the start-up path

        make_folder(path.parent)
        logger.add(
            path, level=level.upper(), rotation=_MOST_BYTES, retention=2, diagnose=False, catch=False, opener=_private
        )
    except OSError as error:
        raise ConfigError(f"{path} can't be written: {error.strerror}", source="INARCH_LOG") from None
    return logger


def note_event(line: str) -> None:
    """Write the beginning of a redacted event."""
    logger = diagnostics()
    if logger is None:
        return
    try:
        logger.debug("{}", line[:_MOST_OF_AN_EVENT])
    except OSError as error:  # such as a full disk: diagnostics must not cause a fault
        _discard()
        logger.remove()
        say("note", f"the diagnostics file takes no more: {error.strerror}")


def _private(path: str, flags: int) -> int:
    descriptor = os.open(path, flags, 0o600)
    _descriptors[:] = [descriptor]
    return descriptor


def _discard() -> None:
    """Discard buffered data: closing writes, too, and would fail as the last write did."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in _descriptors:
        os.dup2(nowhere, descriptor)
    os.close(nowhere)
