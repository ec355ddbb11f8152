"""What makes a model provider ready, so that `model = "auto"` may take it: told by metadata, read without importing it.

An entry of the group `inarch.ready` is `PLUGIN = "NEEDS:rank_N"`; of those that are ready the lowest rank is taken,
keys before addresses. NEEDS is an environment variable, such as `GEMINI_API_KEY`; or `settings.KEY`, an address of the
plugin's settings at which a server takes connections; or `nothing`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

_ENTRY = re.compile(r"([A-Z][A-Z0-9_]*|settings\.[a-z_]+|nothing):rank_(\d{1,9})")


class Ready(NamedTuple):
    """What a provider needs, by its plugin, and its rank: lower ones are taken first."""

    rank: int
    plugin: str
    needs: str

    @property
    def variable(self) -> str:
        """The environment variable that has to be set, "" if there is none."""
        return self.needs if self.needs.isupper() else ""

    @property
    def setting(self) -> str:
        """The key of the plugin's settings that has to name a server's address, "" if there is none."""
        return self.needs.partition(".")[2]

    @property
    def always(self) -> bool:
        """Whether it needs nothing: a last resort."""
        return self.needs == "nothing"


def read_ready(plugin: str, target: str) -> Ready | None:
    """Return what an entry says; None if it isn't understood."""
    found = _ENTRY.fullmatch(target)
    return None if found is None else Ready(int(found[2]), plugin, found[1])


def with_variable(ready: Iterable[Ready]) -> list[Ready]:
    """Return those that need a variable."""
    return [one for one in ready if one.variable]


def with_address(ready: Iterable[Ready]) -> list[Ready]:
    """Return those that need a server of the user's own."""
    return [one for one in ready if one.setting]
