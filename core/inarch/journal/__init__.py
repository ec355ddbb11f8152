"""The journal: events are recorded, kept and folded into the turns and messages that a resumed session needs.

Folding is loaded on first use: a new session has nothing to fold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inarch.contract.lazy import loaded_later
from inarch.journal.history import History as History
from inarch.journal.journal import Journal as Journal
from inarch.journal.memory import MemoryStore as MemoryStore
from inarch.journal.redaction.redactor import Redactor as Redactor

if TYPE_CHECKING:
    from inarch.journal.folding import fold as fold
    from inarch.journal.resuming import resume as resume
    from inarch.journal.resuming import resume_kept as resume_kept

__all__ = ["History", "Journal", "MemoryStore", "Redactor", "fold", "resume", "resume_kept"]

__getattr__ = loaded_later(__name__, {"fold": "folding", "resume": "resuming", "resume_kept": "resuming"})
