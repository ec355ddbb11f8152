"""Contract tests for rewriters, reviewers and end guards, to inherit. Running them requires pytest."""

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
    """Completed turn with the tested object."""

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
        """The first failure of the tested object."""
        return next((str(data["message"]) for data in self.of("error") if data["plugin"] == PLUGIN), "")


class _Part(ABC):
    """Base of the suites: whole turns of a scripted model, which calls tools of sandbox-fs and then answers.

    Attributes:
        wanted: Pairs of a tool's name and arguments, the calls of a turn.
        answers: The model's final answers, in order.
        files: Path to text or bytes of the workspace's files before each test.
        settings: The settings of its plugin.
        grace_s: Seconds within which tasks that it started must end.
    """

    kind: str
    wanted: Wanted = (("read_file", {"file_path": "README.md"}),)
    answers: tuple[str, ...] = ("done",)
    files: Mapping[str, str | bytes] = {"README.md": "# Example\n"}
    settings: Any = None
    grace_s: float = 30.0

    @abstractmethod
    def make(self) -> Any:
        """Return a new object."""

    def test_name_and_method_fit(self, tmp_path: Path) -> None:
        """The kernel accepts the object."""
        assert not (fault := fault_of(self.kind, self.make())), fault

    def test_what_it_says_is_well_formed_and_in_time(self, tmp_path: Path) -> None:
        """None of its results is skipped, and the turn succeeds."""
        had = self._had(tmp_path)
        assert not had.skipped, had.skipped
        assert had.turn.status == "done", f"the turn is {had.turn.status}"

    def test_any_text_is_taken(self, tmp_path: Path) -> None:
        """Models write any text."""
        wanted = [
            (name, {key: text if isinstance(value, str) else value for key, value in arguments.items()})
            for text in NASTY_TEXTS
            for name, arguments in self.wanted
        ]
        had = self._had(tmp_path, wanted, NASTY_TEXTS)
        assert not had.skipped, had.skipped

    def test_nothing_is_printed_or_left_running(self, tmp_path: Path) -> None:
        """Standard output belongs to the front end, and a turn must not wait."""
        out = io.StringIO()
        with redirect_stdout(out), redirect_stderr(out):
            had = self._had(tmp_path)
        assert not out.getvalue(), f"it printed {out.getvalue()!r:.200}"
        assert not had.left, f"tasks still run: {had.left}; await or cancel them"

    def _had(self, tmp_path: Path, wanted: Wanted = (), answers: Sequence[str] = ()) -> Had:
        """Run a turn."""
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
        """A second call for its own rewrite changes nothing more."""
        had = self._had(tmp_path)
        became = [
            (data["name"], data["arguments"]) for data in had.of("call.rewritten") if data["arguments"] is not None
        ]
        again = self._had(tmp_path, became) if became else None
        for data in again.of("call.rewritten") if again is not None else ():
            said = (data["name"], data["arguments"])
            assert data["arguments"] is None or said in became, f"rewriting its own rewrite gave {said}"

    def test_it_changes_nothing_itself(self, tmp_path: Path) -> None:
        """It runs before approval, so it must not act."""
        had = self._had(tmp_path)
        ran = {path for data in had.of("file.changed") for path in (data["path"], data["new_path"])}
        changed = {path for path in {*had.before, *had.after} if had.before.get(path) != had.after.get(path)}
        assert changed <= ran, f"it changed {sorted(changed - ran)}: a rewriter must not change files"


class ReviewerContract(_Part):
    """Tests of a reviewer.

    class TestReminder(ReviewerContract):
        wanted = (("write_file", {"file_path": "a.txt", "content": "a"}),)

        def make(self):
            return Reminder()
    """

    kind = "reviewers"

    def test_its_texts_are_short(self, tmp_path: Path) -> None:
        """Models read them with every later request."""
        for data in self._had(tmp_path).of("call.reviewed"):
            assert len(data["text"]) < MOST_TEXT, "its text is cut: shorten it"

    def test_what_it_changes_is_the_calls(self, tmp_path: Path) -> None:
        """Its changes through the context are recorded and can be undone."""
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
        """Models read it with every later request."""
        for data in self._had(tmp_path).of("turn.held"):
            assert len(data["reason"]) < MOST_TEXT, "its reason is cut: shorten it"
