"""Models that a service offers, with their limits and prices, stored for times without a request."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

from inarch import HttpService, Price, ProviderError, to_data
from inarch_lib.staging import write_cache

FILE = "models.json"
VERSION = 1
"""Version of the stored file; a file of another version is ignored."""
OLDEST_S = 30 * 86_400
"""Age after which a stored price is unknown again."""
MILLION = Decimal(1_000_000)
_ENDS = ("shutdown_date", "retires_at", "expiration_date")
"""Names that OpenAI, Anthropic and OpenRouter give to a model's last day; as of Nov 2026."""


@frozen(eq=False, repr=False)
class Offer:
    """One model."""

    name: str
    description: str = ""
    context_tokens: int | None = None
    output_tokens: int | None = None
    price: Price | None = None
    reasons: bool | None = None
    retires: str = ""


@define(eq=False, repr=False)
class Offers:
    """Models of a service by name; `path` is the file that stores them, None if nothing is stored."""

    path: Path | None = None
    models: dict[str, Offer] = field(factory=dict)

    @classmethod
    def kept_in(cls, folder: str) -> Offers:
        """Return the models stored in a folder; a missing, old or damaged file counts as empty."""
        if not folder:
            return cls()
        path = Path(folder, FILE)
        try:
            kept = json.loads(path.read_bytes())
            if kept.get("version", VERSION) != VERSION or not 0 <= time.time() - kept["time"] < OLDEST_S:
                return cls(path)
            return cls(path, {one["name"]: _decoded(one) for one in kept["models"]})
        except (OSError, ValueError, LookupError, TypeError, AttributeError, InvalidOperation):
            return cls(path)

    @property
    def first(self) -> str:
        """Return the first chat model, "" if there is none: servers also list models that only embed."""
        return next((name for name in self.models if "embed" not in name.lower()), next(iter(self.models), ""))

    def take(self, data: Any, service: HttpService) -> None:
        """Take the answer to a request for the models.

        Raises:
            ProviderError: It is an error, or not a list of models.
        """
        if isinstance(data, Mapping) and data.get("error"):
            raise service.error(data)
        rows = data.get("data", data.get("models")) if isinstance(data, Mapping) else data
        if not isinstance(rows, list):
            remedy = "check the base_url: most end in /v1"
            raise ProviderError("malformed", f"{service.name} did not send a list of models", remedy=remedy)
        self.models = {offer.name: offer for offer in _offers(rows)}
        self._keep()

    def _keep(self) -> None:
        if self.path is None:
            return
        text = json.dumps({"version": VERSION, "time": time.time(), "models": to_data(list(self.models.values()))})
        # Without the file, prices are unknown until the next list.
        write_cache(self.path, text.encode(), former=rf"{re.escape(FILE)}\.[0-9a-f-]{{36}}")


def _decoded(row: Mapping[str, Any]) -> Offer:
    """Decode by hand: the first request waits for this, and a converter library is not loaded yet."""
    price = row["price"]
    if price is not None:
        numbers: Any = {name: None if value is None else Decimal(value) for name, value in price.items()}
        price = Price(**numbers)
    return Offer(**{**row, "price": price})


def _offers(rows: list[Any]) -> Iterator[Offer]:
    for row in rows:
        # `slug` and `visibility`: in OpenAI's list for a sign-in with ChatGPT (developers.openai.com/siwc, Nov 2026).
        name = row.get("id") or row.get("slug") or row.get("name") if isinstance(row, Mapping) else row
        is_offered = not isinstance(row, Mapping) or row.get("visibility", "list") == "list"
        if isinstance(name, str) and name and is_offered:
            yield _offer(name, row if isinstance(row, Mapping) else {})


def _offer(name: str, row: Mapping[str, Any]) -> Offer:
    top, meta = _mapping(row.get("top_provider")), _mapping(row.get("meta"))
    context = (row.get("context_length"), row.get("max_model_len"), row.get("context_window"), meta.get("n_ctx"))
    said = row.get("name") if row.get("id") else ""
    return Offer(
        name,
        said if isinstance(said, str) and said != name else "",
        next((value for value in context if _is_count(value)), None),
        next((value for value in (top.get("max_completion_tokens"),) if _is_count(value)), None),
        _price(_mapping(row.get("pricing"))),
        "reasoning" in takes if isinstance(takes := row.get("supported_parameters"), list) else None,
        next((day[:10] for key in _ENDS if isinstance(day := row.get(key), str)), ""),
    )


def _price(pricing: Mapping[str, Any]) -> Price | None:
    """Return dollars for a million tokens from dollars a token; a negative price means "it depends"."""
    prompt, completion = _money(pricing.get("prompt")), _money(pricing.get("completion"))
    if prompt is None or completion is None:
        return None
    return Price(
        prompt, completion, _money(pricing.get("input_cache_read")), written=_money(pricing.get("input_cache_write"))
    )


def _money(value: Any) -> Decimal | None:
    if not isinstance(value, (str, int, float)) or isinstance(value, bool):
        return None
    try:
        money = Decimal(str(value)) * MILLION
    except InvalidOperation:
        return None
    return money if money.is_finite() and money >= 0 else None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
