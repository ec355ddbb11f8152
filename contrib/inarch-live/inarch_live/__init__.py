"""Live: a spoken session over the same tools, approvals and undo as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from attrs import field, frozen

import inarch

_TEXT = {"type": "string"}
_EVENTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "heard": ("What the person said and no prompt has: its transcript came late.", {"text": _TEXT}),
    "interrupted": (
        "The person spoke into an answer, of which they had heard so much.",
        {"heard_ms": {"type": "integer"}},
    ),
    "resumed": (
        "The connection was replaced by another one.",
        {"is_same": {"type": "boolean"}},
    ),
    "usage": (
        "Tokens that the service took and no turn has, because none came after them.",
        {
            "input_tokens": {"type": "integer"},
            "output_tokens": {"type": "integer"},
            "cost_usd": {"type": ["string", "null"]},
        },
    ),
    "audio": (
        "Audio of a turn, as a WAV file among the session's blobs.",
        {"of": {"enum": ["person", "model"]}, "ref": _TEXT, "seconds": {"type": "number"}},
    ),
}  # fmt: skip


@frozen
class Settings:
    """Settings of `[plugins.live]`.

    Args:
        model: The live model, such as `gemini-3.8-live` or `gpt-realtime`; not given, that of the service.
        service: `gemini` or `openai`; not given, the one that the model's name or the key that is set stands for.
        voice: Voice, by the service's name for it.
        hearing: `open` hears all the time, `push` while the key says so.
        headphones: Whether the microphone can't hear the speaker: then it stays open while the model speaks.
        record_audio: Whether audio is kept in the session, too; otherwise none is written to disk.
        prices: US dollars for a million tokens, by model: `input_text`, `input_audio`, `output_text`, `output_audio`,
            and where they are known `cached_text` and `cached_audio`.
        gemini_base_url: Another address of Gemini Live; it gets the key as well.
        openai_base_url: Another address of OpenAI Realtime; it gets the key as well.
    """

    model: str = ""
    service: Literal["", "gemini", "openai"] = ""
    voice: str = ""
    hearing: Literal["open", "push"] = "open"
    headphones: bool = False
    record_audio: bool = False
    prices: Mapping[str, Mapping[str, float]] = field(factory=dict)
    gemini_base_url: str = ""
    openai_base_url: str = ""


def settings_of(context: inarch.PluginContext) -> Settings:
    """Return the settings of a composition."""
    return context.settings if isinstance(context.settings, Settings) else Settings()


@inarch.hookimpl
def inarch_settings() -> type:
    """Return the settings of `[plugins.live]`."""
    return Settings


@inarch.hookimpl
def inarch_models(context: inarch.PluginContext) -> Iterable[inarch.ModelProvider]:
    """Return the provider `live`."""
    from inarch_live.services import live_model

    return [live_model(settings_of(context), context.environ)]


@inarch.hookimpl
def inarch_events(context: inarch.PluginContext) -> Iterable[inarch.EventKind]:
    """Return the kinds of events recorded outside the turns."""
    return [
        inarch.EventKind(name, help, {"type": "object", "required": list(fields), "properties": dict(fields)})
        for name, (help, fields) in _EVENTS.items()
    ]


@inarch.hookimpl
def inarch_session_extensions(context: inarch.PluginContext) -> Iterable[inarch.SessionExtension]:
    """Return the extension that records events outside the turns."""
    from inarch_live.recordings import Record

    return [inarch.SessionExtension("live", "Records what is heard beside the turns.", Record)]


@inarch.hookimpl
def inarch_context_sources(context: inarch.PluginContext) -> Iterable[inarch.ContextSource]:
    """Return the context source of late transcripts, which no prompt has."""
    from inarch_live.recordings import SaidBeside

    return [SaidBeside()]


@inarch.hookimpl
def inarch_checks(context: inarch.PluginContext) -> Iterable[inarch.SelfCheck]:
    """Return the check for `inarch doctor`."""
    from inarch_live.services import look

    return [inarch.SelfCheck("live", lambda: look(settings_of(context), context.environ))]
