"""changes: the tool that applies what was reviewed. Only `inarch apply` composes it: no model has the tool."""

from __future__ import annotations

from collections.abc import Iterable

import inarch


@inarch.hookimpl
def inarch_tools(context: inarch.PluginContext) -> Iterable[inarch.Tool]:
    """Return the tool."""
    from inarch_plugins.sandbox_fs.changes.apply_tool import made

    return [made()]
