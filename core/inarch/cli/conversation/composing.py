"""What is made while the line is shown already: the application, its session, the view of it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TextIO

from attrs import evolve

from inarch.contract.errors import InarchError

if TYPE_CHECKING:
    from collections.abc import Callable

    from inarch.cli.conversation.front_end import ScreenFrontEnd
    from inarch.cli.rendering import View
    from inarch.cli.slash_talk import Talk
    from inarch.sessions.launching import Launch

_FIGURES = frozenset({"session.started", "turn.ended", "model.replied", "model.switched"})
_GLYPHS = "●├│╰─✓✗⋯"


def compose_talk(launch: Launch, front_end: ScreenFrontEnd) -> tuple[Talk, str]:
    """Compose the application and open its session; also return how well commands are confined. Not in the loop.

    Raises:
        InarchError: The configuration, the root or the store is not usable.
    """
    from inarch.cli.front_ends.words import confinement_words
    from inarch.cli.slash_talk import Talk

    app = launch.compose(front_end)
    try:
        session = launch.session(app)
    except InarchError:
        app.close()
        raise
    said = ""
    if app.runners:
        try:
            said = f"Commands are {confinement_words(app.workspace.confinement())}."
        except InarchError as error:
            said = str(error)
    return Talk(app, session, launch, sys.stdout.write, lambda: 80), said


def model_of(talk: Talk) -> str:
    """Return the full name of the model that is asked, as far as it is known; it may take half a second to find out."""
    from inarch.turns.models import choose_model

    app = talk.app
    try:
        return choose_model(app.config.profile.model, app.composition.models, app.environ).full_name
    except InarchError:
        return app.config.profile.model


def new_view(talk: Talk, model: str, *, colours: bool, stream: TextIO) -> View:
    """Return the view of a session, with the figures of what it took before."""
    from inarch.cli.rendering import View

    config = talk.app.config
    view = View(
        colours=colours,
        glyphs=_has_glyphs(stream),
        model=model,
        profile=config.profile.name,
        window=_window_of(talk),
    )
    if talk.session.conversation.turns:
        from inarch.contract.codec import to_data
        from inarch.sessions.contents import last_part

        total = to_data(talk.session.conversation.ledger.total())
        for event in last_part(talk.app.store, talk.session.id):
            if event.kind in _FIGURES:
                said = evolve(event, data={**event.data, "session": total}, line="")
                view.saw(said if event.kind == "turn.ended" else event)
        view.finished(80)  # it was shown when it happened
    return view


def _window_of(talk: Talk) -> Callable[[str], int | None]:
    known: dict[str, int | None] = {}

    def window(model: str) -> int | None:
        if model not in known:
            from inarch.turns.models import choose_model

            app = talk.app
            try:
                known[model] = choose_model(model, app.composition.models, app.environ).limits.context_tokens
            except InarchError:
                known[model] = None
        return known[model]

    return window


def _has_glyphs(stream: TextIO) -> bool:
    try:
        _GLYPHS.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
