"""A right tool that has a child, and one that is wrong in one way for each test of `ChildContract`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from inarch import ChildTask, ChildTurn, Effects, ToolContext, ToolFailed
from inarch.testing import ChildContract

NO_ANSWER = ToolFailed("execution", "there is no answer", "ask again")

SCHEMA = {
    "type": "object",
    "properties": {"prompt": {"type": "string", "minLength": 1}},
    "required": ["prompt"],
    "additionalProperties": False,
}


class Ask:
    name = "ask"
    description = "Have somebody else answer."
    category = "other"
    input_schema: Any = SCHEMA
    output_schema: Any = None
    timeout_s = 0.0
    max_retries = 0
    requires_confirmation = False
    receives_secrets = False

    def effects(self, arguments: Mapping[str, Any]) -> Effects:
        return Effects()

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Any:
        return self.told(await context.child(ChildTask("helper", arguments["prompt"])))

    def told(self, done: ChildTurn) -> Any:
        if done.turn.status != "done":
            raise NO_ANSWER
        return done.turn.content


class Forgets(Ask):
    def told(self, done: ChildTurn) -> Any:
        return "it was answered"


class OnlyAscii(Ask):
    def told(self, done: ChildTurn) -> Any:
        return done.turn.content.encode("ascii").decode()


class ContentAlone(Ask):
    def told(self, done: ChildTurn) -> Any:
        return done.turn.content


class AlwaysWell(Ask):
    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Any:
        try:
            return await super().run(arguments, context)
        except ToolFailed:
            return "done"


class Shares(Ask):
    done: ChildTurn

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Any:
        self.done = await context.child(ChildTask("helper", arguments["prompt"]))
        await asyncio.sleep(0.5)
        return self.told(self.done)


class Deaf(Ask):
    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Any:
        try:
            return await super().run(arguments, context)
        except asyncio.CancelledError:
            KEPT.append(asyncio.ensure_future(asyncio.sleep(3_600)))
            raise


KEPT: list[asyncio.Future[None]] = []


class Limited(Ask):
    timeout_s = 30.0


class Prints(Ask):
    def told(self, done: ChildTurn) -> Any:
        print("answered")
        return super().told(done)


class Suite(ChildContract):
    tool: type[Ask] = Ask
    arguments = {"prompt": "How is the moon?"}  # noqa: RUF012 - read only

    def make(self) -> Any:
        return self.tool()


WRONG: dict[str, type[Ask]] = {
    "test_the_answer_comes_back": Forgets,
    "test_any_answer_is_taken": OnlyAscii,
    "test_a_child_that_fails_is_told": ContentAlone,
    "test_where_there_can_be_none_it_is_told": AlwaysWell,
    "test_two_at_once_keep_apart": Shares,
    "test_a_cancel_ends_it": Deaf,
    "test_the_turns_own_time_is_its_limit": Limited,
    "test_nothing_is_printed_or_left_running": Prints,
}


def suite(wrong: str = "") -> Suite:
    made = Suite()
    if wrong:
        made.tool, made.grace_s = WRONG[wrong], 0.5
    return made
