"""Capabilities of the terminal behind a stream."""

from __future__ import annotations

import os
import sys
from typing import TextIO

from inarch.output import is_terminal


def has_colours(stream: TextIO | None, *, no_color: bool = False) -> bool:
    """Return whether to write colours: on a terminal, unless `--no-color`, `NO_COLOR` or `TERM=dumb` is set."""
    return is_terminal(stream) and not no_color and not os.environ.get("NO_COLOR") and can_rewrite(stream)


def can_rewrite(stream: TextIO | None) -> bool:
    """Return whether the terminal behind `stream` can erase a line."""
    return is_terminal(stream) and os.environ.get("TERM", "dumb") not in ("dumb", "")


def has_glyphs(stream: TextIO) -> bool:
    """Return whether `stream` accepts more than ASCII."""
    try:
        "●├─╰✓✗⊘⋯▸▾…".encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def has_unread() -> bool:
    """Return whether typed input is waiting to be read."""
    from select import select

    try:
        return bool(select([sys.__stdin__ or 0], [], [], 0)[0])
    except (OSError, ValueError):
        return False


def plain_is_set() -> bool:
    """Return whether the user's own file asks for plain text; it is read before anything is composed."""
    from inarch import ConfigError
    from inarch.host import user_config_path
    from inarch_lib.toml import loads

    try:
        return loads(user_config_path().read_text("utf-8"))["plugins"]["terminal"]["plain"] is True
    except (OSError, ValueError, LookupError, TypeError, RecursionError, ConfigError):
        return False  # what is wrong with the file is reported when everything is composed
