"""A turn, from prompt to answer, through real plugins and a scripted model."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import inarch
from inarch.journal.fold import fold
from inarch.testing import ScriptedModel, Step, calls, says, scripted_app

Played = tuple[inarch.Turn, ScriptedModel, list[inarch.Event]]


def play(script: list[Step] | ScriptedModel, root: Path, prompt: str = "go", **options: Any) -> Played:
    app, model = scripted_app(script, root, **options)

    async def go() -> tuple[inarch.Turn, list[inarch.Event]]:
        session = app.session()
        events = [event async for event in session.stream(prompt)]
        await app.aclose()
        return session.turns[-1], events

    turn, events = asyncio.run(go())
    return turn, model, events


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("alpha\n")
    (tmp_path / "b.txt").write_text("beta\n")
    return tmp_path


def test_every_call_of_a_reply_is_executed_and_answered_once_in_order(root: Path) -> None:
    script = [
        calls(("read_file", {"file_path": "a.txt"}), ("read_file", {"file_path": "b.txt"}), text="looking"),
        says("alpha and beta"),
    ]
    turn, model, _ = play(script, root)
    assert (turn.status, turn.content) == ("done", "alpha and beta")
    assistant, tool = model.requests[1].messages[-2:]
    assert assistant.text == "looking"
    results = [part for part in tool.parts if isinstance(part, inarch.ResultPart)]
    assert [part.result.data["content"].strip() for part in results] == ["alpha", "beta"]
    assert [part.call_id for part in results] == [
        part.id for part in assistant.parts if isinstance(part, inarch.CallPart)
    ]


class Changing:
    """A front end that gives every call another content, then approves it."""

    name = "changing"

    def show(self, event: inarch.Event) -> None:
        pass

    async def approve(self, batch: Sequence[inarch.ApprovalRequest]) -> list[inarch.Approval]:
        return [self.answer(request.call) for request in batch]

    def answer(self, call: inarch.ToolCall) -> inarch.Approval:
        if call.arguments["content"] == "theirs\n":
            return inarch.Approval(call.id, "approve")
        return inarch.Approval(call.id, "modify", arguments={**call.arguments, "content": "theirs\n"})

    def close(self) -> None:
        pass


def test_a_model_is_told_what_a_person_changed_of_its_call_at_once_and_after_a_resume(root: Path) -> None:
    script = [calls(("create_file", {"file_path": "new.txt", "content": "the model's\n"})), says("written")]
    turn, model, events = play(script, root, front_end=Changing())
    assert (root / "new.txt").read_text() == "theirs\n"
    (call,) = turn.calls
    assert call.arguments["content"] == "theirs\n"
    kept = [part for message in fold(events).messages for part in message.parts]
    for parts in ([part for message in model.requests[1].messages for part in message.parts], kept):
        (told,) = [inarch.result_text(part.result) for part in parts if isinstance(part, inarch.ResultPart)]
        assert "The user changed the arguments of this call" in told and "theirs" in told
        assert "file_path" not in told.partition("Its result")[0], "what was not changed is not repeated"


def test_iterations_end_with_an_answer_so_far(root: Path) -> None:
    def step(request: inarch.ModelRequest) -> Step:
        if request.tool_choice == "none":
            return says("so far: nothing")
        return calls(("list_files", {"limit": len(request.messages)}))

    turn, model, _ = play([step] * 5, root, flags={"max_iterations": 3})
    assert (turn.status, turn.limit) == ("limited", "max_iterations")
    assert turn.content.startswith("so far: nothing")
    assert "--max-iterations" in turn.content
    assert len(model.requests) == 4


def test_repeated_states_stop_the_turn(root: Path) -> None:
    model = ScriptedModel([calls(("read_file", {"file_path": "a.txt"}))], repeat=True)
    turn, model, _ = play(model, root)
    assert (turn.status, turn.limit) == ("limited", "repeated_states")
    assert len(model.requests) == 5  # three rounds, one after the warning, and one more for the answer


def test_a_model_that_is_told_of_its_circle_can_leave_it(root: Path) -> None:
    def step(request: inarch.ModelRequest) -> Step:
        last = request.messages[-1].parts[0]
        told = isinstance(last, inarch.ResultPart) and "nothing changed" in json.dumps(last.result.metadata["added"])
        return says("I see.") if told else calls(("read_file", {"file_path": "a.txt"}))

    first = calls(("read_file", {"file_path": "a.txt"}))
    turn, _, events = play([first, first, first, step], root)
    assert (turn.status, turn.content) == ("done", "I see.")
    (review,) = (event.data for event in events if event.kind == "call.reviewed")
    assert (review["plugin"], review["reviewer"], review["stop"]) == ("inarch", "limits", False)


def test_an_error_that_stays_fails_the_turn_with_a_remedy(root: Path) -> None:
    error = inarch.ProviderError("auth", "the key was refused", status=401, remedy="check GEMINI_API_KEY")
    turn, model, events = play([[error]], root)
    assert turn.status == "failed"
    assert turn.error == "the key was refused (check GEMINI_API_KEY)"
    assert len(model.requests) == 1
    assert [event.data["message"] for event in events if event.kind == "error"] == ["the key was refused"]


def test_time_is_up_in_the_middle_of_a_request(root: Path) -> None:
    turn, _, _ = play([[30.0], says("late, but here")], root, flags={"max_seconds": 3.0})
    assert (turn.status, turn.limit) == ("limited", "max_seconds")
    assert turn.content.startswith("late, but here")


SLOW = """
import asyncio, inarch

