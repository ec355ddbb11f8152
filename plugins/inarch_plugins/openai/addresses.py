"""Addresses of services: which speak Responses, and what a person leaves out of one."""

from __future__ import annotations

from urllib.parse import urlsplit

from inarch import ProviderError

OPENAI = "https://api.openai.com/v1"
_AZURE = (".azure.com", ".azure.us", ".azure.cn")
_ENDPOINTS = ("/responses", "/chat/completions", "/models")


def is_openai(base_url: str) -> bool:
    """Whether OpenAI itself answers there, or Azure with OpenAI's models and its `v1` API."""
    host, path = _parts(base_url)
    own = host == "api.openai.com" or host.endswith(".api.openai.com") or ".privatelink.openai." in host
    return own or (host.endswith(_AZURE) and path.endswith("/openai/v1"))


def prefers_responses(base_url: str) -> bool:
    """Whether the service's models work over Responses only, or better (pages of OpenAI, Azure and xAI, Nov 2026)."""
    host, _ = _parts(base_url)
    return is_openai(base_url) or host == "api.x.ai" or host.endswith(".api.x.ai")


def completed(base_url: str) -> str:
    """Return an address with the path that services have if it has none, and without that of an endpoint."""
    url = base_url.strip().rstrip("/")
    url = next((url.removesuffix(one) for one in _ENDPOINTS if url.endswith(one)), url)
    host, path = _parts(url)
    if not host or path:
        return url
    if host.endswith(_AZURE):
        return f"{url}/openai/v1"
    return f"{url}/api/v1" if host == "openrouter.ai" else f"{url}/v1"


def is_absent(error: ProviderError) -> bool:
    """Whether a service has no such endpoint; a model that it does not have is another matter."""
    return error.status in (404, 405, 501) and "model" not in error.message.lower()


def _parts(base_url: str) -> tuple[str, str]:
    """Return the host, in small letters, and the path without a slash at its end."""
    try:
        parts = urlsplit(base_url)
        return (parts.hostname or "").lower(), parts.path.rstrip("/")
    except ValueError:
        return "", ""
