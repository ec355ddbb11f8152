"""Properties: whatever happens in whatever order, late pages see what early ones see, and the first answer counts."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from inarch_web.server.message_log import MessageLog, Raw, encoded
from inarch_web.server.questions import Questions
from inarch_web.server.sections import TurnSections, joined

import inarch
from inarch_plugins.export.html.fragments import Fragments

ACTIONS = ("prompt", "request", "delta", "reply", "call", "run", "output", "result", "note", "books", "plugin", "end")


class Story:
    """Events as a session has them, made of actions in any order."""

    def __init__(self) -> None:
        self.seq, self.turn, self.calls, self.events = 0, 0, 0, list[inarch.Event]()

    def do(self, action: str, text: str) -> None:
        """Let something happen; what can't happen now does nothing."""
        call, now = {"call_id": f"c{self.calls}", "name": "list_files"}, "2026-01-01T00:00:00.000000Z"
        turn = {"id": f"t{self.turn}", "session_id": "s", "started": now, "parent_id": None}
        request = {"model": "m/x", "purpose": "turn", "plugin": "", "attempt": 1}
        if action == "prompt":
            self.turn += 1
            self._add("turn.started", turn={**turn, "type": "user", "content": text})
            self._add("turn.started", turn={**turn, "type": "agent", "content": ""})
        elif action == "end" and self.turn:
            ended = {**turn, "type": "agent", "content": text, "status": "done", "ended": now}
            self._add("turn.ended", turn=ended, spent=[])
        elif action == "request":
            self._add("model.requested", **request)
        elif action == "delta":
            self.events.append(inarch.Event(self.seq, now, "s", "t", "model.delta", {"text": text, "reasoning": ""}))
        elif action == "reply":
            message = {"role": "assistant", "parts": [{"type": "text", "text": text}]}
            self._add("model.replied", **request, message=message, usage={}, finish="stop", duration_s=0.1, error="")
        elif action == "call":
            self.calls += 1
            call["call_id"] = f"c{self.calls}"
            self._add("call.state", **call, status="validating", call={"arguments": {"path": text}, "origin": "model"})
        elif action == "run" and self.calls:
            self._add("call.state", **call, status="executing", call=None)
        elif action == "output" and self.calls:
            self._add("call.output", **call, text=text)
        elif action == "result" and self.calls:
            self._add("call.result", **call, status="success", result={"success": True, "data": text})
        elif action == "note":
            self._add("note", text=text, source="test")
        elif action == "books":
            self._add("calls.done", calls=[])
        elif action == "plugin":
            self._add("planner.planned", text=text)

    def _add(self, kind: str, **data: Any) -> None:
        self.seq += 1
        self.events.append(inarch.Event(self.seq, "2026-01-01T00:00:00.000000Z", "s", f"t{self.turn}", kind, data))


class Shown:
    """A page as its messages make it: sections with the steps that came apart, and text that still comes."""

    def __init__(self, entry: Mapping[str, Any] | None = None, live: Sequence[Mapping[str, Any]] = ()) -> None:
        self.sections: dict[int, tuple[str, list[str] | None, dict[int, str]]] = {}
        self.text: dict[tuple[Any, ...], str] = {}
        if entry is not None:
            self.take({"turn": entry})
        for delta in live:
            self.take({"delta": delta})

    def take(self, message: Mapping[str, Any]) -> None:
        """Do what a message says."""
        if (turn := message.get("turn")) is not None:
            steps = None if turn["steps"] is None else [*turn["steps"]["html"]]
            after = turn["html"].partition('class="steps later"')[2].count('<li class="step')
            self.sections[turn["number"]] = (turn["html"], steps, dict.fromkeys(range(after), ""))
            self.text = {key: text for key, text in self.text.items() if turn["running"]}
        elif (step := message.get("step")) is not None:
            _, steps, later = self.sections[step["turn"]]
            if step["later"]:
                assert step["place"] <= len(later), "a whole section shows no step before it that has no place"
                later[step["place"]] = step["html"]
            elif steps is not None:
                assert step["place"] <= len(steps), "no step comes before the one before it"
                steps[step["place"] :] = [step["html"], *steps[step["place"] + 1 :]]
        elif (delta := message.get("delta")) is not None:
            key = (delta["of"], delta.get("call"))
            self.text[key] = self.text.get(key, "") + delta["text"]


