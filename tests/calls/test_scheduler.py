from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inarch.calls import attempt, runner
from inarch.contract.errors import StoreError, ToolFailed
from inarch.contract.records import Effects, PlannedCall, ToolResult
from inarch.journal.fold import fold
from inarch.journal.journal import Journal
from inarch_sdk.tool_decorator import tool

from ..forking import LONGEST_S

Kitchen = Any


@tool
def double(number: int) -> int:
    """Double a number."""
    return number * 2


@tool
async def double_soon(number: int) -> int:
    """Double a number on the loop."""
    await asyncio.sleep(0)
    return number * 2


@pytest.mark.parametrize("value", [double, double_soon])
def test_a_call_goes_through_its_states_and_succeeds(kitchen: Kitchen, value: Any) -> None:
    call = kitchen.call(value, number=4)
    assert (call.status, call.result.success, call.result.data) == ("success", True, 8)
    assert kitchen.states(call) == ["validating", "scheduled", "executing", "success"]
    assert call.started <= call.ended
    assert call.result.metadata["duration_s"] >= 0


def test_the_id_of_a_call_part_is_kept_unless_it_comes_twice(kitchen: Kitchen) -> None:
    from inarch.contract.records import CallPart

    parts = [CallPart("x1", "p", "double", {"number": 1}), CallPart("x1", "p", "double", {"number": 2})]
    first, second = kitchen.run(kitchen.scheduler(double), *parts)
    assert first.id == "x1" != second.id


def test_unknown_tool_and_wrong_arguments_end_before_anything_runs(kitchen: Kitchen) -> None:
    unknown, wrong = kitchen.run(
        kitchen.scheduler(double), kitchen.part("duble", number=1), kitchen.part("double", numer=1)
    )
    assert "did you mean 'double'?" in unknown.result.error.remedy
    assert wrong.result.error.code == "validation"
    assert wrong.result.error.message.startswith("double: ") and "did you mean 'number'?" in wrong.result.error.message
    assert wrong.result.error.remedy == "expected double(number: integer)"
    for call in (unknown, wrong):
        assert kitchen.states(call) == ["validating", "error"]


@pytest.mark.parametrize("arguments", ["{not json", "[1]", 7, None])
def test_arguments_that_are_no_object_are_never_executed(kitchen: Kitchen, arguments: Any) -> None:
    (call,) = kitchen.run(kitchen.scheduler(double), PlannedCall("double", arguments))
    assert call.result.error.code == "validation"
    assert "not a JSON object" in call.result.error.message


def test_independent_calls_run_together_and_at_most_64_at_once(kitchen: Kitchen) -> None:
    running, most, lock = 0, 0, threading.Lock()
    both = threading.Barrier(64)

    @tool
    def meet(number: int) -> int:
        """Wait until 64 calls are here."""
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        both.wait(LONGEST_S)
        with lock:
            running -= 1
        return number

    done = kitchen.run(kitchen.scheduler(meet), *(kitchen.part("meet", number=number) for number in range(128)))
    assert all(call.status == "success" for call in done)
    assert most == 64


def test_conflicting_calls_run_in_call_order_and_say_whom_they_waited_for(kitchen: Kitchen) -> None:
    order: list[int] = []

    @tool(effects=Effects(writes=frozenset({"a"})))
    async def note(number: int, pause: float) -> None:
        """Note a number."""
        await asyncio.sleep(pause)
        order.append(number)

    parts = [kitchen.part("note", number=0, pause=0.02), kitchen.part("note", number=1, pause=0.0)]
    first, second = kitchen.run(kitchen.scheduler(note), *parts)
    assert order == [0, 1]
    assert (first.after, second.after) == ((), (first.id,))


def test_a_call_runs_although_the_one_it_waited_for_failed_or_was_denied(kitchen: Kitchen) -> None:
    @tool(effects=Effects(writes=frozenset({"a"})))
    def step(fails: bool) -> str:
        """Do a step."""
        if fails:
            raise ToolFailed("conflict", "no")
        return "done"

    first, second = kitchen.run(
        kitchen.scheduler(step), kitchen.part("step", fails=True), kitchen.part("step", fails=False)
    )
    assert (first.status, second.status) == ("error", "success")


def test_a_later_call_sees_the_earlier_results_of_its_turn(kitchen: Kitchen) -> None:
    @tool(effects=Effects(exclusive=True))
    def look(context: Any) -> list[Any]:
        """Look at what has been done."""
        return [call.result.data for call in context.earlier]

    before = kitchen.call(double, number=1)
    scheduler = kitchen.scheduler(double, look)
    done = kitchen.run(scheduler, kitchen.part("double", number=2), kitchen.part("look"), earlier=(before,))
    assert done[1].result.data == [2, 4]


