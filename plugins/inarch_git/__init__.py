"""Git's status, diff, log, show, blame and commit as tools."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from inarch import hookimpl

if TYPE_CHECKING:
    from inarch import Finding, PluginContext, SelfCheck, Tool


@hookimpl
def inarch_tools(context: PluginContext) -> Iterable[Tool]:
    """Return the git tools."""
    from inarch_git.tools import TOOLS

    return TOOLS


@hookimpl
def inarch_checks(context: PluginContext) -> Iterable[SelfCheck]:
    """Return whether git is there."""
    import inarch

    def look() -> Iterable[Finding]:
        from inarch_git.checking import look

        return look()

    return [inarch.SelfCheck("git", look)]
