"""First lines of a conversation: where it is, the model and its price, what runs without asking, the last turns."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from inarch import CallPart, InarchError, __version__, escape, shorten, width
from inarch_plugins.terminal.rendering.colors import Ink
from inarch_sdk.modes import MODES, rank

if TYPE_CHECKING:
    from inarch import App, Message, Session
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
    if app.parts.tools.runners:
        try:
            found = app.workspace.confinement()
        except InarchError as error:
            yield f"note: {error}"
        else:
            if found.level < 3:
                yield f"note: commands lack protection: {found.reason} (inarch doctor explains)"
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


def way_back(talk: Talk) -> str:
    """Return how to continue a conversation that is left; empty if nothing of it is stored."""
    try:
        return BACK if talk.session.state.turns and talk.session.is_kept else ""
    except InarchError:
        return ""


TURNS, LINES = 3, 3
"""Number of last turns in a recap, and lines of each answer."""


def recap(session: Session, columns: int) -> str:
    """Return the last prompts with the beginnings of their answers, escaped; empty for a new session."""
    talk = session.state
    earlier = talk.gone + len(talk.history)
    if not earlier:
        return ""
    shown = [said for said in talk.history if said.messages][-TURNS:]
    earlier -= len(shown)
    lines = [f"session {session.id}" + (f" · {earlier} earlier turn{'' if earlier == 1 else 's'}" if earlier else "")]
    for said in shown:
        lines += _turn(said.messages)
    return "\n".join(shorten(escape(line, keep_newlines=False), columns) for line in lines)


def _turn(messages: Sequence[Message]) -> Iterator[str]:
    prompt = next((message.parts[0] for message in messages if message.role == "user" and message.parts), None)
    yield f"> {' '.join(getattr(prompt, 'text', '').split())}"
    calls = sum(isinstance(part, CallPart) for message in messages for part in message.parts)
    answer = next((message.text for message in reversed(messages) if message.role == "assistant" and message.text), "")
    lines = [line for line in answer.strip().splitlines() if line.strip()]
    if calls:
        yield f"  ({calls} call{'' if calls == 1 else 's'})"
    yield from (f"  {line}" for line in lines[:LINES])
    if len(lines) > LINES:
        yield f"  … {len(lines) - LINES} more lines"