def test_effects_are_on_disk_before_a_call_with_effects_runs(kitchen: Kitchen) -> None:
    kept: list[Any] = []

    @tool(effects=Effects(writes=frozenset({"a"})))
    def change() -> None:
        """Change something."""
        kept.extend(kitchen.store.load("session"))

    call = kitchen.call(change)
    assert [event.data["status"] for event in kept if event.kind == "call.state"] == [
        "validating",
        "scheduled",
        "executing",
    ]
    assert fold(kept).unknown == (call.id,)  # what a resume finds if everything ends in the middle of the call
    assert fold(kitchen.store.load("session")).unknown == ()


def test_a_tool_that_declares_no_effects_object_or_raises_is_named(kitchen: Kitchen) -> None:
    @tool(effects=lambda arguments: {"writes": []})  # type: ignore[arg-type, return-value]
    def odd() -> None:
        """Odd."""

    @tool(effects=lambda arguments: arguments["missing"])
    def odder() -> None:
        """Odder."""

    for value in (odd, odder):
        call = kitchen.call(value)
        assert call.result.error.code == "execution"
        assert "'tested'" in call.result.error.message
        assert kitchen.states(call) == ["validating", "error"]


class _FullStore:
    """A disk without room."""

    def append(self, session_id: str, events: Any) -> None:
        raise StoreError("full", "no room")

    async def sync(self) -> None: ...

    def load(self, session_id: str, after: int = 0) -> list[Any]:
        return []


def test_nothing_runs_when_a_required_journal_cannot_be_written(kitchen: Kitchen) -> None:
    kitchen.journal = Journal(_FullStore(), "session")
    ran: list[int] = []

    @tool(effects=Effects(writes=frozenset({"a"})))
    def change() -> None:
        """Change something."""
        ran.append(1)

    with pytest.raises(StoreError):
        kitchen.call(change)
    assert ran == []


def _cancel_when(kitchen: Kitchen, scheduler: Any, parts: list[Any], moment: Callable[[], bool]) -> None:
    """Cancel a batch as soon as `moment` is true."""

    async def drive() -> None:
        task = asyncio.ensure_future(scheduler.run("turn", parts))
        await kitchen.until(lambda: moment() or task.done())
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(drive())


def _endings(kitchen: Kitchen) -> list[str]:
    return [event.data["status"] for event in kitchen.of_kind("call.result")]


@pytest.mark.parametrize("count", [1, 3])
def test_cancel_while_executing_and_scheduled(kitchen: Kitchen, count: int) -> None:
    started = threading.Event()
    stopped: list[bool] = []

    @tool(effects=Effects(exclusive=True))
    def wait(context: Any) -> None:
        """Wait until told to stop."""
        started.set()
        stopped.append(context.cancelled.wait(LONGEST_S))

    @tool(effects=Effects(exclusive=True))
    async def wait_here(context: Any) -> None:
        """Wait on the loop."""
        started.set()
        try:
            await asyncio.sleep(60)
        finally:
            stopped.append(context.cancelled.is_set())

    for value in (wait, wait_here):
        kitchen.events.clear()
        stopped.clear()
        started.clear()
        scheduler = kitchen.scheduler(value)
        _cancel_when(kitchen, scheduler, [kitchen.part(value.name)] * count, started.is_set)
        assert stopped == [True]
        assert _endings(kitchen) == ["cancelled"] * count
        messages = [event.data["result"]["error"]["message"] for event in kitchen.of_kind("call.result")]
        assert messages == ["cancelled while it ran"] + ["cancelled before it ran"] * (count - 1)


def test_revoke_all_ends_running_calls_as_cancelled(kitchen: Kitchen) -> None:
    @tool(effects=Effects(exclusive=True))
    def work(context: Any) -> None:
        """Work until the handle is taken away."""
        while True:
            context.emit("x")
            context.cancelled.wait(0.001)

    async def drive() -> Any:
        scheduler = kitchen.scheduler(work)
        task = asyncio.ensure_future(scheduler.run("turn", [kitchen.part("work")]))
        await kitchen.until(lambda: kitchen.of_kind("call.output"))
        scheduler.revoke_all()
        return await task

    (call,) = asyncio.run(drive())
    assert call.status == "cancelled"


