"""Tokens are counted once a message, never too few, and ever closer to what services report."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarch.contract.events import Event
from inarch.contract.records import (
    CallPart,
    Image,
    Message,
    ModelRequest,
    Part,
    Reasoning,
    ResultPart,
    Text,
    ToolResult,
    ToolSpec,
)
from inarch.turns.token_count import LEAST_MARGIN, PICTURE_TOKENS, UNKNOWN_MARGIN, TokenCounter, estimate
from inarch_sdk.short_data import STRUCTURE_TITLE as TITLE

TOOL = ToolSpec("read_file", "Read a file.", {"type": "object", "properties": {"file_path": {"type": "string"}}})


def asked(*messages: Message, system: str = "You are.", tools: tuple[ToolSpec, ...] = (TOOL,)) -> ModelRequest:
    return ModelRequest("m/one", system, messages, tools)


def said(text: str) -> Message:
    return Message("user", (Text(text),))


parts: st.SearchStrategy[Part] = st.one_of(
    st.builds(Text, st.text(max_size=200)),
    st.builds(Reasoning, st.text(max_size=50), st.none() | st.just({"m": {"sig": "x"}})),
    st.builds(CallPart, st.just("1"), st.just("a"), st.just("f"), st.dictionaries(st.text(max_size=5), st.text())),
    st.builds(
        ResultPart, st.just("1"), st.just("a"), st.just("f"), st.builds(ToolResult, st.just(True), st.text(max_size=99))
    ),
    st.builds(Image, st.just("image/png"), st.binary(max_size=40)),
)
messages = st.builds(Message, st.sampled_from(["user", "assistant", "tool"]), st.lists(parts, max_size=4).map(tuple))


@settings(deadline=None)
@given(st.lists(messages, max_size=12), st.text(max_size=50))
def test_adding_messages_never_lowers_the_count_and_counting_again_gives_the_same(
    conversation: list[Message], system: str
) -> None:
    counter = TokenCounter()
    last = 0
    for end in range(len(conversation) + 1):
        request = asked(*conversation[:end], system=system)
        count = counter.count(request)
        assert count >= last
        assert count == counter.count(request) == TokenCounter().count(request)
        last = count


def test_each_message_is_looked_at_once_however_long_the_conversation_is() -> None:
    counter = TokenCounter()
    conversation: list[Message] = []
    spent = []
    for number in range(300):
        conversation += [said(f"question {number:04} " * 10), said(f"answer {number:04} " * 10)]
        before = counter.measured_characters
        counter.count(asked(*conversation))
        spent.append(counter.measured_characters - before)
    assert len(set(spent[1:])) == 1
    assert spent[-1] == len(conversation[-2].text) + len(conversation[-1].text)


def test_memory_is_bound_by_the_request_and_not_by_the_session() -> None:
    counter = TokenCounter()
    for number in range(5000):
        counter.count(asked(said(str(number))))
    assert len(counter._known._values) < 1000


@settings(deadline=None)
@given(st.floats(0.4, 2.5), st.integers(0, 60), st.lists(st.integers(1, 4000), min_size=8, max_size=30), st.booleans())
def test_calibration_comes_within_five_percent_where_usage_is_linear(
    slope: float, constant: int, sizes: list[int], with_picture: bool
) -> None:
    counter = TokenCounter()
    conversation = [said("word " * 2000)]
    if with_picture:
        conversation.append(Message("user", (Image("image/png", b"\x89PNG"),)))
    for size in sizes:
        conversation.append(said("x = f(1)\n" * size))
        request = asked(*conversation)
        counted = counter.count(request)
        actual = round(counted.text * slope + constant) + counted.images
        counter.calibrate("m/one", counted, actual)
    likely = counter.count(request) / (1 + counter.calibration("m/one").margin)
    assert likely == pytest.approx(actual, rel=0.05)
    assert counter.count(request) >= actual * 0.99


def test_the_margin_shrinks_with_reports_and_grows_with_their_spread() -> None:
    counter = TokenCounter()
    request = asked(said("word " * 1000))
    margins = [counter.calibration("m/one").margin]
    for _ in range(6):
        counter.calibrate("m/one", count := counter.count(request), int(count.text * 1.2))
        margins.append(counter.calibration("m/one").margin)
    assert margins[0] == UNKNOWN_MARGIN
    assert margins == sorted(margins, reverse=True)
    assert margins[-1] == pytest.approx(LEAST_MARGIN, abs=0.001)
    counter.calibrate("m/one", count := counter.count(request), int(count.text * 1.35))
    assert counter.calibration("m/one").margin > 0.1
    assert counter.calibration("m/one").ratio == pytest.approx(1.2, abs=0.01)


def test_a_resumed_session_counts_as_before() -> None:
    counter, resumed = TokenCounter(), TokenCounter()
    request = asked(said("word " * 1000))
    events = []
    for number in range(4):
        ratio = counter.calibrate("m/one", count := counter.count(request), int(count.text * 1.5))
        data: dict[str, Any] = json.loads(json.dumps({"model": "m/one", "input_ratio": ratio}))
        events.append(Event(number, "", "s", None, "model.replied", data))
    events.append(Event(9, "", "s", None, "model.replied", {"model": "m/one"}))
    events.append(Event(10, "", "s", None, "model.replied", {"model": "m/one", "input_ratio": "much"}))
    resumed.recall(events)
    assert resumed.calibration("m/one") == pytest.approx(counter.calibration("m/one"), abs=0.001)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The quick brown fox jumps over the lazy dog, and then it sleeps in the warm afternoon sun. " * 20, 20),
        ("def area(self, width: int) -> float:\n    return self.height * width / 2.0\n\n\n" * 20, 25),
        ('{"file_path": "src/app.py", "start_line": 10, "end_line": 250, "ok": true}\n' * 20, 27),
        ("我们在会议上讨论了项目的进展情况，并决定下周继续。" * 20, 20),
        ("Быстрая коричневая лиса перепрыгивает через ленивую собаку. " * 20, 17),
    ],
)
def test_the_first_estimate_is_near_and_not_below_what_tokenizers_give(text: str, tokens: int) -> None:
    """`tokens` is about what common tokenizers of 100,000 entries and more make of one repetition."""
    assert tokens <= estimate(text) / 20 * (1 + UNKNOWN_MARGIN)
    assert estimate(text) / 20 <= tokens * 2.2


def test_the_breakdown_tells_where_tokens_go_and_sums_up() -> None:
    counter = TokenCounter()
    old = [said("earlier short"), Message("user", (Text("before " * 50), Text(f"{TITLE}\n" + "tree " * 50)))]
    now = [said("now"), Message("tool", (ResultPart("1", "", "f", ToolResult(True, "result " * 300)),))]
    picture = Message("user", (Image("image/png", b"\x89PNG"),))
    request = asked(*old, *now, picture, system="You are. Do as told.")
    rows = {row.name: row.tokens for row in counter.breakdown(request, 1, "Do as told.")}
    assert rows["images"] == PICTURE_TOKENS
    assert rows["tool results"] > rows["earlier turns, whole"] > rows["earlier turns, short"] > 0
    assert all(rows[name] > 0 for name in ("system", "tools", "project structure", "instructions"))
    assert sum(rows.values()) * (1 + UNKNOWN_MARGIN) == pytest.approx(counter.count(request), abs=3)
