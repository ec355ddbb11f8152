"""Contract tests for decision strategies, to inherit. Running them requires pytest, importing does not."""

from __future__ import annotations

import asyncio
import io
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, get_args

from inarch.contract.codec import from_data, to_data
from inarch.contract.errors import ProviderError, ProviderErrorKind
from inarch.contract.ports import DecisionStrategy, Situation
from inarch.contract.records import Decision, DecisionKind, ModelRequest, PlannedCall, ToolSpec
from inarch_sdk.port_checks import fault_of
from inarch_testing.model_bench import tasks_left
from inarch_testing.scripted import NASTY_TEXTS
from inarch_testing.situations import Asked, Desk, replies, situations
from inarch_testing.tool_bench import snapshot

NONSENSE = (
    "", "no", "null", "[]", "{}", "\ud800", "[" * 5_000, '{"requires_tool_call": "perhaps"}',
    '{"requires_tool_call": true}', '{"requires_tool_call": true, "tool_name": "no_such_tool", "arguments": {}}',
    '{"requires_tool_call": true, "tool_name": "read_file", "arguments": {"nonsense": []}}',
    '{"requires_tool_call": true, "tool_name": ["read_file"], "arguments": "a"}', "x" * 1_000_000,
)  # fmt: skip
"""Possible replies of a small model to a request for JSON."""


