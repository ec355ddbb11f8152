"""What every provider of live conversations has to do: inherit it, and say which server the provider talks to."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Any, ClassVar

from inarch_live.port import (
    AudioDelta,
    CallsRequested,
    ConnectionEnded,
    InputTranscript,
    Interrupted,
    LiveCall,
    LiveConnection,
    LiveEvent,
    LiveResult,
    LiveSetup,
    LiveTool,
    OutputTranscript,
    TextDelta,
    TurnEnded,
    UsageReported,
)
from inarch_live.testing.servers import LONGEST_S, LiveServer, There

from inarch import ProviderError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

FRAME = 320
"""Samples in 20 ms."""
EDIT = LiveTool("edit_file", "Edits.", {"type": "object", "properties": {"path": {"type": "string"}}})
READ = LiveTool("read_file", "Reads.", {"type": "object", "properties": {}}, blocking=False)
FIRST = LiveCall("call_a", "edit_file", {"path": "a.txt"})
SECOND = LiveCall("call_b", "read_file", {})


def ramp(samples: int, begin: int = 0) -> bytes:
    """Return samples that differ from their neighbours, as sound does."""
    return b"".join(
        ((begin + index) * 37 % 20_000 - 10_000).to_bytes(2, "little", signed=True) for index in range(samples)
    )


def run(conversation: Coroutine[Any, Any, None]) -> None:
    """Run a test to its end, or fail it."""

    async def bounded() -> None:
        async with asyncio.timeout(2 * LONGEST_S):
            await conversation

    asyncio.run(bounded())


async def upto(events: AsyncIterator[LiveEvent], *kinds: type[LiveEvent]) -> list[LiveEvent]:
    """Return the events to the first of some kinds, which is among them."""
    seen: list[LiveEvent] = []
    async with asyncio.timeout(LONGEST_S):
        async for event in events:
            seen.append(event)
            if isinstance(event, kinds):
                break
    return seen


@asynccontextmanager
async def connected(server: LiveServer[Any], setup: LiveSetup | None = None) -> AsyncIterator[tuple[Any, Any]]:
    """Connect to a new server, and close in the end."""
    async with server:
        connection = await server.provider().connect(setup or LiveSetup(tools=(EDIT, READ)))
        try:
            yield connection, await server.connection()
        finally:
            await connection.aclose()


class LiveProviderContract:
    """Tests of one provider. The server is given new to every test."""

    server: ClassVar[Callable[[], LiveServer[Any]]]

    def talk(self, setup: LiveSetup | None = None) -> AbstractAsyncContextManager[tuple[LiveConnection, There]]:
        """Connect, and close in the end."""
        return connected(type(self).server(), setup)

    def heard(self, pcm: bytes) -> bytes:
        """Return what the service gets to hear of what was sent; a wire with another rate says so here."""
        return pcm

    async def test_what_the_microphone_hears_comes_sample_by_sample(self) -> None:
        """In pieces of any length, also such as end within a sample's neighbours."""

        async with self.talk() as (connection, there):
            pcm, at = ramp(50 * FRAME), 0
            for size in (2, 640, 641 * 2, 4, 3_200, len(pcm)):
                await connection.send_audio(pcm[at : at + size])
                at += size
            expected = self.heard(pcm)
            await there.until(lambda there: len(there.audio) >= len(expected), "the audio")
            assert bytes(there.audio) == expected

    async def test_an_answer_by_voice_comes_with_its_transcript(self) -> None:
        """Samples as they are, with their rate."""

        async with self.talk() as (connection, there):
            await there.speak(ramp(480), "Good ")
            await there.speak(ramp(480, 480), "morning.")
            await there.end_turn()
            events = await upto(aiter(connection), TurnEnded)
            sound = [event for event in events if isinstance(event, AudioDelta)]
            said = [event for event in events if isinstance(event, OutputTranscript)]
            assert b"".join(event.pcm for event in sound) == ramp(960)
            assert {event.rate for event in sound} == {24_000}
            assert "".join(event.text for event in said) == "Good morning."
            assert events[-1] == TurnEnded()

    async def test_what_the_person_said_comes_as_text(self) -> None:
        """Whole at the end."""

        async with self.talk() as (connection, there):
            await connection.send_audio(ramp(FRAME))
            await there.until(lambda there: there.audio, "the audio")
            await there.hear("open the door")
            events = [event async for event in _until_final(connection)]
            assert (events[-1].whole, events[-1].is_final) == ("open the door", True)

    async def test_typed_text_is_answered(self) -> None:
        """In writing, where the service writes."""

        async with self.talk() as (connection, there):
            await connection.send_text("hello\ud800 ☃")
            await there.until(lambda there: there.texts, "the text")
            await there.write("And you.")
            await there.end_turn()
            events = await upto(aiter(connection), TurnEnded)
            assert there.texts == ["hello\ud800 ☃"]
            assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "And you."

    async def test_calls_of_one_message_are_one_batch_that_is_answered_at_once(self) -> None:
        """Each result has its id, its status and its words."""

        async with self.talk() as (connection, there):
            await there.call(FIRST, SECOND)
            events = await upto(aiter(connection), CallsRequested)
            assert events[-1] == CallsRequested((FIRST, SECOND))
            done = LiveResult("call_a", "edit_file", "success", "2 lines changed")
            await connection.send_results([done, LiveResult("call_b", "read_file", "denied", "you said no")])
            await there.until(lambda there: there.answers, "the results")
            assert [(result.id, result.status, result.text) for result in there.results] == [
                ("call_a", "success", "2 lines changed"), ("call_b", "denied", "you said no"),
            ]  # fmt: skip
            assert there.answers == 1

    async def test_speaking_into_the_answer_interrupts_it(self) -> None:
        """What was made before is told before; what is made after comes after."""

        async with self.talk() as (connection, there):
            await there.speak(ramp(480))
            await there.interrupt()
            await there.speak(ramp(480, 7))
            events = aiter(connection)
            before = await upto(events, Interrupted)
            after = await upto(events, AudioDelta)
            assert [event.pcm for event in before if isinstance(event, AudioDelta)] == [ramp(480)]
            assert after[-1] == AudioDelta(ramp(480, 7), 24_000)

    async def test_nothing_more_comes_of_an_answer_that_was_stopped(self) -> None:
        """Not until the next one."""

        async with self.talk() as (connection, there):
            events = aiter(connection)
            await there.speak(ramp(480))
            await upto(events, AudioDelta)
            await connection.interrupt(10)
            await there.speak(ramp(480, 7))
            await there.end_turn()
            rest = await upto(events, TurnEnded)
            assert not [event for event in rest if isinstance(event, AudioDelta)]
            await there.speak(ramp(480, 9))
            assert (await upto(events, AudioDelta))[-1] == AudioDelta(ramp(480, 9), 24_000)

    async def test_usage_is_told_by_what_the_tokens_stand_for(self) -> None:
        """Audio costs more than text."""

        async with self.talk() as (connection, there):
            await there.report_usage(1_000, 200, 30, 4)
            usage = (await upto(aiter(connection), UsageReported))[-1]
            assert isinstance(usage, UsageReported)
            told = usage.usage
            assert (told.input_audio, told.output_audio, told.input_text, told.output_text) == (1_000, 200, 30, 4)

    async def test_a_cut_is_reported_once_and_sending_does_nothing_after(self) -> None:
        """So that whoever sends needs no care."""

        async with self.talk() as (connection, there):
            there.cut()
            *before, ended = await upto(aiter(connection), ConnectionEnded)
            assert not [event for event in before if isinstance(event, ConnectionEnded)]
            assert isinstance(ended, ConnectionEnded)
            assert ended.error is not None
            assert (ended.error.kind, ended.error.retryable) == ("network", True)
            await connection.send_audio(ramp(FRAME))
            await connection.send_text("anybody?")
            await connection.interrupt(0)

    async def test_an_end_in_peace_is_not_an_error(self) -> None:
        """Of either side."""

        async with self.talk() as (connection, there):
            await there.close(1000)
            assert (await upto(aiter(connection), ConnectionEnded))[-1] == ConnectionEnded()
        async with self.talk() as (connection, there):
            await connection.aclose()
            await connection.aclose()
            assert (await upto(aiter(connection), ConnectionEnded))[-1] == ConnectionEnded()

    def test_half_a_message_ends_the_connection_with_an_error(self) -> None:
        """Cut JSON, JSON that is no object, bytes that are no text, nesting without end."""
        for data in ('{"serverContent": {"mod', "[1]", b"\xff\xfe\x00", "[" * 100_000, ""):
            run(self._broken(data, "malformed", "no JSON object"))

    def test_a_message_without_bound_is_refused(self) -> None:
        """A hundred megabytes would have to be held before they could be read."""
        run(self._broken('{"text": "' + "x" * 100_000_000 + '"}', "too_long", "16 MB"))

    async def test_messages_of_another_day_are_passed_over(self) -> None:
        """Kinds and fields that nobody knows yet, and known ones of another shape."""

        strange: list[Any] = [None, 1, "x", [], {}, [None], {"a": {"b": [1]}}]
        async with self.talk() as (connection, there):
            for value in strange:
                for message in self.known_messages():
                    await there.send({**{key: value for key in message if key != "type"}, **_kind(message)})
            await there.send({"type": "from.the.future", "fromTheFuture": {"x": 1}})
            await there.write("still here")
            await there.report_usage(1, 0, 0, 0)
            *_, text, _ = [event async for event in _upto_usage(connection, TextDelta, ConnectionEnded)]
            assert text == TextDelta("still here")

    def known_messages(self) -> list[dict[str, Any]]:
        """Return messages of the service by their top-level fields, whose values are made strange."""
        raise NotImplementedError

    def test_a_wrong_key_is_reported_with_what_to_do(self) -> None:
        """And the key itself is nowhere."""
        for status in (401, 403):
            error = self._refused(status, '{"error": {"message": "the key sk-wrong-key-of-tests is not valid"}}')
            assert error.kind == "auth"
            assert "_API_KEY" in str(error)
            assert "sk-wrong-key-of-tests" not in repr(error) + str(error)

    def test_a_model_that_is_not_there_and_a_used_up_quota_are_told(self) -> None:
        """Each as what it is."""
        assert self._refused(404, '{"error": {"message": "model not found"}}').kind == "request"
        assert self._refused(429, '{"error": {"message": "You exceeded your current quota"}}').kind == "quota"
        assert self._refused(503, "<html>").kind == "server"

    def _refused(self, status: int, body: str) -> ProviderError:
        found: list[ProviderError] = []

        async def conversation() -> None:
            async with type(self).server() as server:
                server.refuse = (status, body)
                try:
                    await server.provider("sk-wrong-key-of-tests").connect(LiveSetup())
                except ProviderError as error:
                    found.append(error)

        run(conversation())
        assert found, "it was connected"
        return found[0]

    async def _broken(self, data: str | bytes, kind: str, words: str) -> None:
        async with self.talk() as (connection, there):
            sending = asyncio.create_task(there.send_raw(data))
            ended = (await upto(aiter(connection), ConnectionEnded))[-1]
            assert isinstance(ended, ConnectionEnded)
            assert ended.error is not None
            assert (ended.error.kind, words in str(ended.error)) == (kind, True), ended.error
            there.cut()
            await sending


async def _until_final(connection: LiveConnection) -> AsyncIterator[InputTranscript]:
    async for event in connection:
        if isinstance(event, InputTranscript):
            yield event
            if event.is_final:
                return


async def _upto_usage(connection: LiveConnection, *kinds: type[LiveEvent]) -> AsyncIterator[LiveEvent]:
    """Yield events of some kinds, and at last the first report of tokens."""
    async for event in connection:
        if isinstance(event, (*kinds, UsageReported)):
            yield event
        if isinstance(event, UsageReported) and event.usage.input_audio == 1:
            return


def _kind(message: dict[str, Any]) -> dict[str, Any]:
    return {"type": message["type"]} if "type" in message else {}
