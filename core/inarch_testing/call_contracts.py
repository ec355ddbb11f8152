"""What every rewriter, reviewer and end guard must do, as tests that its author inherits. Needs pytest to run."""

from __future__ import annotations

import asyncio
import io
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from attrs import field, frozen

from inarch.contract.events import Event
from inarch.contract.interventions import MOST_TEXT
from inarch.contract.records import PluginContext, Turn
from inarch_sdk.port_checks import fault_of
from inarch_testing.apps import environ_in, scripted_app, write_files
from inarch_testing.model_bench import tasks_left
from inarch_testing.scripted import NASTY_TEXTS, calls, says
from inarch_testing.tool_bench import PLUGIN, snapshot

Wanted = Sequence[tuple[str, Mapping[str, Any]]]


@frozen
class Had:
    """A turn that was had with what is tested."""

    turn: Turn
    events: list[Event]
    before: Mapping[str, bytes | None]
    after: Mapping[str, bytes | None]
    left: list[str] = field(factory=list)

    def of(self, kind: str) -> list[Mapping[str, Any]]:
        """Return the data of the events of a kind."""
        return [event.data for event in self.events if event.kind == kind]

    @property
    def skipped(self) -> str:
        """The first time that it failed."""
        return next((str(data["message"]) for data in self.of("error") if data["plugin"] == PLUGIN), "")


class _Part(ABC):
    """What the suites share: whole turns of a scripted model, which calls tools of sandbox-fs and then says a text.

    Attributes:
        wanted: Pairs of a tool's name and arguments: the calls of a turn.
        answers: What the model says in the end, in turn.
        files: Path to text or bytes of the files that stand in the workspace before each test.
        settings: What the settings of its plugin are.
        grace_s: Seconds within which a task that it began must have ended.
    """

    kind: str
    wanted: Wanted = (("read_file", {"file_path": "README.md"}),)
    answers: tuple[str, ...] = ("done",)
    files: Mapping[str, str | bytes] = {"README.md": "# Example\n"}
    settings: Any = None
    grace_s: float = 30.0

    @abstractmethod
    def make(self) -> Any:
        """Return a new one."""

    def test_name_and_method_fit(self, tmp_path: Path) -> None:
        """The kernel takes it."""
        assert not (fault := fault_of(self.kind, self.make())), fault

    def test_what_it_says_is_well_formed_and_in_time(self, tmp_path: Path) -> None:
        """Nothing of it is skipped, and the turn is done."""
        had = self._had(tmp_path)
        assert not had.skipped, had.skipped
        assert had.turn.status == "done", f"the turn is {had.turn.status}"

    def test_any_text_is_taken(self, tmp_path: Path) -> None:
        """Models say and write anything."""
        wanted = [
            (name, {key: text if isinstance(value, str) else value for key, value in arguments.items()})
            for text in NASTY_TEXTS
            for name, arguments in self.wanted
        ]
        had = self._had(tmp_path, wanted, NASTY_TEXTS)
        assert not had.skipped, had.skipped

    def test_nothing_is_printed_or_left_running(self, tmp_path: Path) -> None:
        """Standard output is the front end's, and a turn waits for nobody."""
        out = io.StringIO()
        with redirect_stdout(out), redirect_stderr(out):
            had = self._had(tmp_path)
        assert not out.getvalue(), f"it printed {out.getvalue()!r:.200}"
        assert not had.left, f"tasks still run: {had.left}; await or cancel them"

    def _had(self, tmp_path: Path, wanted: Wanted = (), answers: Sequence[str] = ()) -> Had:
        """Have a turn."""
        root = tmp_path / "workspace"
        root.mkdir(exist_ok=True)
        write_files(root, self.files)
        before = snapshot(root)
        script = [calls(*((name, dict(arguments)) for name, arguments in wanted or self.wanted))]
        script += [says(text) for text in answers or self.answers]
        turn, events, left = asyncio.run(self._turn(root, script, tmp_path / "home"))
        return Had(turn, events, before, snapshot(root), left)

    async def _turn(self, root: Path, script: Any, home: Path) -> tuple[Turn, list[Event], list[str]]:
        flags = {"approve": "all", "max_iterations": 1_000, "max_holds": len(script) - 2}
        app, _ = scripted_app(script, root, flags=flags, environ=environ_in(home))
        context = PluginContext(PLUGIN, str(root), self.settings or {})
        app.composition = app.composition.adding(self.kind, self.make(), context)
        events: list[Event] = []
        try:
            session = app.session()
            session.state.journal.listeners.append(events.append)
            turn = await session.run("go")
            return turn, events, await tasks_left(self.grace_s)
        finally:
            await app.aclose()


class RewriterContract(_Part):
    """Tests of a rewriter.

    class TestCareful(RewriterContract):
        wanted = (("search_files", {"query": "a"}),)

        def make(self):
            return Careful()
    """

    kind = "rewriters"

    def test_a_call_that_it_rewrote_stays_as_it_is(self, tmp_path: Path) -> None:
        """Asked about what it made of a call, it makes nothing else of it."""
        had = self._had(tmp_path)
        became = [
            (data["name"], data["arguments"]) for data in had.of("call.rewritten") if data["arguments"] is not None
        ]
        again = self._had(tmp_path, became) if became else None
        for data in again.of("call.rewritten") if again is not None else ():
            said = (data["name"], data["arguments"])
            assert data["arguments"] is None or said in became, f"what it made of a call it makes {said} of"

    def test_it_changes_nothing_itself(self, tmp_path: Path) -> None:
        """It looks before a call is approved."""
        had = self._had(tmp_path)
        ran = {path for data in had.of("file.changed") for path in (data["path"], data["new_path"])}
        changed = {path for path in {*had.before, *had.after} if had.before.get(path) != had.after.get(path)}
        assert changed <= ran, f"it changed {sorted(changed - ran)}: a rewriter looks, the call acts"


class ReviewerContract(_Part):
    """Tests of a reviewer.

    class TestReminder(ReviewerContract):
        wanted = (("write_file", {"file_path": "a.txt", "content": "a"}),)

        def make(self):
            return Reminder()
    """

    kind = "reviewers"

    def test_its_texts_are_short(self, tmp_path: Path) -> None:
        """A model reads them with every request that follows."""
        for data in self._had(tmp_path).of("call.reviewed"):
            assert len(data["text"]) < MOST_TEXT, "its text is cut: say less"

    def test_what_it_changes_is_the_calls(self, tmp_path: Path) -> None:
        """What it does through the context is recorded, and can be undone."""
        had = self._had(tmp_path)
        known = {path for data in had.of("file.changed") for path in (data["path"], data["new_path"])}
        changed = {path for path in {*had.before, *had.after} if had.before.get(path) != had.after.get(path)}
        assert changed <= known, f"it changed {sorted(changed - known)} past `context.workspace`"


class EndGuardContract(_Part):
    """Tests of an end guard.

    class TestPolite(EndGuardContract):
        answers = ("done", "thank you")

        def make(self):
            return Polite()
    """

    kind = "end_guards"
    answers: tuple[str, ...] = ("one", "two", "three")

    def test_its_reason_is_short(self, tmp_path: Path) -> None:
        """A model reads it with every request that follows."""
        for data in self._had(tmp_path).of("turn.held"):
            assert len(data["reason"]) < MOST_TEXT, "its reason is cut: say less"
