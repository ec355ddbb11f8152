from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from inarch.calls.context import MOST_LIVE
from inarch.contract.errors import Cancelled
from inarch.contract.records import Effects
from inarch.journal.redactor import Redactor
from inarch_sdk.tool_decorator import tool

Kitchen = Any
ANY = Effects(exclusive=True)


@tool(effects=ANY, category="file")
def read(path: str, context: Any) -> str:
    """Read."""
    return str(context.workspace.read(path).data.decode())


@tool(effects=ANY)
def overwrite(path: str, context: Any, fails: bool = False) -> None:
    """Look at a file and overwrite it."""
    present = context.workspace.read(path)
    context.workspace.replace(path, [b"new"], present.hash)
    if fails:
        raise ValueError("after the change")


@tool(effects=ANY)
def remove(path: str, context: Any) -> None:
    """Remove."""
    context.workspace.remove(path, context.workspace.read(path).hash)


@tool(effects=ANY)
def move(path: str, new_path: str, context: Any) -> None:
    """Move."""
    context.workspace.move(path, new_path, context.workspace.read(path).hash)


TOOLS = (read, overwrite, remove, move)


@pytest.mark.parametrize("name", ["remove", "move"])
def test_a_file_nobody_could_read_can_still_go_but_not_one_that_changed(kitchen: Kitchen, name: str) -> None:
    kitchen.file("binary", b"\0", seen=False)
    kitchen.file("a", b"old")
    (kitchen.folder / "a").write_bytes(b"changed by somebody else")
    scheduler = kitchen.scheduler(*TOOLS)
    more = [{"new_path": "b"}, {"new_path": "c"}] if name == "move" else [{}, {}]
    gone, kept = kitchen.run(
        scheduler, kitchen.part(name, path="binary", **more[0]), kitchen.part(name, path="a", **more[1])
    )
    assert gone.status == "success"
    assert not (kitchen.folder / "binary").exists()
    assert kept.result.error.code == "conflict"
    assert (kitchen.folder / "a").exists()


def test_what_the_session_has_not_read_is_not_overwritten(kitchen: Kitchen) -> None:
    kitchen.file("a", b"old", seen=False)
    scheduler = kitchen.scheduler(*TOOLS)
    changing = kitchen.part("overwrite", path="a")
    for _ in range(2):  # the failed call's own look at the file doesn't count
        (call,) = kitchen.run(scheduler, changing)
        assert call.result.error.code == "conflict"
        assert "a has not been read in this session" in call.result.error.message
        assert "read it first" in call.result.error.remedy
        assert (kitchen.folder / "a").read_bytes() == b"old"
    done = kitchen.run(scheduler, kitchen.part("read", path="./a"), changing)
    assert [call.status for call in done] == ["success", "success"]


def test_a_file_that_changed_since_it_was_read_is_not_overwritten(kitchen: Kitchen) -> None:
    kitchen.file("a", b"old")
    (kitchen.folder / "a").write_bytes(b"changed by somebody else")
    (call,) = kitchen.run(kitchen.scheduler(*TOOLS), kitchen.part("overwrite", path="a"))
    assert call.result.error.message.startswith("a has changed since it was last read")


def test_reads_and_writes_are_recorded_with_the_call(kitchen: Kitchen) -> None:
    old = kitchen.file("a", b"old")
    scheduler = kitchen.scheduler(*TOOLS)
    looked, written, moved = kitchen.run(
        scheduler,
        kitchen.part("read", path="a"),
        kitchen.part("overwrite", path="a"),
        kitchen.part("move", path="a", new_path="b"),
    )
    assert looked.result.metadata["files"] == {"a": old}
    new = written.result.metadata["files"]["a"]
    assert new != old
    assert moved.result.metadata["files"] == {"a": None, "b": new}
    assert kitchen.seen == {"b": new}
    changes = [
        (event.data["path"], event.data["before"], event.data["after"]) for event in kitchen.of_kind("file.changed")
    ]
    assert changes == [("a", old, new), ("a", new, new)]


def test_a_change_is_recorded_before_the_result_even_if_the_tool_then_fails(kitchen: Kitchen) -> None:
    kitchen.file("a", b"old")
    call = kitchen.call(overwrite, path="a", fails=True)
    assert call.status == "error"
    assert kitchen.seen["a"] == call.result.metadata["files"]["a"]
    kinds = [event.kind for event in kitchen.events]
    assert kinds.index("file.changed") < kinds.index("call.result")


def _leaked(kitchen: Kitchen, how: str) -> tuple[Any, Any]:
    kept: list[Any] = []

    @tool(timeout_s=0.02 if how == "timeout" else 30, effects=ANY)
    async def leak(context: Any) -> None:
        """Keep the context beyond the end."""
        kept.extend([context, context.workspace])
        if how != "success":
            await asyncio.sleep(60)

    scheduler = kitchen.scheduler(leak)

    async def drive() -> None:
        task = asyncio.ensure_future(scheduler.run("turn", [kitchen.part("leak")]))
        await kitchen.until(lambda: kept)
        if how == "cancel":
            task.cancel()
        await asyncio.wait([task])

    asyncio.run(drive())
    return kept[0], kept[1]


