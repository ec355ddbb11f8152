"""Features of a model by the version in its name; a name without one, like `gemini-flash-latest`, counts as new."""

from __future__ import annotations

import re
from typing import Any

from inarch import Effort

BUDGETS: dict[Effort, int] = {"minimal": 512, "low": 1_024, "medium": 8_192, "high": 16_384, "max": 24_576}
"""Tokens of thought that every model with budgets accepts."""
MOST_OF_PRO = 32_768
_VERSION = re.compile(r"^gemini-(\d+)(?:\.(\d+))?(?!\d)")
_OLD_FAMILIES = ("gemma", "learnlm")


def short_name(model: str) -> str:
    """Return a model's name without a prefix such as `models/`."""
    return model.rsplit("/", 1)[-1].lower()


def version_of(model: str) -> tuple[int, int] | None:
    """Return the version, None if the name has none."""
    found = _VERSION.match(short_name(model))
    return (int(found[1]), int(found[2] or 0)) if found else None


def is_before_3(model: str) -> bool:
    """Return whether a model takes budgets and a temperature, and signs no calls (Google's guides, Nov 2026)."""
    version = version_of(model)
    return version < (3, 0) if version is not None else short_name(model).startswith(_OLD_FAMILIES)


def thinks_by_name(model: str) -> bool:
    """Guess from a model's name whether it returns thoughts; small and old models refuse the request for them."""
    if not is_before_3(model):
        return True
    version = version_of(model)
    return version is not None and version >= (2, 5) and "lite" not in short_name(model)


def thinking_of(model: str, effort: Effort) -> dict[str, Any]:
    """Return the field of `thinkingConfig` for an effort: a level, or a budget in tokens before Gemini 3.

    The two are never sent together. The levels are those of ai.google.dev, as of Nov 2026. `minimal` ended with 3.7 and
    was never one of Pro's, the first of which had no `medium`. The highest is `high`.
    """
    name, version = short_name(model), version_of(model)
    is_pro = "pro" in name
    if is_before_3(model):
        return {"thinkingBudget": MOST_OF_PRO if effort == "max" and is_pro else BUDGETS[effort]}
    if effort == "minimal":
        has_minimal = version is not None and version < (3, 7) and not is_pro
        return {"thinkingLevel": "minimal" if has_minimal else "low"}
    if effort == "max" or (effort == "medium" and version == (3, 0) and is_pro):
        return {"thinkingLevel": "high"}
    return {"thinkingLevel": effort}
