"""Tokens are counted once a message, never too few, and ever closer to what services report."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
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
from inarch.turns.context.counting import LEAST_MARGIN, UNKNOWN_MARGIN, TokenCounter
from inarch.turns.context.estimating import MOST_TILES, TILE_TOKENS, UNKNOWN_TILES, estimate, picture_tokens, pixels
from inarch.turns.wording import STRUCTURE_TITLE as TITLE

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
        conversation.append(Message("user", (Image("image/png", png(512, 512)),)))
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


def test_one_mad_report_changes_little_and_impossible_ones_nothing() -> None:
    counter = TokenCounter()
    request = asked(said("word " * 1000))
    for _ in range(5):
        counter.calibrate("m/one", count := counter.count(request), count.text)
    counter.calibrate("m/one", counter.count(request), count.text * 15)
    assert counter.calibration("m/one").ratio == pytest.approx(1.0)
    for nonsense in (0, -5, 10**9):
        assert counter.calibrate("m/one", counter.count(request), nonsense) == 0.0
    assert counter.calibration("m/one").reports == 6


def test_a_session_of_thousands_of_replies_is_calibrated_like_any_other() -> None:
    counter, request = TokenCounter(), asked(said("word " * 100))
    count = counter.count(request)
    for _ in range(1100):
        assert counter.calibrate("m/one", count, count.text)
    assert counter.calibration("m/one").ratio == pytest.approx(1.0)


def test_models_are_calibrated_apart() -> None:
    counter = TokenCounter()
    request = asked(said("word " * 1000))
    counter.calibrate("m/one", count := counter.count(request), count.text * 2)
    assert counter.calibration("m/two").reports == 0
    assert counter.count(request, "m/one") > counter.count(request, "m/two")


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


def test_text_that_is_no_text_is_counted_too() -> None:
    assert estimate("") == 0
    assert estimate("\ud800" * 10) >= 10
    assert estimate("🙂" * 10) >= 10
    assert estimate("\x00" * 30) >= 15


def test_thoughts_count_where_they_are_sent_back() -> None:
    counter = TokenCounter()
    plain = Message("assistant", (Reasoning("hm " * 500), Text("a")))
    signed = Message("assistant", (Reasoning("hm " * 500, {"m": {"sig": 1}}), Text("a")))
    assert sum(counter.message(plain)) < 20 < 200 < sum(counter.message(signed))


def test_the_breakdown_tells_where_tokens_go_and_sums_up() -> None:
    counter = TokenCounter()
    old = [said("earlier short"), Message("user", (Text("before " * 50), Text(f"{TITLE}\n" + "tree " * 50)))]
    now = [said("now"), Message("tool", (ResultPart("1", "", "f", ToolResult(True, "result " * 300)),))]
    picture = Message("user", (Image("image/png", png(600, 300)),))
    request = asked(*old, *now, picture, system="You are. Do as told.")
    rows = {row.name: row.tokens for row in counter.breakdown(request, running=3, short=1, instructions="Do as told.")}
    assert rows["images"] == 2 * TILE_TOKENS
    assert rows["tool results"] > rows["earlier turns, whole"] > rows["earlier turns, short"] > 0
    assert all(rows[name] > 0 for name in ("system", "tools", "project structure", "this turn", "instructions"))
    assert sum(rows.values()) * (1 + UNKNOWN_MARGIN) == pytest.approx(counter.count(request), abs=3)


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height) + bytes(5)


def pictures() -> Iterator[tuple[bytes, tuple[int, int]]]:
    yield png(800, 600), (800, 600)
    yield b"GIF89a" + struct.pack("<HH", 320, 200) + bytes(9), (320, 200)
    app0 = b"\xff\xe0" + struct.pack(">H", 16) + bytes(14)
    table = b"\xff\xc4" + struct.pack(">H", 4) + bytes(2)
    frame = b"\xff\xc2" + struct.pack(">HBHH", 17, 8, 480, 640) + bytes(10)
    yield b"\xff\xd8" + app0 + table + frame, (640, 480)
    head = b"RIFF" + bytes(4) + b"WEBP"
    yield head + b"VP8 " + bytes(10) + struct.pack("<HH", 100, 50), (100, 50)
    yield head + b"VP8L" + bytes(4) + b"\x2f" + struct.pack("<I", 99 | 49 << 14) + bytes(5), (100, 50)
    sizes = (99).to_bytes(3, "little") + (49).to_bytes(3, "little")
    yield head + b"VP8X" + bytes(8) + sizes, (100, 50)


@pytest.mark.parametrize(("data", "size"), [*pictures()])
def test_a_pictures_size_is_told_by_its_first_bytes(data: bytes, size: tuple[int, int]) -> None:
    assert pixels(data) == size
    assert pixels(data[:12]) is None or data.startswith(b"GIF8")


@given(st.binary(max_size=60) | st.binary(max_size=60).map(b"\xff\xd8\xff\xe0\x00\x00".__add__))
def test_any_bytes_have_a_bounded_price(data: bytes) -> None:
    assert TILE_TOKENS <= picture_tokens(data) <= TILE_TOKENS * MOST_TILES


def test_a_picture_costs_tiles_and_not_its_bytes() -> None:
    assert picture_tokens(png(100, 100) + bytes(1_000_000)) == TILE_TOKENS
    assert picture_tokens(png(4000, 4000)) == TILE_TOKENS * MOST_TILES
    assert picture_tokens(b"what") == TILE_TOKENS * UNKNOWN_TILES