@pytest.mark.parametrize("how", ["success", "timeout", "cancel"])
def test_every_use_of_a_handle_after_the_end_raises_cancelled(kitchen: Kitchen, how: str) -> None:
    digest = kitchen.file("a", b"old")
    context, workspace = _leaked(kitchen, how)
    uses = [
        lambda: workspace.read("a"),
        lambda: workspace.stat("a"),
        lambda: workspace.walk(),
        lambda: workspace.search("x"),
        lambda: workspace.replace("a", [b"late"], digest),
        lambda: workspace.replace("b", [b"late"], None),
        lambda: workspace.remove("a", digest),
        lambda: workspace.move("a", "b", digest),
        lambda: workspace.restore("a", None, b"late"),
        lambda: context.workspace,
        lambda: context.emit("late"),
        lambda: context.output("ref"),
        lambda: context.state,
    ]
    for use in uses:
        with pytest.raises(Cancelled):
            use()
    assert (kitchen.folder / "a").read_bytes() == b"old"
    assert not (kitchen.folder / "b").exists()
    assert context.cancelled.is_set() is (how != "success")


def test_a_write_in_progress_is_stopped_when_the_handle_is_revoked(kitchen: Kitchen) -> None:
    started = threading.Event()

    @tool(effects=ANY, timeout_s=0.05)
    def drip(context: Any) -> None:
        """Write without end."""

        def chunks() -> Any:
            while True:
                started.set()
                context.cancelled.wait(0.001)
                yield b"x"

        context.workspace.replace("a", chunks(), None)

    assert kitchen.call(drip).result.error.code == "timeout"
    assert started.is_set()
    assert not (kitchen.folder / "a").exists()


def test_the_context_knows_its_call_and_has_a_folder_of_its_own(kitchen: Kitchen) -> None:
    @tool(effects=ANY)
    def note(context: Any) -> list[Any]:
        """Keep a note."""
        (context.state / "note").write_text("kept")
        with pytest.raises(TypeError):
            context.seen["a"] = "forged"
        return [context.turn_id, context.call_id, context.selection]

    person = kitchen.approving()
    person.selection = "line 3"
    (call,) = kitchen.run(kitchen.scheduler(note, front_end=person), kitchen.part("note"))
    assert call.result.data == ["turn", call.id, "line 3"]
    assert (kitchen.folder / ".state" / "note").read_text() == "kept"


def _shown(kitchen: Kitchen) -> str:
    return "".join(event.data["text"] for event in kitchen.of_kind("call.output"))


def test_live_output_is_coalesced_and_comes_before_the_result(kitchen: Kitchen) -> None:
    @tool(effects=ANY)
    def talk(context: Any) -> None:
        """Emit a lot of small chunks."""
        for number in range(1000):
            context.emit(f"{number} ")

    @tool(effects=ANY)
    async def talk_here(context: Any) -> None:
        """Emit on the loop."""
        for number in range(1000):
            context.emit(f"{number} ")

    for value in (talk, talk_here):
        kitchen.events.clear()
        kitchen.call(value)
        assert _shown(kitchen) == "".join(f"{number} " for number in range(1000))
        assert len(kitchen.of_kind("call.output")) < 100
        assert kitchen.events[-1].kind == "call.result"


def test_live_output_is_capped_and_says_so_once(kitchen: Kitchen) -> None:
    @tool(effects=ANY)
    def flood(context: Any) -> None:
        """Emit far too much."""
        for _ in range(300):
            context.emit("x" * 999 + "\n")

    kitchen.call(flood)
    shown = _shown(kitchen)
    assert 0 <= shown.count("x" * 999 + "\n") * 1000 - MOST_LIVE <= 1000
    assert shown.count("further live output is not shown") == 1


@pytest.mark.parametrize(
    ("category", "declared"),
    [("file", Effects()), ("file", Effects(writes=frozenset({"b", "a.txt", "sub/"}))), ("search", ANY)],
)
def test_a_call_writes_only_where_it_declared_to(kitchen: Kitchen, category: Any, declared: Effects) -> None:
    known = kitchen.file("a", b"old")

    @tool(effects=declared, category=category)
    def sneaky(how: str, context: Any) -> None:
        """Change what nobody was asked about."""
        if how == "replace":
            context.workspace.replace("a", [b"new"], known)
        elif how == "remove":
            context.workspace.remove("a", known)
        elif how == "restore":
            context.workspace.restore("a", context.workspace.stat("a"), b"new")
        else:
            context.workspace.move("a", "b", known)

    for how in ("replace", "remove", "move", "restore"):
        done = kitchen.call(sneaky, how=how)
        assert done.result.error.code == "permission", how
        assert (kitchen.folder / "a").read_bytes() == b"old"


def test_the_error_of_a_call_that_never_ran_holds_no_secret(kitchen: Kitchen) -> None:
    kitchen.journal.redactor = Redactor.from_environ({"ACME_API_KEY": "sk-5ecret-of-mine"})
    (done,) = kitchen.run(kitchen.scheduler(*TOOLS), kitchen.part("sk-5ecret-of-mine"))
    assert "sk-5ecret" not in done.result.error.message
