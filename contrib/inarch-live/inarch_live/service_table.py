"""What is known of the services without connecting: the variable of each one's key, and its default model."""

from __future__ import annotations

from collections.abc import Mapping

import inarch

KEYS: Mapping[str, str] = {"gemini": "GEMINI_API_KEY", "openai": "OPENAI_API_KEY"}
"""The variable that holds each service's key; the first one whose key is set is the default."""
MODELS: Mapping[str, str] = {"gemini": "gemini-3.8-live", "openai": "gpt-realtime-2.1"}


def unset(variable: str) -> inarch.ProviderError:
    """Return the error of a key that is not set."""
    remedy = f"set {variable} to your key"
    return inarch.ProviderError("auth", f"{variable} is not set", remedy=remedy, was_sent=False)
