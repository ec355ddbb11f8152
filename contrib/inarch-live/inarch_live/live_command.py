"""`inarch live`: talk with Inarch."""

from __future__ import annotations

from typing import Any

import click

import inarch
from inarch.commands import compose_given, composing_options


@click.command("live")
@click.option("--audio-in", metavar="FILE.wav", help="Use this file instead of a microphone.")
@click.option("--audio-out", metavar="FILE.wav", help="Write the sound to this file instead of playing it.")
@click.option("--no-audio", is_flag=True, help="No microphone and no speaker: type, and read captions.")
@click.option("--push-to-talk", is_flag=True, help="Listen only between two presses of Space.")
@click.option("--headphones", is_flag=True, help="You wear headphones, so you can interrupt answers by speaking.")
@click.option("--voice", metavar="NAME", help="Voice, by the service's name for it.")
@click.option("--session", metavar="ID", help="Resume a session (a name, an id or its start).")
@click.option("--continue", "resume", is_flag=True, help="Resume the latest session of this directory.")
@click.option("--max-iterations", type=click.IntRange(min=1), metavar="N", help="Maximum requests of a turn.")
@click.option("--max-cost", metavar="USD", help="Maximum cost of a turn.")
@composing_options
@click.pass_obj
def live(context: inarch.PluginContext, /, **given: Any) -> int:
    """Talk: the same tools, approvals, budgets and undo as in text, in the same session.

    Space opens and closes the microphone, Esc stops the voice, and what is typed goes into the same conversation. Calls
    that have effects are asked about on the screen and answered with a key, never by voice.
    """
    from inarch_live import settings_of
    from inarch_live.live_start import talk
    from inarch_live.services import default_model

    settings = settings_of(context)
    named = given.get("model") or ""
    if named and not named.startswith("live/"):
        raise inarch.UsageError(f"--model {named} is none of a voice", "write it like live/gemini-3.8-live")
    model = named or f"live/{default_model(settings, context.environ)}"
    app = compose_given(given, naming="live", model=model, strategy=("native",))
    try:
        return talk(app, given, settings)
    except BaseException:
        app.close()
        raise
