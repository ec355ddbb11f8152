"""Both wires keep the contract of live providers."""

from __future__ import annotations

from typing import Any

from inarch_live.samples import Resampler
from inarch_live.testing import GeminiServer, OpenAIServer

from .contract import LiveProviderContract

GEMINI_FIELDS = (
    "serverContent", "toolCall", "toolCallCancellation", "usageMetadata", "goAway", "sessionResumptionUpdate",
    "voiceActivity", "setupComplete",
)  # fmt: skip
GEMINI_PARTS = ("modelTurn", "inputTranscription", "outputTranscription", "turnComplete", "interrupted")


class TestGeminiLive(LiveProviderContract):
    server = GeminiServer

    def known_messages(self) -> list[dict[str, Any]]:
        return [{name: None} for name in GEMINI_FIELDS]


class TestOpenAIRealtime(LiveProviderContract):
    server = OpenAIServer

    def heard(self, pcm: bytes) -> bytes:
        return Resampler(16_000, 24_000).add(pcm)

    def known_messages(self) -> list[dict[str, Any]]:
        from inarch_live.wires.openai_events import _READERS

        fields = dict.fromkeys(("item", "response", "delta", "item_id", "rate_limits", "transcript", "audio_end_ms"))
        return [{"type": kind, **fields} for kind in _READERS if kind != "response.output_audio.delta"]
