"""Conversion of HTTP statuses and error bodies to a `ProviderError` with a remedy."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from inarch.contract.errors import LONGEST_ASKED_S, NO_SUCH_MODEL, ProviderError, ProviderErrorKind
from inarch_lib.output.escapes import shown

MESSAGE_CHARACTERS = 300
PAGE_CHARACTERS = 200
_READ = 20_000

_MODELS = "inarch models list shows the models"
_TABLE: dict[int, tuple[ProviderErrorKind, bool, str]] = {
    400: ("request", False, "the service rejects this request; another model may accept it"),
    401: ("auth", False, "check the key"),
    402: ("quota", False, "the account has no credit left: add some, or use another model"),
    403: ("auth", False, "the key may not use this model, or not from here"),
    404: ("request", False, f"{_MODELS}; check the base_url as well"),
    407: ("auth", False, "the proxy needs a login: HTTP_PROXY=http://USER:PASSWORD@HOST:PORT"),
    408: ("timeout", True, ""),
    409: ("server", True, ""),
    413: ("context_length", False, "begin a new session, or ask about less"),
    422: ("request", False, "the service rejects this request; another model may accept it"),
    425: ("server", True, ""),
    429: ("rate_limit", True, "wait, or use another model"),
}
# Status names in the error events of streams.
_WORDS: dict[str, int] = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "invalid_api_key": 401,
    "insufficient_quota": 429,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "model_not_found": 404,
    "request_too_large": 413,
    "context_length_exceeded": 413,
    "exceed_context_size_error": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "overloaded_error": 529,
    "unavailable_error": 503,
}
# Compiled on the first error: most runs never need them.
_MEMBER = r"(?:unsupported|unknown|unrecognized|unexpected|extra)\b[^'\"`]{0,60}['\"`]([A-Za-z_][\w.]*)"
_CONTEXT = (
    r"context[ _](length|window|size)|maximum context|too many tokens|prompt is too long|token count .{0,40}exceeds"
    r"|exceeds? the (available )?context|exceed_context_size"
)
_QUOTA = r"insufficient_quota|insufficient credits|billing|exceeded your current quota|credit balance"
_DAILY = r"per ?day|daily"


def provider_error(
    name: str,
    status: int | None,
    headers: Mapping[str, str],
    data: Any,
    hide: Callable[[str], str] = lambda text: text,
) -> ProviderError:
    """Return the error that a service's reply describes.

    Args:
        name: The service's name in messages.
        status: The HTTP status, or None for an error in a stream, whose data names it more or less clearly.
        headers: The response's headers, with lower-case names or a mapping that ignores case.
        data: The parsed body or event, of any shape; a text is the message itself.
        hide: Redacts secrets in the service's text.
    """
    wait = retry_after_of(headers, data)
    words = _words_of(data)
    said = _in_words(_message_of(data), hide)
    return from_status(name, _status_in(data) if status is None else status, said, wait, words)


def from_response(
    name: str, status: int, headers: Mapping[str, str], body: bytes, hide: Callable[[str], str] = lambda text: text
) -> ProviderError:
    """Return the error for a failed response and the beginning of its body."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        data = body[:_READ].decode("utf-8", "replace")
    return provider_error(name, status, headers, data, hide)


def from_status(
    name: str, status: int, message: str, retry_after: float | None = None, words: str = ""
) -> ProviderError:
    """Return the error for a status, its message, and the keywords that services use for kinds of errors."""
    kind, retryable, remedy = _TABLE.get(status, ("request", False, "") if status < 500 else ("server", True, ""))
    said = f"{words} {message}"
    if 300 <= status < 400:
        remedy = "redirects are not followed because they would get the key: correct the base_url"
    elif status in (400, 413, 422, 500) and re.search(_CONTEXT, said, re.I):
        kind, retryable, remedy = "context_length", False, _TABLE[413][2]
    elif status in (400, 422):
        remedy = _remedy_for(said) or remedy
    elif status == 429 and (re.search(_QUOTA, said, re.I) or (retry_after is None and re.search(_DAILY, said, re.I))):
        kind, retryable, remedy = "quota", False, "the quota is used up: use another model, or wait until it resets"
    return ProviderError(
        kind, f"{name} answered {status}{f': {message}' if message else ''}", status=status, retry_after=retry_after,
        retryable=retryable, remedy=remedy,
    )  # fmt: skip


