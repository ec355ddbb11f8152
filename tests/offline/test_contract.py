"""The model without a network keeps the contract."""

from __future__ import annotations

import asyncio
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


@pytest.mark.parametrize("model", ["offline/nosuch", "offline/extractive-2"])
def test_a_model_that_it_does_not_have_is_an_error_and_no_answer(composition: Callable[..., App], model: str) -> None:
    app = composition(flags={"model": model})
    turn = asyncio.run(app.session().run("what is here?"))
    assert (turn.status, turn.content) == ("failed", "")
    assert f"no model {model.partition('/')[2]!r}" in str(turn.error)
    assert "offline/extractive" in str(turn.error)
