"""Start of a spoken session: the application, the session, and a terminal with a companion."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import define, field

import inarch
from inarch.capabilities import Converses, able
from inarch.output import is_terminal
from inarch_live import settings_of
from inarch_live.conversation import Conversation
from inarch_live.devices import Microphone, Sink, Source, Speaker, WavSink, WavSource
from inarch_live.lines import Lines
from inarch_live.live_prices import rates_of
from inarch_live.model import NAME, LiveModel
from inarch_live.playback import Playback
from inarch_live.port import Hearing, LiveSetup
from inarch_live.recordings import Tape
from inarch_live.voice import Voice, Watched
from inarch_live.wav import read_wav

_NOT_THERE = 'add "live" to `plugins` of the profile, as in: plugins = ["...", "live"]; it can\'t be isolated'


@define(eq=False, repr=False)
class LiveLaunch:
    """Launch of the terminal's conversation: a composed application with a voice as companion."""

    app: inarch.App
    given: Mapping[str, Any]
    companion: Voice
    options: inarch.FrontEndOptions
    output: str = field(init=False, default="text")

    @property
    def root(self) -> str:
        """The working directory."""
        return self.app.config.root

    @property
    def state_dir(self) -> Path:
        """The directory of the person's files."""
        return self.app.config.state_dir

    def compose(self, front_end: inarch.FrontEnd | None = None) -> inarch.App:
        """Return the application with this front end."""
        if front_end is not None:
            self.app.front_end = Watched(self.companion, front_end)
        return self.app

    def session(self, app: inarch.App) -> inarch.Session:
        """Return the session."""
        return open_session(app, self.given)

    async def run(self, session: inarch.Session, prompt: str) -> int:
        """Run a turn and return 0 if it was completed."""
        return int((await session.run(prompt)).status != "done")

    def changed(self, *, model: str | None = None, profile: str | None = None) -> LiveLaunch:
        """Refuse a change: the connection uses the model and the tools of its profile.

        Raises:
            UsageError: Always.
        """
        raise inarch.UsageError(
            "a voice session keeps its model and profile", "leave it, then: inarch live --continue --profile NAME"
        )


def talk(app: inarch.App, given: Mapping[str, Any], settings: Any) -> int:
    """Run a spoken session, close the application and return the exit code.

    Raises:
        InarchError: A session, device, file or service does not exist or cannot be used.
    """
    voice = _voice(app, given, settings)
    options = inarch.FrontEndOptions(quiet=bool(given.get("quiet")), no_color=bool(given.get("no_color")))
    spec = app.composition.front_ends["text"].value
    if not is_terminal(sys.stdin):
        inner = spec.open(options) if isinstance(spec, inarch.FrontEndSpec) else spec
        app.front_end = Watched(voice, inner)
        return asyncio.run(_by_lines(app, Lines(app, open_session(app, given), voice)))
    talks = able(spec, Converses)
    if talks is None or not is_terminal(sys.stdout) or os.environ.get("TERM", "dumb") in ("dumb", ""):
        raise inarch.UsageError(
            "inarch live needs a terminal that can be rewritten", "or a pipe: inarch live --audio-in FILE.wav < LINES"
        )
    return int(talks.converse(LiveLaunch(app, given, voice, options))) or voice.exit_code


def _voice(app: inarch.App, given: Mapping[str, Any], settings: Any) -> Voice:
    """Return the voice, and let the model `live` answer the session's turns with it."""
    model = _model(app)
    tape, push = Tape(settings.record_audio), given.get("push_to_talk") or settings.hearing == "push"
    wanted, voice = app.config.profile.model.partition("/")[2], given.get("voice") or settings.voice
    conversation = _conversation(app, model, wanted, tape, voice, "push" if push else "open", Playback())
    model.conversation = conversation
    source, sink = _source(given), _sink(given)
    return Voice(
        conversation, source, sink, tape,
        speaks_at_once=isinstance(source, WavSource) or (source is not None and not push),
        headphones=bool(given.get("headphones") or settings.headphones),
        glyphs=_takes_glyphs(),
    )  # fmt: skip


def voice_with(app: inarch.App, source: Source, sink: Sink, playback: Playback, hearing: Hearing) -> Voice:
    """Return a voice for a front end with its own devices, such as a page.

    The session's turns must use the model `live`, and `TurnWatch` must see the session's events.

    Args:
        app: The application, whose plugin settings apply.
        source: The microphone; it must not hear the speaker.
        sink: The speaker.
        playback: The queue of the model's voice.
        hearing: How the service detects that the person speaks.

    Raises:
        InarchError: The plugin is missing, or its service cannot be used.
    """
    model, settings = _model(app), settings_of(app.composition.models[NAME].context)
    tape = Tape(settings.record_audio)
    conversation = _conversation(app, model, "", tape, settings.voice, hearing, playback)
    model.conversation = conversation
    return Voice(conversation, source, sink, tape, speaks_at_once=False, headphones=True)


def _model(app: inarch.App) -> LiveModel:
    bound = app.composition.models.get(NAME)
    if bound is None or not isinstance(bound.value, LiveModel):
        raise inarch.UsageError("the plugin live is not in the profile, or isolated", _NOT_THERE)
    return bound.value


def _conversation(
    app: inarch.App, model: LiveModel, wanted: str, tape: Tape, voice: str, hearing: Hearing, playback: Playback
) -> Conversation:
    provider, name = model.find(wanted)

    def record(event: str, data: Mapping[str, Any]) -> None:
        conversation.turns.talk.session.extension("live").add(event, data)

    conversation = Conversation(
        provider,
        LiveSetup(model=name, voice=voice, hearing=hearing),
        {tool: one.value for tool, one in app.composition.tools.items()},
        playback,
        rates_of(name, model.prices),
        record,
        lambda delta: tape.add("model", delta.pcm, delta.rate),
    )
    return conversation


async def _by_lines(app: inarch.App, lines: Lines) -> int:
    try:
        return await lines.run()
    finally:
        if app.front_end is not None:
            app.front_end.close()
        await app.aclose()


def _source(given: Mapping[str, Any]) -> Source | None:
    if path := given.get("audio_in"):
        return WavSource(read_wav(path))
    if given.get("audio_out") or given.get("no_audio"):
        return None
    return Microphone()


def _sink(given: Mapping[str, Any]) -> Sink | None:
    if path := given.get("audio_out"):
        if (spoken := given.get("audio_in")) and Path(path).exists() and Path(path).samefile(spoken):
            raise inarch.UsageError(f"--audio-in and --audio-out are both {path}", "name two files")
        return WavSink(path)
    return None if given.get("audio_in") or given.get("no_audio") else Speaker()


def open_session(app: inarch.App, given: Mapping[str, Any]) -> inarch.Session:
    """Return the session named on the command line, else a new one.

    Raises:
        UsageError: The session does not exist.
    """
    if words := given.get("session"):
        return app.session(app.find_session(words).id)
    if given.get("resume"):
        latest = next(iter(app.store.sessions(app.config.root)), None)
        if latest is None:
            raise inarch.UsageError(f"no session of {app.config.root} to continue", "leave --continue out to begin one")
        return app.session(latest.id)
    return app.session()


def _takes_glyphs() -> bool:
    try:
        "●▁▂▃▄▅▆▇█".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
