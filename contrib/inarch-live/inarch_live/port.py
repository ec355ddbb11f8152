"""The port of live services: a spoken conversation with a model, independent of the service.

A `LiveProvider` connects, and a `LiveConnection` carries one conversation. Its methods send, and iterating over it
receives:

    async with aclosing(await provider.connect(setup)) as connection:
        await connection.send_audio(frame)
        async for event in connection:
            match event:
                case CallsRequested(calls): ...

Audio is always signed 16-bit little-endian PCM of one channel. Sent audio has `INPUT_RATE`, and each received piece
states its rate.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Literal, Protocol

from attrs import field, frozen, validators

import inarch
from inarch import ProviderError

INPUT_RATE = 16_000
"""Samples a second of sent audio; a wire resamples if its service needs another rate."""

BYTES_PER_SAMPLE = 2

ResultStatus = Literal["success", "error", "denied", "cancelled"]
Scheduling = Literal["silent", "when_idle"]
"""Effect of a result: none, or an answer when the model has finished speaking."""

Hearing = Literal["open", "push"]
"""Detection of the person's speech: by the service (`open`), or by `begin_speech` and `end_speech` (`push`)."""


@frozen
class LiveTool:
    """A tool as declared to the service; if `blocking`, the model waits for the result before it says more."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    blocking: bool = True


@frozen
class Said:
    """An earlier message of the person or the model, as text."""

    role: Literal["user", "agent"]
    text: str


@frozen
class LiveCall:
    """One call that the model requests; its `id` is never empty. Answer a call with a `fault`, do not run it."""

    id: str
    name: str
    arguments: Mapping[str, Any]
    fault: str = ""


@frozen
class LiveResult:
    """The result of one call. `text` is for the model and never blank: models repeat a call that got no text back."""

    id: str
    name: str
    status: ResultStatus
    text: str = field(validator=validators.matches_re(r"(?s).*\S.*"))


History = Said | LiveCall | LiveResult
"""A piece of the conversation before this connection."""


@frozen
class LiveSetup:
    """The setup of a conversation. If the end of `history` needs an answer, the model gives it at once."""

    model: str = ""
    instructions: str = ""
    tools: tuple[LiveTool, ...] = ()
    voice: str = ""
    hearing: Hearing = "open"
    history: tuple[History, ...] = ()
    awaits_answer: bool = False


@frozen
class LiveUsage:
    """Tokens of one answer or transcription, by kind; input counts include cached ones."""

    input_text: int = 0
    input_audio: int = 0
    cached_text: int = 0
    cached_audio: int = 0
    output_text: int = 0
    output_audio: int = 0
    reasoning: int = 0


@frozen
class AudioDelta:
    """More of the answer's voice: `pcm` in the module's format, `rate` samples a second."""

    pcm: bytes = field(repr=False)
    rate: int

    @property
    def seconds(self) -> float:
        """Return its duration in seconds."""
        return len(self.pcm) / BYTES_PER_SAMPLE / self.rate


@frozen
class TextDelta:
    """More of a written answer."""

    text: str


@frozen
class InputTranscript:
    """Transcript of the person's speech.

    Args:
        whole: The utterance so far; a service may correct itself.
        is_final: Whether the utterance is complete. The final part may arrive after the answer has begun.
    """

    whole: str
    is_final: bool = False


@frozen
class OutputTranscript:
    """More of the transcript of the model's voice, which may be more than was heard."""

    text: str


@frozen
class SpeechBegan:
    """The service detects speech of the person; not every service sends this."""


@frozen
class CallsRequested:
    """All calls of one message: one batch, to be answered in one `send_results`."""

    calls: tuple[LiveCall, ...]


@frozen
class CallsCancelled:
    """The service no longer needs the results of these calls. Stop them, and still answer them."""

    ids: tuple[str, ...]


@frozen
class Interrupted:
    """The person has interrupted the answer.

    Stop playing and drop the queue, then call `interrupt` with the dropped duration.
    """


@frozen
class TurnEnded:
    """The model has finished its answer, cut short for a `reason` or with an `error`.

    If it is not `is_idle`, more follows: a model that thinks in the background speaks again later.
    """

    reason: str = ""
    is_idle: bool = True
    error: ProviderError | None = None


@frozen
class UsageReported:
    """Tokens used by one answer, or by the transcription of one utterance."""

    usage: LiveUsage


@frozen
class GoingAway:
    """The service will end this connection soon."""


@frozen
class ServiceNotice:
    """A notice that ends nothing, such as a refused request."""

    text: str


@frozen
class ConnectionEnded:
    """The last event. `error` is shown to the person; None after `aclose` or a normal end by the service."""

    error: ProviderError | None = None


LiveEvent = (
    AudioDelta | TextDelta | InputTranscript | OutputTranscript | SpeechBegan | CallsRequested
    | CallsCancelled | Interrupted | TurnEnded | UsageReported | GoingAway | ServiceNotice | ConnectionEnded
)  # fmt: skip
"""Events that arrive over a connection.

One message of a service may contain several. They arrive in this order: calls cancelled, interruption, transcript of
the person, audio and text, transcript of the model, calls, usage, end of the turn, going away. So a caller
that stops playing at an interruption never drops later audio, and the end of a turn follows all its parts.
"""


class LiveConnection(Protocol):
    """The connection of one conversation. Only one task iterates; others may call methods meanwhile.

    After the connection ends, methods that send do nothing. One `ConnectionEnded` gives the reason.
    """

    def __aiter__(self) -> AsyncIterator[LiveEvent]:
        """Yield events up to `ConnectionEnded`, which is always the last."""
        ...

    async def send_audio(self, pcm: bytes) -> None:
        """Send a piece of microphone audio of any length; 20 to 100 ms are usual."""
        ...

    async def begin_speech(self) -> None:
        """Report that the person begins to speak, which interrupts an answer; only if `hearing` is `push`."""
        ...

    async def end_speech(self) -> None:
        """Report that the person has finished and wants an answer (`push`), or that the microphone is off (`open`)."""
        ...

    async def send_text(self, text: str) -> None:
        """Send typed text and request an answer."""
        ...

    async def send_results(self, results: Sequence[LiveResult], scheduling: Scheduling = "when_idle") -> None:
        """Send the results of one batch of calls."""
        ...

    async def interrupt(self, unheard_ms: int) -> None:
        """Stop the present answer; nothing more of it arrives.

        Call this after `Interrupted`, too, so that the model knows what was heard: all received audio except the last
        `unheard_ms` milliseconds.
        """
        ...

    async def aclose(self) -> None:
        """Close the connection; may be called twice."""
        ...


class LiveProvider(Protocol):
    """A service that holds spoken conversations."""

    async def connect(self, setup: LiveSetup) -> LiveConnection:
        """Return a connection on which the service has accepted `setup`.

        Raises:
            ProviderError: It did not. The error says what is wrong and what to do, without the key.
        """
        ...


KEYS: Mapping[str, str] = {"gemini": "GEMINI_API_KEY", "openai": "OPENAI_API_KEY"}
"""Environment variable of each service's key; the first service whose key is set is the default."""
MODELS: Mapping[str, str] = {"gemini": "gemini-3.8-live", "openai": "gpt-realtime-2.1"}


def unset(variable: str) -> inarch.ProviderError:
    """Return the error for a key that is not set."""
    remedy = f"set {variable} to your key"
    return inarch.ProviderError("auth", f"{variable} is not set", remedy=remedy, was_sent=False)
