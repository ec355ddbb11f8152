"""A plan is carried on from what stands in the messages."""

import asyncio
import json
import re

import pytest

from inarch import (
    CallDelta,
    CallPart,
    Message,
    ModelRequest,
    ResultPart,
    Text,
    TextDelta,
    ToolError,
    ToolResult,
    ToolSpec,
)
from inarch_brief.offline.offline_model import Offline
from inarch_brief.offline.plans import MAX_ROUNDS

EVERY_TOOL = tuple(
    ToolSpec(name, "", {})
    for name in (
        "list_files", "find_entry_points", "context_get", "search_files", "find_symbols", "read_file",
        "read_multiple_files", "read_output",
    )
)  # fmt: skip
ALL_KINDS = (
    "summarize this codebase", "how does x_y work", "where is x_y?", "who calls x_y?", "what does x_y call?",
    "compare x_y and y_z", "list the tests", "list the dependencies", "which licence is it?", "list the files",
    "list the classes", "list the functions", "list the commands", "list the routes", "list the entry points",
    "explain a/b.py", 'replace "a" by "b" in a/b.py', "fix the failing x_y", "rumpelstiltskin x_y",
)  # fmt: skip
ABSENT = (
    r"Nothing here|No [\w ]+ (?:were|was) found|No dependencies|does not occur|was not found|There are no|matches these"
)
TOOLS = tuple(ToolSpec(name, "", {}) for name in ("list_files", "find_entry_points", "context_get", "search_files"))


def user(*texts):
    return Message("user", tuple(map(Text, texts)))


def called(name, arguments, result, number=0):
    call = CallPart(f"id-{number}", f"theirs-{number}", name, arguments)
    return [
        Message("assistant", (call,)),
        Message("tool", (ResultPart(call.id, call.provider_id, name, result),)),
    ]


def ask(*messages, tools=TOOLS, **options):
    async def go():
        request = ModelRequest("extractive", "", tuple(messages), tools, **options)
        return [delta async for delta in Offline().answer(request)]

    return asyncio.run(go())


def text_of(deltas):
    return "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))


def test_the_kernels_closing_message_is_not_taken_for_a_prompt():
    deltas = ask(
        user("how does x_y work"),
        *called("context_get", {"query": "x_y"}, ToolResult(True, {"target": None})),
        user("A limit was reached. Answer with what is known so far."),
        tool_choice="none",
    )
    assert "search_files was not called" in text_of(deltas)
    assert "It was not clear what is asked" not in text_of(deltas)


def answered(prompt, result):
    """Let every call of a turn end alike and return the answer."""
    messages = [user(prompt)]
    for _ in range(MAX_ROUNDS + 1):
        deltas = ask(*messages, tools=EVERY_TOOL)
        for number, call in enumerate(delta for delta in deltas if isinstance(delta, CallDelta)):
            messages += called(call.name, json.loads(call.arguments), result, number + 100 * len(messages))
        if text_of(deltas):
            return text_of(deltas)
    raise AssertionError("there is no answer")


@pytest.mark.parametrize("prompt", ALL_KINDS)
def test_a_failed_look_is_never_told_as_absence(prompt):
    failed = ToolResult(False, error=ToolError("execution", "the disk is gone"))
    text = " ".join(answered(prompt, failed).split())
    assert not re.search(ABSENT, text)
    assert "the disk is gone" in text


@pytest.mark.parametrize("prompt", ["who calls x_y?", "how does x_y work", "list the tests", "where is x_y?"])
def test_what_was_looked_for_in_vain_is_told_as_absent(prompt):
    missing = ToolResult(False, error=ToolError("not_found", "there is none"))
    assert re.search(ABSENT, " ".join(answered(prompt, missing).split()))


def test_calls_of_earlier_turns_are_not_used_again():
    deltas = ask(
        user("how does x_y work"),
        *called("context_get", {"query": "x_y"}, ToolResult(True, {"target": None})),
        Message("assistant", (Text("nothing"),)),
        user("how does x_y work"),
    )
    assert [delta.name for delta in deltas if isinstance(delta, CallDelta)] == ["context_get"]


def test_decisions_are_left_to_the_turn():
    reply = json.loads(text_of(ask(user("list files"), response_schema={"type": "object"}, purpose="decision")))
    assert reply["requires_tool_call"] is False
