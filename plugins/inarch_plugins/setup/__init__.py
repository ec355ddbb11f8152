"""setup: configuration of other agents to use Inarch, and its removal."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import inarch


@inarch.hookimpl
def inarch_checks(context: inarch.PluginContext) -> Iterable[inarch.SelfCheck]:
    """Return the check of other agents' configuration in this project, for `inarch doctor`."""

    def look() -> Iterable[inarch.Finding]:
        from inarch_plugins.setup.record import WRITTEN

        place = Path(context.state_dir) / WRITTEN
        if place.exists():
            from inarch_plugins.setup.setup_doctor import findings

            yield from findings(place, context.root)

    return [inarch.SelfCheck("setup", look)]
