"""Contract tests for interactive front ends, to inherit. Running them requires pytest, importing does not."""

from __future__ import annotations

import io
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

from attrs import define, evolve, field

from inarch import App, ConfigError, FrontEnd, FrontEndOptions, InteractiveFrontEnd, Launch, Session
from inarch_sdk.port_checks import fault_of
from inarch_testing.apps import scripted_app
from inarch_testing.scripted import ScriptedModel, says

PROMPTS = ("what is this?", "and who wrote it?")


@define(eq=False)
class ScriptedLaunch:
    """Launch of the suite's front ends: a scripted model answers each prompt."""

    root: str
    fault: ConfigError | None = None
    options: FrontEndOptions = field(factory=FrontEndOptions)
    output: str = "text"
    apps: list[App] = field(factory=list)
    model: ScriptedModel = field(factory=lambda: ScriptedModel([says("one"), says("two")]))

    @property
    def state_dir(self) -> Path:
        """Return a folder of the test."""
        return Path(self.root, "state")

    def compose(self, front_end: FrontEnd | None = None) -> App:
        """Compose an application."""
        if self.fault is not None:
            raise self.fault
        app, _ = scripted_app(self.model, self.root, front_end=front_end)
        self.apps.append(app)
        return app

    def session(self, app: App) -> Session:
        """Begin a session."""
        return app.session()

    async def run(self, session: Session, prompt: str) -> int:
        """Run a turn."""
        return int((await session.run(prompt)).status != "done")

    def changed(self, *, model: str | None = None, profile: str | None = None) -> Launch:
        """Change nothing."""
        return evolve(self)


class ConversationContract(ABC):
    """Tests of an interactive front end that reads lines; `typing` provides them.

    class TestLines(ConversationContract):
        def make(self):
            return Lines()
    """

    @abstractmethod
    def make(self) -> InteractiveFrontEnd:
        """Return a new front end."""

    @contextmanager
    def typing(self, lines: Sequence[str]) -> Iterator[None]:
        """Provide these lines and then the end of input; by default on standard input."""
        before, sys.stdin = sys.stdin, io.StringIO("".join(f"{line}\n" for line in lines))
        try:
            yield
        finally:
            sys.stdin = before

    def test_members_fit(self, tmp_path: Path) -> None:
        """The kernel accepts the front end, and it can converse."""
        front_end = self.make()
        assert not (fault := fault_of("front_ends", front_end)), fault
        assert callable(getattr(front_end, "converse", None)), "it has no method converse"

    def test_every_prompt_runs_in_one_session(self, tmp_path: Path) -> None:
        """Prompts run in the order of input, and the second turn knows the first."""
        launch = ScriptedLaunch(str(tmp_path))
        assert self._talked(launch, PROMPTS) == 0, "the exit code isn't 0"
        asked = [[part.text for part in request.messages if part.role == "user"] for request in launch.model.requests]
        assert len(asked) == len(PROMPTS), f"{len(asked)} prompts of {len(PROMPTS)} were run"
        assert [text.startswith(PROMPTS[0]) for text in asked[1]] == [True, False], "the session is not the same"
        assert asked[1][1].startswith(PROMPTS[1])

    def test_the_end_of_input_ends_it(self, tmp_path: Path) -> None:
        """Without input it ends at once with exit code 0 and without a turn."""
        launch = ScriptedLaunch(str(tmp_path))
        assert self._talked(launch, ()) == 0, "the exit code isn't 0"
        assert not launch.model.requests, "a turn ran without a prompt"

    def test_what_was_composed_is_closed(self, tmp_path: Path) -> None:
        """The front end that composes also closes."""
        launch = ScriptedLaunch(str(tmp_path))
        self._talked(launch, PROMPTS[:1])
        assert all(app.is_closed for app in launch.apps), "the application is still open: await app.aclose()"

    def test_what_keeps_it_from_composing_is_raised(self, tmp_path: Path) -> None:
        """The error passes unchanged: the program prints it in one line, with the remedy."""
        fault = ConfigError("a key is wrong", key="model")
        try:
            self._talked(ScriptedLaunch(str(tmp_path), fault), PROMPTS)
        except ConfigError as error:
            assert error is fault
        else:
            raise AssertionError("the error that compose raised is lost")

    def _talked(self, launch: ScriptedLaunch, lines: Sequence[str]) -> int:
        with self.typing(lines), redirect_stdout(io.StringIO()):
            return self.make().converse(launch)
