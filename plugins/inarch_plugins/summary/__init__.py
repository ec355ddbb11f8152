"""summary: replaces turns that no longer fit a conversation by a model's summary; they can still be read in full."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import field, frozen, validators

import inarch

LEAST_SHARE = 0.1
"""Minimum share of the conversation's room that turns must take to be worth a request."""


@frozen
class Settings:
    """Settings of `[plugins.summary]`.

    Args:
        model: The model that summarizes, as `PROVIDER/NAME`; empty for the conversation's model.
        at: The used share of the model's window above which turns are summarized.
        keep: The number of last turns that stay unchanged.
        max_tokens: Maximum tokens of a summary.
    """

    model: str = ""
    at: float = field(default=0.8, validator=[validators.ge(0.1), validators.le(1.0)])
    keep: int = field(default=2, validator=validators.ge(0))
    max_tokens: int = field(default=4_000, validator=validators.ge(200))


class Summing:
    """Compaction that replaces all turns but the last by a summary; if that fails, other compactions apply."""

    name = "summary"

    def __init__(self, settings: Settings) -> None:
        self.at = settings.at
        self._settings = settings
        self._tried: set[str] = set()

    async def compact(self, crowded: inarch.Crowded) -> inarch.Compacted | None:
        """Have old turns summarized once: a failed attempt is not repeated and paid for at every request."""
        seen = [said for said in crowded.earlier if said.messages]
        old = seen[: len(seen) - self._settings.keep]
        new = sum(crowded.size(message) for said in old if said.form != "summary" for message in said.messages)
        if new <= crowded.room * LEAST_SHARE or old[-1].turn_id in self._tried:
            return None
        self._tried.add(old[-1].turn_id)
        from inarch_plugins.summary.summary_text import summed_up

        return await summed_up(crowded, old, self._settings)


@inarch.hookimpl
def inarch_settings() -> type:
    """Return the settings class."""
    return Settings


@inarch.hookimpl
def inarch_compactions(context: inarch.PluginContext) -> Iterable[inarch.Compaction]:
    """Return the compaction."""
    return [Summing(context.settings if isinstance(context.settings, Settings) else Settings())]
