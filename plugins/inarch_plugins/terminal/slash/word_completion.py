"""Completions for the arguments of slash commands, each with a description."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from inarch_plugins.terminal.slash.appearance import THEMES
from inarch_plugins.terminal.slash.models import offers
from inarch_plugins.terminal.slash.results import EFFORTS
from inarch_plugins.terminal.slash.views import first_line
from inarch_sdk.modes import CHANGEABLE

if TYPE_CHECKING:
    from inarch_plugins.terminal.slash.talk import Talk

Row = tuple[str, str]


async def models(talk: Talk, words: str) -> list[Row]:
    """Return the models of the profile's providers, by default one each."""
    rows = [("auto", "the first provider that has a key")]
    for name, offer in (await offers(talk)).items():
        rows += offer.rows or [(f"{name}/{talk.app.composition.models[name].value.default_model}", "")]
    return rows


def profiles(talk: Talk, words: str) -> Iterable[Row]:
    """Return the profiles."""
    return [(name, "") for name in sorted(talk.app.config.profiles)]


def tools(talk: Talk, words: str) -> Iterator[Row]:
    """Yield the tools, and `refresh`."""
    yield "refresh", "list new tools to the model itself from now on; costs its cache once"
    for name, bound in sorted(talk.app.composition.tools.items()):
        yield name, first_line(bound.value.description)


def sessions(talk: Talk, words: str) -> Iterator[Row]:
    """Yield the other sessions of this directory."""
    for info in talk.app.store.sessions(talk.app.config.root):
        if info.id != talk.session.id:
            yield info.id, info.title


def turns(talk: Talk, words: str) -> Iterator[Row]:
    """Yield the numbers of the turns."""
    for number, turn in enumerate(talk.session.turns, 1):
        yield str(number), first_line(turn.content)


def commands(talk: Talk, words: str) -> Iterable[Row]:
    """Return the commands."""
    return sorted((name, one.value.help) for name, one in talk.app.composition.slash_commands.items())


def themes(talk: Talk, words: str) -> Iterable[Row]:
    """Return the themes."""
    return THEMES.items()


def efforts(talk: Talk, words: str) -> Iterable[Row]:
    """Return the levels of effort."""
    return [(one, "") for one in EFFORTS]


def revoke(talk: Talk, words: str) -> Iterable[Row]:
    """Return the arguments of `/approve`."""
    return [*((one.name, one.help) for one in CHANGEABLE), ("revoke", "take back what was approved")]
