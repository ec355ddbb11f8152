"""Every error that Inarch raises on purpose.

    InarchError
    ├── UsageError        wrong arguments or flags: one line, exit 2.
    │   └── ConfigError   a wrong file, key, type or value, with its place and the fix, exit 2.
    ├── PluginError       a plugin could not be loaded or broke its side of the contract.
    ├── ToolFailed        a tool could not do its work; becomes a `ToolResult`.
    ├── Cancelled         the call or turn was cancelled, or its handle revoked.
    ├── ProviderError     a model provider could not answer.
    └── StoreError        the context store could not store or read its data.

Any other exception is a fault in the code that raised it.
"""

from __future__ import annotations

from typing import Literal

ErrorCode = Literal[
    "not_found", "validation", "permission", "denied", "conflict", "timeout", "cancelled", "execution",
    "unknown_outcome", "unreviewed",
]  # fmt: skip
ProviderErrorKind = Literal[
    "auth", "quota", "rate_limit", "server", "network", "timeout", "request", "context_length", "filtered",
    "empty", "malformed", "too_long", "plugin",
]  # fmt: skip
StoreErrorKind = Literal["full", "read_only", "permission", "damaged", "busy", "missing"]

LONGEST_ASKED_S = 10 * 365 * 86_400.0
"""Longest plausible `retry_after` of a service, in seconds."""
NO_SUCH_MODEL = (
    r"model_not_found|\b(invalid|unknown|no such) model|\bnot a valid model"
    r"|\bmodel\b.{0,80}\b(not a valid|not found|not exist|unknown)"
)
"""Services' messages for a model they do not have, in any case of letters."""


class InarchError(Exception):
    """Error with a remedy: `message` says what and where, `remedy` what to do."""

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message} ({self.remedy})" if self.remedy else self.message


class UsageError(InarchError):
    """Wrong arguments or flags of a command."""


class ConfigError(UsageError):
    """Wrong configuration value.

    Args:
        message: The fault, in one sentence.
        source: Origin of the value: a file's path, an environment variable's name or a flag.
        line: Line in the file, counted from 1; None outside files.
        key: Dotted path of the key, such as `profiles.default.model`.
        remedy: The text to write instead.
    """

    def __init__(
        self, message: str, *, source: str = "", line: int | None = None, key: str = "", remedy: str = ""
    ) -> None:
        where = f"{source}:{line}" if source and line is not None else source
        super().__init__(": ".join(part for part in (where, key, message) if part), remedy)
        self.source = source
        self.line = line
        self.key = key


class PluginError(InarchError):
    """Plugin that could not be loaded, or broke its side of the contract."""

    def __init__(self, message: str, *, plugin: str = "", door: str = "", remedy: str = "") -> None:
        super().__init__(message, remedy)
        self.plugin = plugin
        self.door = door

    @property
    def reason(self) -> str:
        """The fault alone, for places that name the plugin already."""
        return self.message.removeprefix(f"plugin {self.plugin!r} ")


class ToolFailed(InarchError):
    """Failure of a tool: raised by tools and workspaces, returned as a `ToolResult`."""

    def __init__(self, code: ErrorCode, message: str, remedy: str = "") -> None:
        super().__init__(message, remedy)
        self.code: ErrorCode = code


class Cancelled(InarchError):
    """Cancelled call or turn; every later use of a revoked handle raises it."""

    def __init__(self, message: str = "cancelled") -> None:
        super().__init__(message)


class ProviderError(InarchError):
    """Failure of a model provider to answer.

    Args:
        kind: Kind of failure, one of `ProviderErrorKind`.
        message: The service's message, without secrets.
        status: HTTP status, None if there was none.
        retry_after: Seconds that the service asked to wait.
        retryable: Whether the same request may succeed later.
        remedy: Advice to the user.
        was_sent: Whether the request may have reached the service; one that did not costs nothing.
        told: Message to the model when it is asked again, if its reply was at fault.
    """

    def __init__(
        self,
        kind: ProviderErrorKind,
        message: str,
        *,
        status: int | None = None,
        retry_after: float | None = None,
        retryable: bool = False,
        remedy: str = "",
        was_sent: bool = True,
        told: str = "",
    ) -> None:
        super().__init__(message, remedy)
        self.kind: ProviderErrorKind = kind
        self.status = status
        self.retry_after = retry_after
        self.retryable = retryable
        self.was_sent = was_sent
        self.told = told

    def with_text(self, message: str | None = None, remedy: str | None = None) -> ProviderError:
        """Return a new error with another message or remedy, without this one's traceback."""
        return ProviderError(
            self.kind,
            self.message if message is None else message,
            status=self.status,
            retry_after=self.retry_after,
            retryable=self.retryable,
            remedy=self.remedy if remedy is None else remedy,
            was_sent=self.was_sent,
            told=self.told,
        )


class StoreError(InarchError):
    """Failure of the store to store or read its data."""

    def __init__(self, kind: StoreErrorKind, message: str, remedy: str = "") -> None:
        super().__init__(message, remedy)
        self.kind: StoreErrorKind = kind
