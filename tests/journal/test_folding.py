from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from inarch import (
    CallPart,
    Effects,
    Event,
    Message,
    ResultPart,
    Text,
    ToolCall,
    ToolError,
    ToolResult,
    Turn,
    Usage,
)
from inarch.contract.call_events import CallResult, CallState, FileChanged
from inarch.contract.events import (
    ContextAdded,
    DecisionMade,
    ModelReplied,
    SessionStarted,
    TurnEnded,
    TurnStarted,
)
from inarch.journal.fold import History, fold
from inarch.journal.journal import Journal
from inarch.journal.redactor import Redactor
from inarch_sdk.memory_store import MemoryStore

TIME = "2026-01-01T00:00:00.000000Z"


class Script:
    """Records the events of a session as the kernel does."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.journal = Journal(self.store, "s", redactor=Redactor())
        self.journal.record(SessionStarted("/root", "1"))
        self.count = 0

    def begin(self, prompt: str = "do it") -> str:
        self.count += 1
        user = Turn(f"u{self.count}", "user", None, "s", TIME, TIME, prompt, status="done")
        agent = Turn(f"a{self.count}", "agent", user.id, "s", TIME, model="m/1")
        self.journal.record(TurnStarted(user), user.id)
        self.journal.record(TurnStarted(agent), agent.id)
        return agent.id

    def reply(self, turn: str, text: str = "", *calls: CallPart) -> None:
        parts = (*([Text(text)] if text else []), *calls)
        usage = Usage(10, 5, cost_usd=Decimal("0.01"))
        self.journal.record(ModelReplied("m/1", Message("assistant", parts), usage, "calls" if calls else "stop"), turn)

    def call(
        self, turn: str, part: CallPart, *, upto: str = "success", writes: bool = False, origin: str = "model"
    ) -> None:
        call = ToolCall(part.id, part.provider_id, turn, part.name, part.arguments, origin=origin)  # type: ignore[arg-type]
        states = ["validating", "scheduled", "executing", upto]
        self.journal.record(CallState(part.id, part.name, "validating", call), turn)
        effects = Effects(writes=frozenset(["a.py"])) if writes else Effects(reads=frozenset(["a.py"]))
        for state in states[1 : states.index(upto) + 1 if upto in states[:3] else 3]:
            self.journal.record(CallState(part.id, part.name, state, effects=effects), turn)
        if upto in ("success", "error", "cancelled"):
            result = ToolResult(upto == "success", f"result of {part.id}", metadata={"files": {"a.py": part.id}})
            self.journal.record(CallResult(part.id, part.name, upto, result, TIME, TIME), turn)

    def end(self, turn: str, content: str, **changes: object) -> None:
        record = Turn(turn, "agent", f"u{turn[1:]}", "s", TIME, TIME, content, model="m/1", status="done")
        self.journal.record(TurnEnded(evolve(record, **changes)), turn)  # type: ignore[arg-type]

    def events(self) -> Sequence[Event]:
        self.journal.flush()
        return self.store.load("s")

    def fold(self) -> History:
        return fold(self.events())


def part(number: int, name: str = "read_file") -> CallPart:
    return CallPart(f"c{number}", f"p{number}", name, {"file_path": "a.py"})


def whole_session() -> Script:
    script = Script()
    turn = script.begin("first\nprompt")
    script.journal.record(ContextAdded("structure", "the tree"), turn)
    script.journal.record(DecisionMade("structured", "call_tools", calls=("list_files",)), turn)
    script.call(turn, part(1, "list_files"), origin="strategy")
    script.reply(turn, "let me see", part(2), part(3, "write_file"))
    script.call(turn, part(3, "write_file"), writes=True)
    script.call(turn, part(2), upto="error")
    script.reply(turn, "all done")
    script.end(turn, "all done", usage=Usage(20, 10))
    turn = script.begin("second")
    script.reply(turn, "", part(4, "write_file"))
    script.call(turn, part(4, "write_file"), writes=True)
    script.reply(turn, "written")
    script.end(turn, "written")
    return script


def roles(history: History) -> list[str]:
    return [message.role for message in history.messages]


def check_pairs(history: History) -> None:
    """Every message with calls is followed by one with exactly their results, and there are no others."""
    expected: list[str] = []
    for message in history.messages:
        results = [item.call_id for item in message.parts if isinstance(item, ResultPart)]
        assert results == expected
        expected = [item.id for item in message.parts if isinstance(item, CallPart)]
        assert message.parts
    assert expected == []


def test_a_whole_session_comes_back() -> None:
    history = whole_session().fold()
    assert [turn.id for turn in history.turns] == ["u1", "a1", "u2", "a2"]
    assert history.turns[1].content == "all done"
    assert history.turns[1].usage == Usage(20, 10)
    assert [(call.id, call.status) for call in history.turns[1].calls] == [
        ("c1", "success"),
        ("c2", "error"),
        ("c3", "success"),
    ]
    first, second = ["user", "assistant", "tool", "assistant", "tool", "assistant"], ["user", "assistant", "tool"]
    assert roles(history) == [*first, *second, "assistant"]
    check_pairs(history)
    assert history.unknown == ()


def test_results_that_were_embedded_in_the_prompt_are_not_said_twice() -> None:
    script = Script()
    turn = script.begin("look at @a.py")
    script.call(turn, part(1), origin="mention")
    script.journal.record(ContextAdded("mentions", "a.py: …"), turn)
    script.journal.record(DecisionMade("structured", "call_tools", calls=("read_file",), present="prompt"), turn)
    script.call(turn, part(2), origin="strategy")
    script.journal.record(ContextAdded("structured", "result: …"), turn)
    script.reply(turn, "so it is")
    script.end(turn, "so it is")
    history = script.fold()
    assert roles(history) == ["user", "assistant"]
    assert len(history.messages[0].parts) == 3
    assert [call.id for call in history.turns[1].calls] == ["c1", "c2"]


def test_an_answer_of_a_strategy_is_in_the_conversation() -> None:
    script = Script()
    turn = script.begin()
    script.journal.record(DecisionMade("cache", "answer", text="42"), turn)
    script.end(turn, "42")
    assert script.fold().messages[1:] == (Message("assistant", (Text("42"),)),)


def test_a_limited_turn_answers_with_its_own_text() -> None:
    script = Script()
    turn = script.begin()
    script.reply(turn, "so far")
    script.end(turn, "so far\n\n(10 iterations)", status="limited", limit="max_iterations")
    assert script.fold().messages[-1].text == "so far\n\n(10 iterations)"
    assert roles(script.fold()) == ["user", "assistant"]


def test_replies_for_other_purposes_and_broken_ones_are_left_out() -> None:
    script = Script()
    turn = script.begin()
    message = Message("assistant", (Text("no"),))
    script.journal.record(ModelReplied("m/1", message, Usage(), "stop", purpose="decision"), turn)
    script.journal.record(ModelReplied("m/1", message, Usage(), "error"), turn)
    script.reply(turn, "yes")
    script.end(turn, "yes")
    assert roles(script.fold()) == ["user", "assistant"]


def test_a_write_that_was_cut_off_has_an_unknown_outcome() -> None:
    script = Script()
    turn = script.begin()
    script.reply(turn, "", part(1, "write_file"))
    script.call(turn, part(1, "write_file"), upto="executing", writes=True)
    script.journal.record(FileChanged("c1", "a.py", None, "hash"), turn)
    history = script.fold()
    (call,) = history.turns[-1].calls
    assert call.status == "error"
    assert call.result is not None
    assert call.result.error is not None
    assert call.result.error.code == "unknown_outcome"
    assert "it had changed a.py" in call.result.error.message
    assert history.unknown == ("c1",)
    assert history.turns[-1].status == "cancelled"
    check_pairs(history)


def test_a_read_that_was_cut_off_and_a_write_that_did_not_begin_are_cancelled() -> None:
    script = Script()
    turn = script.begin()
    script.reply(turn, "", part(1), part(2, "write_file"), part(3))
    script.call(turn, part(1), upto="executing")
    script.call(turn, part(2, "write_file"), upto="scheduled", writes=True)
    history = script.fold()
    codes = [call.result.error.code for call in history.turns[-1].calls if call.result and call.result.error]
    assert codes == ["cancelled"] * 3
    assert [call.status for call in history.turns[-1].calls] == ["cancelled"] * 3
    assert history.unknown == ()
    check_pairs(history)


def test_events_of_another_version_are_passed_over() -> None:
    script = whole_session()
    strange = [
        Event(100, TIME, "s", "a1", "call.result", {"call_id": "c1"}),
        Event(101, TIME, "s", "a1", "model.replied", {"message": {"role": "alien", "parts": 7}}),
        Event(102, TIME, "s", "a1", "turn.ended", {"turn": None}),
        Event(103, TIME, "s", "a1", "never.heard.of", {}),
        Event(104, TIME, "s", None, "turn.started", {}),
    ]
    assert fold([*script.events(), *strange]).messages == script.fold().messages


EVENTS = whole_session().events()


@given(st.integers(0, len(EVENTS)))
def test_any_prefix_gives_whole_pairs_and_closed_turns(length: int) -> None:
    check_whole(EVENTS[:length])


@settings(max_examples=3 * settings().max_examples)
@given(st.sets(st.integers(0, len(EVENTS) - 1)))
def test_any_loss_of_events_gives_whole_pairs_and_closed_turns(lost: set[int]) -> None:
    check_whole([event for index, event in enumerate(EVENTS) if index not in lost])


CALL_STEPS = st.sampled_from(["none", "validating", "scheduled", "executing", "success", "error", "cancelled"])


@settings(max_examples=2 * settings().max_examples, deadline=None)
@given(
    st.lists(st.lists(st.lists(st.tuples(CALL_STEPS, st.booleans()), max_size=4), max_size=4), max_size=3),
    st.floats(0, 1),
)
def test_any_session_cut_anywhere_gives_whole_pairs(turns: list[list[list[tuple[str, bool]]]], cut: float) -> None:
    script = Script()
    count = iter(range(1, 1000))
    for replies in turns:
        turn = script.begin()
        for calls in replies:
            parts = [part(next(count)) for _ in calls]
            script.reply(turn, "text", *parts)
            for (step, writes), one in zip(calls, parts, strict=True):
                if step != "none":
                    script.call(turn, one, upto=step, writes=writes)
        script.end(turn, "end")
    events = script.events()
    check_whole(events[: round(len(events) * cut)])


def check_whole(events: Sequence[Event]) -> None:
    history = fold(events)
    check_pairs(history)
    for turn in history.turns:
        assert turn.status != "running"
        for call in turn.calls:
            assert call.status in ("success", "error", "cancelled")
            assert call.result is not None
    assert fold(events) == history


def test_errors_of_calls_come_back_as_they_were() -> None:
    script = Script()
    turn = script.begin()
    script.reply(turn, "", part(1))
    error = ToolError("conflict", "changed meanwhile", "read it first")
    script.journal.record(CallResult("c1", "read_file", "error", ToolResult(False, error=error)), turn)
    (call,) = script.fold().turns[-1].calls
    assert call.result == ToolResult(False, error=error)
    assert call.arguments == {"file_path": "a.py"}
