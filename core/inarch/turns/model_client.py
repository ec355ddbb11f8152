"""Client that asks models for a turn: it reserves, paces, retries, and falls back to other models."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from datetime import date

from attrs import Factory, define, evolve, field

from inarch.contract.errors import ConfigError, ProviderError, ProviderErrorKind
from inarch.contract.events import EventData, LimitWait, Note
from inarch.contract.records import AnsweredBy, Message, ModelRequest, Price, Reply, Text
from inarch.turns.attempt import Attempt
from inarch.turns.meter import Meter, TurnTime
from inarch.turns.models import Choice
from inarch.turns.rate_limit import saying_when
from inarch.turns.services import named_nearest, tell_of_service
from inarch.turns.session_state import SessionState

ATTEMPTS = 3
A_MINUTE_S = 60.0
"""Seconds to retry a service that refuses without a time: such quotas are per minute."""
OUTAGES = frozenset({"quota", "rate_limit", "server", "network", "timeout"})
"""Kinds of error that another model may not have."""
UNUSABLE = frozenset({"auth", "request"})
"""Kinds of error that skip a fallback model; for the profile's own model they are reported at once."""

_ANOTHER = "or take another model with --model or `fallback`"
_REMEDIES: dict[ProviderErrorKind, str] = {
    "server": f"try again later, {_ANOTHER}",
    "network": f"check the connection and try again, {_ANOTHER}",
    "timeout": f"try again later, {_ANOTHER}",
    "malformed": f"try again, {_ANOTHER}",
    "empty": f"try again, {_ANOTHER}",
}
_OF_REPLIES = frozenset({"malformed", "empty", "filtered", "too_long"})
"""Faults in a reply that Inarch detects itself, so that the message lacks the provider's name."""


