"""Each id is answered once, all calls of a message together; nothing is heard while the model waits."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from inarch_live.pieces import Floor
from inarch_live.port import CallsRequested, LiveCall, LiveResult

IDS = st.sampled_from([f"c{number}" for number in range(8)])
CALLS = st.builds(
    LiveCall, IDS, st.sampled_from(["reads", "writes"]), st.just({}), fault=st.sampled_from(["", "", "not JSON"])
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("ask"), st.lists(CALLS, min_size=1, max_size=4)),
        st.tuples(st.just("answer"), st.integers(0, 9), st.sets(IDS)),
        st.tuples(st.just("interrupt")),
    ),
    max_size=30,
)


def floor() -> Floor:
    return Floor(lambda call: call.name == "writes")


def result(id: str) -> LiveResult:
    return LiveResult(id, "reads", "success", "fine")


@settings(max_examples=3 * settings().max_examples)
@given(steps=STEPS)
def test_each_id_is_answered_once_whatever_the_order(steps: list[tuple[object, ...]]) -> None:
    there, batches, answered, asked = floor(), [], [], set[str]()
    for step in steps:
        if step[0] == "ask":
            calls: list[LiveCall] = step[1]  # type: ignore[assignment]
            batch = there.take(CallsRequested(tuple(calls)))
            new = {call.id for call in calls} - asked
            assert (batch is not None) == bool(new)
            if batch is not None:
                assert batch.ids == new, "an id that was asked for before is no part of another batch"
                batches.append(batch)
            asked |= new
        elif step[0] == "answer" and batches:
            batch = batches[step[1] % len(batches)]  # type: ignore[operator]
            told = there.answer(batch, {id: result(id) for id in step[2]})  # type: ignore[attr-defined]
            assert not told or {one.id for one in told} == batch.ids, "a batch is answered as a whole"
            answered += [one.id for one in told]
        else:
            there.interrupted()
        waiting = [batch for batch in there.waiting if batch.blocking]
        assert there.is_held == bool(waiting)
    for batch in batches:
        answered += [one.id for one in there.answer(batch, {})]
    assert sorted(answered) == sorted(asked)
    assert not there.is_held


def test_calls_that_can_not_be_read_are_answered_and_not_run() -> None:
    there = floor()
    calls = (LiveCall("a", "writes", {}, fault="arguments are not JSON"), LiveCall("b", "reads", {}))
    batch = there.take(CallsRequested(calls))
    assert batch is not None and [call.id for call in batch.runnable] == ["b"]
    assert not there.is_held, "a call that is not run holds nothing"
    told = there.answer(batch, {"b": result("b")})
    assert [(one.id, one.status) for one in told] == [("a", "error"), ("b", "success")]
    assert "not JSON" in told[0].text
