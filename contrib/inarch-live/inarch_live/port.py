"""The port of live services: what a spoken conversation with a model takes, whoever the service is.

A `LiveProvider` connects; a `LiveConnection` carries one conversation. What is sent goes by its methods, what comes is
read by iterating over it:

    async with aclosing(await provider.connect(setup)) as connection:
        await connection.send_audio(frame)
        async for event in connection:
            match event:
                case CallsRequested(calls): ...

Audio is always signed 16-bit little-endian PCM of one channel. What is sent has `INPUT_RATE`, what comes says its own.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Literal, Protocol

from attrs import field, frozen, validators

import inarch
from inarch import ProviderError

INPUT_RATE = 16_000
"""Samples a second of audio that is sent; a wire whose service wants another rate resamples."""

BYTES_PER_SAMPLE = 2

ResultStatus = Literal["success", "error", "denied", "cancelled"]
Scheduling = Literal["silent", "when_idle"]
"""What a result does: nothing more, or prompt an answer when the model has finished speaking."""

Hearing = Literal["open", "push"]
"""Who says when the person speaks: the service by itself (`open`), or `begin_speech` and `end_speech` (`push`)."""


@frozen
class LiveTool:
    """A tool as the service is told of it.

    Args:
        name: The tool's name.
        description: What it does, for the model.
        parameters: The JSON Schema of its arguments.
        blocking: Whether the model waits for the result before it says more. Services without this ignore it.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    blocking: bool = True


@frozen
class Said:
    """What somebody said before, as text."""

    role: Literal["user", "agent"]
    text: str


@frozen
class LiveCall:
    """One call that the model asks for.

    Args:
        id: The service's id, which the result names; never empty.
        name: The tool's name as the model wrote it, which may be none that there is.
        arguments: Its arguments; empty where `fault` is given.
        fault: Why the arguments could not be read, empty where they were: answer such a call, don't run it.
    """

    id: str
    name: str
    arguments: Mapping[str, Any]
    fault: str = ""


@frozen
class LiveResult:
    """How one call ended. `text` is what the model reads, never blank: models repeat a call that got no words back."""

    id: str
    name: str
    status: ResultStatus
    text: str = field(validator=validators.matches_re(r"(?s).*\S.*"))


History = Said | LiveCall | LiveResult
"""A piece of the conversation before this connection."""


@frozen
class LiveSetup:
    """What a conversation begins with.

    Args:
        model: The service's own name for the model; empty for the provider's default.
        instructions: The system prompt.
        tools: What the model may call.
        voice: The service's name of a voice; empty for its default.
        hearing: Who says when the person speaks.
        history: What went before, oldest first, each call with its result; not sent where a `handle` is given.
        awaits_answer: Whether the last of `history` still waits for an answer, which the model then gives at once.
        handle: Continues the conversation that an earlier connection gave this handle of; empty for a new one.
    """

    model: str = ""
    instructions: str = ""
    tools: tuple[LiveTool, ...] = ()
    voice: str = ""
    hearing: Hearing = "open"
    history: tuple[History, ...] = ()
    awaits_answer: bool = False
    handle: str = field(default="", repr=False)


@frozen
class LiveUsage:
    """Tokens of one answer, or of one transcription, by what they stand for; cached ones are part of the input's."""

    input_text: int = 0
    input_audio: int = 0
    cached_text: int = 0
    cached_audio: int = 0
    output_text: int = 0
    output_audio: int = 0
    reasoning: int = 0


@frozen
class AudioDelta:
    """More of the answer's voice: `pcm` as the module says, `rate` samples a second."""

    pcm: bytes = field(repr=False)
    rate: int

    @property
    def seconds(self) -> float:
        """Return how long it sounds."""
        return len(self.pcm) / BYTES_PER_SAMPLE / self.rate


@frozen
class TextDelta:
    """More of an answer that is written, not spoken."""

    text: str


@frozen
class InputTranscript:
    """What the service heard the person say.

    Args:
        text: What is new.
        whole: The utterance so far, which is what counts: a service may correct itself.
        is_final: Whether the utterance is complete. Its end may be told after the answer has begun.
    """

    text: str
    whole: str
    is_final: bool = False


@frozen
class OutputTranscript:
    """What the model says by voice, with the fields of `InputTranscript`.

    After an interruption it is what was made, which is more than was heard.
    """

    text: str
    whole: str
    is_final: bool = False


@frozen
class SpeechBegan:
    """The service hears the person speak; comes where the service tells it."""


