"""The store that forgets, for tests."""

from inarch_sdk.memory_store import MemoryStore as MemoryStore