def _remedy_for(said: str) -> str:
    """Return the remedy for a rejected request, "" if the service's text does not suggest one."""
    if re.search(NO_SUCH_MODEL, said, re.I):
        return _MODELS
    member = re.search(_MEMBER, said, re.I)
    return f"it does not take {member[1]}: change that in the plugin's settings, or use another model" if member else ""


def retry_after_of(headers: Mapping[str, str], data: Any) -> float | None:
    """Return the seconds that a service asks to wait, from `Retry-After` or from `RetryInfo` in the body."""
    for name, scale in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        given = headers.get(name)
        seconds = _seconds(given, scale) if given else None
        if seconds is not None:
            return seconds
    details = _error_in(data).get("details")
    for detail in details if isinstance(details, list) else ():
        delay = detail.get("retryDelay") if isinstance(detail, Mapping) else None
        if isinstance(delay, str) and delay.endswith("s"):
            return _seconds(delay[:-1], 1.0)
    return None


def _error_in(data: Any) -> Mapping[str, Any]:
    if isinstance(data, list) and data:
        data = data[0]
    if not isinstance(data, Mapping):
        return {}
    inner = data.get("error")
    return inner if isinstance(inner, Mapping) else data


def _message_of(data: Any) -> str:
    """Return the message of an error body, in any of the shapes that services use."""
    if isinstance(data, str):
        return data
    error = _error_in(data)
    message = next((error[key] for key in ("message", "detail", "error") if error.get(key)), "")
    details = error.get("metadata")
    raw = details.get("raw") if isinstance(details, Mapping) else None
    if isinstance(raw, str) and raw and raw not in str(message):
        message = f"{message} ({raw})"
    said = message if isinstance(message, str) else json.dumps(message, default=str)
    quotas = ", ".join(_quotas_in(error))
    return f"{quotas}: {said}" if quotas and quotas not in said else said  # in front, because the rest may be long


def _quotas_in(error: Mapping[str, Any]) -> Iterator[str]:
    """Yield the quotas that a `QuotaFailure` names: only the name shows whether it is per minute or per day."""
    details = error.get("details")
    for detail in details if isinstance(details, list) else ():
        violations = detail.get("violations") if isinstance(detail, Mapping) else None
        for one in violations if isinstance(violations, list) else ():
            name = one.get("quotaId") if isinstance(one, Mapping) else None
            if isinstance(name, str) and name:
                limit = one.get("quotaValue")
                yield f"{name} = {limit}" if isinstance(limit, str) and limit else name


def _in_words(message: str, hide: Callable[[str], str]) -> str:
    """Return a message that may be shown; it is cut last, so that no partial secret remains."""
    if re.match(r"[\s\ufeff]*<[!?/a-z]", message, re.I):
        return shown(hide(_words_of_page(message[:_READ])))[:PAGE_CHARACTERS]
    return shown(hide(message))[:MESSAGE_CHARACTERS]


def _words_of_page(page: str) -> str:
    """Return the words of an HTML page such as a gateway's 502, its title first, without markup."""
    from html import unescape

    seen = re.sub(r"<!--.*?(?:-->|\Z)|<(style|script)\b.*?(?:</\1\s*>|\Z)", " ", page, flags=re.I | re.S)
    return " ".join(re.sub("[<>]", " ", unescape(re.sub(r"<[^>]*>?", " ", seen))).split())


def _words_of(data: Any) -> str:
    error = _error_in(data)
    return " ".join(value for key in ("type", "code", "status") if isinstance(value := error.get(key), str))


def _status_in(data: Any) -> int:
    """Return the HTTP status of an error in a stream; without any hint, that of a server error."""
    error = _error_in(data)
    for key in ("code", "status", "type"):
        value = error.get(key)
        if isinstance(value, str):
            value = int(value) if value.isdecimal() and len(value) == 3 else _WORDS.get(value)
        if isinstance(value, int) and 400 <= value < 600:
            return value
    return 500


def _seconds(text: str, scale: float) -> float | None:
    try:
        seconds = float(text) / scale
    except ValueError:
        from email.utils import parsedate_to_datetime

        try:
            moment = parsedate_to_datetime(text)
        except ValueError:
            return None
        seconds = (moment.astimezone(UTC) - datetime.now(UTC)).total_seconds()
    return seconds if 0.0 <= seconds <= LONGEST_ASKED_S else None  # rejects NaN, past times and endless waits
