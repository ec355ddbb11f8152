"""Lock of a file with a sign-in against other processes, with an error for the user."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from inarch import StoreError
from inarch_lib.staging import locked


@contextmanager
def sign_in_locked(file: Path) -> Iterator[None]:
    """Lock a sign-in against other processes."""
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(file))
        except OSError as error:
            message = f"{file} can't be locked: {error.strerror}"
            raise StoreError("permission", message, "make its folder writable") from None
        yield
