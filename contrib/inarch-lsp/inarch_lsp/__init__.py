"""LSP: after an edit the model reads which errors of the file are new, from a language server that is installed.

Nothing here starts or imports anything before the first edit, and nothing at all in a project that is not trusted.
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
        command: The program, by name or path, a relative one beside `config.toml`; empty for files that are to have no
            server.
        args: Its arguments.
        languages: The protocol's names of its languages, by the ends of file names, such as `{".rs": "rust"}`.
    """

    command: str = ""
    args: tuple[str, ...] = ()
    languages: Mapping[str, str] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        if not self.languages:
            raise ValueError('a server has \'languages\', such as { ".rs" = "rust" }')
        for end in self.languages:
            if not end.startswith(".") or "." in end[1:] or len(end) < 2:
                raise ValueError(f"{end!r} in 'languages' is no end of a file's name, such as '.rs'")


@frozen
class Settings:
    """Settings of `[plugins.lsp]`.

    Args:
        wait_s: Seconds that a call's result waits for errors; what comes later is told between two requests.
        patience_s: Seconds that a server has for an answer before it is left out.
        servers: Servers by a name of your choice, before those that are found by themselves. `python` and `typescript`
            stand in the place of these.
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
"""What the hooks of one composition share, by its context, which lives as long."""


def _desk_of(context: inarch.PluginContext) -> list[Desk]:
    """Return the desk of a composition, none where the project is not trusted: a server may run what lies in it."""
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
    """Return what learns the workspace in which servers run."""
    return _desk_of(context)


@inarch.hookimpl
def inarch_rewriters(context: inarch.PluginContext) -> Iterable[inarch.Rewriter]:
    """Return what looks at a file before it is edited."""
    return _desk_of(context)


@inarch.hookimpl
def inarch_reviewers(context: inarch.PluginContext) -> Iterable[inarch.Reviewer]:
    """Return what adds new errors to an edit's result."""
    return _desk_of(context)


@inarch.hookimpl
def inarch_checks(context: inarch.PluginContext) -> Iterable[inarch.SelfCheck]:
    """Return what `inarch doctor` tells of servers."""

    def look() -> Iterable[inarch.Finding]:
        if context.brought is None:
            remedy = "look at what it brings, then `inarch config trust`"
            yield inarch.Finding("lsp", "note", "none runs in a project that is not trusted", remedy)
            return
        from inarch_lsp.server_lookup import seen

        yield from seen(settings_of(context), context.root, context.environ.get("PATH", ""), context.user)

    return [inarch.SelfCheck("lsp", look)]
