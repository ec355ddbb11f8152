"""Asks models on behalf of a turn: streams, records, retries, and keeps the turn's meter."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import aclosing

from attrs import define, evolve, field

from inarch.contract.doors import guarded
from inarch.contract.errors import ConfigError, PluginError, ProviderError
from inarch.contract.events import LimitWait, ModelDelta, ModelReplied, ModelRequested, ModelSwitched, Note
from inarch.contract.records import Message, ModelRequest, Reasoning, ReasoningDelta, Reply, ResultPart, Text, TextDelta
from inarch.journal import Journal
from inarch.turns.accumulator import Accumulator
from inarch.turns.hiding import Hiding
from inarch.turns.limits import Meter
from inarch.turns.models import Choice

ATTEMPTS = 3
OUTAGES = frozenset({"quota", "rate_limit", "server", "network", "timeout"})
"""Kinds of error that another model may not have."""
IDLE_SECONDS = 120.0
"""A stream that says nothing for this long is given up."""
CHARACTERS_PER_TOKEN = 3.5
"""Rough English and code average, on the safe side; reported usage replaces it afterwards."""


@define(eq=False, repr=False)
class Asker:
    """Sends the requests of one turn and counts what they use.

    Args:
        choose: From a full name to a provider and its model.
        journal: Hears of every request.
        meter: Counts what is used.
        turn_id: The turn at whose expense it is.
        standby: Models that take over, in this order, where one is exhausted or out of reach.
        hiding: Keeps secrets out of requests and replies.
    """

    choose: Callable[[str], Choice]
    journal: Journal
    meter: Meter
    turn_id: str
    standby: list[str]
    hiding: Hiding
    _replaced: dict[str, str] = field(init=False, factory=dict)

    async def ask(self, request: ModelRequest) -> Reply:
        """Return the reply to `request`, whose `model` is a full name (`PROVIDER/NAME`).

        A model that took over stays for the rest of the turn; the user is told by an event.

        Raises:
            ProviderError: It failed for good, after retries and after every model that stands by.
            LimitReached: The turn can't afford it.
        """
        while True:
            name = self._replaced.get(request.model, request.model)
            try:
                return await self._ask_one(request, self.choose(name))
            except ProviderError as error:
                following = self._next_model() if error.kind in OUTAGES else None
                if following is None:
                    raise
                self._replaced[request.model] = following
                self.journal.record(ModelSwitched(old=name, new=following, reason=error.message), self.turn_id)

    def _next_model(self) -> str | None:
        """Return the next model that stands by and is there."""
        while self.standby:
            try:
                return self.choose(self.standby.pop(0)).full_name
            except ConfigError as error:
                self.journal.record(Note(f"fallback: {error}", "model"), self.turn_id)
        return None

    async def _ask_one(self, request: ModelRequest, choice: Choice) -> Reply:
        request = self.hiding.request(evolve(request, model=choice.model))
        request = self._within_budget(request, choice)
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return await self._attempt(request, choice, attempt)
            except ProviderError as error:
                if not error.retryable or attempt == ATTEMPTS:
                    raise
                await self._wait(choice, error, attempt)
        raise AssertionError("unreachable")

    async def _attempt(self, request: ModelRequest, choice: Choice, attempt: int) -> Reply:
        self.journal.record(
            ModelRequested(
                model=choice.full_name,
                purpose=request.purpose,
                messages=len(request.messages),
                tools=len(request.tools),
                tool_choice=request.tool_choice,
                attempt=attempt,
            ),
            self.turn_id,
        )
        await self._keep(choice)
        began = time.perf_counter()
        reply = await self._stream(request, choice)
        self.meter.add(reply.usage)
        self.journal.record(
            ModelReplied(
                model=choice.full_name,
                message=reply.message,
                usage=reply.usage,
                finish=reply.finish,
                duration_s=round(time.perf_counter() - began, 6),
                purpose=request.purpose,
            ),
            self.turn_id,
        )
        return reply

    async def _keep(self, choice: Choice) -> None:
        """Put on disk what happened so far before money is spent; before a free request hand it to the system."""
        price = choice.price
        if price is not None and price.input == 0 and price.output == 0:
            self.journal.flush()
        else:
            await self.journal.sync()

    async def _stream(self, request: ModelRequest, choice: Choice) -> Reply:
        provider = choice.provider
        collected = Accumulator(provider.value.name)
        loop = asyncio.get_running_loop()
        try:
            with guarded(provider.plugin, "provider", (ProviderError, TimeoutError)):
                async with asyncio.timeout(IDLE_SECONDS) as idle, aclosing(provider.value.answer(request)) as deltas:  # type: ignore[type-var]
                    async for delta in deltas:
                        idle.reschedule(loop.time() + IDLE_SECONDS)
                        collected.add(delta)
                        if request.purpose == "turn":
                            self._show(delta)
        except TimeoutError:
            raise ProviderError(
                "timeout", f"{choice.full_name} said nothing for {IDLE_SECONDS:g} s", retryable=True
            ) from None
        except PluginError as error:
            raise ProviderError("plugin", error.message, remedy=error.remedy) from error
        return self.hiding.reply(collected.reply())

    def _show(self, delta: object) -> None:
        if isinstance(delta, TextDelta):
            self.journal.record(ModelDelta(text=delta.text), self.turn_id)
        elif isinstance(delta, ReasoningDelta):
            self.journal.record(ModelDelta(reasoning=delta.text), self.turn_id)

    async def _wait(self, choice: Choice, error: ProviderError, attempt: int) -> None:
        from random import uniform

        seconds = error.retry_after if error.retry_after is not None else 0.5 * 2**attempt * uniform(0.75, 1.25)
        self.journal.record(Note(f"{choice.full_name}: {error.message}; asking again", "model"), self.turn_id)
        self.journal.record(LimitWait(choice.full_name, round(seconds, 3), error.kind), self.turn_id)
        await asyncio.sleep(seconds)

    def _within_budget(self, request: ModelRequest, choice: Choice) -> ModelRequest:
        if self.meter.limits.max_cost_usd is None:
            return request
        affordable = self.meter.affordable_output(choice.price, count_tokens(request), choice.limits.output_tokens)
        if affordable is None or (request.max_output_tokens or 1 << 30) <= affordable:
            return request
        return evolve(request, max_output_tokens=affordable)


def count_tokens(request: ModelRequest) -> int:
    """Estimate a request's input tokens from its characters."""
    characters = len(request.system) + sum(_characters(message) for message in request.messages)
    characters += sum(len(spec.description) + len(str(spec.input_schema)) for spec in request.tools)
    return int(characters / CHARACTERS_PER_TOKEN)


def _characters(message: Message) -> int:
    total = 0
    for part in message.parts:
        if isinstance(part, (Text, Reasoning)):
            total += len(part.text)
        elif isinstance(part, ResultPart):
            total += len(str(part.result.data))
        else:
            total += 200
    return total
