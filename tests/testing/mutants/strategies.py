"""A right strategy, and one that is wrong in one way for each test of `StrategyContract`."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from inarch import Decision, Message, ModelRequest, PlannedCall, ProviderError, Situation, Text
from inarch.testing import StrategyContract

READ = PlannedCall("read_file", {"file_path": "README.md"})


async def asked(situation: Situation, **fields: Any) -> Any:
    """What the model says, as JSON; None if it says nothing that can be read."""
    request = ModelRequest(
        **{
            "model": situation.decision_model,
            "system": "Yes or no?",
            "messages": (Message("user", (Text(situation.turn.content),)),),
            "purpose": "decision",
            **fields,
        }
    )
    try:
        return json.loads((await situation.ask(request)).message.text)
    except (ProviderError, ValueError, RecursionError):
        return None


class LookFirst:
    name = "look-first"
    decision: Any = Decision("call_tools", (READ,), reason="the prompt names it", strategy="look-first")

    async def decide(self, situation: Situation) -> Any:
        wanted = "README" in situation.turn.content and any(tool.name == "read_file" for tool in situation.tools)
        if not wanted or await asked(situation) is None:
            return None
        return self.decision


class Suite(StrategyContract):
    prompts = ("read README.md", "hello")
    strategy: type[Any] = LookFirst

    def make(self) -> Any:
        return self.strategy()


class Unnamed(LookFirst):
    name = "look first"


class WithoutText(LookFirst):
    decision = Decision("answer", (READ,))


class WrongArguments(LookFirst):
    decision = Decision("call_tools", (PlannedCall("read_file", {"path": 1, "more": 2}),))


class NotJson(LookFirst):
    decision = Decision("call_tools", (PlannedCall("read_file", {"file_path": "README.md", "start_line": (1, 2)}),))


class NeedsNoTools(LookFirst):
    async def decide(self, situation: Situation) -> Any:
        return self.decision


class Encodes(LookFirst):
    async def decide(self, situation: Situation) -> Any:
        situation.turn.content.encode()
        return await super().decide(situation)


class OtherError(LookFirst):
    async def decide(self, situation: Situation) -> Any:
        if await asked(situation) is None:
            raise RuntimeError("the model failed")
        return await super().decide(situation)


class Trusting(LookFirst):
    async def decide(self, situation: Situation) -> Any:
        said = await asked(situation)
        if not isinstance(said, dict) or not said.get("tool_name"):
            return None
        return Decision("call_tools", (PlannedCall(said["tool_name"], said.get("arguments")),))


class Uncancelled(LookFirst):
    async def decide(self, situation: Situation) -> Any:
        try:
            return await super().decide(situation)
        except asyncio.CancelledError:
            return None


class EveryOther(LookFirst):
    count = 0

    async def decide(self, situation: Situation) -> Any:
        EveryOther.count += 1
        return self.decision if EveryOther.count % 2 else None


class AsksAsTurn(LookFirst):
    async def decide(self, situation: Situation) -> Any:
        await asked(situation, purpose="turn")
        return None


class Writes(LookFirst):
    async def decide(self, situation: Situation) -> Any:
        Path(situation.workspace.root, "notes.txt").write_text("x")  # noqa: ASYNC240 - it is wrong
        return None


WRONG: dict[str, type[Any]] = {
    "test_name_and_method_fit": Unnamed,
    "test_a_decision_can_be_carried_out": WithoutText,
    "test_calls_are_of_tools_there_are_with_arguments_that_fit": WrongArguments,
    "test_a_decision_comes_back_from_json": NotJson,
    "test_without_tools_nothing_is_called": NeedsNoTools,
    "test_any_text_may_be_the_prompt": Encodes,
    "test_a_failing_model_is_no_other_error": OtherError,
    "test_nonsense_from_the_model_calls_nothing_wrong": Trusting,
    "test_a_cancelled_decision_ends": Uncancelled,
    "test_what_is_asked_is_a_request_for_a_decision": AsksAsTurn,
    "test_nothing_is_changed_printed_or_left_running": Writes,
}


def suite(test: str = "") -> Suite:
    """The suite of the right strategy, or of the one that fails a test."""
    made = Suite()
    if test:
        made.strategy = WRONG[test]
    return made
