from __future__ import annotations

from pathlib import Path

from inarch import ContextStore
from inarch.journal import MemoryStore
from inarch.testing.store_suite import StoreSuite


class TestMemoryStore(StoreSuite):
    def open_store(self, folder: Path) -> ContextStore:
        return MemoryStore()
