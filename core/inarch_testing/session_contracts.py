"""Contract tests for tools that use an inbox or child sessions. Running them requires pytest."""

from __future__ import annotations

import asyncio
import io
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

from inarch.contract.errors import ProviderError
from inarch.contract.interventions import MOST_TEXT
from inarch.contract.ports import Tool
from inarch.contract.records import ToolCall, ToolResult
from inarch_testing.model_bench import tasks_left
from inarch_testing.scripted import NASTY_TEXTS, Step, says
from inarch_testing.session_bench import SessionBench, Talk, faults_of_tasks, session_bench
from inarch_testing.tool_bench import in_json, text_arguments

Arguments = Mapping[str, Any]


class _InSession(ABC):
    """Base of the suites: sessions of a scripted model that calls the tool in each turn.

    arguments: Arguments of the call; required.
        arguments: Arguments of the call; needed.
        files: Path to text or bytes of the workspace's files before each test.
        settings: The value of `context.settings`.
        grace_s: Timeout in seconds.
    """

    arguments: Arguments | None = None
    files: Mapping[str, str | bytes] = {}
    settings: Any = MappingProxyType({})
    grace_s: float = 30.0

    @abstractmethod
    def make(self) -> Tool:
        """Return the tool."""

    def bench(
        self, tmp_path: Path, wanted: Sequence[Arguments] = (), answers: Sequence[Step] = ()
    ) -> AbstractContextManager[SessionBench]:
        """Compose an application with the tool in it."""
        assert self.arguments is not None, "give `arguments`: a mapping of those with which the tool is called"
        wanted = wanted or [self.arguments]
        return session_bench(self.make(), tmp_path, self.files, self.settings, wanted, answers, self.grace_s)


class InboxContract(_InSession):
    """Tests of a tool that sends messages to the model by `context.inbox`. Inherit `ToolContract` as well.

    class TestRemind(InboxContract):
        arguments = {"seconds": 0.1, "text": "the tea is ready"}

        def make(self):
            return remind
    """

    def test_what_it_says_reaches_the_model(self, tmp_path: Path) -> None:
        """The next request contains it."""
        with self.bench(tmp_path) as bench:
            talk = asyncio.run(self._talked(bench, turns=2))
            asked = "\n".join(message.text for message in bench.model.requests[-1].messages)
            assert any(text in asked for text in talk.said), "the model did not receive its message"

    def test_its_words_are_short(self, tmp_path: Path) -> None:
        """Models read them with every later request."""
        with self.bench(tmp_path) as bench:
            talk = asyncio.run(self._talked(bench))
            longest = max(len(text) for text in talk.said)
            assert longest < MOST_TEXT, f"it said {longest} characters at once: name the place of the rest"

    def test_nothing_is_said_twice(self, tmp_path: Path) -> None:
        """The model would act on it each time."""
        with self.bench(tmp_path) as bench:
            talk = asyncio.run(self._talked(bench))
            again = sorted({text for text in talk.said if talk.said.count(text) > 1})
            assert not again, f"it said {again[0]!r:.200} more than once for one call"

    def test_any_text_is_taken(self, tmp_path: Path) -> None:
        """The call reports faulty arguments: later exceptions are lost."""
        tool, given = self.make(), dict(self.arguments or {})
        wanted = [
            {**given, name: value} for text in NASTY_TEXTS for name, value in text_arguments(tool.input_schema, text)
        ]

        async def go(bench: SessionBench) -> None:
            faults_of_tasks(bench)
            talk = bench.talk()
            begun = sum(_goes_on(call) for call in await talk.go())
            came = await bench.until(lambda: len(talk.said) >= begun)
            bench.check()
            assert came, f"of {begun} calls that succeeded {begun - len(talk.said)} said nothing"
            await bench.app.aclose()

        with self.bench(tmp_path, wanted) as bench:
            asyncio.run(go(bench))

    def test_sessions_keep_apart(self, tmp_path: Path) -> None:
        """A call's messages go to the session of that call."""

        async def go(bench: SessionBench) -> None:
            talks = [bench.talk(), bench.talk()]
            for talk in talks:
                await talk.go()
            came = await bench.until(lambda: all(talk.said for talk in talks))
            assert came, "one of two sessions got no message: keep `context.inbox` with the work, not with the tool"
            await bench.app.aclose()

        with self.bench(tmp_path) as bench:
            asyncio.run(go(bench))

    def test_nothing_is_left_running(self, tmp_path: Path) -> None:
        """If the application ends before a message, no task or thread delays the exit."""

        async def go(bench: SessionBench) -> list[str]:
            faults_of_tasks(bench)
            await bench.talk().go()
            await bench.app.aclose()
            return await tasks_left(self.grace_s)

        with self.bench(tmp_path) as bench:
            before = set(threading.enumerate())
            left = asyncio.run(go(bench))
            assert not left, f"tasks still run: {left}; await or cancel them"
            assert not (new := _lasting(before, self.grace_s)), f"threads still run: {new}; make them daemons"
            bench.check()

    def test_nothing_is_printed(self, tmp_path: Path) -> None:
        """Standard output belongs to the front end, also later."""
        out = io.StringIO()
        with self.bench(tmp_path) as bench, redirect_stdout(out), redirect_stderr(out):
            asyncio.run(self._talked(bench))
        assert not out.getvalue(), f"it printed {out.getvalue()!r:.200}: say it, or use context.emit"

    async def _talked(self, bench: SessionBench, turns: int = 1) -> Talk:
        """Run a turn, wait for the messages, and run the turns that follow."""
        faults_of_tasks(bench)
        talk = bench.talk()
        (call,) = await talk.go()
        assert _succeeded(call), f"a call with `arguments` should succeed, but: {_error(call)}"
        came = await bench.until(lambda: talk.said)
        bench.check()
        assert came, f"it said nothing within {self.grace_s:g} s: call context.inbox.say(text)"
        for _ in range(turns - 1):
            await talk.go()
        await bench.app.aclose()
        return talk


