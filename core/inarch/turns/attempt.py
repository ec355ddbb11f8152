"""One attempt at one request: announced, streamed within its deadlines, and counted however it ends."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from decimal import Decimal
from time import perf_counter
from typing import TYPE_CHECKING

from attrs import define, evolve, field

from inarch.contract.errors import Cancelled, PluginError, ProviderError
from inarch.contract.event_parts import Failure
from inarch.contract.events import ModelDelta, ModelReplied, ModelRequested, Note
from inarch.contract.guard import guarded
from inarch.contract.records import Delta, ModelRequest, Price, ReasoningDelta, Reply, TextDelta, Usage
from inarch.journal.journal import Journal
from inarch.turns.meter import Hold, Meter, TurnTime
from inarch.turns.models import Choice
from inarch_sdk.accumulator import TOO_LONG, Accumulator
from inarch_sdk.usage import cost_of, dearest, priced

if TYPE_CHECKING:
    from inarch.turns.session_state import SessionState


@define(eq=False, repr=False)
class Showing:
    """Buffer that collects text until the loop's next step and then shows it as one event.

    Args:
        journal: Records the event.
        turn_id: The turn of the reply.
    """

    journal: Journal
    turn_id: str
    _kind: type[TextDelta] | type[ReasoningDelta] | None = field(init=False, default=None)
    _texts: list[str] = field(init=False, factory=list)
    _due: asyncio.Handle | None = field(init=False, default=None)
    _failure: BrokenPipeError | None = field(init=False, default=None)

    def add(self, delta: Delta) -> None:
        """Take the next piece of the reply.

        Raises:
            BrokenPipeError: The front end is gone.
        """
        if self._failure is not None:
            raise self._failure
        if not isinstance(delta, (TextDelta, ReasoningDelta)):
            self.flush()
            return
        if delta.__class__ is not self._kind:
            self.flush()
            self._kind = delta.__class__
        self._texts.append(delta.text)
        if self._due is None:
            self._due = asyncio.get_running_loop().call_soon(self._now)

    def flush(self) -> None:
        """Show the collected text."""
        if self._due is not None:
            self._due.cancel()
            self._due = None
        if self._texts:
            text = "".join(self._texts)
            self._texts.clear()
            is_text = self._kind is not None and issubclass(self._kind, TextDelta)
            self.journal.record(ModelDelta(text=text) if is_text else ModelDelta(reasoning=text), self.turn_id)

    def _now(self) -> None:
        try:
            self.flush()
        except BrokenPipeError as error:  # a callback cannot report the error; the next piece does
            self._failure = error


CHARACTERS_PER_TOKEN = 3.5
"""Estimate for output that a service did not report; rough, on the safe side."""
USUAL_REPLY = 500
"""Output tokens that pacing expects of a reply before it arrives."""
BREATH_S = 0.05
"""Seconds after which a stream that always has more data yields to timers, the screen and Ctrl-C."""
_FREE = Usage(cost_usd=Decimal(0))


@define(eq=False, repr=False)
class Attempt:
    """Request in progress.

    Args:
        state: The session it belongs to.
        turn_id: The turn that pays for it.
        time: The turn's wall time; its meter counts the turn's spending.
        choice: The provider and model to ask.
        request: The request, with its limit of output.
        counted: The request's input tokens as counted beforehand.
        hold: The meter's reservation for it.
        price: The model's price, None if unknown.
        plugin: Owner of the strategy or source that asks; empty for the turn itself.
        number: From 1; more after an error.
    """

    state: SessionState
    turn_id: str
    time: TurnTime
    choice: Choice
    request: ModelRequest
    counted: int
    hold: Hold
    price: Price | None
    plugin: str
    number: int
    unfinished: str = field(init=False, default="")
    _collected: Accumulator = field(init=False)
    _began: float = field(init=False, default=0.0)

    @property
    def meter(self) -> Meter:
        """Meter that counts the spending."""
        return self.time.meter

    @property
    def expected_tokens(self) -> int:
        """Tokens that pacing counts until the real usage is known."""
        return self.counted + min(USUAL_REPLY, self.hold.output or USUAL_REPLY)

    async def reply(self) -> Reply:
        """Send the request and return the whole reply.

        Raises:
            ProviderError: It failed, was cut, empty or malformed, or timed out.
        """
        await self._announce()
        self.state.parts.pacer.sent(self.choice.full_name, self.expected_tokens)
        state, name = self.state, self.choice.provider.value.name
        most, offered = state.config.profile.max_reply_bytes, [spec.name for spec in self.request.tools]
        self._collected = Accumulator(name, most, state.journal.clock.new_id, offered)
        self._began = perf_counter()
        try:
            await self._stream()
            reply = self.state.asked.hiding.reply(self._collected.reply())
        except ProviderError as error:
            self._failed(error)
            raise
        # by Ctrl-C, or the end of the turn's time: the received part is paid for
        except (asyncio.CancelledError, Cancelled):
            self._broken_off("cancelled")
            raise
        return self._replied(reply)

    async def _announce(self) -> None:
        """Record that it is sent, and flush earlier events to disk before money is spent."""
        request, digest = self.request, ""
        if request.purpose == "turn" and not self.plugin:
            digest = self.state.asked.prefix.note(
                self.choice.provider.value.name, request, self.state.journal.redactor.version
            )
        self.state.journal.record(
            ModelRequested(
                model=self.choice.full_name,
                purpose=request.purpose,
                messages=len(request.messages),
                tools=len(request.tools),
                tool_choice=request.tool_choice,
                attempt=self.number,
                plugin=self.plugin,
                digest=digest,
            ),
            self.turn_id,
        )
        # Only a request that may cost money waits until its record is on disk.
        if self.price is not None and self.price.input == 0 and self.price.output == 0:
            self.state.journal.flush()
        else:
            await self.state.journal.sync()

    async def _stream(self) -> None:
        """Collect the reply; time out if it is silent for too long, or takes too long although it keeps arriving."""
        provider, silence_s = self.choice.provider, self.state.parts.pacer.longest_silence_s
        clock = asyncio.get_running_loop().time
        moved = clock()
        breathed, end, answers = moved, moved + self.state.parts.pacer.longest_reply_s, False
        showing = Showing(self.state.journal, self.turn_id)
        try:
            with guarded(provider.plugin, "provider", (ProviderError, TimeoutError)):
                async with (
                    asyncio.timeout_at(min(moved + silence_s, end)) as deadline,
                    aclosing(provider.value.answer(self.request)) as deltas,  # type: ignore[type-var]
                ):
                    async for delta in deltas:
                        now = clock()
                        if now >= end:
                            raise TimeoutError  # a stream that never waits leaves the loop no time to report it
                        if now - moved > silence_s / 100:  # moving a deadline costs more than a delta
                            deadline.reschedule(min(now + silence_s, end))
                            moved = now
                        if now - breathed > BREATH_S:  # a stream that never waits: let other tasks run, too
                            await asyncio.sleep(0)
                            breathed = clock()
                        self._collected.add(delta)
                        if self.request.purpose == "turn":
                            showing.add(delta)
                            if not answers and isinstance(delta, TextDelta):
                                answers = True
                                self.time.answering(True)
        except TimeoutError:
            raise self._too_slow(clock() >= end, deadline.expired()) from None
        except PluginError as error:
            raise ProviderError("plugin", error.message, remedy=error.remedy) from error
        finally:
            self.time.answering(False)
            showing.flush()

    def _too_slow(self, was_long: bool, was_silent: bool) -> ProviderError:
        name, pacer = self.choice.full_name, self.state.parts.pacer
        if was_long:  # the next one would take as long
            message = f"{name} did not end its reply within {pacer.longest_reply_s:g} s"
            return ProviderError("timeout", message, remedy="ask for less at once, or use another model")
        # A provider may time out by itself, before either of these limits.
        said = f"said nothing for {pacer.longest_silence_s:g} s" if was_silent else "timed out"
        return ProviderError("timeout", f"{name} {said}", retryable=True)

    def _replied(self, reply: Reply) -> Reply:
        """Count a whole reply; if its service reported no usage, count an estimate of unknown cost."""
        if self._collected.usage is None:
            reply = evolve(reply, usage=self._estimate())
            self._unreported(reply.usage, reply.usage.input_tokens + reply.usage.output_tokens)
            self._record(reply)
            return reply
        reply = evolve(reply, usage=priced(reply.usage, self.price))
        self.meter.add(reply.usage)
        self._correct_pace(reply.usage)
        ratio = self.state.asked.counter.calibrate(self.choice.full_name, self.counted, reply.usage.input_tokens)
        self._record(reply, ratio=ratio)
        return reply

    def _failed(self, error: ProviderError) -> None:
        """Count a failed request; one that the service refused or never saw (without a key) is not billed."""
        is_refused = error.status is not None or not error.was_sent or error.kind == "auth"
        if is_refused and not self._collected.has_begun:
            self.meter.add(_FREE)
            self._record(Reply(self._collected.so_far(), (), _FREE, "error"), error.kind, failure=_failure(error))
        else:
            self._broken_off(error.kind, _failure(error))

    def _broken_off(self, why: str, failure: Failure | None = None) -> None:
        """Count a request that ended early: with the reported usage, else an estimate of unknown cost."""
        reported = self._collected.usage
        usage = self._estimate() if reported is None else priced(reported, self.price)
        if reported is None:
            self._unreported(usage, self.hold.tokens)
        else:
            self.meter.add(usage)
        self._correct_pace(usage)
        message = self._collected.so_far()
        # These are not asked for again, so this text is all that the turn gets.
        if why in ("cancelled", "filtered", TOO_LONG):
            self.unfinished = self.state.journal.redactor.text(message.text)
        self._record(Reply(message, (), usage, "error"), why, failure=failure)

    def _unreported(self, usage: Usage, tokens: int) -> None:
        """Count a request's worst case against the budget, or its partial output if that is more."""
        cost = Decimal(0) if self.price is None else cost_of(usage, dearest(self.price))
        self.meter.unreported(usage, tokens, max(self.hold.cost, cost))

    def _estimate(self) -> Usage:
        return Usage(self.counted, int(self._collected.characters / CHARACTERS_PER_TOKEN), estimated=True)

    def _correct_pace(self, usage: Usage) -> None:
        used = usage.input_tokens + usage.output_tokens
        self.state.parts.pacer.corrected(self.choice.full_name, self.expected_tokens, used)

    def _record(self, reply: Reply, error: str = "", ratio: float = 0.0, failure: Failure | None = None) -> None:
        answered = self._collected.answered_by
        for note in self._collected.notes:
            self.state.journal.record(Note(note.text, "repair" if note.repair else "model"), self.turn_id)
        self.state.journal.record(
            ModelReplied(
                model=self.choice.full_name,
                message=reply.message,
                usage=reply.usage,
                finish=reply.finish,
                duration_s=round(perf_counter() - self._began, 6),
                purpose=self.request.purpose,
                plugin=self.plugin,
                error=error,
                input_ratio=ratio,
                failure=failure,
                answered_by=answered.model if answered else "",
                company=answered.company if answered else "",
            ),
            self.turn_id,
        )


def _failure(error: ProviderError) -> Failure:
    return Failure(error.message, error.remedy, error.status, error.retry_after, error.retryable, error.was_sent,
                   error.told)  # fmt: skip
