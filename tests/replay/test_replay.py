"""Sessions of every kind replay to the same: edits, parallel calls, answers, failures, stops, sources, strategies."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attrs import evolve

import inarch
from inarch import Approval, Finish, ProviderError, TextDelta
from inarch.testing import calls, says

from .recording import assert_same, project, record, resume

PATCH = ("patch_source_file", {"file_path": "shop/basket.py", "search": "* 15", "replace": "* 150"})
READ = ("read_file", {"file_path": "shop/basket.py"})
ALL = {"approve": "all"}
GENEROUS = {"plugins": {"brief-tracer": {"context_seconds": 60.0, "index_seconds": 60.0, "link_seconds": 60.0}}}


class Person:
    """Answers questions with what it was given, one after the other."""

    name = "person"

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)

    def show(self, event: inarch.Event) -> None:
        """Show nothing."""

    async def approve(self, batch: Sequence[inarch.ApprovalRequest]) -> Sequence[Approval]:
        """Give the next answer to each call of the batch."""
        found = []
        for request in batch:
            answer = self.answers.pop(0)
            if answer is not None:
                found.append(Approval(request.call.id, **answer))
        return found

    def close(self) -> None:
        """Do nothing."""


def test_turns_that_read_and_change_files_replay_to_the_same(tmp_path: Path) -> None:
    root = project(tmp_path / "proj")
    script = [
        calls(READ, ("read_file", {"file_path": "shop/till.py"}), ("list_files", {})),
        calls(PATCH, ("create_file", {"file_path": "notes/a.txt", "content": "one\n"})),
        says("Done."),
        calls(("move_file", {"file_path": "notes/a.txt", "new_path": "notes/b.txt"})),
        calls(("delete_file", {"file_path": "README.md"}), ("search_files", {"pattern": "weigh"})),
        says("Moved."),
    ]
    recorded = record(root, script, "fix @shop/basket.py", "tidy up", flags=ALL)
    assert [turn.status for turn in recorded.turns] == ["done", "done"]
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}

    first, second = recorded.replay(), recorded.replay()

    assert_same(first)
    assert first.turns == 2
    assert (first.digest, first.tree) == (second.digest, second.tree)
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before


def test_commands_are_not_run_again_and_leave_what_they_left(tmp_path: Path) -> None:
    root = project(tmp_path / "proj")
    (root / "count.py").write_text(
        "from pathlib import Path\np = Path('count.txt')\nn = int(p.read_text()) if p.exists() else 0\n"
        "p.write_text(str(n + 1))\nprint(n + 1)\n"
    )
    import sys

    argv = [sys.executable, "count.py"]
    config = {"commands": {"count": {"argv": argv, "writes": [""]}}}
    run = ("execute_command", {"command": " ".join(argv)})
    script = [calls(run), calls(run), calls(("read_file", {"file_path": "count.txt"})), says("2")]
    recorded = record(root, script, "count", flags=ALL, config=config)
    outputs = [call.result.data["output"] for call in recorded.turns[0].calls[:2] if call.result]
    assert outputs == ["1\n", "2\n"], recorded.turns[0].calls

    assert_same(recorded.replay())
    assert (root / "count.txt").read_text() == "2"


def test_answers_of_the_person_are_given_again(tmp_path: Path) -> None:
    root = project(tmp_path / "proj")
    changed = {"file_path": "a.txt", "content": "what the person wrote\n"}
    person = Person(
        {"outcome": "modify", "arguments": {**changed, "content": 5}},  # not valid: asked again
        {"outcome": "modify", "arguments": changed},
        {"outcome": "approve"},
        {"outcome": "deny", "reason": "not now"},
        {"outcome": "deny"},
        None,
        {"outcome": "approve", "scope": "shape"},
    )

    def make(path: str) -> tuple[str, dict[str, str]]:
        return ("create_file", {"file_path": path, "content": "x\n"})

    script = [
        calls(make("a.txt")),
        calls(make("b.txt"), make("c.txt"), make("d.txt"), READ, PATCH),
        calls(("patch_source_file", {"file_path": "shop/basket.py", "search": "150", "replace": "15"})),
        says("ok"),
    ]
    recorded = record(root, script, "write", front_end=person)
    statuses = [call.status for call in recorded.turns[0].calls]
    assert statuses == ["success", "error", "error", "error", "success", "success", "success"], recorded.turns[0].calls
    assert (root / "a.txt").read_text() == "what the person wrote\n"

    assert_same(recorded.replay())


def test_a_run_without_a_person_and_one_that_was_resumed_replay(tmp_path: Path) -> None:
    root = project(tmp_path / "proj")
    recorded = record(root, [calls(READ, PATCH), says("not allowed")], "fix it")
    assert recorded.turns[0].calls[1].status == "error"
    resume(recorded, [calls(READ, PATCH), says("done")], "again", flags=ALL)
    resume(recorded, [calls(PATCH), says("no")], "and again", flags={"approve": "none"})
    resume(recorded, [calls(READ), says("so it is")], "look", flags={"max_iterations": 3})

    report = recorded.replay()

    assert_same(report)
    assert report.turns == 4


def test_a_record_in_words_of_0_1_replays(tmp_path: Path) -> None:
    root = project(tmp_path / "proj")
    recorded = record(root, [calls(READ, PATCH), says("not allowed")], "fix it", flags={"approve": "none"})
    resume(recorded, [calls(PATCH), says("no")], "again", flags={"approve": "plan"})
    script = [calls(PATCH, ("present_plan", {"plan": "mend it"})), says("no")]
    resume(recorded, script, "and again", flags={"approve": "ask"})

    def in_former_words(events: list[inarch.Event]) -> list[inarch.Event]:
        text = json.dumps([event.data for event in events])
        for today, former in (
            ("is offered in the approval mode", "is there in the approve mode"),
            ("the approval mode", "the approve mode"),
            ("and there was no user to ask", "and nobody could be asked"),
        ):
            assert today in text
            text = text.replace(today, former)
        datas = json.loads(text)
        for data in datas:  # the first records had no settings, so the mode is read from the denials
            if data.get("settings", {}).get("approve") == "none":
                del data["settings"]["approve"]
        return [evolve(event, data=data, line="") for event, data in zip(events, datas, strict=True)]

    recorded.tamper(in_former_words)

    assert_same(recorded.replay())


def test_failed_attempts_fail_again_without_waiting(tmp_path: Path) -> None:
    root = project(tmp_path / "proj")
    script: list[Any] = [
        [ProviderError("server", "overloaded", status=503, retryable=True, retry_after=0.01)],
        [TextDelta("half an ans"), ProviderError("network", "the line was cut", retryable=True, retry_after=0.01)],
        says("whole"),
        [ProviderError("auth", "no such key", status=401, remedy="give a key")],
        [TextDelta("cut"), Finish("error")],
        [TextDelta("cut"), Finish("error")],
        [TextDelta("cut"), Finish("error")],
    ]
    recorded = record(root, script, "ask", "ask again", "and again")
    assert [turn.status for turn in recorded.turns] == ["done", "failed", "failed"]

    assert_same(recorded.replay())


def test_a_cancelled_turn_is_cancelled_at_the_same_place(tmp_path: Path) -> None:
    root = project(tmp_path / "proj")

    def answer(request: inarch.ModelRequest) -> Any:
        """Wait for ever, unless it is the third turn: the second may be stopped before its request was sent."""
        return says("here I am") if request.messages[-1].text.startswith("third") else [600.0, Finish("stop")]

    script: list[Any] = [
        [TextDelta("thinking "), TextDelta("hard"), 600.0, Finish("stop")],
        calls(READ),
        answer,
        answer,
    ]

    async def play(session: inarch.Session, _: inarch.App) -> None:
        for prompt, wanted, after in (("first", "model.delta", 1), ("second", "model.requested", 2)):
            seen = 0
            stream = session.stream(prompt)
            async for event in stream:
                seen += event.kind == wanted
                if seen == after:
                    break
            await stream.aclose()  # type: ignore[attr-defined]
        await session.run("third")

    recorded = record(root, script, play=play)
    assert [turn.status for turn in recorded.turns] == ["cancelled", "cancelled", "done"]

    assert_same(recorded.replay())


def test_limits_are_reached_again(tmp_path: Path) -> None:
    root = project(tmp_path / "proj")
    look = ("list_directory", {"directory": "shop"})
    script: list[Any] = [calls(READ), calls(look), says("so far"), calls(READ), [600.0, Finish("stop")], says("late")]

    recorded = record(root, script, "go on", flags={"max_iterations": 2})
    resume(recorded, script[3:], "take your time", flags={"max_seconds": 3.0})

    events = recorded.events()
    limits = [event.data["turn"]["limit"] for event in events if event.kind == "turn.ended"]
    assert limits == ["max_iterations", "max_seconds"]
    assert_same(recorded.replay())


def test_a_dispatch_decision_is_made_again_from_its_reply(tmp_path: Path) -> None:
    root = project(tmp_path / "proj")
    decision = json.dumps(
        {"requires_tool_call": True, "tool_name": "read_file", "arguments": READ[1], "reasoning": "named"}
    )
    script = [says(decision), says("It weighs."), says("not JSON"), says("So."), says("Once more.")]
    recorded = record(
        root, script, "what is in shop/basket.py?", "and that?", "what is in shop/basket.py?",
        config={"profiles": {"default": {"strategy": ["structured", "native"]}}},
    )  # fmt: skip
    decisions = [event.data for event in recorded.events() if event.kind == "decision.made"]
    assert [made["strategy"] for made in decisions][:2] == ["structured", "native"]

    assert_same(recorded.replay())


def test_what_plugins_add_to_the_prompt_is_added_again(tmp_path: Path) -> None:
    root = project(tmp_path / "proj")
    script = [
        calls(("save_memory", {"text": "apples weigh 150 g"}), ("find_callers", {"function": "weigh_basket"})),
        calls(READ),
        calls(PATCH),
        says("done"),
        calls(("recall", {"query": "apples"})),
        says("150 g"),
    ]
    recorded = record(root, script, "fix weigh_basket please", "what do apples weigh?", flags=ALL, config=GENEROUS)
    added = {event.data["source"] for event in recorded.events() if event.kind == "context.added"}
    assert added >= {"structure", "brief-tracer"}

    assert_same(recorded.replay())


def test_what_stands_between_turns_is_done_again(tmp_path: Path) -> None:
    root = project(tmp_path / "proj")
    script = [calls(READ, PATCH), says("done"), says("two"), calls(READ), says("three")]

    async def play(session: inarch.Session, _: inarch.App) -> None:
        from inarch.contract.other_events import CommandRan
        from inarch.contract.records import PlannedCall

        await session.run("one")
        session.undo()
        session.redo()
        session.undo()
        await session.state.scheduler.run("", [PlannedCall("execute_command", {"command": "ls shop"})], "user")
        session.state.journal.record(CommandRan("!", "ls shop", "basket.py"))
        await session.run("two")
        session.compact(1)
        await session.run("three")

    recorded = record(root, script, play=play, flags=ALL)
    kinds = [event.kind for event in recorded.events()]
    assert kinds.count("changes.undone") == 3
    assert "context.dropped" in kinds

    assert_same(recorded.replay())
