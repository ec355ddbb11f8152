"""Completions for the arguments of slash commands, each with a description."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from inarch_plugins.terminal.slash.appearance import THEMES
from inarch_plugins.terminal.slash.models import offers
from inarch_plugins.terminal.slash.results import EFFORTS
from inarch_plugins.terminal.slash.views import first_line
from inarch_sdk.modes import CHANGEABLE

if TYPE_CHECKING:
    from inarch_plugins.terminal.slash.talk import Talk

Row = tuple[str, str]


async def models(talk: Talk) -> list[Row]:
    """Return the models of the profile's providers, by default one each."""
    rows = [("auto", "the first provider that has a key")]
    for name, offer in (await offers(talk)).items():
        rows += offer.rows or [(f"{name}/{talk.app.composition.models[name].value.default_model}", "")]
    return rows


def _tools(talk: Talk) -> Iterable[Row]:
    yield "refresh", "list new tools to the model itself from now on; costs its cache once"
    for name, bound in sorted(talk.app.composition.tools.items()):
        yield name, first_line(bound.value.description)


_ROWS: Mapping[str, Callable[[Talk], Iterable[Row] | Awaitable[Iterable[Row]]]] = {
    "commands": lambda talk: sorted((name, to.value.help) for name, to in talk.app.composition.slash_commands.items()),
    "efforts": lambda talk: ((one, "") for one in EFFORTS),
    "models": models,
    "profiles": lambda talk: ((name, "") for name in sorted(talk.app.config.profiles)),
    "revoke": lambda talk: [*((one.name, one.help) for one in CHANGEABLE), ("revoke", "take back what was approved")],
    "sessions": lambda talk: (
        (info.id, info.title) for info in talk.app.store.sessions(talk.app.config.root) if info.id != talk.session.id
    ),
    "themes": lambda talk: THEMES.items(),
    "tools": _tools,
    "turns": lambda talk: ((str(number), first_line(one.content)) for number, one in enumerate(talk.session.turns, 1)),
}


def rows(kind: str, talk: Talk) -> Iterable[Row] | Awaitable[Iterable[Row]]:
    """Return the completions of a kind."""
    return _ROWS[kind](talk)
