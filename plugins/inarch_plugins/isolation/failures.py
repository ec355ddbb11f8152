"""Conversion of the contract's errors to plain data and back, so that the kernel's process raises a child's errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args, get_type_hints

from inarch import Cancelled, ConfigError, InarchError, PluginError, ProviderError, StoreError, ToolFailed, UsageError

_LONGEST_TEXT = 1 << 16
_KNOWN = (ToolFailed, ProviderError, StoreError, Cancelled, ConfigError, UsageError, PluginError, SystemExit)
_EXTRAS: Mapping[type, tuple[str, ...]] = {
    ProviderError: ("status", "retry_after", "retryable", "was_sent", "told"),
    ConfigError: ("source", "key"),
}


def error_data(error: BaseException) -> dict[str, Any]:
    """Return an error as plain data."""
    cls = next((cls for cls in _KNOWN if isinstance(error, cls)), PluginError)
    # `CancelledError` belongs to asyncio, which need not be loaded for this
    name = "Cancelled" if type(error).__name__ == "CancelledError" else cls.__name__
    data: dict[str, Any] = {"type": name, "message": str(error), "remedy": ""}
    if isinstance(error, InarchError):
        data |= {"message": error.message, "remedy": error.remedy}
        data |= {name: getattr(error, name) for name in _EXTRAS.get(cls, ())}
    if isinstance(error, (ToolFailed, StoreError, ProviderError)):
        data["kind"] = error.code if isinstance(error, ToolFailed) else error.kind
    return data


def error_from(data: Any, plugin: str, door: str) -> BaseException:
    """Return the error that a child sent; any data gives an error."""
    table: Mapping[str, Any] = data if isinstance(data, Mapping) else {}
    kind, message, remedy = (_text(table.get(name)) for name in ("type", "message", "remedy"))
    if kind == "ToolFailed":
        return ToolFailed(_one_of(table, ToolFailed, "execution"), message, remedy)
    if kind == "StoreError":
        return StoreError(_one_of(table, StoreError, "damaged"), message, remedy)
    if kind == "ProviderError":
        return _provider_error(table, message, remedy)
    if kind == "UsageError":
        return UsageError(message, remedy)
    if kind in ("Cancelled", "SystemExit"):
        return Cancelled(message) if kind == "Cancelled" else SystemExit(message)
    return PluginError(message or f"plugin {plugin!r} failed at {door}", plugin=plugin, door=door, remedy=remedy)


def _provider_error(table: Mapping[str, Any], message: str, remedy: str) -> ProviderError:
    status, after = table.get("status"), table.get("retry_after")
    return ProviderError(
        _one_of(table, ProviderError, "plugin"),
        message,
        status=status if isinstance(status, int) else None,
        retry_after=float(after) if isinstance(after, (int, float)) else None,
        retryable=table.get("retryable") is True,
        remedy=remedy,
        was_sent=table.get("was_sent") is not False,
        told=_text(table.get("told")),
    )


def _one_of(table: Mapping[str, Any], cls: type[InarchError], otherwise: str) -> Any:
    """Return the kind that a child sent, if the class has it: the first constructor argument."""
    known = get_args(next(iter(get_type_hints(vars(cls)["__init__"]).values())))
    kind = table.get("kind")
    return kind if isinstance(kind, str) and kind in known else otherwise


def _text(value: Any) -> str:
    return value[:_LONGEST_TEXT] if isinstance(value, str) else ""
