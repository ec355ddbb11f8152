"""A right tool, and one that is wrong in one way for each test of `ToolContract`."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from inarch import Effects, ToolFailed
from inarch.testing import ToolContract

SCHEMA = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
    "additionalProperties": False,
}


class Shout:
    name = "shout"
    description = "Say a text loudly."
    category = "other"
    input_schema: Any = SCHEMA
    output_schema: Any = {"type": "string"}  # noqa: RUF012 - read only
    timeout_s = 30.0
    max_retries = 0
    requires_confirmation = False
    receives_secrets = False
    calls = 0

    def effects(self, arguments: Mapping[str, Any]) -> Effects:
        return Effects()

    def run(self, arguments: Mapping[str, Any], context: Any) -> Any:
        text = arguments["text"]
        if text == "fail":
            raise ToolFailed("validation", "that can't be said", "say something else")
        if text == "slow":
            context.cancelled.wait(60)
        return text.upper()[:1000]


class Suite(ToolContract):
    valid = ({"text": "a"}, {"text": "ü"})
    invalid = ({"text": [1]},)
    failing = ({"text": "fail"},)
    slow = {"text": "slow"}  # noqa: RUF012 - read only
    files = {"a.txt": "some text\n"}  # noqa: RUF012 - read only
    repeatable = True
    tool: type[Any] = Shout

    def make(self) -> Any:
        return self.tool()


def running(run: Callable[..., Any], **members: Any) -> type[Any]:
    """A tool that does something else; the last line of doing it right may follow."""

    def wrong(self: Shout, arguments: Any, context: Any) -> Any:
        given = run(self, arguments, context)
        return Shout.run(self, arguments, context) if given is None else given

    return type("Wrong", (Shout,), {"run": wrong, **members})


def having(**members: Any) -> type[Any]:
    return type("Wrong", (Shout,), members)


def refuses(self: Shout, arguments: Any, context: Any) -> None:
    raise ToolFailed("execution", "it never works")


def encodes(self: Shout, arguments: Any, context: Any) -> None:
    arguments["text"].encode()


def gives_no_remedy(self: Shout, arguments: Any, context: Any) -> None:
    if arguments["text"] == "fail":
        raise ToolFailed("validation", "that can't be said")


def writes_undeclared(self: Shout, arguments: Any, context: Any) -> None:
    Path(context.workspace.root, "new.txt").write_text("x")


def reads_undeclared(self: Shout, arguments: Any, context: Any) -> None:
    context.workspace.read("a.txt")


def is_deaf(self: Shout, arguments: Any, context: Any) -> None:
    threading.Event().wait(20)


def prints(self: Shout, arguments: Any, context: Any) -> None:
    print("here I am")


def counts(self: Shout, arguments: Any, context: Any) -> str:
    Counting.count += 1
    return str(Counting.count)


class Counting:
    count = 0


class LeavesTask(Shout):
    async def run(self, arguments: Any, context: Any) -> Any:
        self.task = asyncio.get_running_loop().create_task(asyncio.sleep(1000))
        return "A"


LAX = {"type": "object", "properties": {"text": {"type": "string"}}}
OUTSIDE = {"effects": lambda self, arguments: Effects(reads=frozenset({"../a.txt"}))}

WRONG: dict[str, type[Any]] = {
    "test_name_description_and_options_fit": having(name="shout it"),
    "test_what_it_offers_beyond_the_port_fits": having(shape=lambda self, arguments: len(arguments)),
    "test_schemas_are_valid_and_the_valid_arguments_fit": having(
        input_schema={**SCHEMA, "properties": {"text": {"type": "integer"}}}
    ),
    "test_valid_arguments_succeed": running(refuses),
    "test_the_result_is_plain_json_that_fits_the_output_schema": running(lambda *_: {"loud": True}),
    "test_wrong_arguments_are_refused_and_the_tool_does_not_run": having(input_schema=LAX),
    "test_any_text_in_any_argument_is_answered": running(encodes),
    "test_failures_have_a_code_and_a_remedy": running(gives_no_remedy),
    "test_effects_are_pure_and_inside_the_workspace": having(**OUTSIDE),
    "test_only_what_is_declared_is_written": running(writes_undeclared),
    "test_only_what_is_declared_is_read": running(reads_undeclared),
    "test_a_cancelled_call_ends": running(is_deaf),
    "test_a_call_beyond_its_time_limit_ends": running(is_deaf),
    "test_nothing_is_left_running": LeavesTask,
    "test_nothing_is_printed_and_the_surroundings_stay": running(prints),
    "test_the_same_call_gives_the_same_again": running(counts),
}


def suite(test: str = "") -> Suite:
    """The suite of the right tool, or of the one that fails a test."""
    made = Suite()
    if test:
        made.tool, made.grace_s = WRONG[test], 0.1
    return made
