"""The model without a network keeps the contract."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from inarch import ModelProvider
from inarch.sessions.app import App
from inarch.testing import ModelContract

pytest_plugins = ["inarch.testing"]


class TestOffline(ModelContract):
    calls_tools = False  # it calls the tools of brief-tracer, not any
    provider: ModelProvider

    @pytest.fixture(autouse=True)
    def composed(self, composition: Callable[..., App]) -> None:
        self.provider = composition(["offline"]).composition.models["offline"].value

    def make(self) -> ModelProvider:
        return self.provider
