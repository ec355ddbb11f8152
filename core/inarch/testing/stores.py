"""The stores of `inarch_testing`, under the name by which a process of its own finds them."""

from inarch_testing.stores import JsonlStore as JsonlStore
from inarch_testing.stores import MemoryStore as MemoryStore
