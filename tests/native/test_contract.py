"""The kernel's own strategy keeps the contract."""

from __future__ import annotations

from inarch import DecisionStrategy
from inarch.testing import StrategyContract
from inarch_plugins.native import Native


class TestNative(StrategyContract):
    def make(self) -> DecisionStrategy:
        return Native()
