"""First lines of a conversation: where it is, which model answers at what price, what runs without asking."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from inarch import InarchError, __version__, escape, width
from inarch_plugins.terminal.rendering.colors import Ink
from inarch_sdk.modes import MODES, rank

if TYPE_CHECKING:
    from inarch import App
    from inarch_plugins.terminal.slash.talk import Talk

BACK = "inarch --continue goes on with this conversation."


def place_line(root: str | os.PathLike[str], columns: int) -> str:
    """Return the name, the version and the folder, which is known before anything is composed."""
    place, home = str(Path(root).absolute()), str(Path.home())
    short = "~" + place.removeprefix(home) if Path(place).is_relative_to(home) and home != "/" else place
    lead = f"Inarch {__version__} · "
    return lead + Ink(False, True).cut_middle(escape(short, keep_newlines=False), columns - width(lead))


def session_lines(app: App, *, keys: str) -> Iterator[str]:
    """Yield what the composed application adds: model and price, mode, missing protection, an example, help."""
    yield _model(app)
    yield f"{MODES[rank(app.config.profile.approve)].help} {keys} changes that."
    if app.parts.tools.runners and (missing := _missing(app)):
        yield missing
    yield "Try: summarize this codebase"
    yield "? for help"


def _model(app: App) -> str:
    from inarch.host import price_words

    try:
        choice = app.choice()
        if choice.needs_nothing:
            return f"{choice.full_name} · offline: no model, no key"
        return f"{choice.full_name} · {price_words(choice.price)}"
    except InarchError as error:
        return f"{app.config.profile.model} · not usable yet: {error}"


def _missing(app: App) -> str:
    """Return which protection of commands is missing; empty if none is."""
    try:
        found = app.workspace.confinement()
    except InarchError as error:
        return f"note: {error}"
    return f"note: commands lack protection: {found.reason} (inarch doctor explains)" if found.level < 3 else ""


def way_back(talk: Talk) -> str:
    """Return how to continue a conversation that is left; empty if nothing of it is stored."""
    try:
        return BACK if talk.session.state.turns and talk.session.is_kept else ""
    except InarchError:
        return ""
