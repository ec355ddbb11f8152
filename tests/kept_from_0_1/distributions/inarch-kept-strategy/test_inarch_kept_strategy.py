"""Tests of kept-strategy: what every decision strategy has to do, and what this one does."""

import inarch
from inarch.testing import StrategyContract
from inarch_kept_strategy import KeptStrategy


class TestKeptStrategy(StrategyContract):
    prompts = ("which files are there?",)
    tools = (inarch.ToolSpec("list_files", "List the files.", {"type": "object"}),)

    def make(self) -> inarch.DecisionStrategy:
        return KeptStrategy()