def test_the_timeout_of_a_tool_is_an_error_with_a_remedy(kitchen: Kitchen) -> None:
    @tool(timeout_s=0.02)
    async def slow() -> None:
        """Sleep."""
        await asyncio.sleep(60)

    @tool(timeout_s=0.02, effects=Effects(exclusive=True))
    def slow_thread(context: Any) -> None:
        """Sleep in a thread."""
        context.cancelled.wait(LONGEST_S)

    for value in (slow, slow_thread):
        call = kitchen.call(value)
        assert (call.status, call.result.error.code) == ("error", "timeout")
        assert call.result.error.message == f"{value.name} did not finish within 0.02 s"


@pytest.mark.parametrize("cancelling", [False, True])
def test_a_stuck_tool_is_abandoned_and_named(
    kitchen: Kitchen, monkeypatch: pytest.MonkeyPatch, cancelling: bool
) -> None:
    monkeypatch.setattr(attempt, "GRACE_S", 0.02)
    started, release, late = threading.Event(), threading.Event(), []

    @tool(timeout_s=60 if cancelling else 0.02, max_retries=3)
    def stuck(context: Any = None) -> None:
        """Never return."""
        started.set()
        release.wait(LONGEST_S)

    @tool(timeout_s=60 if cancelling else 0.02)
    async def stubborn() -> None:
        """Swallow every cancellation."""
        started.set()
        while True:
            try:
                await asyncio.sleep(0.01)
            except asyncio.CancelledError:
                late.append(1)

    for value in (stuck, stubborn):
        kitchen.events.clear()
        started.clear()
        if cancelling:
            _cancel_when(kitchen, kitchen.scheduler(value), [kitchen.part(value.name)], started.is_set)
        else:
            kitchen.call(value)
        (result,) = kitchen.of_kind("call.result")
        assert result.data["status"] == ("cancelled" if cancelling else "error")
        assert (
            f"tool {value.name!r} of plugin 'tested' did not stop and was abandoned"
            in result.data["result"]["error"]["message"]
        )
        (error,) = kitchen.of_kind("error")
        assert (error.data["plugin"], error.data["door"]) == ("tested", "tool")
    release.set()


def test_cancelling_twice_loses_nothing(kitchen: Kitchen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempt, "GRACE_S", 0.05)
    release, started = threading.Event(), threading.Event()

    @tool
    def stuck(number: int) -> None:
        """Never return."""
        started.set()
        release.wait(LONGEST_S)

    async def drive(count: int) -> None:
        parts = [kitchen.part("stuck", number=number) for number in range(count)]
        task = asyncio.ensure_future(kitchen.scheduler(stuck).run("turn", parts))
        await kitchen.until(started.is_set)
        for _ in range(3):
            task.cancel()
            await asyncio.sleep(0.01)
        with pytest.raises(asyncio.CancelledError):
            await task

    for count in (1, 4):
        started.clear()
        kitchen.events.clear()
        asyncio.run(drive(count))
        assert _endings(kitchen) == ["cancelled"] * count
    release.set()


_STUCK = """
import asyncio, threading
from inarch.calls import attempt
from inarch.calls.scheduler import Scheduler
from inarch.contract.records import CallPart, PluginContext
from inarch_sdk.tool_decorator import tool
from inarch.journal.journal import Journal
from inarch_sdk.memory_store import MemoryStore
from inarch.plugins.registration import Bound
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace

@tool(timeout_s=0.01)
def stuck() -> None:
    "Never return."
    threading.Event().wait()

attempt.GRACE_S = 0.01
bound = Bound("tested", stuck, PluginContext("tested", "."))
scheduler = Scheduler(tools={"stuck": bound}, journal=Journal(MemoryStore(), "s"), workspace=FolderWorkspace.open("."))
(call,) = asyncio.run(scheduler.run("turn", [CallPart("", "", "stuck", {})]))
print(call.result.error.code)
"""


def test_a_stuck_thread_does_not_hold_up_the_exit() -> None:
    done = subprocess.run([sys.executable, "-P", "-c", _STUCK], capture_output=True, text=True, timeout=LONGEST_S)
    assert (done.stdout, done.stderr, done.returncode) == ("timeout\n", "", 0)


def _flaky(failures: list[Exception], **options: Any) -> Any:
    def flaky() -> str:
        """Fail a few times."""
        if failures:
            raise failures.pop(0)
        return "done"

    return tool(**options)(flaky)


