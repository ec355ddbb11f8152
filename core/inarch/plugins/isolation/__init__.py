"""isolation: plugins in processes of their own, `[isolation.NAME] mode = "process"`.

The module of such a plugin is never imported here. A child confines itself to the rights of the table, imports it and
describes what it registers; proxies stand for that in the composition.
"""

from __future__ import annotations

from collections.abc import Iterable

import inarch
from inarch.contract.loading import Loader, Loading, LoadJob


class ProcessLoader:
    """Loads each plugin in a process of its own."""

    name = "process"

    def begin(self, job: LoadJob) -> Loading:
        """Start the plugin's process."""
        from inarch.plugins.isolation.loading import Isolated

        return Isolated.begun(job)


@inarch.hookimpl
def inarch_loaders(context: inarch.PluginContext) -> Iterable[Loader]:
    """Return the loader."""
    return [ProcessLoader()]
