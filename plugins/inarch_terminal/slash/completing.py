"""What the words of the commands can become, each with what it means."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from inarch import InarchError
from inarch_terminal.slash.views import first_line

if TYPE_CHECKING:
    from inarch import App
    from inarch_terminal.slash.talk import Talk

MODELS_S = 4.0
"""Seconds that a provider has to list its models; all are asked at once."""
Row = tuple[str, str]


async def models(talk: Talk, words: str) -> list[Row]:
    """Return the models that the providers of the profile offer; each is asked once in an application."""
    app, known = talk.app, talk.models  # another application may take over meanwhile
    new = [name for name in app.composition.models if name not in known]
    known.update(zip(new, await asyncio.gather(*(_offers(app, name) for name in new)), strict=True))
    offered = (known[name] for name in app.composition.models)
    return [("auto", "the first provider that has a key"), *(row for rows in offered for row in rows)]


async def _offers(app: App, name: str) -> list[Row]:
    from inarch.host import guarded

    bound = app.composition.models[name]
    try:
        async with asyncio.timeout(MODELS_S):
            with guarded(bound.plugin, "provider"):
                return [(f"{name}/{info.name}", info.description) for info in await bound.value.models()]
    except (InarchError, TimeoutError):
        return [(f"{name}/{bound.value.default_model}", "")]


def profiles(talk: Talk, words: str) -> Iterable[Row]:
    """Return the profiles."""
    return [(name, "") for name in sorted(talk.app.config.profiles)]


def tools(talk: Talk, words: str) -> Iterator[Row]:
    """Yield the tools, and what takes new ones in."""
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


def revoke(talk: Talk, words: str) -> Iterable[Row]:
    """Return what `/approve` takes."""
    return [("revoke", "take back what was approved")]
