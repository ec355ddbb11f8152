"""Which models of OpenAI are asked over the Responses API: chat completions refuse them tools."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

SERVICES = frozenset({"openai", "azure"})
PREFIX = "responses/"
"""Before a model's name it has LiteLLM use that API."""
FIRST = (5, 4)
"""The first version that refuses function tools while it reasons (OpenAI's model pages, seen Nov 2026)."""
REFUSAL = "/v1/responses"
"""Stands in the refusal: "To use function tools, use /v1/responses or set reasoning_effort to 'none'."."""
_VERSION = re.compile(r"^gpt-(\d+)(?:\.(\d+))?(?![\dk])")
_ADDRESSES = ("OPENAI_BASE_URL", "OPENAI_API_BASE")


def wants_responses(model: str, api_base: str) -> bool:
    """Whether a model is asked over Responses from the start: by its version, and only at OpenAI's own address.

    A gateway may know the name and not the API; it says so in its refusal.
    """
    service, _, name = model.partition("/")
    address = api_base or next((found for one in _ADDRESSES if (found := os.environ.get(one, "").strip())), "")
    host = urlsplit(address).hostname or ""
    if service != "openai" or (address and host != "api.openai.com" and not host.endswith(".api.openai.com")):
        return False
    version = _VERSION.match(name)
    return version is not None and (int(version[1]), int(version[2] or 0)) >= FIRST


def over_responses(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a request with which it goes to Responses, where nothing of it is stored."""
    service, _, name = str(arguments["model"]).partition("/")
    stateless = {"store": False, "include": ["reasoning.encrypted_content"]}
    return {**stateless, **arguments, "model": f"{service}/{PREFIX}{name.removeprefix(PREFIX)}"}


def is_refusal(error: Exception, model: str) -> bool:
    """Whether a service refused chat completions for a model that it serves over Responses."""
    return model.partition("/")[0] in SERVICES and REFUSAL in str(error)