STORIES = st.lists(
    st.tuples(st.sampled_from(ACTIONS), st.sampled_from(["", "a", "<b>&", "x\ny", "**z**"])), max_size=40
)


@given(STORIES, st.integers(0, 80))
@example([("prompt", ""), ("request", ""), ("end", ""), ("request", ""), ("request", "")], 5)
def test_a_page_that_comes_late_sees_what_an_early_one_sees(story: list[tuple[str, str]], at: int) -> None:
    told = Story()
    for action, text in story:
        told.do(action, text)
    following, early = TurnSections(Fragments()), Shown()
    late: Shown | None = None
    for place, event in enumerate(told.events):
        if place == at:
            late = Shown(None if following.is_empty else following.entry(), following.so_far())
        for message in joined([*following.take(event)]):
            early.take(message)
            if late is not None:
                late.take(message)
        if event.kind != "model.delta":  # it has no number, so it can't be told from another one
            assert not [*following.take(event)], "an event that is known means nothing"
    if late is None:
        late = Shown(None if following.is_empty else following.entry())
    for number, (_, steps, _) in late.sections.items():
        known = early.sections[number][1]
        if steps is not None and known is not None:
            assert steps == known[len(known) - len(steps) :] or steps == known
    if not following.is_empty and following.runs:
        now = following.entry()
        assert early.sections[now["number"]][1] == now["steps"]["html"][-len(early.sections[now["number"]][1] or []) :]


def test_bookkeeping_takes_no_place() -> None:
    told = Story()
    for action in ("prompt", "books", "note", "end", "books", "note"):
        told.do(action, "x")
    following = TurnSections(Fragments())
    steps = [message["step"] for event in told.events for message in following.take(event) if "step" in message]
    assert [(step["later"], step["place"]) for step in steps] == [(False, 0), (True, 0)]


@given(st.lists(st.sampled_from(["", "x", "yy" * 20]), max_size=30), st.integers(1, 10), st.integers(0, 40))
def test_messages_since_a_number_are_all_of_them_or_none(texts: list[str], most: int, since: int) -> None:
    log = MessageLog("s", most, 400)
    sent = [json.loads(log.add({"text": text})) for text in texts]
    assert [message["n"] for message in sent] == list(range(1, len(texts) + 1))
    missed = log.since(since)
    if missed is not None:
        assert [json.loads(text) for text in missed] == sent[since:]
    else:
        assert since > len(texts) or len(texts) - since > 1
    assert log.since(len(texts)) == []
    log.forget(0)
    assert log.since(len(texts)) == []
    assert log.since(len(texts) - 1) is None or not texts


@given(st.text(st.sampled_from("ab\n\t\r\x1b\u202e\u200b\u2066\u2028\x9b🙂é"), max_size=30))
def test_what_a_page_shows_is_escaped_and_what_it_sends_back_is_not(text: str) -> None:
    told = json.loads(encoded({"shown": [{"path": text}], "edited": Raw(text)}))
    shown = told["shown"][0]["path"]
    assert shown == inarch.escape(text) and not set(shown) & set("\x1b\u202e\u200b\u2066\u2028\x9b")
    assert told["edited"] == text


@given(st.lists(st.tuples(st.integers(1, 5), st.sampled_from(["approve", "deny", "perhaps", ""])), max_size=12))
def test_the_first_good_answer_counts_and_the_others_learn_whose_it_was(answers: list[tuple[int, str]]) -> None:
    async def play() -> None:
        questions = Questions()
        tool = inarch.tool(_tool)
        call = inarch.ToolCall("c1", "", "t1", "_tool", {})
        question = questions.ask([inarch.ApprovalRequest(call, tool, "it writes")])
        first = 0
        for page, outcome in answers:
            try:
                by = questions.answer(question.id, [{"call": "c1", "outcome": outcome}], page)
            except inarch.UsageError:
                assert outcome not in ("approve", "deny") and not first
                continue
            if not first:
                first = page
                assert [one.outcome for one in await question.answered] == [outcome]
            assert by == first == question.by
        assert question.answered.done() is bool(first)

    asyncio.run(play())


def _tool() -> str:
    """Do something."""
    return ""
