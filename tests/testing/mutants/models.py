"""A right model provider, and one that is wrong in one way for each test of `ModelContract`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from decimal import Decimal
from typing import Any

from inarch import (
    CallDelta,
    Finish,
    Limits,
    ModelInfo,
    ModelRequest,
    PartData,
    Price,
    ProviderError,
    TextDelta,
    Usage,
    UsageDelta,
)
from inarch.testing import ModelContract


def prompt_of(request: ModelRequest) -> str:
    return request.messages[-1].text


class Parrot:
    name = "parrot"
    default_model = "grey"
    default_decision_model = "grey"
    id = "call_1"

    async def answer(self, request: ModelRequest) -> AsyncIterator[Any]:
        if request.tools and request.tool_choice == "required":
            for index, arguments in enumerate(({"text": "a"}, {"text": "b"})):
                yield CallDelta(index, f"call_{index}", request.tools[0].name, json.dumps(arguments))
            yield Finish("calls")
            return
        yield TextDelta("You said: ")
        await asyncio.sleep(0.001)
        yield TextDelta(prompt_of(request))
        yield UsageDelta(Usage(10, 5))
        yield Finish("stop")

    async def models(self) -> Any:
        return [ModelInfo("grey")]

    def limits(self, model: str) -> Any:
        return Limits()

    def price(self, model: str) -> Price | None:
        return None

    async def close(self) -> None:
        pass


class Refusing(Parrot):
    error: Exception = ProviderError("auth", "the key is wrong")

    async def answer(self, request: ModelRequest) -> AsyncIterator[Any]:
        raise self.error
        yield


class Suite(ModelContract):
    echoes = True
    provider: type[Parrot] = Parrot
    refusing: type[Parrot] = Refusing

    def make(self) -> Any:
        return self.provider()

    def failing(self) -> Any:
        return self.refusing()


class Slashed(Parrot):
    name = "parrot/grey"


class Endless(Parrot):
    async def answer(self, request: ModelRequest) -> AsyncIterator[Any]:
        async for delta in super().answer(request):
            if not isinstance(delta, Finish):
                yield delta


class PlainText(Parrot):
    async def answer(self, request: ModelRequest) -> AsyncIterator[Any]:
        yield "You said nothing."
        yield Finish("stop")


class OddData(Parrot):
    async def answer(self, request: ModelRequest) -> AsyncIterator[Any]:
        yield PartData(-1, {"when": (1, 2)})
        async for delta in super().answer(request):
            yield delta


class FreeOfCharge(Parrot):
    async def answer(self, request: ModelRequest) -> AsyncIterator[Any]:
        yield TextDelta("You said nothing.")
        yield UsageDelta(Usage(10, 5, cost_usd=Decimal(0)))
        yield Finish("stop")


class SameId(Parrot):
    async def answer(self, request: ModelRequest) -> AsyncIterator[Any]:
        yield CallDelta(0, "call_1", "echo", '{"text": "a"}')
        yield CallDelta(1, "call_1", "echo", '{"text": "b"}')
        yield Finish("calls")


class AlwaysCalls(Parrot):
    async def answer(self, request: ModelRequest) -> AsyncIterator[Any]:
        yield CallDelta(0, "call_1", "echo", '{"text": "a"}')
        yield Finish("calls")


class Encodes(Parrot):
    async def answer(self, request: ModelRequest) -> AsyncIterator[Any]:
        prompt_of(request).encode()
        async for delta in super().answer(request):
            yield delta


class WontLetGo(Parrot):
    def __init__(self) -> None:
        self.lock = asyncio.Lock()

    async def answer(self, request: ModelRequest) -> AsyncIterator[Any]:
        await self.lock.acquire()
        async for delta in super().answer(request):
            yield delta
        self.lock.release()


class Uncancelled(Parrot):
    async def answer(self, request: ModelRequest) -> AsyncIterator[Any]:
        yield TextDelta("You said: ")
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            yield TextDelta("nothing")
        yield Finish("stop")


class Mixing(Parrot):
    async def answer(self, request: ModelRequest) -> AsyncIterator[Any]:
        self.request = request
        await asyncio.sleep(0.001)
        async for delta in super().answer(self.request):
            yield delta


class NamesOnly(Parrot):
    async def models(self) -> Any:
        return ["grey"]


class RaisesAnything(Refusing):
    error = ValueError("status 401")


class ClosesOnce(Parrot):
    closed = False

    async def close(self) -> None:
        if self.closed:
            raise RuntimeError("closed already")
        self.closed = True


class LeavesTask(Parrot):
    async def answer(self, request: ModelRequest) -> AsyncIterator[Any]:
        self.task = asyncio.get_running_loop().create_task(asyncio.sleep(1000))
        async for delta in super().answer(request):
            yield delta


class SaysPerhaps(Parrot):
    def takes_effort(self, model: str) -> str:
        return "perhaps"


WRONG: dict[str, type[Parrot]] = {
    "test_what_it_offers_beyond_the_port_fits": SaysPerhaps,
    "test_names_and_methods_fit": Slashed,
    "test_a_reply_ends_with_one_finish": Endless,
    "test_pieces_are_of_the_kinds_of_the_contract": PlainText,
    "test_the_whole_reply_can_be_put_together_and_kept": OddData,
    "test_usage_is_counted_or_left_out": FreeOfCharge,
    "test_calls_have_names_ids_and_json_arguments": SameId,
    "test_where_no_call_is_wanted_none_comes": AlwaysCalls,
    "test_any_text_may_be_asked": Encodes,
    "test_a_reply_that_is_given_up_is_let_go": WontLetGo,
    "test_a_cancelled_request_ends": Uncancelled,
    "test_requests_at_once_keep_their_replies": Mixing,
    "test_models_limits_and_prices_are_told": NamesOnly,
    "test_a_refused_request_is_a_provider_error": RaisesAnything,
    "test_closing_twice_is_fine": ClosesOnce,
    "test_nothing_is_left_running": LeavesTask,
}


def suite(test: str = "") -> Suite:
    """The suite of the right provider, or of the one that fails a test."""
    made = Suite()
    if test:
        made.provider = made.refusing = WRONG[test]
        made.grace_s = 0.5
    return made
