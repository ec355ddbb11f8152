from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from inarch.contract.records import Turn
from inarch.testing import ScriptedModel, says, scripted_app


class Careless(ScriptedModel):
    def price(self, model: str) -> str:  # type: ignore[override]
        return "cheap"


class Limitless(ScriptedModel):
    def limits(self, model: str) -> None:  # type: ignore[override]
        return None


@pytest.mark.parametrize(
    ("model", "said"),
    [(Careless([says("x")]), "price returned 'cheap'"), (Limitless([says("x")]), "limits returned N")],
)
def test_a_price_or_limits_of_the_wrong_kind_fail_the_turn_in_one_line(
    tmp_path: Path, model: ScriptedModel, said: str
) -> None:
    app, _ = scripted_app(model, tmp_path, flags={"max_cost_usd": "1"})

    async def go() -> Turn:
        try:
            return await app.session().run("what is this")
        finally:
            await app.aclose()

    turn = asyncio.run(go())
    assert turn.status == "failed"
    assert said in (turn.error or "") and "\n" not in (turn.error or "")
