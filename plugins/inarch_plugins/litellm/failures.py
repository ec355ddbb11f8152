"""Conversion of any exception of the library to the one `ProviderError` with a remedy."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from inarch import ProviderError, provider_error

_PREFIX = re.compile(r"^\s*(litellm\.)?[A-Z]\w*(Error|Exception|Timeout)\b\s*(:|-|$)\s*")
_TAIL = re.compile(r"Traceback \(most recent call last\)|Received Chunk=|\. Handle with `litellm|To drop these")
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.I)
SHORTEST_SECRET = 8
CAUSES = 8
"""Maximum causes of an exception that are examined."""
_SILENT = frozenset({"Timeout", "TimeoutException", "APITimeoutError", "ServerTimeoutError"})
_GARBLED = frozenset({"JSONDecodeError", "UnicodeDecodeError", "RecursionError"})
_UNREACHABLE = frozenset({"ConnectError", "ClientConnectorError"})
_BROKEN = frozenset({"TransportError", "ClientError"})
_KEYLESS = re.compile(r"missing credentials|api_key client option must|missing .{0,40}\bapi key", re.I)
"""Messages of clients made without a key: no service was asked, whatever the status."""
_CUT = re.compile(r"^Stream ended before a finish_reason was received")
"""Message of the library since 1.107 for a stream cut before its end; it then gives no reason."""
_BARE = re.compile(r"^Error code: \d+$")
"""Message of the client of OpenAI's wire since 3.0 for an error that is not an object; the text is beside it."""
_WRAPPERS = "litellm.exceptions"
_INVENTED = frozenset({"APIConnectionError", "InternalServerError", "ServiceUnavailableError", "APIError"})
"""Exceptions of the library with a made-up status if no service sent one."""


def failure(
    error: Exception, name: str, silence_s: float, hide: Callable[[str], str], missing: str = ""
) -> ProviderError:
    """Return the error for an exception of the library."""
    original = getattr(error, "original_exception", None)
    while isinstance(original, Exception):
        error, original = original, getattr(original, "original_exception", None)
    causes = list(_causes(error))
    kinds = {one.__name__ for cause in causes for one in type(cause).__mro__}
    text = _said(error)
    status = _status(causes)
    if "UnsupportedParamsError" in kinds:
        remedy = "name another model, or remove unknown arguments from [plugins.litellm] extra"
        unknown = _plain("request", name, "can't take the request", text, hide)
        return ProviderError("request", unknown.message, remedy=remedy)
    if _CUT.search(text):
        return ProviderError("malformed", f"{name} sent a reply that was cut before its end", retryable=True)
    if kinds & _SILENT:
        return ProviderError("timeout", f"{name} said nothing for {silence_s:g} s", retryable=True)
    if kinds & _GARBLED:
        return _plain("malformed", name, "did not answer with JSON", "", hide)
    if kinds & _UNREACHABLE:
        return _plain("network", name, "can't be reached", text, hide, "check the address and the connection")
    if kinds & _BROKEN:
        return _plain("network", name, "broke the connection off", text, hide)
    if _KEYLESS.search(text):
        keyless = _plain("auth", name, "can't be asked", text, hide)
        remedy = f"{name} {missing}" if missing else "put the key into the variable of that service"
        return ProviderError("auth", keyless.message, remedy=remedy)
    if "ContentPolicyViolationError" in kinds:
        refused = provider_error(name, status or 400, {}, text, hide)
        return ProviderError("filtered", refused.message, status=status, remedy="ask it in other words")
    if "ContextWindowExceededError" in kinds:
        return provider_error(name, 400, _headers(error), {"message": text, "type": "context_length_exceeded"}, hide)
    body = _body(causes, text)
    if status is None and not isinstance(body, Mapping):
        return _plain("plugin", name, "failed within LiteLLM", text, hide)
    return provider_error(name, status, _headers(error), body, hide)


def hiding(environ: Mapping[str, str], *secrets: str) -> Callable[[str], str]:
    """Return a function that redacts keys in a text: the given ones, and those in the environment."""

    def hide(text: str) -> str:
        named = {value for name, value in environ.items() if _SECRET.search(name)}
        for secret in sorted({*secrets, *named}, key=len, reverse=True):
            if len(secret) >= SHORTEST_SECRET:
                text = text.replace(secret, "‹key›")
        return text

    return hide


def _plain(kind: Any, name: str, what: str, said: str, hide: Callable[[str], str], remedy: str = "") -> ProviderError:
    """Return an error of the connection, not of the service; `provider_error` redacts the text."""
    shown = provider_error(name, 500, {}, said, hide).message.partition(": ")[2]
    return ProviderError(kind, f"{name} {what}{f': {shown}' if shown else ''}", retryable=True, remedy=remedy)


def _causes(error: BaseException) -> Iterator[BaseException]:
    found: BaseException | None = error
    for _ in range(CAUSES):
        if found is None:
            return
        yield found
        found = found.__cause__ or found.__context__


def _status(causes: list[BaseException]) -> int | None:
    """Return the service's status: the library rounds some, and makes one up if there was none."""
    wrapped = [cause for cause in causes if type(cause).__module__ == _WRAPPERS]
    for cause in (*(cause for cause in causes if cause not in wrapped), *wrapped):
        status = getattr(cause, "status_code", None)
        made_up = cause in wrapped and type(cause).__name__ in _INVENTED
        if isinstance(status, int) and 300 <= status < 600 and not made_up:
            return status
    return None


def _said(error: Exception) -> str:
    """Return an exception's message without the class names that the library prepends."""
    text = str(getattr(error, "message", "") or error)
    while True:
        shorter = _PREFIX.sub("", text, count=1)
        if shorter == text:
            return _TAIL.split(text)[0].strip()
        text = shorter


def _body(causes: list[BaseException], text: str) -> Any:
    """Return the body of the service's answer: from the client or the library's text; else the text."""
    for cause in causes:
        body = getattr(cause, "body", None)
        if body and (isinstance(body, Mapping) or (isinstance(body, str) and _BARE.search(text))):
            return body
    inner = text.removeprefix("b'").removesuffix("'") if text.startswith("b'") else text
    start, end = inner.find("{"), inner.rfind("}")
    if start == 0 and end > start:
        try:
            return json.loads(inner[: end + 1])
        except (ValueError, RecursionError):
            pass
    return text


def _headers(error: Exception) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for holder in (getattr(error, "response", None), error):
        for attribute in ("headers", "litellm_response_headers"):
            headers = getattr(holder, attribute, None)
            if isinstance(headers, Mapping):
                found |= {str(name).lower(): str(value) for name, value in headers.items()}
    return found