@frozen
class CallsRequested:
    """All calls of one message of the service: one batch, to be answered in one `send_results`."""

    calls: tuple[LiveCall, ...]


@frozen
class CallsCancelled:
    """The service wants no results of these calls any more; they are to be stopped, and are answered nevertheless."""

    ids: tuple[str, ...]


@frozen
class Interrupted:
    """The person has spoken into the answer.

    Stop playing, drop what is queued, then call `interrupt` with how much that was.
    """


@frozen
class TurnEnded:
    """The model has finished its answer.

    Args:
        reason: Empty for an ordinary end, otherwise what cut it short, in the service's words.
        error: Why the service could not answer; None if it did.
        is_idle: Whether nothing more comes by itself; a model that thinks on in the background says more later.
    """

    reason: str = ""
    is_idle: bool = True
    error: ProviderError | None = None


@frozen
class UsageReported:
    """What one answer, or the service's hearing of one utterance, took."""

    usage: LiveUsage


@frozen
class GoingAway:
    """The service will end this connection soon."""


@frozen
class Resumable:
    """The conversation as it is now can be continued with this handle (`LiveSetup.handle`); empty: it can't."""

    handle: str = field(repr=False)


@frozen
class ServiceNotice:
    """Something that the service tells and that ends nothing: a request it refused, a rate limit that is near."""

    text: str


@frozen
class ConnectionEnded:
    """The last event. `error` is what the person is told; None after `aclose`, or where the service ended in peace."""

    error: ProviderError | None = None


LiveEvent = (
    AudioDelta | TextDelta | InputTranscript | OutputTranscript | SpeechBegan | CallsRequested
    | CallsCancelled | Interrupted | TurnEnded | UsageReported | GoingAway | Resumable | ServiceNotice | ConnectionEnded
)  # fmt: skip
"""What comes over a connection.

One message of a service may hold several; they come in this order: calls cancelled, interruption, transcript of the
person, audio and text, transcript of the model, calls, usage, end of the turn, resumption, going away. So whoever stops
playing at an interruption never drops audio that was made after it, and a turn's end comes when all of it has come.
"""


class LiveConnection(Protocol):
    """One conversation's connection. Methods may be called while another task iterates; one task iterates.

    After the end of the connection sending methods do nothing: `ConnectionEnded` says why, once.
    """

    def __aiter__(self) -> AsyncIterator[LiveEvent]:
        """Yield what comes, to `ConnectionEnded`, which is always the last."""
        ...

    async def send_audio(self, pcm: bytes) -> None:
        """Send a piece of what the microphone hears, of any length; 20 to 100 ms are usual."""
        ...

    async def begin_speech(self) -> None:
        """Say that the person begins to speak, which interrupts an answer; only where `hearing` is `push`."""
        ...

    async def end_speech(self) -> None:
        """Say that the person has finished and wants an answer (`push`), or that the microphone is off (`open`)."""
        ...

    async def send_text(self, text: str) -> None:
        """Send what the person typed, and ask for an answer."""
        ...

    async def send_results(self, results: Sequence[LiveResult], scheduling: Scheduling = "when_idle") -> None:
        """Answer calls, those of one batch together."""
        ...

    async def interrupt(self, unheard_ms: int) -> None:
        """Stop the present answer; nothing more of it comes.

        To be called after `Interrupted`, too, so that the model knows what was heard: all audio that has come but for
        the last `unheard_ms` milliseconds.
        """
        ...

    async def aclose(self) -> None:
        """End the connection; may be called twice."""
        ...


class LiveProvider(Protocol):
    """A service that holds spoken conversations."""

    @property
    def name(self) -> str:
        """Return the service's name in settings and messages, in lower case."""
        ...

    @property
    def default_model(self) -> str:
        """Return the model where none is named."""
        ...

    async def connect(self, setup: LiveSetup) -> LiveConnection:
        """Return a connection on which the service has accepted `setup`.

        Raises:
            ProviderError: It has not: what is wrong and what to do, without the key.
        """
        ...


KEYS: Mapping[str, str] = {"gemini": "GEMINI_API_KEY", "openai": "OPENAI_API_KEY"}
"""The variable that holds each service's key; the first one whose key is set is the default."""
MODELS: Mapping[str, str] = {"gemini": "gemini-3.8-live", "openai": "gpt-realtime-2.1"}


def unset(variable: str) -> inarch.ProviderError:
    """Return the error of a key that is not set."""
    remedy = f"set {variable} to your key"
    return inarch.ProviderError("auth", f"{variable} is not set", remedy=remedy, was_sent=False)
