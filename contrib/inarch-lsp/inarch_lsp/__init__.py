"""LSP: new errors of edited files, from an installed language server.

Nothing is started or imported before the first edit, and nothing at all in a project that is not trusted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from attrs import field, frozen

import inarch

if TYPE_CHECKING:
    from inarch_lsp.edit_checks import Desk

_MOST_WAIT_S = 30.0


@frozen
class Server:
    """A language server of the user's choice.

    Args:
        command: The program, by name or path. A relative path starts at the folder of `config.toml`. If empty, these
            files have no server.
        args: Its arguments.
        languages: The protocol's language ids by file name suffix, such as `{".rs": "rust"}`.
    """

    command: str = ""
    args: tuple[str, ...] = ()
    languages: Mapping[str, str] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        if not self.languages:
            raise ValueError('a server has \'languages\', such as { ".rs" = "rust" }')
        for end in self.languages:
            if not end.startswith(".") or "." in end[1:] or len(end) < 2:
                raise ValueError(f"{end!r} in 'languages' is not a file name suffix such as '.rs'")


@frozen
class Settings:
    """Settings of `[plugins.lsp]`.

    Args:
        wait_s: Seconds that a call's result waits for errors. Later errors are reported between two requests.
        patience_s: Seconds until an unanswered request disables a server.
        servers: Servers by a name of your choice. They come before the ones that Inarch finds. `python` and
            `typescript` replace these.
    """

    wait_s: float = 2.0
    patience_s: float = 60.0
    servers: Mapping[str, Server] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        if not 0 < self.wait_s <= _MOST_WAIT_S:
            raise ValueError(f"'wait_s' must be above 0 and at most {_MOST_WAIT_S:g}")
        if self.patience_s <= 0:
            raise ValueError("'patience_s' must be above 0")


_desks: WeakValueDictionary[int, Desk] = WeakValueDictionary()
"""State that the hooks of one composition share, by its context; it lives as long as the context."""


def _desk_of(context: inarch.PluginContext) -> list[Desk]:
    """Return the desk of a composition, or none if the project is not trusted: a server may run its code."""
    if context.brought is None:
        return []
    from inarch_lsp.edit_checks import Desk

    desk = _desks.get(id(context))
    if desk is None:
        desk = _desks[id(context)] = Desk(context, settings_of(context))
    return [desk]


def settings_of(context: inarch.PluginContext) -> Settings:
    """Return the settings of a composition."""
    return context.settings if isinstance(context.settings, Settings) else Settings()


@inarch.hookimpl
def inarch_settings() -> type:
    """Return the settings of `[plugins.lsp]`."""
    return Settings


@inarch.hookimpl
def inarch_context_sources(context: inarch.PluginContext) -> Iterable[inarch.ContextSource]:
    """Return the context source that records the workspace for servers."""
    return _desk_of(context)


@inarch.hookimpl
def inarch_rewriters(context: inarch.PluginContext) -> Iterable[inarch.Rewriter]:
    """Return the rewriter that checks a file before an edit."""
    return _desk_of(context)


@inarch.hookimpl
def inarch_reviewers(context: inarch.PluginContext) -> Iterable[inarch.Reviewer]:
    """Return the reviewer that adds new errors to an edit's result."""
    return _desk_of(context)


@inarch.hookimpl
def inarch_checks(context: inarch.PluginContext) -> Iterable[inarch.SelfCheck]:
    """Return the language server check of `inarch doctor`."""

    def look() -> Iterable[inarch.Finding]:
        if context.brought is None:
            remedy = "look at what it brings, then `inarch config trust`"
            yield inarch.Finding("lsp", "note", "none runs in a project that is not trusted", remedy)
            return
        from inarch_lsp.server_lookup import seen

        yield from seen(settings_of(context), context.root, context.environ.get("PATH", ""), context.user)

    return [inarch.SelfCheck("lsp", look)]
