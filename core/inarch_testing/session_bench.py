"""Test bench for tools in sessions: a plugin's tool, a scripted model, and records of their events and errors."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attrs import define, field

from inarch import App, Session
from inarch.contract.events import Event
from inarch.contract.ports import Tool
from inarch.contract.records import ModelRequest, PluginContext, ToolCall
from inarch_testing.apps import environ_in, scripted_app, write_files
from inarch_testing.scripted import ScriptedModel, Step, calls, says
from inarch_testing.tool_bench import PLUGIN, watched

PROMPT = "Do what this test asks of you."
DONE = "done"
_LOOK_S = 0.01


@define(eq=False)
class Talk:
    """Session, and its events."""

    session: Session
    events: list[Event] = field(factory=list)

    def of(self, kind: str) -> list[Mapping[str, Any]]:
        """Return the data of the events of a kind, oldest first."""
        return [event.data for event in self.events if event.kind == kind]

    @property
    def said(self) -> list[str]:
        """The plugin's messages."""
        return [data["text"] for data in self.of("input.waiting") if data["by"] == PLUGIN]

    async def go(self) -> Sequence[ToolCall]:
        """Run a turn that calls the tool, and return its calls."""
        return (await self.session.run(PROMPT)).calls


@define(eq=False)
class SessionBench:
    """Application with the tool, whose model calls it in every turn and then says that it is done.

    Args:
        app: The application.
        tool: The tool, with its runs recorded.
        model: The scripted model, with its requests.
        grace_s: Timeout in seconds.
        faults: Uncaught exceptions of threads and tasks.
    """

    app: App
    tool: Any
    model: ScriptedModel
    grace_s: float
    faults: list[str] = field(factory=list)

    def talk(self) -> Talk:
        """Begin a session."""
        made = Talk(self.app.session())
        made.session.state.journal.listeners.append(made.events.append)
        return made

    async def until(self, is_so: Callable[[], object]) -> bool:
        """Wait until a condition holds or a thread fails; return whether it holds."""
        end = time.monotonic() + self.grace_s
        while not (came := bool(is_so())) and not self.faults and time.monotonic() < end:  # noqa: ASYNC110
            await asyncio.sleep(_LOOK_S)
        return came

    def check(self) -> None:
        """Fail if the tool raised an exception, in its call or later."""
        for run in self.tool.runs:
            assert run.fault is None, f"the tool raised {run.fault!r:.300}; raise ToolFailed(code, message, remedy)"
        assert not self.faults, f"work after the call raised {self.faults[0]:.300}: catch it, or it is lost"


class Playing:
    """Script of the model: parents call the tool, children get the answers in order, and the last one repeats."""

    def __init__(self, wanted: Sequence[tuple[str, Mapping[str, Any]]], answers: Sequence[Step]) -> None:
        self._wanted, self._answers = wanted, answers
        self._asked = 0

    def __call__(self, request: ModelRequest) -> Step:
        """Answer a request."""
        first = next(message.text for message in request.messages if message.role == "user")
        if not first.startswith(PROMPT):
            self._asked += 1
            return self._answers[min(self._asked, len(self._answers)) - 1]
        last = request.messages[-1]
        has_called = last.role == "tool" or not last.text.startswith(PROMPT)
        return says(DONE) if has_called else calls(*((name, dict(arguments)) for name, arguments in self._wanted))


@contextmanager
def session_bench(
    tool: Tool,
    folder: Path,
    files: Mapping[str, str | bytes],
    settings: Any,
    wanted: Sequence[Mapping[str, Any]],
    answers: Sequence[Step] = (),
    grace_s: float = 30.0,
) -> Iterator[SessionBench]:
    """Compose an application around the tool; `wanted` are the arguments of its calls. All calls are approved."""
    root = folder / "workspace"
    root.mkdir(parents=True, exist_ok=True)
    write_files(root, files)
    model = ScriptedModel([Playing([(tool.name, one) for one in wanted], answers or [says(DONE)])], repeat=True)
    config = {"profiles": {"default": {"plugins": ["sandbox-fs"], "approve": "all"}}}
    app, _ = scripted_app(model, root, config=config, environ=environ_in(folder / "home"))
    looked_at = watched(tool)
    places: dict[str, Any] = {"cache_dir": str(folder / "cache"), "state_dir": str(folder / "state")}
    context = PluginContext(PLUGIN, str(root), settings=settings, **places)
    app.composition = app.composition.adding("tools", looked_at, context)
    bench = SessionBench(app, looked_at, model, grace_s)
    before = threading.excepthook
    threading.excepthook = lambda failed: bench.faults.append(repr(failed.exc_value))
    try:
        yield bench
    finally:
        threading.excepthook = before


def faults_of_tasks(bench: SessionBench) -> None:
    """Record exceptions of tasks that are not awaited."""

    def note(loop: asyncio.AbstractEventLoop, told: Mapping[str, Any]) -> None:
        bench.faults.append(repr(told.get("exception", told["message"])))

    asyncio.get_running_loop().set_exception_handler(note)