class StrategyContract(ABC):
    """Tests of a decision strategy, in situations like the kernel's.

        class TestLookFirst(StrategyContract):
            prompts = ("read README.md",)

            def make(self):
                return LookFirst()

    Attributes:
        prompts: Prompts to decide about.
        replies: The model's replies to the strategy, in order; the last one repeats.
        files: Path to text or bytes of the files in the workspace, which is `tmp_path / "workspace"`.
        tools: The available tools; those of the plugin sandbox-fs if empty.
        repeatable: Whether a new strategy makes the same decision in the same situation.
        grace_s: Seconds within which a cancelled decision must have ended.
    """

    prompts: tuple[str, ...] = ("read README.md",)
    replies: tuple[str, ...] = ('{"requires_tool_call": false}',)
    files: Mapping[str, str | bytes] = {"README.md": "# Example\n"}
    tools: tuple[ToolSpec, ...] = ()
    repeatable: bool = True
    grace_s: float = 30.0

    @abstractmethod
    def make(self) -> DecisionStrategy:
        """Return a new strategy."""

    def test_name_and_method_fit(self, tmp_path: Path) -> None:
        """The kernel accepts the strategy, and a profile can name it."""
        assert not (fault := fault_of("strategies", self.make())), fault

    def test_a_decision_can_be_carried_out(self, tmp_path: Path) -> None:
        """None passes; `call_tools` has calls, and `answer` has a text."""
        with self._desk(tmp_path) as desk:
            for prompt in self.prompts:
                decision = _checked(self._decide(desk, prompt))
                if decision is None:
                    continue
                assert bool(decision.calls) == (decision.kind == "call_tools"), (
                    f"a decision to {decision.kind} with {len(decision.calls)} calls: calls belong to call_tools only"
                )
                assert decision.kind != "answer" or decision.text.strip(), "a decision to answer has no text"
                sure = decision.confidence
                assert isinstance(sure, (int, float)) and 0 <= sure <= 1, f"confidence {sure!r} is not in 0 to 1"
                assert decision.present in ("results", "prompt"), f"present {decision.present!r}: results or prompt"

    def test_calls_are_of_tools_there_are_with_arguments_that_fit(self, tmp_path: Path) -> None:
        """`situation.tools` lists them with their schemas."""
        with self._desk(tmp_path) as desk:
            for prompt in self.prompts:
                _check_calls(self._decide(desk, prompt), desk.tools)

    def test_a_decision_comes_back_from_json(self, tmp_path: Path) -> None:
        """It is stored with the session."""
        with self._desk(tmp_path) as desk:
            for prompt in self.prompts:
                decision = self._decide(desk, prompt)
                if decision is not None:
                    again = from_data(Decision, json.loads(json.dumps(to_data(decision))))
                    assert again == decision, "the decision is not the same after JSON: use plain data in it"

    def test_without_tools_nothing_is_called(self, tmp_path: Path) -> None:
        """A profile may have no tools."""
        with self._desk(tmp_path) as desk:
            for prompt in self.prompts:
                _check_calls(self._decide(desk, prompt, tools=()), ())

    def test_any_text_may_be_the_prompt(self, tmp_path: Path) -> None:
        """Prompts contain files, and files contain any text."""
        with self._desk(tmp_path) as desk:
            for text in NASTY_TEXTS:
                for prompt in (text, f"{self.prompts[0]} {text}"):
                    _check_calls(self._decide(desk, prompt), desk.tools)

    def test_a_failing_model_is_no_other_error(self, tmp_path: Path) -> None:
        """Errors of `ask` pass through, or the strategy returns None."""
        with self._desk(tmp_path) as desk:
            for kind in get_args(ProviderErrorKind):
                asked = Asked(ProviderError(kind, "the service failed"))
                try:
                    _checked(self._decide(desk, self.prompts[0], asked))
                except ProviderError:
                    continue

    def test_nonsense_from_the_model_calls_nothing_wrong(self, tmp_path: Path) -> None:
        """Small models reply with anything, so replies must be checked."""
        with self._desk(tmp_path) as desk:
            for text in NONSENSE:
                _check_calls(self._decide(desk, f"{self.prompts[0]} {text[:60]}", replies(text)), desk.tools)

    def test_a_cancelled_decision_ends(self, tmp_path: Path) -> None:
        """`CancelledError` passes through `decide`."""
        with self._desk(tmp_path) as desk:

            async def go() -> None:
                asked = Asked(None)
                situation = desk.situation(self.prompts[0], asked)
                task = asyncio.ensure_future(self.make().decide(situation))
                for _ in range(10):
                    await asyncio.sleep(0)
                was_done = task.done()
                task.cancel()
                await asyncio.wait({task}, timeout=self.grace_s)
                assert task.done(), "decide continued after it was cancelled: let CancelledError pass"
                assert was_done or task.cancelled(), "decide ignored the cancellation: let CancelledError pass"

            asyncio.run(go())

    def test_what_is_asked_is_a_request_for_a_decision(self, tmp_path: Path) -> None:
        """The ledger separates the cost of decisions, and the turn's limits include it."""
        with self._desk(tmp_path) as desk:
            asked = replies(*self.replies)
            self._decide(desk, self.prompts[0], asked)
            for request in asked.requests:
                assert isinstance(request, ModelRequest), f"ask was given {request!r:.80}: a ModelRequest"
                assert request.purpose == "decision", f"a request for {request.purpose!r}: set purpose='decision'"
                assert request.messages, "a request without messages"

    def test_nothing_is_changed_printed_or_left_running(self, tmp_path: Path) -> None:
        """A strategy does not act; it returns calls."""
        out = io.StringIO()
        with self._desk(tmp_path) as desk:
            before = snapshot(desk.root)

            async def go() -> list[str]:
                for prompt in self.prompts:
                    await self.make().decide(desk.situation(prompt, replies(*self.replies)))
                return await tasks_left(self.grace_s)

            with redirect_stdout(out), redirect_stderr(out):
                left = asyncio.run(go())
            assert snapshot(desk.root) == before, "decide changed files: return calls of tools instead"
        assert not out.getvalue(), f"the strategy printed {out.getvalue()!r:.200}: put it into the decision's reason"
        assert not left, f"tasks still run after decide: {left}; await or cancel them"

    def _desk(self, tmp_path: Path) -> Any:
        assert self.prompts, "give `prompts`: a tuple of texts that the strategy decides about"
        return situations(tmp_path, self.files, self.tools)

    def _decide(self, desk: Desk, prompt: str, asked: Asked | None = None, **fields: Any) -> Decision | None:
        situation = desk.situation(prompt, asked or replies(*self.replies), **fields)
        return asyncio.run(_decided(self.make(), situation))


async def _decided(strategy: DecisionStrategy, situation: Situation) -> Decision | None:
    return await strategy.decide(situation)


def _checked(decision: object) -> Decision | None:
    """Return a valid decision."""
    assert decision is None or isinstance(decision, Decision), f"it decided {decision!r:.60}"
    if decision is not None:
        assert decision.kind in get_args(DecisionKind), f"it decided {decision.kind!r:.60}, which is not a kind"
        assert isinstance(decision.text, str), f"it decided with {decision.text!r:.60} as its text"
        planned = decision.calls
        assert isinstance(planned, tuple) and all(isinstance(one, PlannedCall) for one in planned), f"{planned!r:.60}"
    return decision


def _check_calls(decision: Decision | None, tools: Sequence[ToolSpec]) -> None:
    from jsonschema import Draft202012Validator

    known = {tool.name: tool for tool in tools}
    for call in () if (checked := _checked(decision)) is None else checked.calls:
        assert call.name in known, f"it calls {call.name!r}, which is not among situation.tools: look before you call"
        faults = list(Draft202012Validator(dict(known[call.name].input_schema)).iter_errors(dict(call.arguments)))
        assert not faults, f"the arguments of {call.name} are against its schema: {faults[0].message:.200}"
