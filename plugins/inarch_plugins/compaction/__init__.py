"""compaction: where a conversation is too long for its model, what is old and can be read back is left out."""

from __future__ import annotations

from collections.abc import Iterable

import inarch


class LeavingOut:
    """Leaves out the least missed, without asking any model: `leaving_out` has the order."""

    name = "leaving-out"

    async def compact(self, crowded: inarch.Crowded) -> inarch.Compacted:
        """Return the conversation in as many tokens as it has room for, or as few as can be."""
        from inarch_plugins.compaction.omission import fit

        return fit(crowded)


@inarch.hookimpl
def inarch_compactions(context: inarch.PluginContext) -> Iterable[inarch.Compaction]:
    """Return the compaction."""
    return [LeavingOut()]
