"""A process that was forked after `compose` has none of the application's threads, and shares its connections."""

from __future__ import annotations

import os

from inarch.contract.errors import UsageError


def check_process(process: int) -> None:
    """Refuse to go on in another process than the one that composed.

    Raises:
        UsageError: This is another one.
    """
    if process != os.getpid():
        raise UsageError(
            "this application was composed in another process, before a fork",
            "compose in the child, or start it with multiprocessing's method spawn",
        )
