"""Every error that Inarch raises on purpose.

    InarchError
    ├── UsageError        wrong words or flags: one line, exit 2
    │   └── ConfigError   a wrong file, key, type or value: where it stands and what to write instead, exit 2
    ├── PluginError       a plugin could not be loaded or broke its side of the contract
    ├── ToolFailed        a tool could not do what was asked; becomes a `ToolResult`
    ├── Cancelled         the call or turn was cancelled, or its handle revoked
    ├── ProviderError     a model provider could not answer
    └── StoreError        the context store could not keep or read what it was given

Anything else that is raised is a fault in the code that raised it.
"""

from __future__ import annotations

from typing import Literal

ErrorCode = Literal[
    "not_found", "validation", "permission", "denied", "conflict", "timeout", "cancelled", "execution",
    "unknown_outcome",
]  # fmt: skip
ProviderErrorKind = Literal[
    "auth", "quota", "rate_limit", "server", "network", "timeout", "request", "context_length", "filtered",
    "empty", "malformed", "too_long", "plugin",
]  # fmt: skip
StoreErrorKind = Literal["full", "read_only", "permission", "damaged", "busy", "missing"]

LONGEST_ASKED_S = 10 * 365 * 86_400.0
"""What a service asks beyond this (`retry_after`) is no time that anybody meant."""
NO_SUCH_MODEL = (
    r"model_not_found|\b(invalid|unknown|no such) model|\bnot a valid model"
    r"|\bmodel\b.{0,80}\b(not a valid|not found|not exist|unknown)"
)
"""How services say that they don't have a model, in any case of letters."""


class InarchError(Exception):
    """Base of all errors: `message` says what is wrong and where, `remedy` what to do."""

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message} ({self.remedy})" if self.remedy else self.message


class UsageError(InarchError):
    """The arguments or flags of a command are wrong."""


class ConfigError(UsageError):
    """A configuration value is wrong.

    Args:
        message: What is wrong, in one sentence.
        source: Where the value was given: a file's path, an environment variable's name or a flag.
        line: Line in the file, counted from 1; None outside files.
        key: Dotted path of the key, such as `profiles.default.model`.
        remedy: What to write instead.
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
    """A plugin failed to load or broke the contract of a port."""

    def __init__(self, message: str, *, plugin: str = "", door: str = "", remedy: str = "") -> None:
        super().__init__(message, remedy)
        self.plugin = plugin
        self.door = door

    @property
    def reason(self) -> str:
        """What was wrong, for where the plugin's name stands already."""
        return self.message.removeprefix(f"plugin {self.plugin!r} ")


class ToolFailed(InarchError):
    """A tool or workspace could not do what was asked. The call answers it as a `ToolResult`."""

    def __init__(self, code: ErrorCode, message: str, remedy: str = "") -> None:
        super().__init__(message, remedy)
        self.code: ErrorCode = code


class Cancelled(InarchError):
    """The call or turn was cancelled. Every later use of a revoked handle raises it."""

    def __init__(self, message: str = "cancelled") -> None:
        super().__init__(message)


class ProviderError(InarchError):
    """A model provider could not answer.

    Args:
        kind: What went wrong, in one of the words of `ProviderErrorKind`.
        message: What the service said, without secrets.
        status: HTTP status, None where there was none.
        retry_after: Seconds the service asked to wait.
        retryable: Whether the same request may succeed later.
        remedy: What the user can do.
        was_sent: Whether the request may have reached the service; one that did not costs nothing.
        told: What the model is told when it is asked again, where the fault lies in what it replied.
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
        """Return a new error that differs in message or remedy, without the trace of where this one was raised."""
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
    """The store could not write or read something."""

    def __init__(self, kind: StoreErrorKind, message: str, remedy: str = "") -> None:
        super().__init__(message, remedy)
        self.kind: StoreErrorKind = kind