def test_a_call_without_effects_is_tried_again(kitchen: Kitchen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "FIRST_PAUSE_S", 0.0)
    call = kitchen.call(_flaky([ValueError("1"), ToolFailed("timeout", "2")], max_retries=2))
    assert (call.result.data, call.result.metadata["retries"]) == ("done", 2)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"max_retries": 0}, ValueError("x")),
        ({"max_retries": 3, "effects": Effects(writes=frozenset({"a"}))}, ValueError("x")),
        ({"max_retries": 3, "effects": Effects(exclusive=True)}, ValueError("x")),
        ({"max_retries": 3}, ToolFailed("not_found", "x")),
        ({"max_retries": 3}, ToolFailed("conflict", "x")),
    ],
)
def test_effects_and_plain_refusals_are_never_tried_again(kitchen: Kitchen, options: Any, error: Exception) -> None:
    failures = [error, error]
    call = kitchen.call(_flaky(failures, **options))
    assert call.status == "error"
    assert "retries" not in call.result.metadata
    assert len(failures) == 1


def test_a_tool_cannot_end_the_process_or_the_turn(kitchen: Kitchen) -> None:
    @tool
    def leave() -> None:
        """Exit."""
        raise SystemExit(3)

    @tool
    async def leave_soon() -> None:
        """Exit on the loop."""
        raise SystemExit(3)

    @tool
    async def give_up() -> None:
        """Raise a cancellation of its own."""
        raise asyncio.CancelledError

    @tool
    def stop() -> None:
        """Raise StopIteration."""
        raise StopIteration

    for value in (leave, leave_soon, give_up, stop):
        call = kitchen.call(value)
        assert (call.status, call.result.error.code) == ("error", "execution")
        assert "'tested'" in call.result.error.message


def test_what_is_not_json_is_an_error_that_names_the_plugin(kitchen: Kitchen) -> None:
    def loop() -> Any:
        ring: list[Any] = []
        ring.append(ring)
        return ring

    for value in (object(), {"a": object()}, float("nan"), ToolResult("yes"), loop()):  # type: ignore[arg-type]

        @tool
        def odd(kept: int = 0, value: Any = value) -> Any:
            """Return something odd."""
            return value

        error = kitchen.call(odd).result.error
        assert error.code == "execution"
        assert "'tested'" in error.message


def test_the_output_schema_is_checked_and_the_plugin_named(kitchen: Kitchen) -> None:
    @tool(output_schema={"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}})
    def answer(given: Any) -> Any:
        """Return what it is given."""
        return given

    assert kitchen.call(answer, given={"n": 1}).status == "success"
    error = kitchen.call(answer, given={"n": "x"}).result.error
    assert error.code == "execution"
    assert "plugin 'tested' returned data against its output schema: n: 'x' is not an integer" in error.message


def test_a_secret_goes_to_the_tool_that_receives_it_and_nowhere_else(
    tmp_path: Path, new_kitchen: Callable[..., Kitchen]
) -> None:
    kitchen = new_kitchen(tmp_path, environ={"SOME_API_KEY": "s3cr3t-value"})
    got: list[str] = []

    @tool(receives_secrets=True)
    def send(key: str) -> str:
        """Use a key."""
        got.append(key)
        return f"used {key}"

    @tool
    def show(key: str) -> str:
        """Show a key."""
        raise ToolFailed("execution", key)

    placeholder = kitchen.journal.redactor.text("s3cr3t-value")
    done = kitchen.call(send, key=placeholder)
    assert got == ["s3cr3t-value"]
    assert done.result.data == f"used {placeholder}"
    assert kitchen.call(show, key="s3cr3t-value").result.error.message == placeholder
    kitchen.journal.flush()
    assert not [event for event in kitchen.store.load("session") if "s3cr3t-value" in event.line]


def lists(depth: int) -> Any:
    """Lists in each other."""
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


@tool
def take(value: Any) -> Any:
    """Give back what comes, or as deep a list as is asked for."""
    return lists(value) if isinstance(value, int) else value


@pytest.mark.parametrize("value", [lists(600), float("nan"), object(), {"deep": lists(5_000)}])
def test_arguments_that_no_record_can_hold_are_refused_whoever_made_the_call(kitchen: Kitchen, value: Any) -> None:
    (call,) = kitchen.run(kitchen.scheduler(take), PlannedCall("take", {"value": value}), origin="strategy")
    assert call.result.error.code == "validation"
    assert "left out" in call.result.error.message
    assert all(event.line for event in kitchen.events)


@pytest.mark.parametrize("depth", [150, 600, 5_000])
def test_a_result_that_no_record_can_hold_is_the_tools_fault(kitchen: Kitchen, depth: int) -> None:
    call = kitchen.call(take, value=depth)
    assert call.result.error.code == "execution"
    assert "returned something that is not JSON data" in call.result.error.message
