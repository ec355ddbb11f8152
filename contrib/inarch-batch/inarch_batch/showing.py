"""What a person sees of a batch: a line that moves on, and a summary at the end."""

from __future__ import annotations

import sys
import time
from decimal import Decimal

from attrs import define, field

from inarch import shorten
from inarch_batch.coordinating import Progress

_EVERY_S = 30.0
_MOVES_S = 0.5
_COLUMNS = 79


@define(eq=False, repr=False)
class Teller:
    """Tells how far a batch is, on standard error: on a terminal in place, else a line twice a minute."""

    ceiling: Decimal | None
    is_quiet: bool = False
    _told: float = field(init=False, default=0.0)
    _is_open: bool = field(init=False, default=False)

    def __call__(self, progress: Progress) -> None:
        """Take in how far it is."""
        now = time.monotonic()
        moves = sys.stderr.isatty()
        if self.is_quiet or now - self._told < (_MOVES_S if moves else _EVERY_S):
            return
        if not moves and not self._told:
            self._told = now  # a short batch has its summary, and no line besides
            return
        self._told = now
        line = words(progress, self.ceiling)
        if moves:
            self._is_open = True
            sys.stderr.write(f"\r\x1b[K{shorten(line, _COLUMNS)}")
        else:
            sys.stderr.write(f"{line}\n")
        sys.stderr.flush()

    def end(self) -> None:
        """Take the line away that moves."""
        if self._is_open:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def words(progress: Progress, ceiling: Decimal | None) -> str:
    """Return how far a batch is, in a line."""
    parts = [f"{progress.done} done"]
    parts += [f"{progress.running} running"] if progress.running else []
    parts += [
        f"{count} {word}" for count, word in ((progress.failed, "failed"), (progress.limited, "limited")) if count
    ]
    parts += [f"{progress.to_come} to come"] if progress.to_come else []
    of = f" of ${ceiling}" if ceiling is not None else ""
    return ", ".join(parts) + f" · ${progress.spent:.4f}{of} spent"
