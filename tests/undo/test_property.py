"""Random edits by turns, by commands and by the owner, undone and done again, against a model that is easy to see."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import attrs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inarch.calls.before_images import Keeper, Keeping
from inarch.calls.lease import Handle, Lease
from inarch.contract.call_events import FileChanged
from inarch.contract.events import SessionStarted, TurnStarted
from inarch.contract.records import Turn
from inarch.journal.journal import Journal
from inarch.sessions.extension import Access
from inarch_plugins.sandbox_fs.workspace import FolderWorkspace
from inarch_plugins.undo.undo_run import Undoing
from inarch_sdk.memory_store import MemoryStore

FILES, SLOTS = ("a", "b"), 3
Place = tuple[str, int]
PLACE = st.tuples(st.sampled_from(FILES), st.integers(0, SLOTS - 1))
VALUE = st.sampled_from(["red", "green", "blue"])
EDIT = st.tuples(st.sampled_from(["turn", "command", "owner"]), st.dictionaries(PLACE, VALUE, min_size=1, max_size=3))
STEPS = st.lists(st.one_of(EDIT, st.sampled_from(["undo", "redo"])), max_size=14)


def text(slots: dict[Place, str], name: str) -> bytes:
    """Return a file: its slots, each between lines that there are once.

    What a slot has says which it is: the same line in two slots is one that may have moved, as far as anybody can tell.
    """
    return "".join(f"-- {name}{at} --\n{slots[name, at]} in {at}\n" for at in range(SLOTS)).encode()


@attrs.define
class Model:
    """What every slot has, and which change of which turn stands."""

    slots: dict[Place, str]
    turns: list[dict[Place, tuple[str, str]]] = attrs.field(factory=list)
    undone: list[int] = attrs.field(factory=list)

    def undo(self) -> bool:
        standing = [number for number in range(len(self.turns)) if number not in self.undone]
        if not standing:
            return False
        done = self._apply({place: (new, old) for place, (old, new) in self.turns[standing[-1]].items()})
        if done:
            self.undone.append(standing[-1])
        return done

    def redo(self) -> bool:
        if not self.undone or not self._apply(self.turns[self.undone[-1]]):
            return False
        self.undone.pop()
        return True

    def _apply(self, change: dict[Place, tuple[str, str]]) -> bool:
        """Change slots that are as they were left; one that is neither that nor what it will be is a conflict."""
        if any(self.slots[place] not in sides for place, sides in change.items()):
            return False
        self.slots |= {place: new for place, (_, new) in change.items()}
        return True


class Files:
    """The same with real files, through what calls are given to change them."""

    def __init__(self, folder: str) -> None:
        self.root = Path(folder)
        self.workspace = FolderWorkspace.open(folder)
        self.journal = Journal(MemoryStore(), "session")
        self.journal.record(SessionStarted(folder, "test"))
        self.keeper = Keeper(self.journal, self.workspace)
        self.turns = 0

    def write(self, slots: dict[Place, str]) -> None:
        for name in FILES:
            (self.root / name).write_bytes(text(slots, name))

    def change(self, how: str, slots: dict[Place, str]) -> None:
        self.turns += 1
        turn_id = f"t{self.turns}"
        self.journal.record(TurnStarted(Turn(turn_id, "agent", None, "session", "")), turn_id)

        def record(*payloads: Any, at_once: bool = True) -> None:
            assert all(payload.kept for payload in payloads if isinstance(payload, FileChanged))
            self.journal.keep(payloads, turn_id)

        keeping = Keeping(self.keeper, f"c{self.turns}", record)
        if how == "command":
            with keeping.comparing(("",)):
                self.write(slots)
            return
        seen = {name: self.workspace.digest(name) for name in FILES}
        handle = Handle(self.workspace, Lease("call"), seen, keeping)
        for name in FILES:
            if (self.root / name).read_bytes() != text(slots, name):
                handle.replace(name, [text(slots, name)], seen[name])

    def put_back(self, action: Any) -> bool:
        self.journal.flush()
        return Undoing(Access(self.workspace, self.journal)).run(action).done


@settings(max_examples=settings().max_examples // 2, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS)
def test_files_do_what_the_model_does(steps: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files, model = Files(folder), Model({(name, at): "black" for name in FILES for at in range(SLOTS)})
        files.write(model.slots)
        try:
            for step in steps:
                if step in ("undo", "redo"):
                    assert files.put_back(step) == (model.undo() if step == "undo" else model.redo())
                else:
                    how, edit = step
                    if how != "owner":
                        changed = {at: (model.slots[at], new) for at, new in edit.items() if model.slots[at] != new}
                        files.change(how, model.slots | edit)
                        if changed:
                            model.turns.append(changed)
                    model.slots |= edit
                    files.write(model.slots)
                assert {name: (files.root / name).read_bytes() for name in FILES} == {
                    name: text(model.slots, name) for name in FILES
                }
        finally:
            files.workspace.close()


NAME = st.sampled_from(["a", "b", "d/a", "d/b", "d/e/c"])
BYTES = st.sampled_from([b"", b"1\n", b"1\n2\n", b"\0binary", b"1\r\n2"])
TREE = st.dictionaries(NAME, st.tuples(BYTES, st.sampled_from([0o644, 0o755, 0o600])), max_size=5)


@settings(max_examples=settings().max_examples // 2, suppress_health_check=[HealthCheck.too_slow])
@given(TREE, TREE, st.booleans())
def test_undo_then_redo_gives_the_same_bytes_and_modes(
    before: dict[str, tuple[bytes, int]], after: dict[str, tuple[bytes, int]], tidies: bool
) -> None:
    def lay(tree: dict[str, tuple[bytes, int]]) -> None:
        for place in sorted(root.rglob("*"), reverse=True):
            if place.is_file():
                place.unlink()
            elif tidies:
                place.rmdir()
        for path, (data, mode) in tree.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(data)
            (root / path).chmod(mode)

    def found() -> dict[str, tuple[int, bytes]]:
        places = sorted(root.rglob("*"))
        return {
            str(place.relative_to(root)): (place.stat().st_mode, place.read_bytes() if place.is_file() else b"")
            for place in places
        }

    with tempfile.TemporaryDirectory() as folder:
        files, root = Files(folder), Path(folder)
        try:
            lay(before)
            first = found()
            keeping = Keeping(files.keeper, "c1", lambda *payloads, **_: files.journal.keep(payloads, "t1"))
            with keeping.comparing(("",)):
                lay(after)
            second = found()
            assert files.put_back("undo") is (first != second)
            assert found() == first
            assert files.put_back("redo") is (first != second)
            assert found() == second
        finally:
            files.workspace.close()
