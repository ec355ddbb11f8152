"""compaction: leaves out old, retrievable parts of a conversation that is too long for its model."""

from __future__ import annotations

from collections.abc import Iterable

import inarch


class LeavingOut:
    """Compaction that leaves out the least important parts without a model, in the order of `omission`."""

    name = "leaving-out"

    async def compact(self, crowded: inarch.Crowded) -> inarch.Compacted:
        """Return the conversation within its room in tokens, or as small as possible."""
        from inarch_plugins.compaction.omission import fit

        return fit(crowded)


@inarch.hookimpl
def inarch_compactions(context: inarch.PluginContext) -> Iterable[inarch.Compaction]:
    """Return the compaction."""
    return [LeavingOut()]
