"""What makes a model provider ready, so that `model = "auto"` may take it: told by metadata, read without importing it.

An entry of the group `inarch.ready` is `PLUGIN = "NEEDS:rank_N"`; of those that are ready the lowest rank is taken,
keys before addresses. NEEDS is an environment variable, such as `ACME_API_KEY`; or `settings.KEY`, an address of the
plugin's settings at which a server takes connections; or `nothing`. `"PLUGIN/MODEL" = "VARIABLE:rank_N"` is an offer: a
model that is told where the variable is set, and asked once the user has chosen it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

_ENTRY = re.compile(r"([A-Z][A-Z0-9_]*|settings\.[a-z_]+|nothing):rank_(\d{1,9})")


class Ready(NamedTuple):
    """What a provider needs, by its plugin, and its rank: lower ones are taken first; an offer names a model of it."""

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


def with_variable(ready: Iterable[Ready]) -> list[Ready]:
    """Return those that a variable makes ready."""
    return [one for one in ready if one.variable and not one.model]


def with_address(ready: Iterable[Ready]) -> list[Ready]:
    """Return those that need a server of the user's own."""
    return [one for one in ready if one.setting]
