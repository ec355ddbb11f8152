"""The offline planner: a model provider without a model, that plans by rules and answers by extraction.

Its answers come from tool results only, and each statement says in which file and line it stands.
"""

from __future__ import annotations

from collections.abc import Iterable

import inarch
from inarch_offline.provider import Offline


@inarch.hookimpl
def inarch_models(context: inarch.PluginContext) -> Iterable[inarch.ModelProvider]:
    """Return the one provider, `offline`."""
    return [Offline(context.environ)]
