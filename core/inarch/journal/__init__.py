"""The journal: events are recorded, kept and folded into the turns and messages that a resumed session needs."""

from inarch.journal.folding import fold
from inarch.journal.history import History
from inarch.journal.journal import Journal
from inarch.journal.memory import MemoryStore
from inarch.journal.redaction import Redactor

__all__ = ["History", "Journal", "MemoryStore", "Redactor", "fold"]
