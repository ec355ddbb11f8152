"""The service of these tests refuses what the real one refuses: one that takes everything would prove nothing."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from tests.services.anthropic_rules import BINDING, Refused, check, digest_of, signature, units

HEADERS = {"x-api-key": "sk-ant-x", "anthropic-version": "2023-06-01", "anthropic-beta": BINDING}
TOOL = {"name": "read", "description": "Reads.", "input_schema": {"type": "object"}}
DROP = {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}


def good() -> dict[str, Any]:
    """Return a request with two thoughts, each signed behind what came before it."""
    body: dict[str, Any] = {"model": "claude-sonnet-5-5", "max_tokens": 100, "stream": True, "system": "Be brief.",
                            "tools": [TOOL], "messages": [{"role": "user", "content": "go"}]}  # fmt: skip
    for number in range(2):
        words = f"thought {number}"
        thought = {"type": "thinking", "thinking": words,
                   "signature": signature(body["model"], digest_of(units(body)), words)}  # fmt: skip
        use = {"type": "tool_use", "id": f"toolu_{number}", "name": "read", "input": {}}
        result = {"type": "tool_result", "tool_use_id": use["id"], "content": "x"}
        body["messages"] += [{"role": "assistant", "content": [thought, use]}, {"role": "user", "content": [result]}]
    return body


def put(*path: Any) -> Callable[[Any], None]:
    """Return what puts the last of these at the place that the others say."""
    *way, last, value = path

    def change(body: Any) -> None:
        for key in way:
            body = body[key]
        body[last] = value

    return change


def take(*path: Any) -> Callable[[Any], None]:
    """Return what takes a member out."""
    *way, last = path

    def change(body: Any) -> None:
        for key in way:
            body = body[key]
        del body[last]

    return change


def mark(ttl: str = "5m") -> dict[str, Any]:
    return {"cache_control": {"type": "ephemeral", "ttl": ttl}}


def texts(*more: Any) -> list[Any]:
    return [{"type": "text", "text": "x", **one} for one in more]


SAID = {"role": "assistant", "content": "So"}
EDITS = {
    "system": put("system", "Be long."),
    "a tool added": put("tools", [TOOL, {**TOOL, "name": "write"}]),
    "a result shortened": put("messages", 2, "content", 0, "content", ""),
    "an earlier thought emptied": put("messages", 1, "content", 0, "thinking", ""),
    "an earlier thought missing": take("messages", 1, "content", 0),
    "a first turn reworded": put("messages", 0, "content", "Go"),
}
REFUSED = {
    "temperature": put("temperature", 0.1),
    "Extra inputs are not permitted": put("prompt_cache_key", "x"),
    "max_tokens: Field required": take("max_tokens"),
    "maximum allowed number of output tokens": put("max_tokens", 200_000),
    '"thinking.type.enabled" is not supported': put("thinking", {"type": "enabled", "budget_tokens": 2_000}),
    '"thinking.type.disabled" is not supported': put("thinking", {"type": "disabled"}),
    "tool_choice forces": put("tool_choice", {"type": "any"}),
    "prefill": lambda body: body["messages"].append(SAID),
    "must be non-empty": put("messages", 0, "content", texts({"text": ""})),
    "non-whitespace": put("messages", 0, "content", texts({"text": " \n"})),
    "should match pattern": put("messages", 1, "content", 1, "id", "call|1"),
    "`tool_use` ids must be unique": lambda body: [
        put("messages", 3, "content", 1, "id", "toolu_0")(body),
        put("messages", 4, "content", 0, "tool_use_id", "toolu_0")(body),
    ],
    "without `tool_result` blocks immediately after: toolu_1": take("messages", 4, "content", 0),
    "immediately after: toolu_0": lambda body: body["messages"][2]["content"].insert(0, *texts({})),
    "unexpected `tool_use_id`": put("messages", 2, "content", 0, "tool_use_id", "toolu_9"),
    "single result": lambda body: body["messages"][2]["content"].append(body["messages"][2]["content"][0]),
    "must follow a 'user'": lambda body: body["messages"].insert(0, {"role": "user", "content": "x"})
    or body["messages"].insert(2, SAID)
    or body["messages"].insert(3, {"role": "system", "content": "x"}),
    "must precede an 'assistant'": lambda body: body["messages"].insert(1, {"role": "system", "content": "x"})
    or body["messages"].insert(2, {"role": "user", "content": "x"}),
    "A maximum of 4 blocks": put("system", texts(*[mark()] * 5)),
    "must not come after a ttl='5m'": put("system", texts(mark(), mark("1h"))),
    "'additionalProperties' must be": put("output_config", {"format": {"schema": {"type": "object"}}}),
    "first message": lambda body: body["messages"].insert(0, SAID),
    **{f"messages.{place}.content.0: Invalid `signature` in `thinking` block": EDITS[name] for place, name in (
        (1, "system"), (3, "a result shortened"))},
}  # fmt: skip


OF_REPLIES = {"max_tokens: Field required", "maximum allowed number of output tokens"}


def test_the_good_one_is_taken_and_so_are_marks() -> None:
    marked = good()
    marked["system"] = texts({"text": "Be brief.", **mark("1h")})
    marked["messages"][-1]["content"][0].update(mark())
    assert [check(body, HEADERS).dropped for body in (good(), marked)] == [[], []]
    assert check({**good(), "thinking": DROP}, HEADERS).thoughts == 2


@pytest.mark.parametrize("words", REFUSED)
@pytest.mark.parametrize("counting", [False, True])
def test_what_breaks_a_rule_is_refused_in_the_service_s_words(words: str, counting: bool) -> None:
    body = good()
    REFUSED[words](body)
    if counting and words in OF_REPLIES:
        check(body, HEADERS, counting)
        return
    with pytest.raises(Refused) as caught:
        check(body, HEADERS, counting)
    assert words in caught.value.message and caught.value.status == 400


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_costs_the_thoughts_behind_it(edit: str) -> None:
    body = good()
    EDITS[edit](body)
    with pytest.raises(Refused, match="bound to a different"):
        check(body, HEADERS)
    assert check(deepcopy(body), HEADERS, enforced=False).dropped == []
    dropped = check({**body, "thinking": DROP}, HEADERS, enforced=False).dropped
    assert {"type": "thinking_dropped", "path": "messages.3.content.0", "reason": "prefix_binding_mismatch"} in dropped
    with pytest.raises(Refused, match="block_binding: Extra inputs"):
        check({**body, "thinking": DROP}, {**HEADERS, "anthropic-beta": ""})


@pytest.mark.parametrize(
    ("headers", "model", "status"),
    [({"x-api-key": "sk-proj-x"}, "claude-sonnet-5-5", 401), ({"anthropic-version": ""}, "claude-sonnet-5-5", 400),
     ({}, "claude-sonnet-5-5-20260101", 404)],
)  # fmt: skip
def test_keys_versions_and_names_are_looked_at(headers: dict[str, str], model: str, status: int) -> None:
    with pytest.raises(Refused) as caught:
        check({**good(), "model": model}, {**HEADERS, **headers})
    assert caught.value.status == status


def test_with_a_budget_a_reply_that_is_answered_began_with_a_thought() -> None:
    body = {**good(), "model": "claude-haiku-4-5", "thinking": {"type": "enabled", "budget_tokens": 1_024}}
    body["max_tokens"] = 2_000
    check(body, HEADERS)
    take("messages", 3, "content", 0)(body)
    with pytest.raises(Refused, match="Expected `thinking` or `redacted_thinking`, but found `tool_use`"):
        check(body, HEADERS)