@inarch.tool
async def slow() -> None:
    "Take a minute."
    await asyncio.sleep(60)
"""


@pytest.mark.parametrize("how", ["cancel", "max_seconds"])
def test_calls_that_were_stopped_are_in_the_turn_with_a_result(root: Path, how: str) -> None:
    plugin = root / "slow_tool.py"
    plugin.write_text(SLOW)
    flags = {"max_seconds": 3.0} if how == "max_seconds" else {}
    script = [calls(("read_file", {"file_path": "a.txt"}), ("slow", {})), says("so far")]
    app, model = scripted_app(script, root, files=[str(plugin)], flags=flags)

    async def go() -> inarch.Turn:
        session = app.session()
        kinds: list[str] = []
        session.state.journal.listeners.append(lambda event: kinds.append(event.kind))
        task = asyncio.create_task(session.run("go"))
        while "call.result" not in kinds:
            await asyncio.sleep(0.01)
        if how == "cancel":
            task.cancel()
        await asyncio.wait([task])
        await app.aclose()
        return session.turns[-1]

    turn = asyncio.run(go())
    assert turn.status == ("cancelled" if how == "cancel" else "limited")
    assert [(call.name, call.status) for call in turn.calls] == [("read_file", "success"), ("slow", "cancelled")]
    if how == "max_seconds":
        answered = [part.name for part in model.requests[1].messages[-2].parts if isinstance(part, inarch.ResultPart)]
        assert answered == ["read_file", "slow"]


def test_an_unknown_model_is_a_configuration_error_and_nothing_is_recorded(root: Path) -> None:
    app = inarch.compose(root=root, config={}, journal=False, flags={"model": "ofline/x"})

    async def go() -> None:
        with pytest.raises(inarch.ConfigError, match="did you mean 'offline'"):
            await app.session().run("go")
        await app.aclose()

    asyncio.run(go())


def test_a_turn_that_is_cancelled_during_its_last_request_is_recorded_as_cancelled(root: Path) -> None:
    script: list[Step] = [calls(("read_file", {"file_path": "a.txt"})), [60.0]]
    app, model = scripted_app(script, root, flags={"max_iterations": 1})

    async def go() -> list[inarch.Event]:
        session = app.session()
        events: list[inarch.Event] = []
        session.state.journal.listeners.append(events.append)
        task = asyncio.create_task(session.run("go"))
        while len(model.requests) < 2:
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert session.turns[-1].status == "cancelled"
        await app.aclose()
        return events

    assert asyncio.run(go())[-1].kind == "turn.ended"


def test_no_secret_is_sent_to_a_model(root: Path) -> None:
    secret = "sk-5ecret/of+mine"
    (root / "a.txt").write_text(f"key = {secret}\n")
    script = [calls(("read_file", {"file_path": "a.txt"}), ("no_tool", {"word": secret})), says("done"), says("done")]
    places = {name: str(root / ".places") for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")}
    app, model = scripted_app(script, root, environ={**places, "ACME_API_KEY": secret})

    async def go() -> None:
        session = app.session()
        await session.run(f"what is {secret}? @a.txt")
        await session.run("and now?")
        await app.aclose()

    asyncio.run(go())
    sent = "".join(str(request) for request in model.requests)
    assert secret not in sent
    assert "‹secret:ACME_API_KEY›" in sent
    assert len(model.requests) == 3
