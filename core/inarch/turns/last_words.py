"""What the user is told of a request that failed for good: who failed, how often it was asked, and what to do."""

from __future__ import annotations

from inarch.contract.errors import ProviderError, ProviderErrorKind

_ANOTHER = "or take another model with --model or `fallback`"
_REMEDIES: dict[ProviderErrorKind, str] = {
    "server": f"try again later, {_ANOTHER}",
    "network": f"check the connection and try again, {_ANOTHER}",
    "timeout": f"try again later, {_ANOTHER}",
    "malformed": f"try again, {_ANOTHER}",
    "empty": f"try again, {_ANOTHER}",
}
_OF_REPLIES = frozenset({"malformed", "empty", "filtered", "too_long"})
"""What is found out about a reply here, where the provider's name isn't part of the message."""


def for_good(error: ProviderError, model: str, attempts: int) -> ProviderError:
    """Return the error as it is told once nothing more is tried.

    Args:
        error: The last attempt's failure.
        model: Whose it is, by its full name; it is named where the message names nobody.
        attempts: How often it was asked.
    """
    message, remedy = error.message, error.remedy or _REMEDIES.get(error.kind, "")
    if error.kind in _OF_REPLIES and model.partition("/")[0] not in message:
        message = f"{model}: {message}"
    if attempts > 1:
        message = f"{message}; asked {attempts} times"
    return error if (message, remedy) == (error.message, error.remedy) else error.with_text(message, remedy)
