"""Services with keys for `auto`, from the table of proposed models."""

from __future__ import annotations

from collections.abc import Iterator

from inarch import Price
from inarch_sdk.model_table import SERVICES, ProposedService

HEAD = """# Services and models

<!-- made by: python docs/generate.py services -->

`model = "auto"` uses the first key that is set, from the top. [Models and keys](../how-to/models.md) explains how to
choose another model. Prices are US dollars for a million tokens of input and output, on the day in the last column.

| key | service | model | for decisions | price | checked |
|---|---|---|---|---|---|
"""
ENDS = """
## Models that end

Inarch warns you when you choose such a model, from thirty days before its end.

| model | ends |
|---|---|
"""


def page() -> str:
    """Return the page."""
    keys = sorted((rank, variable, service) for service in SERVICES for variable, rank in service.keys)
    rows = [_row(variable, service) for _, variable, service in keys]
    return HEAD + "".join(rows) + ENDS + "".join(_ending())


def _row(variable: str, service: ProposedService) -> str:
    model = service.find(service.model)
    assert model is not None
    name, deciding = f"{service.provider}/{service.model}", service.decision_model
    return f"| `{variable}` | {service.title} | `{name}` | `{deciding}` | {_price(model.price)} | {model.seen} |\n"


def _price(price: Price | None) -> str:
    return "varies" if price is None else f"{price.input:f} / {price.output:f}"


def _ending() -> Iterator[str]:
    ends = sorted(
        (row.retires, f"{one.provider}/{row.name}") for one in SERVICES for row in one.models if row.retires is not None
    )
    yield from (f"| `{name}` | {day} |\n" for day, name in ends)
