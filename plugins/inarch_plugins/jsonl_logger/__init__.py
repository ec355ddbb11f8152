"""Log beside the store: every event as a line of JSON, a file a session, made for `tail -f`, grep and jq."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

import inarch


@frozen(eq=False, repr=False)
class Settings:
    """Settings of the JSONL log.

    Args:
        enabled: Whether to write a log.
        path: The folder of the logs; empty for the plugin's own state folder.
        max_mb: A file that would grow over this many megabytes is renamed to NAME.1.jsonl, NAME.2.jsonl, …; 0 never
            renames.
        keep: How many renamed files of a session stay, the newest ones. 0 keeps all; otherwise the log of a long
            session loses its beginning.
    """

    enabled: bool = True
    path: str = ""
    max_mb: float = 100.0
    keep: int = 0


@inarch.hookimpl
def inarch_settings() -> type:
    """Return the settings of `[plugins.jsonl-logger]`."""
    return Settings


@inarch.hookimpl
def inarch_tracers(context: inarch.PluginContext) -> Iterable[inarch.Tracer]:
    """Return the logger, unless it is turned off or recording is forbidden."""
    settings = context.settings if isinstance(context.settings, Settings) else Settings()
    if not (settings.enabled and context.recorded):
        return []
    from inarch_plugins.jsonl_logger.logger import JsonlLogger

    folder = settings.path or f"{context.state_dir}/logs"
    return [JsonlLogger(folder, int(settings.max_mb * 1_000_000), settings.keep)]
