"""What the service says of its models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen

MOST_PAGES = 20


@frozen(eq=False, repr=False)
class Listed:
    """One model as it was listed; None is what the list didn't say."""

    description: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    thinks: bool | None = None


def listed_models(page: Any) -> Iterator[tuple[str, Listed]]:
    """Yield the models of one page of the list that answer prompts."""
    models = page.get("models") if isinstance(page, Mapping) else None
    for model in models if isinstance(models, list) else ():
        if not isinstance(model, Mapping) or not isinstance(model.get("name"), str):
            continue
        if "generateContent" in (model.get("supportedGenerationMethods") or ("generateContent",)):
            yield model["name"].removeprefix("models/"), _listed(model)


def _listed(model: Mapping[str, Any]) -> Listed:
    words = model.get("description") or model.get("displayName")
    thinks = model.get("thinking")
    return Listed(
        " ".join(words.split()) if isinstance(words, str) else "",
        _count(model.get("inputTokenLimit")),
        _count(model.get("outputTokenLimit")),
        thinks if isinstance(thinks, bool) else None,
    )


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
