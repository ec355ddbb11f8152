"""The kernel's own strategy keeps the contract."""

from __future__ import annotations

from inarch import DecisionStrategy
from inarch_plugins.native import Native
from inarch_testing.strategy_contract import StrategyContract


class TestNative(StrategyContract):
    def make(self) -> DecisionStrategy:
        return Native()
