"""Contract tests for model providers, to inherit. Running them requires pytest, importing does not."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args

from inarch import join_deltas
from inarch.contract.capabilities import ChecksKey, FindsDefault, TakesEffort, able
from inarch.contract.codec import from_data, to_data
from inarch.contract.deltas import Delta, FinishReason, UsageDelta
from inarch.contract.errors import ProviderError, ProviderErrorKind
from inarch.contract.ports import ModelProvider
from inarch.contract.records import Finish, Message, ModelInfo, PartData
from inarch_sdk.port_checks import fault_of
from inarch_testing.model_bench import (
    ECHO,
    TEXT_FIELDS,
    Asking,
    check_limits,
    check_usage,
    joined,
    tasks_left,
)
from inarch_testing.scripted import NASTY_TEXTS


class ModelContract(Asking):
    """Tests of a model provider, called like by the kernel.

        class TestParrot(ModelContract):
            def make(self):
                return Parrot()

    Attributes:
        model: The model to test; the provider's default if empty.
        calls_tools: Whether it calls a tool when the request's `tool_choice` is `required`.
        echoes: Whether its reply contains the prompt, so that the tests notice mixed-up replies.
        grace_s: Seconds within which a reply must arrive, or a cancelled request must end.
    """

    def failing(self) -> ModelProvider | None:
        """Return a provider whose service rejects every request; None skips that test."""
        return None

    def test_names_and_methods_fit(self, tmp_path: Path) -> None:
        """The kernel accepts the provider; its name is the part before the slash of a model."""
        provider = self.make()
        assert not (fault := fault_of("models", provider)), fault
        assert "/" not in provider.name, "the name comes before the slash of PROVIDER/MODEL and has none"

    def test_a_reply_ends_with_one_finish(self, tmp_path: Path) -> None:
        """A stream without one was cut, and later pieces would be lost."""
        deltas = self.answer()
        ends = [number for number, delta in enumerate(deltas) if isinstance(delta, Finish)]
        assert ends, "the stream ended without a Finish: yield one when the service says that the reply is whole"
        assert len(ends) == 1, f"the stream has {len(ends)} Finish deltas: yield one, as the last"
        after = [delta for delta in deltas[ends[0] :] if not isinstance(delta, (Finish, UsageDelta))]
        assert not after, f"{after[0]!r:.80} came after Finish"
        reason = deltas[ends[0]].reason  # type: ignore[union-attr]
        assert reason in get_args(FinishReason), f"Finish({reason!r}): the reasons are {get_args(FinishReason)}"

    def test_pieces_are_of_the_kinds_of_the_contract(self, tmp_path: Path) -> None:
        """Texts are text, indices are numbers."""
        for delta in self.answer():
            assert isinstance(delta, get_args(Delta)), f"answer yielded {delta!r:.80}, which is not an inarch.Delta"
            text = getattr(delta, TEXT_FIELDS.get(type(delta), ""), "")
            assert isinstance(text, str), f"{delta!r:.80} carries {type(text).__name__} instead of text"
            index = getattr(delta, "index", 0)
            assert isinstance(index, int), f"{delta!r:.80} has an index that is not a number"
            if isinstance(delta, PartData):
                json.dumps(to_data(delta.data))

    def test_the_whole_reply_can_be_put_together_and_kept(self, tmp_path: Path) -> None:
        """The pieces form one message, which survives JSON. Adjacent pieces may be joined."""
        provider = self.make()
        deltas = self.answer(provider)
        reply = joined(provider, deltas)
        again = from_data(Message, json.loads(json.dumps(to_data(reply.message))))
        assert again == reply.message, "the reply is not the same after JSON: put plain data into provider_data"
        shorter = joined(provider, list(join_deltas(deltas)))
        assert shorter.message.text == reply.message.text, "joining neighbouring pieces changes the reply"
        assert reply.message.text.strip(), "the reply to a plain question has no text"

    def test_usage_is_counted_or_left_out(self, tmp_path: Path) -> None:
        """Tokens are whole numbers; an unknown cost is None, never 0."""
        provider = self.make()
        price = provider.price(self.model_of(provider))
        for delta in self.answer(provider):
            if isinstance(delta, UsageDelta):
                check_usage(delta.usage, price)

    def test_calls_have_names_ids_and_json_arguments(self, tmp_path: Path) -> None:
        """`calls_tools`: with `tool_choice` required, the model calls the request's tool."""
        if not self.calls_tools:
            return
        provider = self.make()
        reply = joined(provider, self.answer(provider, tools=(ECHO,), tool_choice="required"))
        assert reply.calls, "tool_choice is required, and no tool was called; set calls_tools False if it cannot"
        assert reply.finish == "calls", f"a reply with calls ends with Finish('calls'), not {reply.finish!r}"
        ids = [call.provider_id for call in reply.calls if call.provider_id]
        assert len(set(ids)) == len(ids), f"two calls have the same id: {ids}"
        for call in reply.calls:
            assert call.name == ECHO.name, f"{call.name!r} is not among the request's tools"
            assert isinstance(call.arguments.get("text"), str), f"the arguments of the call are {call.arguments!r:.80}"

    def test_where_no_call_is_wanted_none_comes(self, tmp_path: Path) -> None:
        """The kernel requests the final text of a turn with `tool_choice` none."""
        provider = self.make()
        reply = joined(provider, self.answer(provider, tools=(ECHO,), tool_choice="none"))
        assert not reply.calls, "tool_choice is none, and a tool was called: leave the tools out of such a request"

    def test_any_text_may_be_asked(self, tmp_path: Path) -> None:
        """Prompts contain files, and files contain any text, even lone surrogates."""

        async def go(provider: ModelProvider) -> None:
            for text in NASTY_TEXTS:
                await self.ask(provider, self.request(provider, f"Say hello. {text}", system=f"A test. {text}"))

        self.run(go)

    def test_a_reply_that_is_given_up_is_let_go(self, tmp_path: Path) -> None:
        """The kernel closes the stream early, and the next request is answered."""

        async def go(provider: ModelProvider) -> None:
            stream: Any = provider.answer(self.request(provider))
            await self.soon(anext(stream), "the first piece of a reply")
            await self.soon(stream.aclose(), "closing a stream: don't wait or yield after GeneratorExit; this")
            joined(provider, await self.ask(provider, self.request(provider)))

        self.run(go)

    def test_a_cancelled_request_ends(self, tmp_path: Path) -> None:
        """`CancelledError` passes through, before and during a reply."""

        async def go(provider: ModelProvider) -> None:
            for pieces in (0, 1):
                stream: Any = provider.answer(self.request(provider))
                for _ in range(pieces):
                    await self.soon(anext(stream), "the first piece of a reply")
                task = asyncio.ensure_future(anext(stream))
                await asyncio.sleep(0)
                was_done = task.done()
                task.cancel()
                await asyncio.wait({task}, timeout=self.grace_s)
                assert task.done(), "the request continued after it was cancelled: let CancelledError pass"
                assert was_done or task.cancelled(), (
                    f"a cancelled request gave {task.exception() or task.result()!r:.80}: let CancelledError pass"
                )
                with suppress(RuntimeError):
                    await stream.aclose()

        self.run(go)

    def test_requests_at_once_keep_their_replies(self, tmp_path: Path) -> None:
        """Several turns share a provider; with `echoes` each reply must contain its own prompt."""

        async def go(provider: ModelProvider) -> None:
            words = [f"word{number}" for number in range(5)]
            streams = await asyncio.gather(
                *(self.ask(provider, self.request(provider, f"Say {word}.")) for word in words)
            )
            for word, deltas in zip(words, streams, strict=True):
                text = joined(provider, deltas).message.text
                assert not self.echoes or word in text, f"asked to say {word!r} among others at once, it said {text!r}"

        self.run(go)

    def test_models_limits_and_prices_are_told(self, tmp_path: Path) -> None:
        """They are records, with None for unknown values."""

        async def go(provider: ModelProvider) -> None:
            try:
                infos = await self.soon(provider.models(), "the list of models")
            except ProviderError:
                infos = ()
            strange = [info for info in infos if not isinstance(info, ModelInfo)]
            assert not strange, f"models() gave {strange[0]!r:.80}: return ModelInfo records"
            check_limits(provider, self.model_of(provider))

        self.run(go)

    def test_what_it_offers_beyond_the_port_fits(self, tmp_path: Path) -> None:
        """Each of its capabilities returns what the kernel expects; a refusal is a `ProviderError`."""

        async def go(provider: ModelProvider) -> None:
            model = self.model_of(provider)
            if (checking := able(provider, ChecksKey)) is not None:
                with suppress(ProviderError):
                    said = checking.check_key(model)
                    assert said is None or isinstance(said, str), f"check_key gave {said!r:.80}: text or None"
            if (thinking := able(provider, TakesEffort)) is not None:
                assert isinstance(thinking.takes_effort(model), bool), "takes_effort(model) says True or False"
            if (finding := able(provider, FindsDefault)) is not None:
                with suppress(ProviderError):
                    await self.soon(finding.find_default(), "the default model")
                assert isinstance(provider.default_model, str)

        self.run(go)

    def test_a_refused_request_is_a_provider_error(self, tmp_path: Path) -> None:
        """`failing`: the kind of the error decides what happens next."""
        provider = self.failing()
        if provider is None:
            return
        error: BaseException | None = None
        try:
            self.answer(provider)
        except BaseException as raised:  # noqa: BLE001 - what it raises is the question
            error = raised
        assert isinstance(error, ProviderError), f"a refused request gave {error!r:.200}: raise a ProviderError"
        assert error.kind in get_args(ProviderErrorKind), f"ProviderError has no kind {error.kind!r}"
        assert error.message.strip(), "the ProviderError has no message: quote the service"

    def test_closing_twice_is_fine(self, tmp_path: Path) -> None:
        """An application always closes it, used or not."""

        async def go() -> None:
            unused, used = self.make(), self.make()
            await self.ask(used, self.request(used))
            for provider in (unused, used):
                await self.soon(provider.close(), "closing")
                await self.soon(provider.close(), "closing twice")

        asyncio.run(go())

    def test_nothing_is_left_running(self, tmp_path: Path) -> None:
        """After closing, none of the provider's tasks remains."""

        async def go() -> list[str]:
            provider = self.make()
            await self.ask(provider, self.request(provider))
            await provider.close()
            return await tasks_left(self.grace_s)

        left = asyncio.run(go())
        assert not left, f"tasks still run after close: {left}; await or cancel them"
