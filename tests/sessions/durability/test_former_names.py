"""What an older version left under the names it wrote files by goes with the next write of the same file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from inarch.config.trust import Trust
from inarch_lib.staging import temporary_name, write_whole
from inarch_plugins.commands.sessions.export import write_export
from inarch_plugins.dispatch.cache import DecisionCache
from inarch_plugins.sqlite_store.blobs import Blobs

HASH, ID = "a1" * 32, "01890a5d-ac96-774b-bcce-b302099a8057"
HOUR_S = 3600


WRITERS: dict[str, tuple[Callable[[Path], object], str]] = {
    "blob": (lambda folder: Blobs(folder).put("s", HASH, b"x"), f"s/.{HASH}-4711-140123"),
    "export": (lambda folder: write_export(lambda out: out.write("x"), folder / "a.html"), f".a.html.{ID}.part"),
    "cache": (lambda folder: DecisionCache(folder / "chosen.json").clear(), "chosen.json.4711"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_the_next_write_sweeps_what_an_older_version_left(tmp_path: Path, name: str) -> None:
    write, left = WRITERS[name]
    place = tmp_path / "place"
    old, young, other = place / left, place / left.replace("4711", "4712").replace("a1", "a2"), place / f"{left}.txt"
    for path in (old, young, other):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"half")
    for path in (old, other):
        os.utime(path, (path.stat().st_mtime - 2 * HOUR_S,) * 2)
    write(place)
    assert not old.exists()
    assert young.exists() or young == old
    assert other.exists()


def test_a_leftover_is_not_a_file_of_a_project(tmp_path: Path) -> None:
    root, state = tmp_path / "root", tmp_path / "state"
    (root / ".inarch").mkdir(parents=True)
    (root / ".inarch" / "memory.md").write_bytes(b"old")
    files = Trust(str(root), state).standing().files
    Trust(str(root), state).grant(files)
    folder = os.open(root / ".inarch", os.O_RDONLY)
    names = (temporary_name(folder),)
    os.close(folder)
    for name in names:
        (root / ".inarch" / name).write_bytes(b"half")
        standing = Trust(str(root), state).standing()
        assert (standing.state, standing.files, standing.changed) == ("trusted", files, ())
        (root / ".inarch" / name).unlink()
        (root / ".inarch" / name).symlink_to("memory.md")  # nothing that is written is a link, or a folder
        assert Trust(str(root), state).standing().state == "changed"
        (root / ".inarch" / name).unlink()
        (root / ".inarch" / name).mkdir()
        (root / ".inarch" / name / "x.md").touch()
        assert Trust(str(root), state).standing().state == "changed"
        (root / ".inarch" / name / "x.md").unlink()
        (root / ".inarch" / name).rmdir()


def test_a_file_that_is_there_is_not_replaced_unless_it_may_be(tmp_path: Path) -> None:
    path = tmp_path / "a"
    assert write_whole(path, [b"on", b"e"], replace=False, mode=0o640) == 3
    with pytest.raises(FileExistsError):
        write_whole(path, b"two", replace=False)
    assert path.read_bytes() == b"one"
    assert path.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path) == ["a"]
