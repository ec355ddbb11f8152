from __future__ import annotations

from inarch import ContextStore
from inarch.testing import StoreContract
from inarch_sdk.memory_store import MemoryStore


class TestMemoryStore(StoreContract):
    def make(self, path: str) -> ContextStore:
        return MemoryStore()
