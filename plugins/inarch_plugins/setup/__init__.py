"""setup: other agents are told of Inarch, in files that they read, and these are taken back."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import inarch


@inarch.hookimpl
def inarch_checks(context: inarch.PluginContext) -> Iterable[inarch.SelfCheck]:
    """Return what `inarch doctor` tells of agents to which Inarch is offered in this project."""

    def look() -> Iterable[inarch.Finding]:
        from inarch_plugins.setup.record import WRITTEN

        place = Path(context.state_dir) / WRITTEN
        if place.exists():
            from inarch_plugins.setup.setup_doctor import findings

            yield from findings(place, context.root)

    return [inarch.SelfCheck("setup", look)]
