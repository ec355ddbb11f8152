"""Replies out of deltas."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inarch
from inarch_sdk.accumulator import MAX_CALLS, Accumulator


def reply_of(*deltas: inarch.Delta) -> inarch.Reply:
    collected = Accumulator("p")
    for delta in deltas:
        collected.add(delta)
    return collected.reply()


@given(st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5), max_size=4), st.data())
def test_arguments_are_whole_however_they_are_cut(arguments: dict[str, object], data: st.DataObject) -> None:
    text = json.dumps(arguments)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    deltas = [inarch.CallDelta(3, "id", "tool", pieces[0]), *(inarch.CallDelta(3, arguments=p) for p in pieces[1:])]
    reply = reply_of(*deltas, inarch.Finish("calls"))
    assert reply.calls[0].arguments == arguments
    assert (reply.calls[0].provider_id, reply.calls[0].name) == ("id", "tool")


def test_interleaved_calls_keep_their_order_and_get_ids_of_their_own() -> None:
    reply = reply_of(
        inarch.CallDelta(1, "same", "b", "{}"),
        inarch.CallDelta(0, "same", "a", "{"),
        inarch.CallDelta(0, arguments="}"),
        inarch.Finish("calls"),
    )
    assert [call.name for call in reply.calls] == ["a", "b"]
    assert len({call.id for call in reply.calls}) == 2


@pytest.mark.parametrize(
    ("deltas", "kind", "retryable"),
    [
        ([inarch.TextDelta("half")], "malformed", True),
        ([inarch.Finish("stop")], "empty", True),
        ([inarch.TextDelta("  \n"), inarch.Finish("stop")], "empty", True),
        ([inarch.Finish("length")], "empty", False),
        ([inarch.Finish("filtered")], "filtered", False),
        ([inarch.TextDelta("x"), inarch.Finish("error")], "server", True),
        ([inarch.CallDelta(0, "1", "a", '{"file_path": "x'), inarch.Finish("length")], "malformed", True),
        ([inarch.CallDelta(n, str(n), "a", "{}") for n in range(MAX_CALLS + 1)] + [inarch.Finish("calls")],
         "malformed", True),
    ],
)  # fmt: skip
def test_a_reply_that_is_not_whole_is_an_error(deltas: list[inarch.Delta], kind: str, retryable: bool) -> None:
    with pytest.raises(inarch.ProviderError) as caught:
        reply_of(*deltas)
    assert (caught.value.kind, caught.value.retryable) == (kind, retryable)


@pytest.mark.parametrize(
    "delta", ["text", None, inarch.TextDelta(5), inarch.CallDelta(0, "1", "a", {"x": 1}), inarch.UsageDelta(None)]
)
def test_what_is_no_delta_is_the_providers_fault(delta: Any) -> None:
    with pytest.raises(TypeError, match="not an inarch"):
        Accumulator("p").add(delta)


@given(st.lists(st.tuples(st.booleans(), st.text(min_size=1))))
def test_parts_of_text_and_reasoning_stay_in_their_order_each_with_its_data(
    pieces: list[tuple[bool, str]],
) -> None:
    deltas: list[inarch.Delta] = []
    expected: list[inarch.Text | inarch.Reasoning] = []
    for number, (is_text, words) in enumerate(pieces):
        index, data = (inarch.TEXT_INDEX if is_text else inarch.REASONING_INDEX), {"n": number}
        deltas += [(inarch.TextDelta if is_text else inarch.ReasoningDelta)(words), inarch.PartData(index, data)]
        expected.append((inarch.Text if is_text else inarch.Reasoning)(words, {"p": data}))
    reply = reply_of(*deltas, inarch.CallDelta(0, "1", "a"), inarch.Finish("calls"))
    assert reply.message.parts[:-1] == tuple(expected)


@given(st.lists(st.tuples(st.sampled_from(["text", "reasoning", "call", "data"]), st.text())), st.integers(1, 60))
def test_never_more_is_held_than_a_reply_may_have(pieces: list[tuple[str, str]], most: int) -> None:
    collected = Accumulator("p", most)
    taken = 0
    for kind, text in pieces:
        size = len(text.encode("utf-8", "surrogatepass"))
        delta: inarch.Delta = {
            "text": inarch.TextDelta(text),
            "reasoning": inarch.ReasoningDelta(text),
            "call": inarch.CallDelta(0, "", "", text),
            "data": inarch.PartData(0, {"": ""}),
        }[kind]
        size = 8 if kind == "data" else size
        if taken + size > most:
            with pytest.raises(inarch.ProviderError, match="max_reply_bytes") as caught:
                collected.add(delta)
            assert (caught.value.kind, caught.value.retryable) == ("too_long", False)
            break
        collected.add(delta)
        taken += size
    held = "".join(getattr(part, "text", "") for part in collected.so_far().parts)
    assert len(held.encode("utf-8", "surrogatepass")) <= most
