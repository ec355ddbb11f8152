from __future__ import annotations

from inarch import ContextStore
from inarch_sdk.memory_store import MemoryStore
from inarch_testing.store_contract import StoreContract


class TestMemoryStore(StoreContract):
    def make(self, path: str) -> ContextStore:
        return MemoryStore()
