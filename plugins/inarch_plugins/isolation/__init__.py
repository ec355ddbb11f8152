"""isolation: plugins in processes of their own, `[isolation.NAME] mode = "process"`.

The module of such a plugin is never imported here. A child confines itself to the rights of the table, imports the
module and describes what it registers. Proxies represent that in the composition.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import inarch

if TYPE_CHECKING:
    from inarch.host import LoadJob
    from inarch_plugins.isolation.proxy_plugin import Isolated

__tracebackhide__ = True  # it calls plugins' code for the kernel: errors are reported with the plugin's line


class ProcessLoader:
    """Loader that runs each plugin in a process of its own."""

    name = "process"

    def begin(self, job: LoadJob) -> Isolated:
        """Start the plugin's process."""
        from inarch_plugins.isolation.proxy_plugin import Isolated

        return Isolated.begun(job)


@inarch.hookimpl
def inarch_loaders(context: inarch.PluginContext) -> Iterable[ProcessLoader]:
    """Return the loader."""
    return [ProcessLoader()]
