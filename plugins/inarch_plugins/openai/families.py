"""What families of models want otherwise than others, wherever they are served."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inarch import Effort

_HOSTS = {"deepseek.com": "deepseek", "moonshot.ai": "kimi", "moonshot.cn": "kimi", "kimi.com": "kimi", "z.ai": "glm",
          "openrouter.ai": ""}  # fmt: skip
"""The last one makes all models alike itself."""
_NAMES = ("deepseek", "kimi", "glm", "qwen")
_PLAIN: dict[Effort, str] = {"minimal": "low", "low": "low", "medium": "medium", "high": "high", "max": "high"}
"""The three words that every service with such a member takes."""
# Documentation of DeepSeek, Kimi and GLM, seen in November 2026: low, high and max.
_EFFORTS: dict[str, dict[Effort, str]] = {
    "deepseek": {"max": "max"},
    "kimi": {"medium": "high", "max": "max"},
    "glm": {"medium": "high", "max": "max"},
    "qwen": {"max": "max"},
}


def family_of(model: str, address: str) -> str:
    """Return the family of a model, by the host that serves it or by its name; "" for all others.

    >>> family_of("m", "https://api.deepseek.com/v1"), family_of("moonshotai/Kimi-K3", "http://localhost:8000/v1")
    ('deepseek', 'kimi')
    """
    host = address.partition("://")[2].partition("/")[0].partition(":")[0].lower()
    served = next((family for end, family in _HOSTS.items() if host == end or host.endswith(f".{end}")), None)
    return next((name for name in _NAMES if name in model.lower()), "") if served is None else served


def effort_for(family: str, effort: Effort) -> dict[str, Any]:
    """Return the member that says how much a model is to think."""
    return {"reasoning_effort": _EFFORTS.get(family, {}).get(effort) or _PLAIN[effort]}


def filled(family: str, item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an assistant message of a conversation with tools with the thought that its service insists on.

    DeepSeek wants one on every message and Kimi on those with calls; a blank does where none is kept, because another
    model wrote the message or a compaction left it out (LiteLLM 1.110.2 sends the same).
    """
    wants = family == "deepseek" or (family == "kimi" and "tool_calls" in item)
    has = "reasoning_content" in item or "reasoning" in item or "reasoning_details" in item
    return {**item, "reasoning_content": " "} if wants and not has else dict(item)