@define(eq=False, repr=False)
class Asker:
    """Sender of one turn's requests: the loop's own, and those of strategies and context sources.

    Args:
        state: The session.
        meter: The turn's spending.
        turn_id: The turn that pays.
        standby: Models that take over, in this order, if one is exhausted or unreachable.
        time: The turn's wall time.
        unfinished: Text of the turn's last reply, if it was cut and not retried.
        answered: The model that gave the last whole reply, as its service says; None if it does not say.
    """

    state: SessionState
    meter: Meter
    turn_id: str
    standby: list[str]
    time: TurnTime = field(init=False, default=Factory(lambda self: TurnTime(self.meter), takes_self=True))
    unfinished: str = field(init=False, default="")
    answered: AnsweredBy | None = field(init=False, default=None)
    _replaced: dict[str, str] = field(init=False, factory=dict)

    async def ask(
        self, request: ModelRequest, plugin: str = "", tell: Callable[[str], object] = lambda text: None
    ) -> Reply:
        """Return the reply to `request`, whose `model` is a full name (`PROVIDER/NAME`).

        A model that took over stays for the rest of the turn; an event informs the user.

        Args:
            request: The request.
            plugin: Owner of the strategy or context source that asks; empty for the turn itself.
            tell: Called with the text that tells the model why its reply was unusable, before it is asked again.

        Raises:
            ProviderError: It failed after all retries and fallback models.
            LimitReached: The turn cannot afford it.
        """
        while True:
            name = self.answering(request.model)
            try:
                reply = await self._ask_one(request, self.state.parts.choose(name), plugin, tell)
            except ProviderError as error:
                # An unavailable decision means: no tool. Fallback models are reserved for the answer.
                # Report a wrong key of the user's own choice of model; skip a fallback model with one.
                passing = OUTAGES if name == request.model else OUTAGES | UNUSABLE
                can_pass = error.kind in passing and request.purpose not in ("decision", "approval")
                following = self._next_model() if can_pass else None
                if following is None:
                    raise saying_when(error) from None
                from inarch.contract.other_events import ModelSwitched

                self._replaced[request.model] = following
                self.state.asked.prefix.pass_on(name.partition("/")[0], following.partition("/")[0])
                self._record(ModelSwitched(old=name, new=following, reason=error.message))
            else:
                if request.purpose == "turn":
                    self.answered = reply.answered_by
                return reply

    def answering(self, model: str) -> str:
        """Return the model that answers in this turn if `model` is asked: itself, or the one that took over."""
        return self._replaced.get(model, model)

    def _next_model(self) -> str | None:
        while self.standby:
            try:
                return self.state.parts.choose(self.standby.pop(0)).full_name
            except ConfigError as error:
                self._record(Note(f"fallback: {error}", "model"))
        return None

    async def _ask_one(
        self, request: ModelRequest, choice: Choice, plugin: str, tell: Callable[[str], object]
    ) -> Reply:
        tell_of_service(self.state, choice, self.turn_id)
        # Separate from the redacted request: messages about a bad reply are added to this one.
        wanted = evolve(request, model=choice.model)
        if request.effort is not None and not choice.takes_effort:
            wanted = evolve(wanted, effort=None)
            if self.state.asked.is_new("effort", choice.full_name):
                self._record(Note(f"{choice.full_name} does not take an effort: it is left out", "model"))
        request = self.state.asked.hiding.request(wanted)
        price = choice.price
        self._tell_unpriced(choice, price)
        clock = self.state.journal.clock
        first: float | None = None
        for number in itertools.count(1):
            try:
                return await self._attempt(request, choice, price, plugin, number)
            except ProviderError as error:
                seconds, now = self.state.parts.pacer.refused(choice.full_name, error, number), clock.monotonic()
                first = now if first is None else first
                left = first + A_MINUTE_S - now if self._may_be_of_a_minute(error, request) else 0.0
                if seconds is None or (number >= ATTEMPTS and left <= 0.0):
                    today = date.fromisoformat(clock.utc_now()[:10])
                    error = await named_nearest(error, choice, self.state.config.cache_dir, today)
                    raise for_good(error, choice.full_name, number) from None
                if number >= ATTEMPTS:
                    seconds = min(seconds, left)
                self._record(Note(f"{choice.full_name}: {error.message}; asking again", "model"))
                self._record(LimitWait(choice.full_name, round(seconds, 3), error.kind))
                await clock.sleep(seconds)
                if error.told:
                    said = Message("user", (Text(error.told),))
                    wanted = evolve(wanted, messages=(*wanted.messages, said))
                    tell(error.told)
                # Not the redacted request with one message more: a secret may have become known since.
                request = self.state.asked.hiding.request(wanted)
        raise AssertionError("unreachable")

    def _may_be_of_a_minute(self, error: ProviderError, request: ModelRequest) -> bool:
        """Return whether a refusal is a rate limit without a time, and no other model could answer meanwhile."""
        plain = error.kind == "rate_limit" and error.retry_after is None
        return plain and request.purpose not in ("decision", "approval") and not self.standby

    async def _attempt(
        self, request: ModelRequest, choice: Choice, price: Price | None, plugin: str, number: int
    ) -> Reply:
        counted = self.state.asked.counter.count(request, choice.full_name)
        # Without a limit nothing is reserved: the tables of known models stay unread.
        own = choice.limits.output_tokens if self.meter.is_limited else None
        hold = await self.meter.reserve(price, counted, request.max_output_tokens, own)
        attempt: Attempt | None = None
        try:
            if hold.output != request.max_output_tokens:
                request = evolve(request, max_output_tokens=hold.output)
            attempt = Attempt(
                self.state, self.turn_id, self.time, choice, request, counted, hold, price, plugin, number
            )
            patience = self.time.for_the_last() if request.tool_choice == "none" else math.inf
            await self.state.parts.pacer.before(choice.full_name, attempt.expected_tokens, self._record, patience)
            reply = await attempt.reply()
        finally:
            if attempt is not None and request.purpose == "turn":
                self.unfinished = attempt.unfinished
            self.meter.release(hold)
        if reply.finish == "length":
            limit = f" of {hold.output} tokens" if hold.output else ""
            self._record(Note(f"{choice.full_name}: the reply was cut at the limit of output{limit}", "model"))
        return reply

    def _tell_unpriced(self, choice: Choice, price: Price | None) -> None:
        limits = self.meter.limits
        if price is not None or limits.max_cost_usd is None or not self.state.asked.is_new("price", choice.full_name):
            return
        holds = "max_tokens holds" if limits.max_tokens is not None else "set max_tokens to limit it"
        self._record(
            Note(
                f"the price of {choice.full_name} is unknown, so max_cost_usd can't be enforced beforehand; {holds}",
                "model",
            )
        )

    def _record(self, payload: EventData) -> None:
        self.state.journal.record(payload, self.turn_id)


def for_good(error: ProviderError, model: str, attempts: int) -> ProviderError:
    """Return the error to report once there are no more attempts; it names the model."""
    message, remedy = error.message, error.remedy or _REMEDIES.get(error.kind, "")
    if error.kind in _OF_REPLIES and model.partition("/")[0] not in message:
        message = f"{model}: {message}"
    if attempts > 1:
        message = f"{message}; asked {attempts} times"
    return error if (message, remedy) == (error.message, error.remedy) else error.with_text(message, remedy)
