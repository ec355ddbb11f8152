"""What makes a model provider ready, so that `model = "auto"` may take it; nothing of it is imported to know.

An entry of the group `inarch.ready` is `PLUGIN = "NEEDS:rank_N"`; of those that are ready the lowest rank is taken.
NEEDS is an environment variable, such as `ACME_API_KEY`; or `settings.KEY`, an address of the plugin's settings at
which a server takes connections; or `nothing`. `"PLUGIN/MODEL" = "VARIABLE:rank_N"` names the model that is asked
then. The keys of Inarch's own providers are in the table of proposed models.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

_ENTRY = re.compile(r"([A-Z][A-Z0-9_]*|settings\.[a-z_]+|nothing):rank_(\d{1,9})")


class Ready(NamedTuple):
    """What a provider needs, by its plugin, and its rank: lower ones are taken first.

    `model` is asked then; "" is the provider's default.
    """

    rank: int
    plugin: str
    needs: str
    model: str = ""

    @property
    def variable(self) -> str:
        """The environment variable that has to be set, "" if there is none."""
        return self.needs if self.needs.isupper() else ""

    @property
    def setting(self) -> str:
        """The key of the plugin's settings that has to name a server's address, "" if there is none."""
        return self.needs.partition(".")[2]

    @property
    def place(self) -> str:
        """Where its models are: `PLUGIN`, or `PLUGIN/SERVICE` where the offered model's name begins with a service."""
        service, slash, _ = self.model.partition("/")
        return f"{self.plugin}/{service}" if slash else self.plugin

    @property
    def always(self) -> bool:
        """Whether it needs nothing: a last resort."""
        return self.needs == "nothing"


def read_ready(name: str, target: str) -> Ready | None:
    """Return what an entry says; None if it isn't understood."""
    found = _ENTRY.fullmatch(target)
    plugin, _, model = name.partition("/")
    ready = None if found is None else Ready(int(found[2]), plugin, found[1], model)
    return None if ready is None or (model and not ready.variable) else ready


def proposed_ready(plugins: Collection[str]) -> Iterator[Ready]:
    """Yield what the table of proposed models says of these plugins: which keys each takes, and the model if it is one
    of many services behind a provider."""
    from inarch_sdk.model_table import SERVICES

    for service in SERVICES:
        plugin, slash, place = service.provider.partition("/")
        if plugin in plugins:
            for variable, rank in service.keys:
                yield Ready(rank, plugin, variable, f"{place}/{service.model}" if slash else "")
