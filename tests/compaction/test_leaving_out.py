"""What is left out where a conversation is too long: nothing in silence, nothing torn apart."""

from __future__ import annotations

import asyncio
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import inarch
from inarch.contract.compaction import Compacted, Crowded, EarlierTurn
from inarch.contract.records import CallPart, Image, Message, Part, Reasoning, ResultPart, Text, ToolError, ToolResult
from inarch.turns.compaction import checked_compacted, restored
from inarch.turns.token_count import TokenCounter
from inarch_plugins.compaction import LeavingOut
from inarch_plugins.compaction.omission import STEPS_GONE, STRUCTURE_GONE, fit
from inarch_sdk.short_data import STRUCTURE_TITLE as TITLE

SIGNED = {"gemini": {"thoughtSignature": "c2lnbmVk"}}


class Kept:
    """Keeps what is left out, as a store does."""

    def __init__(self) -> None:
        self.results: dict[str, ToolResult] = {}

    def __call__(self, result: ToolResult) -> str:
        ref = f"ref{len(self.results)}"
        self.results[ref] = result
        return ref


def size(message: Message, counter: TokenCounter = TokenCounter()) -> float:  # noqa: B008  # one for all is the point
    return sum(counter.message(message))


def step(*ids: str, data: Any = "x" * 4000, error: ToolError | None = None) -> list[Message]:
    calls = tuple(CallPart(i, f"p{i}", "read_file", {"file_path": f"{i}.py"}, SIGNED) for i in ids)
    result = ToolResult(error is None, data, error)
    return [
        Message("assistant", (Reasoning("hm", SIGNED), *calls)),
        Message("tool", tuple(ResultPart(i, f"p{i}", "read_file", result) for i in ids)),
    ]


def turn(name: str, *, steps: int = 1, words: int = 40) -> EarlierTurn:
    messages = [Message("user", (Text(f"question {name}"), Text(f"{TITLE}\n" + "tree " * words)))]
    for number in range(steps):
        messages += step(f"{name}-{number}")
    return EarlierTurn(name, (*messages, Message("assistant", (Text(f"answer {name}"),))))


async def nobody(request: inarch.ModelRequest) -> inarch.Reply:
    raise AssertionError("no model is asked")


def crowd(earlier: list[EarlierTurn], running: list[Message], room: float) -> tuple[Crowded, Kept]:
    kept = Kept()
    return Crowded(tuple(earlier), tuple(running), room, "window", "scripted/m", size, kept, nobody), kept


def fitted(earlier: list[EarlierTurn], running: list[Message], room: float) -> tuple[Compacted, Kept]:
    crowded, kept = crowd(earlier, running, room)
    return fit(crowded), kept


def messages_of(done: Compacted) -> list[Message]:
    return [message for said in done.earlier for message in said.messages] + [*done.running]


def whole(earlier: list[EarlierTurn], running: list[Message]) -> float:
    return sum(map(size, [m for said in earlier for m in said.messages] + running))


def test_the_oldest_turn_is_shortened_first() -> None:
    earlier, running = [turn("a"), turn("b"), turn("c")], [Message("user", (Text("now"),))]
    done, _ = fitted(earlier, running, whole(earlier, running) - 10)
    assert [said.form for said in done.earlier] == ["short", "whole", "whole"]
    assert [message.text for message in done.earlier[0].messages] == ["question a", "answer a"]
    assert whole(earlier, running) - sum(map(size, messages_of(done))) > 500


def test_then_whole_steps_go_and_the_model_is_told_once() -> None:
    running = [Message("user", (Text("now"),)), *(m for n in range(40) for m in step(f"{n}"))]
    done, _ = fitted([], running, 1800)
    assert done.steps > 0
    assert done.running[0].parts[0] == Text("now")
    assert done.running[-1].parts == running[-1].parts
    again, _ = fitted([], [*done.running, *step("new")], 1500)
    told = [part for part in again.running[0].parts if isinstance(part, Text) and part.text.startswith(STEPS_GONE)]
    assert len(told) == 1
    assert told[0].text.endswith("They called: " + ", ".join(["read_file"] * 20))


def test_then_the_structure_and_the_middle_of_the_newest_result_go() -> None:
    prompt = Message("user", (Text("now"), Text(f"{TITLE}\n" + "tree/ (3)\n" * 400)))
    running = [prompt, *step("1", data={"content": "line\n" * 20_000, "path": "a"})]
    done, kept = fitted([], running, 1200)
    assert done.running[0].parts == (Text("now"), Text(STRUCTURE_GONE))
    assert done.structure
    (part,) = done.running[2].parts
    assert isinstance(part, ResultPart)
    assert part.result.data["path"] == "a"
    assert part.result.data["content"].startswith("line\nline\n")
    assert part.result.metadata["output_ref"] == done.results["1"]
    assert kept.results[done.results["1"]].data["content"] == "line\n" * 20_000


def test_at_last_the_middle_of_what_was_added_to_the_prompt_goes() -> None:
    running = [Message("user", (Text("what is in @a"), Text("begin " + "x" * 20_000 + " end")))]
    done, _ = fitted([], running, whole([], running) / 4)
    words, added = (part.text for part in done.running[0].parts if isinstance(part, Text))
    assert words == "what is in @a"
    assert added.startswith("begin ") and added.endswith(" end") and "characters left out" in added
    assert done.added == 1


