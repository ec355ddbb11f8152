from __future__ import annotations

from inarch import ContextStore
from inarch.journal.memory import MemoryStore
from inarch.testing import StoreContract


class TestMemoryStore(StoreContract):
    def make(self, path: str) -> ContextStore:
        return MemoryStore()
