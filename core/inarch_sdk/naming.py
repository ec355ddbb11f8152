"""What a bare model's name, such as `acme-4`, may be short for: told by the table of known models."""

from __future__ import annotations

import re
from collections.abc import Collection

from inarch_sdk.prices import price_table

_NATIVE = {
    "openai": re.compile(r"(?:gpt-(?!oss)|chatgpt-|o\d|codex-)[^/]*"),
    "anthropic": re.compile(r"claude-[^/]*"),
    "gemini": re.compile(r"gemini-[^/]*"),
}
"""Names that a company gives to its own models: they mean its own provider, also when no table knows them yet."""


def full_names(name: str, places: Collection[str]) -> list[str]:
    """Return the full names that a model's name may stand for.

    Whose own model it is wins over those who resell it; a name that begins with a service may be reached at that one.

    Args:
        name: The model's name, which begins with no provider.
        places: Where models are: each `PROVIDER`, or `PROVIDER/SERVICE`.
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