def test_what_was_left_out_stays_left_out_of_a_resumed_session() -> None:
    history = [turn("a"), turn("b"), turn("c", steps=2)]
    events: list[dict[str, Any]] = [
        {"shortened": ["a", "b"], "turns": []},
        {"turns": ["a"], "results": {"c-0": "ref9"}},
    ]
    back = restored(history, events)
    assert [said.form for said in back] == ["dropped", "short", "whole"]
    first, second = (part.result for m in back[2].messages for part in m.parts if isinstance(part, ResultPart))
    assert first.metadata["output_ref"] == "ref9"
    assert second.data == "x" * 4000


texts = st.text(max_size=60) | st.integers(0, 3000).map("word ".__mul__)
datas = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
errors = st.none() | st.builds(ToolError, st.just("execution"), texts, texts)


@st.composite
def steps_of(draw: st.DrawFn, name: str) -> list[Message]:
    messages: list[Message] = []
    for number in range(draw(st.integers(0, 4))):
        ids = [f"{name}-{number}-{call}" for call in range(draw(st.integers(1, 3)))]
        said: list[Part] = [Reasoning("hm", SIGNED)] if draw(st.booleans()) else []
        said += [CallPart(i, "", "tool", {"text": draw(texts)}, SIGNED) for i in ids]
        results = []
        for i in ids:
            error = draw(errors)
            images = (Image("image/png", b"\x89PNG"),) * draw(st.integers(0, 2))
            results.append(ResultPart(i, "", "tool", ToolResult(error is None, draw(datas), error, images=images)))
        messages.append(Message("assistant", tuple(said)))
        if draw(st.booleans()):
            messages.append(Message("tool", tuple(results)))
        else:
            messages += [Message("tool", (result,)) for result in results]
    return messages


@st.composite
def prompts(draw: st.DrawFn) -> Message:
    more = [Text(f"{TITLE}\n{draw(texts)}")] if draw(st.booleans()) else []
    images = [Image("image/png", b"\x89PNG")] if draw(st.integers(0, 5)) == 0 else []
    added = [Text(draw(texts)) for _ in range(draw(st.integers(0, 2)))]
    return Message("user", (Text(draw(texts)), *more, *added, *images))


@st.composite
def conversations(draw: st.DrawFn) -> tuple[list[EarlierTurn], list[Message]]:
    earlier = []
    for number in range(draw(st.integers(0, 4))):
        messages = [draw(prompts()), *draw(steps_of(f"t{number}")), Message("assistant", (Text(draw(texts)),))]
        earlier.append(EarlierTurn(f"t{number}", tuple(messages)))
    return earlier, [draw(prompts()), *draw(steps_of("now"))]


def answered(messages: list[Message]) -> None:
    """Check that each call is followed by its result and each result preceded by its call."""
    waiting: list[str] = []
    for message in messages:
        results = [part.call_id for part in message.parts if isinstance(part, ResultPart)]
        assert waiting[: len(results)] == results
        waiting = waiting[len(results) :]
        calls = [part.id for part in message.parts if isinstance(part, CallPart)]
        assert not (calls and waiting)
        waiting += calls
    assert waiting == []


@given(conversations(), st.floats(0.02, 1.2))
def test_whatever_is_left_out_calls_keep_their_results_and_all_is_told(
    talk: tuple[list[EarlierTurn], list[Message]], share: float
) -> None:
    earlier, running = talk
    before = whole(earlier, running)
    crowded, kept = crowd(earlier, running, before * share)
    done = asyncio.run(LeavingOut().compact(crowded))
    assert checked_compacted(done, crowded) is done
    least = whole([said.dropped() for said in earlier], running[:1])
    after = sum(map(size, messages_of(done)))
    assert after <= max(crowded.room, least) or len(done.running) > 1
    answered(messages_of(done))
    assert done.running[0].parts[0] == running[0].parts[0]
    ids = {id(message): place for place, message in enumerate(running)}
    places = [ids[id(m)] for m in done.running if m.role == "assistant"]  # as they were, to the last signature
    assert places == sorted(places)
    assert [said.turn_id for said in done.earlier] == [said.turn_id for said in earlier]
    told(earlier, running, done, kept)


def told(earlier: list[EarlierTurn], running: list[Message], done: Compacted, kept: Kept) -> None:
    """Check that everything that is not as it was is in the record of what was left out."""
    for old, new in zip(earlier, done.earlier, strict=True):
        assert new is old or new.form in ("short", "dropped")
    now = {part.call_id: part.result for m in done.running for part in m.parts if isinstance(part, ResultPart)}
    before = {part.call_id: part.result for m in running for part in m.parts if isinstance(part, ResultPart)}
    for call_id, result in before.items():
        if call_id in now and now[call_id] is not result:
            assert kept.results[done.results[call_id]] is result
    steps = sum(m.role == "assistant" for m in running) - sum(m.role == "assistant" for m in done.running)
    assert steps == done.steps
    if steps:
        assert any(isinstance(part, Text) and part.text.startswith(STEPS_GONE) for part in done.running[0].parts)
    gone = {TITLE in part.text for part in running[0].parts if isinstance(part, Text)}
    assert not done.structure or True in gone
    texts_now = [part for part in done.running[0].parts if not (isinstance(part, Text) and STEPS_GONE in part.text)]
    pairs = list(zip(running[0].parts, texts_now, strict=True))
    cut = [new for old, new in pairs if new != old and not (isinstance(old, Text) and TITLE in old.text)]
    assert len(cut) == done.added
    assert all("left out for lack of room" in part.text for part in cut if isinstance(part, Text))
    if messages_of(done) == [m for said in earlier for m in said.messages] + running:
        assert done == Compacted(tuple(earlier), tuple(running))
