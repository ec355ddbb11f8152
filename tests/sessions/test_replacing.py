"""`compose(replacing=...)`: objects of a program in place of what is composed; what judges and records stays."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

import inarch
from inarch import Replacements
from inarch.testing import ScriptedModel, calls, says

PLACES = ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")


def options(tmp_path: Path, **more: Any) -> dict[str, Any]:
    (tmp_path / "work").mkdir(exist_ok=True)
    places = {name: str(tmp_path / name.lower()) for name in PLACES}
    return {"root": tmp_path / "work", "config": {}, "environ": places, "journal": False, **more}


@define
class Clock:
    """Ids and times that are the same in every run; waiting takes no time, and is noted."""

    numbers: Any = field(factory=lambda: itertools.count(1))
    now: float = 0.0
    waits: list[float] = field(factory=list)

    def new_id(self) -> str:
        return f"id-{next(self.numbers)}"

    def utc_now(self) -> str:
        return f"2026-01-02T03:04:{self.now % 60:09.6f}Z"

    def monotonic(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


@inarch.tool(category="file", effects=lambda arguments: inarch.Effects(writes=frozenset({arguments["file_path"]})))
def write_file(file_path: str, content: str) -> str:
    """Say what would be written."""
    return f"{content!r} would be in {file_path}"


def events(app: inarch.App, session: inarch.Session) -> list[inarch.Event]:
    session.state.journal.flush()
    return [*app.store.load(session.id)]


def test_a_model_and_a_clock_make_runs_the_same(tmp_path: Path) -> None:
    def run() -> list[tuple[str, str, Any]]:
        script = [calls(("list_directory", {"directory": "."})), says("nothing there")]
        replacing = Replacements(models=[ScriptedModel(script)], clock=Clock())
        with inarch.compose(**options(tmp_path), replacing=replacing) as app:
            session = app.session()
            turn = asyncio.run(session.run("what is here?"))
            assert (turn.content, turn.started) == ("nothing there", "2026-01-02T03:04:00.000000Z")
            assert (session.id, turn.id, turn.calls[0].id[:3]) == ("id-1", "id-3", "id-")
            return [(one.time, one.kind, one.data.get("call_id")) for one in events(app, session)]

    assert run() == run()


def code(turn: inarch.Turn) -> str:
    (result,) = (call.result for call in turn.calls)
    return result.error.code if result is not None and result.error is not None else ""


def test_a_tool_is_replaced_and_judged_as_ever(tmp_path: Path) -> None:
    script = [calls(("write_file", {"file_path": "a.txt", "content": "a"})), says("done")]

    def run(**more: Any) -> inarch.Turn:
        replacing = Replacements(models=[ScriptedModel(script)], tools=[write_file])
        with inarch.compose(**options(tmp_path, **more), replacing=replacing) as app:
            return asyncio.run(app.session().run("write"))

    assert code(run()) == "denied"
    (call,) = run(flags={"approve": "edits"}).calls
    assert call.result is not None and call.result.data == "'a' would be in a.txt"
    rules = {"rules": [{"tool": "write_file", "decision": "deny", "reason": "never"}]}
    assert code(run(flags={"approve": "all"}, config=rules)) == "denied"


@define
class Always:
    """Approves everything, for good in the project."""

    name: str = "always"
    asked: list[str] = field(factory=list)

    def show(self, event: inarch.Event) -> None:
        pass

    async def approve(self, batch: Any) -> list[inarch.Approval]:
        self.asked += [request.call.name for request in batch]
        return [inarch.Approval(request.call.id, "approve", "project") for request in batch]

    def close(self) -> None:
        pass


def test_what_was_approved_for_good_holds_neither_for_nor_from_a_replacement(tmp_path: Path) -> None:
    arguments = {"file_path": "a.txt", "content": "a"}

    def asked(replacing: Any = None) -> list[str]:
        person = Always()
        with inarch.compose(**options(tmp_path, front_end=person), replacing=replacing) as app:
            asyncio.run(app.call_tool("write_file", arguments))
            asyncio.run(app.call_tool("write_file", arguments))
        return person.asked

    same = Replacements(tools=[])
    wrapped = lambda composed: Replacements(tools=[Counting(composed.tools["write_file"].value)])  # noqa: E731
    assert len(asked(wrapped)) == 2  # each has grants of its own, and nothing was kept
    assert len(asked(same)) == 1
    assert asked(same) == []
    assert len(asked(wrapped)) == 2


@define
class Counting:
    """A tool around another one."""

    inner: inarch.Tool
    count: int = 0

    def run(self, arguments: Mapping[str, Any], context: inarch.ToolContext) -> Any:
        self.count += 1
        return self.inner.run(arguments, context)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


class Strategy:
    name = "native"

    async def decide(self, situation: inarch.Situation) -> inarch.Decision:
        return inarch.Decision("ask_model", reason="mine", strategy=self.name)


class Source:
    name = "structure"

    async def gather(self, situation: inarch.Situation) -> inarch.Contribution:
        return inarch.Contribution("what a program adds")


@define
class Watching:
    """A tracer in the place of another one."""

    name: str
    told: list[str] = field(factory=list)

    def saw(self, event: inarch.Event) -> None:
        self.told.append(event.kind)

    def summary(self, turn_id: str) -> None:
        return None

    def close(self) -> None:
        self.told.append("closed")


def test_strategies_sources_and_tracers_are_replaced(tmp_path: Path) -> None:
    model, tracer = ScriptedModel([says("done")]), Watching("brief-tracer")
    replacing = Replacements(models=[model], strategies=[Strategy()], context_sources=[Source()], tracers=[tracer])
    with inarch.compose(**options(tmp_path, flags={"strategy": ("native",)}), replacing=replacing) as app:
        session = app.session()
        asyncio.run(session.run("hello"))
        (decided,) = (one for one in events(app, session) if one.kind == "decision.made")
    assert decided.data["reason"] == "mine"
    assert "what a program adds" in str(model.requests[0].messages)
    assert tracer.told[0] == "session.started" and tracer.told[-1] == "closed"


def test_a_workspace_and_a_store_are_replaced(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "b.txt").write_text("elsewhere\n")
    store = inarch.open_store("memory", "")
    with inarch.compose(**options(tmp_path, root=tmp_path / "other")) as other:
        replacing = Replacements(models=[ScriptedModel([says("done")])], workspace=other.workspace, store=store)
        with inarch.compose(**options(tmp_path), replacing=replacing) as app:
            session = app.session()
            asyncio.run(session.run("read @b.txt"))
            assert "elsewhere" in str([one.data for one in store.load(session.id)])


@pytest.mark.parametrize(
    ("replacing", "message"),
    [
        (Replacements(tools=[inarch.FunctionTool]), "is a class; return an instance"),  # type: ignore[list-item]
        (Replacements(models=[object()]), "model provider .* has no texts 'name', 'default_model'"),  # type: ignore[list-item]
        (lambda composed: None, "None is not an inarch.Replacements"),
    ],
)
def test_what_is_no_such_part_is_refused(tmp_path: Path, replacing: Any, message: str) -> None:
    with pytest.raises(inarch.UsageError, match=message):
        inarch.compose(**options(tmp_path), replacing=replacing)


def test_a_name_that_is_not_there_is_refused(tmp_path: Path) -> None:
    @inarch.tool
    def write_fil(path: str) -> str:
        """Write."""
        return path

    with pytest.raises(inarch.UsageError, match="no tool 'write_fil' is composed") as caught:
        inarch.compose(**options(tmp_path), replacing=Replacements(tools=[write_fil]))
    assert caught.value.remedy == "did you mean 'write_file'?"
    with pytest.raises(inarch.UsageError, match="no tool 'write_file' is composed"):
        inarch.compose(**options(tmp_path), replacing=Replacements(tools=[write_file, write_file]))


@define
class Patient:
    """Sends a request when it is told to, asks again as often as it is told to, and has patience."""

    again: int = 0
    longest_silence_s: float = 1000.0
    longest_reply_s: float = 1000.0
    log: list[str] = field(factory=list)

    async def before(self, model: str, tokens: int, told: Any, patience: float = float("inf")) -> None:
        self.log.append("before")
        if self.again < 0:
            raise inarch.ProviderError("request", f"{model} is not to be asked today")

    def sent(self, model: str, tokens: int) -> None:
        self.log.append("sent")

    def corrected(self, model: str, estimated: int, used: int) -> None:
        self.log.append("corrected")

    def refused(self, model: str, error: inarch.ProviderError, attempt: int) -> float | None:
        self.log.append(f"refused {error.message}")
        return 30.0 if attempt <= self.again else None


@pytest.mark.parametrize(("again", "status", "asked"), [(0, "failed", 1), (1, "done", 2), (-1, "failed", 0)])
def test_a_program_says_when_requests_are_sent_and_sent_again(
    tmp_path: Path, again: int, status: str, asked: int
) -> None:
    busy = inarch.ProviderError("auth", "no", retryable=False)  # nobody else would ask again
    model, pacing, clock = ScriptedModel([[busy], says("now")]), Patient(again), Clock()
    replacing = Replacements(models=[model], pacing=pacing, clock=clock)
    with inarch.compose(**options(tmp_path), replacing=replacing) as app:
        assert asyncio.run(app.session().run("hello")).status == status
    assert (len(model.requests), pacing.log.count("sent")) == (asked, asked)
    assert clock.waits == [30.0] * max(again, 0)


@define
class Cabinet:
    """Keeps answers where the program wants them."""

    kept: dict[str, Any] = field(factory=dict)

    def scope_of(self, shape: str, tool: inarch.Tool) -> Any:
        return self.kept.get(shape)

    def remember(self, scope: inarch.ApprovalScope, shape: str, tool: inarch.Tool, words: str) -> None:
        if scope != "once":
            self.kept[shape] = scope


def test_lasting_approvals_are_kept_where_the_program_says(tmp_path: Path) -> None:
    cabinet, person = Cabinet(), Always()

    def write(path: str, **more: Any) -> inarch.ToolResult:
        given = options(tmp_path, front_end=person, **more)
        with inarch.compose(**given, replacing=Replacements(approvals=cabinet)) as app:
            return asyncio.run(app.call_tool("write_file", {"file_path": path, "content": "a"}))

    assert write("a.txt").success and write("a.txt").success and write("b.txt").success
    assert person.asked == ["write_file", "write_file"]  # a.txt once, by two applications
    assert [*cabinet.kept.values()] == ["project", "project"]
    assert not [*(tmp_path / "xdg_state_home").rglob("*approv*")]  # nothing is kept beside that
    cabinet.kept.clear()
    assert write("a.txt").success
    assert len(person.asked) == 3
    rules = {"rules": [{"tool": "write_file", "decision": "deny", "reason": "never"}]}
    refused = write("a.txt", config=rules)
    assert refused.error is not None and refused.error.code == "denied"  # it answers a question and no rule


def test_a_program_says_what_became_of_a_call_that_was_cut_off(tmp_path: Path) -> None:
    script = [calls(("write_file", {"file_path": "a.txt", "content": "a"})), says("done")]
    given = options(tmp_path, flags={"approve": "edits"})
    with inarch.compose(**given, replacing=Replacements(models=[ScriptedModel(script)], tools=[write_file])) as app:
        session = app.session()
        asyncio.run(session.run("write"))
        kept = events(app, session)
    (cut,) = (at for at, one in enumerate(kept) if one.kind == "call.result")
    asked: list[tuple[str, Any]] = []

    def settle(call_id: str, found: inarch.Settled) -> inarch.Settled:
        asked.append((call_id, found.result))
        return inarch.Settled(found.changes, inarch.ToolResult(True, "it was done elsewhere"))

    def resumed(settle: Any) -> inarch.ToolResult:
        store = inarch.open_store("memory", "")
        store.append(session.id, kept[:cut])
        replacing = Replacements(models=[ScriptedModel([says("on")])], store=store, settle=settle)
        with inarch.compose(**given, replacing=replacing) as app:
            (turn,) = app.session(session.id).turns
        (call,) = turn.calls
        assert call.result is not None
        return call.result

    assert "before this call changed anything" in str(resumed(None).error)  # so the files say
    assert resumed(settle).data == "it was done elsewhere"
    assert [one for one, _ in asked] == [kept[cut].data["call_id"]]
    assert "before this call changed anything" in str(asked[0][1].error)