class ChildContract(_InSession):
    """Tests of a tool that uses a child session. Inherit `ToolContract` as well.

    class TestReview(ChildContract):
        arguments = {"file_path": "a.py"}

        def make(self):
            return review
    """

    def test_the_answer_comes_back(self, tmp_path: Path) -> None:
        """The call has a child, and its result contains the child's answer."""
        with self.bench(tmp_path, answers=[says("The moon is round.")]) as bench:
            talk, (call,) = self._went(bench)
            assert [one["status"] for one in talk.of("child.ended")] == ["done"], "no child was there, or it failed"
            assert "The moon is round." in _said(call), (
                f"the result doesn't have the child's answer: {_said(call):.300}"
            )

    def test_any_answer_is_taken(self, tmp_path: Path) -> None:
        """Models answer with any text."""
        for number, text in enumerate(NASTY_TEXTS):
            with self.bench(tmp_path / str(number), answers=[says(text)]) as bench:
                self._went(bench)

    def test_a_child_that_fails_is_told(self, tmp_path: Path) -> None:
        """The call fails instead of returning an answer."""
        with self.bench(tmp_path, answers=[[ProviderError("request", "there is no such model")]]) as bench:
            talk, (call,) = self._went(bench)
            assert talk.of("child.ended"), "no child was there"
            assert not _succeeded(call), "the child failed, and the call succeeded: look at `turn.status`"

    def test_where_there_can_be_none_it_is_told(self, tmp_path: Path) -> None:
        """Calls outside of sessions have no children, nor do calls at depth three."""

        async def go(bench: SessionBench) -> ToolResult:
            async with bench.app:
                return await bench.app.call_tool(bench.tool.name, dict(self.arguments or {}))

        with self.bench(tmp_path) as bench:
            result = asyncio.run(go(bench))
            bench.check()
            assert not result.success, "there could be no child, and the call succeeded: let ToolFailed pass"

    def test_two_at_once_keep_apart(self, tmp_path: Path) -> None:
        """Each of two calls in a reply returns the answer of its own child."""
        answers = ["The moon is round.", "The sea is deep."]
        wanted = [dict(self.arguments or {})] * 2
        with self.bench(tmp_path, wanted, [says(text) for text in answers]) as bench:
            _, asked = self._went(bench)
            found = sorted(text for call in asked for text in answers if text in _said(call))
            assert found == answers, (
                "of two calls at once not each has an answer of its own: keep no state between calls"
            )

    def test_a_cancel_ends_it(self, tmp_path: Path) -> None:
        """`CancelledError` passes through, and nothing continues."""

        async def go(bench: SessionBench) -> tuple[Talk, list[str]]:
            talk = bench.talk()
            turn = asyncio.create_task(talk.go())
            await bench.until(lambda: talk.of("child.started") or turn.done())
            assert not turn.done(), "the call had no child to wait for"
            turn.cancel()
            with suppress(asyncio.CancelledError):
                await turn
            left = await tasks_left(self.grace_s)
            await bench.app.aclose()
            return talk, left

        with self.bench(tmp_path, answers=[[3_600.0, *says("too late")]]) as bench:
            talk, left = asyncio.run(go(bench))
            assert not left, f"tasks still run after the cancel: {left}; await the child in the call"
            assert talk.of("child.ended"), "the child continued after the cancel"

    def test_the_turns_own_time_is_its_limit(self, tmp_path: Path) -> None:
        """A child is a whole turn, which a tool's usual timeout would cut."""
        limit = self.make().timeout_s
        assert limit == 0, f"timeout_s is {limit:g}: give 0.0, for the child's time ends with the turn's"

    def test_nothing_is_printed_or_left_running(self, tmp_path: Path) -> None:
        """Standard output belongs to the front end, and a turn must not wait."""
        out = io.StringIO()

        async def go(bench: SessionBench) -> list[str]:
            await bench.talk().go()
            await bench.app.aclose()
            return await tasks_left(self.grace_s)

        with self.bench(tmp_path) as bench:
            before = set(threading.enumerate())
            with redirect_stdout(out), redirect_stderr(out):
                left = asyncio.run(go(bench))
            assert not left, f"tasks still run: {left}; await or cancel them"
            assert not (new := _lasting(before, self.grace_s)), f"threads still run: {new}; join them"
        assert not out.getvalue(), f"it printed {out.getvalue()!r:.200}: return it, or use context.emit"

    def _went(self, bench: SessionBench) -> tuple[Talk, Sequence[ToolCall]]:
        """Run one turn, and close."""

        async def go() -> tuple[Talk, Sequence[ToolCall]]:
            talk = bench.talk()
            asked = await talk.go()
            await bench.app.aclose()
            return talk, asked

        found = asyncio.run(go())
        bench.check()
        return found


def _goes_on(call: ToolCall) -> bool:
    """Return whether a call succeeded and did not end with its work, as `runs_on` of its metadata says."""
    return _succeeded(call) and call.result is not None and bool(call.result.metadata.get("runs_on", True))


def _succeeded(call: ToolCall) -> bool:
    return call.result is not None and call.result.success


def _error(call: ToolCall) -> str:
    return str(call.result.error if call.result is not None else "it has no result")


def _said(call: ToolCall) -> str:
    return in_json(call.result) if call.result is not None else ""


def _lasting(before: set[threading.Thread], seconds: float) -> list[str]:
    """Return the new threads that would delay the exit, after time to end."""
    end = time.monotonic() + seconds
    while new := [one.name for one in threading.enumerate() if one not in before and not one.daemon]:
        if time.monotonic() > end:
            return new
        time.sleep(0.005)
    return []
