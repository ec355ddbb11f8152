"""Both wires keep the contract of live providers."""

from __future__ import annotations

from typing import Any

from inarch_live.samples import Resampler
from inarch_live.testing import GeminiServer, OpenAIServer

from .contract import LiveProviderContract

GEMINI_FIELDS = (
    "serverContent", "toolCall", "toolCallCancellation", "usageMetadata", "goAway",
    "voiceActivity", "setupComplete",
)  # fmt: skip


TRANSCRIPTION = "conversation.item.input_audio_transcription"
OPENAI_KINDS = (
    "input_audio_buffer.speech_started", f"{TRANSCRIPTION}.delta", f"{TRANSCRIPTION}.completed",
    f"{TRANSCRIPTION}.failed", "response.created", "response.output_text.delta",
    "response.output_audio_transcript.delta", "response.output_item.done", "response.done", "error",
)  # fmt: skip


class TestGeminiLive(LiveProviderContract):
    server = GeminiServer

    def known_messages(self) -> list[dict[str, Any]]:
        return [{name: None} for name in GEMINI_FIELDS]


class TestOpenAIRealtime(LiveProviderContract):
    server = OpenAIServer

    def heard(self, pcm: bytes) -> bytes:
        return Resampler(16_000, 24_000).add(pcm)

    def known_messages(self) -> list[dict[str, Any]]:
        fields = dict.fromkeys(("item", "response", "delta", "item_id", "transcript", "usage"))
        return [{"type": kind, **fields} for kind in OPENAI_KINDS]
