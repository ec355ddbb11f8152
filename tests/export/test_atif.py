"""The trajectory in ATIF: who did what, every result beside its call, and what a turn cost."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inarch.contract.other_events import ChildEnded, ChildStarted, ContextDropped
from inarch.contract.records import ToolError

from .telling import Telling
from .test_escaping import BREAKERS, hostile
from .written import export


def trajectory(told: Telling) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(export(told.events, "atif"))
    return made


def steps(told: Telling) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = trajectory(told)["steps"]
    return found


def a_talk() -> Telling:
    """Return a session with every kind of step."""
    told = Telling()
    told.prompt("Fix the test")
    told.reply("I look.", "First I read.", cached_tokens=1_000)
    first, second = told.call("read_file", file_path="a.py"), told.call("read_file", file_path="gone.py")
    told.run(first, {"content": "x = 1"}, 0.25)
    told.run(second, error=ToolError("not_found", "there is no gone.py", "look"))
    told.add(ContextDropped(1_200, "window"))
    told.reply("Now I write.")
    write = told.call("write_file", file_path="b.py", content="z")
    told.ask(write, outcome="deny", scope="")
    told.run(write, error=ToolError("denied", "You denied it."), status="cancelled")
    told.answer("It is **done**.")
    return told


def test_each_reply_is_a_step_with_its_calls_and_their_results() -> None:
    user, first, dropped, second, last = steps(a_talk())
    assert (user["source"], user["message"]) == ("user", "Fix the test")
    assert (first["source"], first["message"], first["reasoning_content"]) == ("agent", "I look.", "First I read.")
    assert first["metrics"] == {
        "prompt_tokens": 5_214, "completion_tokens": 188, "cached_tokens": 1_000, "cost_usd": 0.00213,
    }  # fmt: skip
    assert [call["arguments"] for call in first["tool_calls"]] == [{"file_path": "a.py"}, {"file_path": "gone.py"}]
    assert [result["content"] for result in first["observation"]["results"]] == [
        '{"content": "x = 1"}',
        "not_found: there is no gone.py\nlook",
    ]
    assert dropped["source"] == "system"
    assert dropped["message"].startswith("Left out of the model's input")
    (denied,) = second["tool_calls"]
    assert denied["extra"]["status"] == "cancelled"
    assert denied["extra"]["answers"][0]["outcome"] == "deny"
    assert second["observation"]["results"][0]["content"] == "denied: You denied it."
    assert (last["source"], last["message"], "tool_calls" in last) == ("agent", "It is **done**.", False)


def test_the_head_says_whose_trajectory_it_is_and_the_end_what_it_took() -> None:
    made = trajectory(a_talk())
    assert made["schema_version"] == "ATIF-v1.8"
    assert made["session_id"] == made["trajectory_id"] == Telling().session_id
    assert made["agent"]["name"] == "inarch"
    assert made["agent"]["model_name"] == "gemini/gemini-flash-latest"
    assert made["final_metrics"] == {
        "total_prompt_tokens": 15_642, "total_completion_tokens": 564, "total_cached_tokens": 1_000,
        "total_cost_usd": float(Decimal("0.00639")), "total_steps": 5,
    }  # fmt: skip


def test_a_child_is_named_by_the_file_that_its_own_export_makes() -> None:
    told = Telling()
    told.prompt("split it")
    told.reply("I ask another.")
    task = told.call("task", agent="reviewer", prompt="look")
    told.add(ChildStarted(task.id, "0195a1b2-c3d4-7e5f-8a9b-00000000000c", "reviewer"))
    told.add(ChildEnded(task.id, "0195a1b2-c3d4-7e5f-8a9b-00000000000c", "reviewer", "done"))
    told.run(task, {"answer": "fine"})
    told.answer("done")
    (result,) = steps(told)[1]["observation"]["results"]
    assert result["subagent_trajectory_ref"] == [
        {
            "trajectory_path": "session-0195a1b2-c3d4.atif.json",
            "session_id": "0195a1b2-c3d4-7e5f-8a9b-00000000000c",
        }
    ]


def told_by(words: str, kinds: list[str]) -> Telling:
    """Return a session of the given kinds of events, with the words in every place that takes some."""
    told = Telling(root=words, session_id=words or "s")
    told.prompt(words, model=words)
    for kind in kinds:
        match kind:
            case "reply":
                told.reply(words, words)
            case "error":
                told.run(told.call(words, **{words: words}), error=ToolError("denied", words, words))
            case "note":
                told.raw("note", {"source": words, "text": words})
            case "endless":
                told.call(words)
            case "prompt":
                told.end(words)
                told.prompt(words)
            case origin:
                told.run(told.call(words, origin, **{words: words}), {words: [words]})
    told.end(words, error=words)
    return told


EVENTS = st.lists(
    st.sampled_from(["reply", "error", "note", "endless", "prompt", "model", "strategy", "user", "mention"]),
    max_size=12,
)


@given(hostile, EVENTS)
@example("".join(BREAKERS), ["reply", "model", "note", "error", "strategy", "user"])
def test_every_result_is_of_a_call_of_its_own_step_and_no_call_is_lost(words: str, kinds: list[str]) -> None:
    made = steps(told_by(words, kinds))
    assert [step["step_id"] for step in made] == list(range(1, len(made) + 1))
    called = 0
    for step in made:
        ids = [call["tool_call_id"] for call in step.get("tool_calls", ())]
        results = step.get("observation", {"results": []})["results"]
        if step["source"] == "agent":
            assert [result["source_call_id"] for result in results] == ids
        called += len(results)
    assert called == sum(kind in ("model", "strategy", "user", "mention", "error", "endless") for kind in kinds)


@pytest.mark.slow
@pytest.mark.needs("harbor", "pydantic")
def test_harbor_s_own_models_take_a_whole_talk() -> None:
    from harbor.models.trajectories import Trajectory

    for told in (a_talk(), Telling()):
        Trajectory.model_validate_json(export(told.events, "atif"))
