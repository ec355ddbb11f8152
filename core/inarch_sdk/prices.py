"""Prices, limits and full names of known models, from the table of the package `litellm` if it is installed.

The table is read without importing the package, which takes two seconds. A single entry is searched in the table's
bytes: parsing the table takes a tenth of a second, and most runs need one model.
"""

from __future__ import annotations

import json
import mmap
import os
import re
from collections.abc import Collection, Iterator, Mapping
from decimal import Decimal
from functools import cache
from typing import Any

from attrs import Factory, define, evolve, field, frozen

from inarch.contract.records import Limits, Price
from inarch_sdk.usage import MILLION

FILE = "model_prices_and_context_window_backup.json"
LONGEST_ENTRY = 1 << 16
LOCAL = frozenset({"ollama", "ollama_chat", "lemonade"})
"""Local services: their price of zero is real, elsewhere zero means "unknown"."""

_TALKING = frozenset({"chat", "responses", "completion"})
_USUAL = frozenset({"low", "medium", "high"})
_RARER = ("minimal", "xhigh", "max")
_STEP = r"input_cost_per_token_above_(\d+)k_tokens"


@frozen(eq=False, repr=False)
class KnownModel:
    """Entry of the table; a missing or zero price is None.

    `efforts` are the supported levels of reasoning; empty for models without them.
    """

    name: str
    service: str
    price: Price | None = None
    limits: Limits = Factory(Limits)
    efforts: frozenset[str] = frozenset()


@define(eq=False, repr=False)
class PriceTable:
    """Price table in a file; "" means an empty table."""

    path: str = ""
    _found: dict[str, KnownModel | None] = field(init=False, factory=dict)

    def find(self, name: str, service: str = "") -> KnownModel | None:
        """Return the entry of exactly this name, and of the service if one is given; None if there is none."""
        if name not in self._found:
            row = self._row(name) if self.path else None
            self._found[name] = None if row is None else _known(name, row)
        known = self._found[name]
        return known if known is None or not service or _is_of(known.service, service) else None

    def all(self) -> Iterator[KnownModel]:
        """Yield every chat model; parses the whole table."""
        try:
            with open(self.path, "rb") as file:  # noqa: PTH123  # "" is no path, and pathlib would make it one
                rows = json.load(file)
        except (OSError, ValueError, RecursionError):
            return
        for name, row in rows.items() if isinstance(rows, dict) else ():
            if name != "sample_spec" and isinstance(row, dict) and row.get("mode") in _TALKING:
                yield _known(name, row)

    @property
    def source(self) -> str:
        """Name of the table, with its version if known."""
        folder, package = os.path.split(os.path.dirname(self.path))  # noqa: PTH120
        try:
            names = os.listdir(folder) if package else []  # noqa: PTH208
        except OSError:
            names = []
        found = (re.fullmatch(rf"{re.escape(package)}-(.+)\.dist-info", name) for name in names)
        version = next((match[1] for match in found if match), "")
        return f"litellm's table {version}".rstrip()

    def _row(self, name: str) -> Mapping[str, Any] | None:
        """Return the object after a key without parsing the text before it."""
        key = json.dumps(name).encode()
        try:
            with open(self.path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:  # noqa: PTH123
                start = data.find(key)
                while start >= 0:
                    after = data[start + len(key) : start + len(key) + LONGEST_ENTRY].decode("utf-8", "replace")
                    opening = re.match(r"\s*:\s*(?=\{)", after)
                    if opening and data[start - 1 : start] != b"\\":  # else a quotation mark inside a longer key
                        row, _ = json.JSONDecoder().raw_decode(after, opening.end())
                        return row if isinstance(row, dict) else None
                    start = data.find(key, start + 1)
        except (OSError, ValueError, RecursionError):
            pass  # an unreadable table is an empty one
        return None


@cache
def price_table() -> PriceTable:
    """Return the table of the installed `litellm`, or an empty one."""
    from importlib.machinery import PathFinder

    spec = PathFinder.find_spec("litellm")
    place = os.path.dirname(spec.origin) if spec is not None and spec.origin else ""  # noqa: PTH120
    path = os.path.join(place, FILE)  # noqa: PTH118
    return PriceTable(path if place and os.path.isfile(path) else "")  # noqa: PTH113


def _known(name: str, row: Mapping[str, Any]) -> KnownModel:
    service = row.get("litellm_provider")
    service = service if isinstance(service, str) else ""
    context = _count(row.get("max_input_tokens")) or _count(row.get("max_tokens"))
    limits = Limits(context, _count(row.get("max_output_tokens")))
    return KnownModel(name, service, _price(row, service in LOCAL and "cloud" not in name), limits, _efforts(row))


def _efforts(row: Mapping[str, Any]) -> frozenset[str]:
    if row.get("supports_reasoning") is not True:
        return frozenset()
    return _USUAL | {word for word in _RARER if row.get(f"supports_{word}_reasoning_effort") is True}


def _price(row: Mapping[str, Any], free: bool) -> Price | None:
    """Return a row's price, None unless it depends on tokens alone."""
    base = _price_of(row, "", free)
    if base is None or row.get("mode") not in _TALKING or row.get("input_cost_per_request"):
        return None
    steps = sorted(int(match[1]) for key in row if (match := re.fullmatch(_STEP, key)))
    beyond = _price_of(row, f"_above_{steps[0]}k_tokens", free) if steps else None
    return base if beyond is None else evolve(base, above=(steps[0] * 1_000, beyond))


def _price_of(row: Mapping[str, Any], suffix: str, free: bool) -> Price | None:
    inputs, outputs = (
        _money(row.get(f"input_cost_per_token{suffix}")),
        _money(row.get(f"output_cost_per_token{suffix}")),
    )
    if inputs is None or outputs is None or not (free or (inputs and outputs)):
        return None
    thoughts = _money(row.get("output_cost_per_reasoning_token"))  # if it is higher, all output is charged at it
    read, written = (_money(row.get(f"cache_{what}_input_token_cost{suffix}")) for what in ("read", "creation"))
    return Price(inputs, max(outputs, thoughts or outputs), read, written=written or None)


def _is_of(service: str, wanted: str) -> bool:
    """Return whether an entry's service is the wanted one, or a part of it such as `vertex_ai-language-models`."""
    return service in (wanted, f"{wanted}_converse", f"{wanted}_chat") or service.startswith(f"{wanted}-")


def _money(value: Any) -> Decimal | None:
    """Convert dollars per token to dollars per million tokens."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < float("inf"):
        return None
    return (Decimal(str(value)) * MILLION).normalize() + 0


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


_NATIVE = {
    "openai": re.compile(r"(?:gpt-(?!oss)|chatgpt-|o\d|codex-)[^/]*"),
    "anthropic": re.compile(r"claude-[^/]*"),
    "gemini": re.compile(r"gemini-[^/]*"),
}
"""Prefixes of companies' own model names: they mean the company's provider, even if a table lacks the model."""


def full_names(name: str, places: Collection[str]) -> list[str]:
    """Return the possible full names of a model's name.

    The model's maker comes before resellers. A name that starts with a service may also be reached there.
    """
    native = next((place for place, names in _NATIVE.items() if place in places and names.fullmatch(name)), None)
    if native is not None:
        return [f"{native}/{name}"]
    table = price_table()
    own, others = [], []
    for place in places:
        service = place.rpartition("/")[2]
        model = name.removeprefix(f"{service}/")
        if table.find(name, service) is not None or table.find(model, service) is not None:
            own.append(f"{place}/{model}")
        elif table.find(f"{service}/{model}") is not None:
            others.append(f"{place}/{model}")
    return own or others
