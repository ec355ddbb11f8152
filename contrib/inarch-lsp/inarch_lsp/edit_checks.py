"""Checks around edits: errors before a call, and new errors after it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from attrs import define, field

import inarch

if TYPE_CHECKING:
    from inarch_lsp import Settings
    from inarch_lsp.check_queue import Checker

MOST_FILES = 5
"""Files of one call that are checked."""
MOST_BYTES = 2_000_000
_SPARE_S = 20.0


@define(eq=False, repr=False)
class Desk:
    """Rewriter, reviewer and context source of one composition, with shared servers."""

    context: inarch.PluginContext
    settings: Settings
    name: str = "lsp"
    _workspace: inarch.Workspace | None = None
    _checkers: dict[str, Checker | None] = field(factory=dict)

    @property
    def timeout_s(self) -> float:
        """Seconds for an answer: the wait and the reading of files."""
        return self.settings.wait_s + _SPARE_S

    async def gather(self, situation: inarch.Situation) -> None:
        """Remember the turn's workspace and add nothing: servers outlive calls and run in this workspace."""
        self._workspace = situation.workspace

    def rewrite(self, call: inarch.ToolCall, tool: inarch.Tool, context: inarch.ToolContext) -> None:
        """Queue checks of the files that a call will change; the call does not wait for them."""
        for path in self._paths(call, tool):
            text = _text(context.workspace, path, "")
            if text is not None and (checker := self._checker(path)) is not None:
                checker.learn(path, text)

    def review(self, call: inarch.ToolCall, tool: inarch.Tool, context: inarch.ToolContext) -> str | None:
        """Return the new errors of the files that a call changed."""
        if call.result is None or not call.result.success:
            return None
        end = time.monotonic() + self.settings.wait_s
        said: list[str] = []
        asked = []
        for path in self._paths(call, tool):
            text = _text(context.workspace, path, None)
            if text is not None and (checker := self._checker(path)) is not None:
                asked.append((checker, checker.check(path, text, context.inbox)))
        for checker, job in asked:
            said.append(job.wait(end - time.monotonic()))
            said.append(checker.farewell())
        return "\n".join(dict.fromkeys(filter(None, said))) or None

    def _paths(self, call: inarch.ToolCall, tool: inarch.Tool) -> Iterator[str]:
        """Yield the files with a known language that a call declares to write."""
        from inarch_lsp.server_lookup import name_for

        writes = sorted(tool.effects(call.arguments).writes)
        # A server only knows the root. In a file of an added folder it would report every import as missing.
        served = [path for path in writes if name_for(path, self.settings) and not path.startswith("+/")]
        yield from served[:MOST_FILES]

    def _checker(self, path: str) -> Checker | None:
        """Return the checker of a file, or None if it has no server; one that ended with its workspace is replaced."""
        from inarch_lsp.server_lookup import find, name_for

        name = name_for(path, self.settings)
        known = self._checkers.get(name)
        if (name in self._checkers and known is None) or self._workspace is None:
            return None
        if known is None or known.is_over:
            from inarch_lsp.check_queue import Checker

            path = self.context.environ.get("PATH", "")
            found = find(name, self.settings, self._workspace.root, path, self.context.user)
            patience = self.settings.patience_s
            known = Checker(found, self._workspace, patience) if found is not None else None
            self._checkers[name] = known
        return known


def _text(workspace: inarch.Workspace, path: str, missing: str | None) -> str | None:
    """Return a file's text, `missing` if it does not exist, None if it is too big or not text."""
    try:
        there = workspace.stat(path)
        if there is None:
            return missing
        return workspace.read(path).data.decode() if there.size <= MOST_BYTES else None
    except (inarch.ToolFailed, UnicodeDecodeError):
        return None
