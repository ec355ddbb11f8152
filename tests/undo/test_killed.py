"""An undo or redo that is killed at any step is finished by the next one, byte for byte and mode for mode."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from inarch import ToolFailed, UndoReport
from inarch.calls.before_images import Keeping
from inarch.calls.lease import Handle, Lease
from inarch.contract.call_events import CallResult
from inarch.contract.events import TurnStarted
from inarch.contract.records import ToolResult, Turn
from inarch.journal.journal import Journal
from inarch.sessions.extension import Access
from inarch_plugins.sandbox_fs import restore
from inarch_plugins.sqlite_store.store import SqliteStore
from inarch_plugins.undo.undo_run import Undoing

Desk = Any
KILLED = 9
OPERATIONS = {"os.rename", "os.link", "os.symlink", "os.mkdir", "os.rmdir", "os.remove", "os.chmod", "killed.here"}
FILE, FOLDER = st.sampled_from(["a", "b", "d/a", "d/e/b", "t"]), st.sampled_from(["d", "f", "d/e", "a"])
SLOTS = 3
ACT = st.one_of(
    st.tuples(st.just("write"), FILE, st.sampled_from(["1", "2"])),
    st.tuples(st.just("delete"), FILE, st.just("")),
    st.tuples(st.just("move"), FILE, FILE),
    st.tuples(st.just("chmod"), st.one_of(FILE, FOLDER), st.sampled_from(["600", "755"])),
    st.tuples(st.just("move folder"), FOLDER, FOLDER),
)
SWAP = [("move", "a", "t"), ("move", "b", "a"), ("move", "t", "b")]


def text(name: str, value: str) -> bytes:
    """Return a file with room for what its owner changes at its end."""
    return f"{value} of {name}\n{'=' * 9}\n{'-' * 9}\n{'.' * 9}\nend\n".encode()


class Turns:
    """Turns of a desk whose acts go through what calls are given."""

    def __init__(self, desk: Desk) -> None:
        self.desk, self.calls = desk, 0
        for name in ("a", "b", "d/a"):
            desk.write(name, text(name, "0"))

    def take(self, acts: list[tuple[str, str, str]]) -> None:
        """Do these acts in one turn; those that can't be are passed over."""
        self.desk.journal.record(TurnStarted(Turn("t", "agent", None, "session", "")), "t")
        for act in acts:
            self.calls += 1
            keeping = Keeping(self.desk.scheduler._runner.around.keeper, f"c{self.calls}", self._record)
            try:
                self._act(keeping, *act)
            except (ToolFailed, OSError):
                pass
            self._record(CallResult(keeping.call_id, act[0], "done", ToolResult(True)))
        self.desk.journal.flush()

    def _record(self, *payloads: Any, at_once: bool = True) -> None:
        self.desk.journal.keep(payloads, "t")

    def _act(self, keeping: Keeping, how: str, path: str, value: str) -> None:
        place = self.desk.root / path
        if how in ("chmod", "move folder"):
            with keeping.comparing(("",)):
                place.chmod(int(value, 8)) if how == "chmod" else place.rename(self.desk.root / value)
            return
        known = self.desk.workspace.digest(path) if place.is_file() else None
        handle = Handle(self.desk.workspace, Lease("call"), {path: known} if known else {}, keeping)
        if how == "write":
            handle.replace(path, [text(path, value)], known)
        elif known is not None:
            handle.remove(path, known) if how == "delete" else handle.move(path, value, known)


def put_back(desk: Desk, action: Any, store: Any = None) -> UndoReport:
    store = store or desk.store
    return Undoing(Access(desk.workspace, Journal(store, "session", seq=store.load("session")[-1].seq))).run(action)


def killed(desk: Desk, action: str, step: int) -> bool:
    """Undo or redo in another process, which ends at once before this operation; return whether there were so many."""
    child = os.fork()
    if child == 0:
        _die_before(step)
        try:
            store = SqliteStore(str(desk.folder / "state"))
            for owner, name in ((restore, "rename_new"), (store, "append")):
                setattr(owner, name, _counted(getattr(owner, name)))
            put_back(desk, action, store)
            os._exit(0)
        finally:
            os._exit(1)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, KILLED)
    return code == KILLED


def _counted(function: Callable[..., Any]) -> Callable[..., Any]:
    def counted(*given: Any) -> Any:
        sys.audit("killed.here")
        done = function(*given)
        sys.audit("killed.here")
        return done

    return counted


def _die_before(step: int) -> None:
    left = step

    def saw(event: str, given: tuple[Any, ...]) -> None:
        nonlocal left
        if event in OPERATIONS or (event == "open" and given[2] & os.O_CREAT):
            left -= 1
            if not left:
                os._exit(KILLED)

    sys.addaudithook(saw)


@contextmanager
def fresh(make_desk: Callable[..., Desk]) -> Iterator[Desk]:
    folder = tempfile.mkdtemp()
    desk = make_desk(folder=Path(folder))
    try:
        yield desk
    finally:
        desk.close()
        rmtree(folder)


@settings(
    max_examples=settings().max_examples // 12,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large],
)
@given(acts=st.lists(ACT, min_size=1, max_size=6), own=st.booleans())
@example(acts=[("write", "a", "1"), ("move", "a", "f/a")], own=False)
@example(acts=[("write", "a", "1"), ("move", "a", "f/a"), ("chmod", "f/a", "600")], own=True)
@example(acts=[*SWAP, ("write", "b", "1")], own=True)
@example(acts=[("delete", "a", ""), ("move", "d/a", "a/d"), ("chmod", "a", "700")], own=False)
def test_what_was_killed_at_any_step_is_finished_by_the_next_one(
    make_desk: Callable[..., Desk], acts: list[Any], own: bool
) -> None:
    with fresh(make_desk) as desk:
        Turns(desk).take(acts)
        if own:
            for place in [one for one in desk.root.rglob("*") if one.is_file()]:
                place.write_bytes(place.read_bytes() + b"and its owner's\n")
        after = desk.tree()
        if not put_back(desk, "undo").done:
            assert desk.tree() == after
            return  # nothing changed, or its owner is in the way
        before = desk.tree()
        assert put_back(desk, "redo").done
        again = desk.tree()
        for step in range(1, 500):
            was_killed = killed(desk, "undo", step)
            put_back(desk, "undo")
            assert desk.tree() == before, f"undo, step {step}"
            was_killed = killed(desk, "redo", step) or was_killed
            put_back(desk, "redo")
            assert desk.tree() == again, f"redo, step {step}"
            if not was_killed:
                return


def test_what_its_owner_changed_after_an_undo_was_killed_is_a_conflict_and_stays(desk: Desk) -> None:
    Turns(desk).take([("write", "a", "1"), ("move", "a", "f/a"), ("write", "b", "1")])
    for step in range(1, 500):
        was_killed = killed(desk, "undo", step)
        if not was_killed:
            break
        for name in ("a", "f/a", "b"):
            if (place := desk.root / name).exists():
                present = place.read_bytes()
                place.write_bytes(b"my own line\n" + present.split(b"\n", 1)[1])
                mine = desk.tree()
                report = put_back(desk, "undo")
                assert not report.done and name in {one.path for one in report.conflicts} | {"f/a"}, (name, step)
                assert desk.tree() == mine
                place.write_bytes(present)
    assert step > 5
