from __future__ import annotations

from collections.abc import Callable

import pytest
from store_contract import StoreContract

from inarch import ContextStore
from inarch.journal import MemoryStore


class TestMemoryStore(StoreContract):
    @pytest.fixture
    def make(self) -> Callable[[], ContextStore]:
        return MemoryStore
