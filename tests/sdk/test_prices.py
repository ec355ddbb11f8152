"""The table of known models: one entry out of many, and nothing where nothing is known."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inarch
from inarch import Limits, Price, Usage, cost_of, price_at, price_table
from inarch_sdk.prices import PriceTable
from inarch_sdk.usage import priced

CHAT = {"mode": "chat", "litellm_provider": "acme", "input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06}


def table(folder: Path, rows: Any, **options: Any) -> PriceTable:
    path = folder / "table.json"
    path.write_text(rows if isinstance(rows, str) else json.dumps(rows, **options), "utf-8")
    return PriceTable(str(path))


@pytest.mark.parametrize("options", [{"indent": 4}, {"separators": (",", ":")}, {}])
def test_an_entry_is_found_by_its_exact_name(tmp_path: Path, options: dict[str, Any]) -> None:
    rows = {"sample_spec": {"mode": "x"}, "acme/large-2": {"note": "acme/large"}, "acme/large": CHAT, "z": CHAT}
    known = table(tmp_path, rows, **options).find("acme/large")
    assert known is not None and known.price == Price(Decimal(1), Decimal(2)) and known.service == "acme"
    assert table(tmp_path, rows, **options).find("acme/lar") is None


@given(
    st.dictionaries(
        st.text(max_size=9), st.fixed_dictionaries({"max_input_tokens": st.integers(1, 9), "n": st.text(max_size=9)})
    )
)
def test_every_entry_is_found_in_the_bytes_as_in_the_whole(tmp_path_factory: Any, rows: dict[str, Any]) -> None:
    found = table(tmp_path_factory.mktemp("t"), rows, indent=1)
    for name, row in rows.items():
        known = found.find(name)
        assert known is not None and known.limits == Limits(row["max_input_tokens"])


@pytest.mark.parametrize(
    "change",
    [
        {"input_cost_per_token": 0},
        {"output_cost_per_token": 0.0},
        {"input_cost_per_token": None},
        {"output_cost_per_token": "2e-06"},
        {"input_cost_per_token": -1},
        {"input_cost_per_token": True},
        {"mode": "embedding"},
        {"input_cost_per_request": 0.1},
    ],
)
def test_what_is_missing_or_zero_is_unknown_and_never_nothing(tmp_path: Path, change: dict[str, Any]) -> None:
    known = table(tmp_path, {"m": {**CHAT, **change}}).find("m")
    assert known is not None and known.price is None


def test_models_of_this_machine_are_free_but_not_those_of_its_cloud(tmp_path: Path) -> None:
    row = {**CHAT, "litellm_provider": "ollama", "input_cost_per_token": 0.0, "output_cost_per_token": 0.0}
    found = table(tmp_path, {"ollama/m": row, "ollama/m:cloud": row})
    local, cloud = found.find("ollama/m"), found.find("ollama/m:cloud")
    assert local is not None and local.price == Price(Decimal(0), Decimal(0))
    assert cloud is not None and cloud.price is None


def test_long_requests_cost_what_they_cost(tmp_path: Path) -> None:
    more = {"input_cost_per_token_above_200k_tokens": 4e-06, "output_cost_per_token_above_200k_tokens": 8e-06}
    row = {**CHAT, **more, "cache_read_input_token_cost": 5e-07}
    known = table(tmp_path, {"m": row}).find("m")
    assert known is not None and known.price is not None
    assert price_at(known.price, 200_000).input == 1 and price_at(known.price, 200_001).input == 4
    assert cost_of(Usage(1_000_000, 1_000_000), known.price) == 12
    assert cost_of(Usage(100_000, 0, cached_tokens=40_000), known.price) == Decimal("0.08")


@pytest.mark.parametrize("text", ["", "{", '{"m": 7}', '{"m": {"mode"', "[]", '{"m": ' + '{"a":' * 9_000])
def test_a_damaged_table_knows_nothing(tmp_path: Path, text: str) -> None:
    found = table(tmp_path, text)
    assert found.find("m") is None and list(found.all()) == []


def test_what_a_provider_does_not_tell_comes_from_the_table(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "GEMINI_API_KEY": "x"}
    from inarch.turns.models import choose_model

    app = inarch.compose(root=tmp_path, config={}, flags={"model": "gemini"}, environ=environ, journal=False)
    choice = choose_model("gemini/gemini-flash-latest", app.composition.models, environ)
    other = choose_model("gemini/gemini-2.5-flash-lite", app.composition.models, environ)
    nobody = choose_model("gemini/none-such", app.composition.models, environ)
    app.close()
    row = inarch.proposed("gemini").find("gemini-flash-latest")
    assert row is not None and choice.price == row.price
    assert choice.price_source == f"Inarch's table of {row.seen}"
    known = price_table().find("gemini/gemini-2.5-flash-lite")
    assert other.price == (known.price if known else None)
    assert other.price_source == (price_table().source if known else "")
    assert nobody.price is None and nobody.price_source == "" and nobody.limits.context_tokens is None


def test_a_price_makes_the_cost_that_a_service_does_not_tell() -> None:
    price = Price(Decimal(2), Decimal(10), Decimal("0.5"))
    assert priced(Usage(1_000_000, 100_000, 200_000), price).cost_usd == Decimal("2.7")
    told = Usage(10, 10, cost_usd=Decimal(7))
    assert priced(told, price) is told
    assert priced(Usage(10, 10), None).cost_usd is None
    above = Price(Decimal(1), Decimal(1), above=(1000, Price(Decimal(2), Decimal(2))))
    assert priced(Usage(1000, 0), above).cost_usd == Decimal("0.001")
    assert priced(Usage(2000, 0), above).cost_usd == Decimal("0.004")
