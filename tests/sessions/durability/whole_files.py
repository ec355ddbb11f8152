"""Kills a process at each system call that changes something while it writes a file whole, and looks at what is left.

`python whole_files.py FOLDER` reads actions, one a line: a name, and `named` where the file system is to have no files
without names. It answers each with a line: a JSON list of complaints, then the number of moments.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from stepping import Stepped

from inarch import keep_former, staging
from inarch.config.folders import ProjectFolder
from inarch.config.trust import grant, trust_of
from inarch_commands.config.enabling import enable
from inarch_commands.sessions.writing import write_export
from inarch_dispatch.keeping import save
from inarch_sqlite_store.blobs import Blobs

BLOB = b"a picture"
REF = hashlib.sha256(BLOB).hexdigest()


class Place:
    """A project, and what is kept beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.state = folder, folder / "state"
        self.project = ProjectFolder(str(folder / "project"), self.state)
        self.memory = folder / "project" / ".inarch" / "memory.md"

    def lay(self) -> None:
        """Begin anew."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.memory.parent.mkdir(parents=True)
        self.state.mkdir()
        self.memory.write_bytes(b"old")
        (self.folder / "config.toml").write_text('[profiles.default]\nplugins = ["..."]\n')
        (self.folder / "page.html").write_text("old")
        save(self.folder / "cache.json", {"kept": "old"})
        Blobs(self.folder / "blobs").put("session", "0" * 64, b"")
        grant(self.project.root, trust_of(self.project.root, self.state).files, self.state)

    def change(self) -> None:
        """Change a trusted project's file."""
        self.project.change("memory.md", lambda before: b"new")

    def grant_more(self) -> None:
        """Change the record of trust alone."""
        grant("/elsewhere", {"AGENTS.md": "0"}, self.state)

    def all(self) -> dict[str, bytes]:
        """Return every file by its name."""
        found = {str(path.relative_to(self.folder)): path for path in self.folder.rglob("*") if path.is_file()}
        return {name: path.read_bytes() for name, path in found.items()}


ACTIONS: dict[str, Callable[[Place], object]] = {
    "configuration": lambda place: enable(place.folder / "config.toml", "default", "more"),
    "project": Place.change,
    "trust": Place.grant_more,
    "blob": lambda place: Blobs(place.folder / "blobs").put("session", REF, BLOB),
    "export": lambda place: write_export(lambda out: out.write("new page"), place.folder / "page.html", force=True),
    "export-new": lambda place: write_export(lambda out: out.write("new page"), place.folder / "other.html"),
    "cache": lambda place: save(place.folder / "cache.json", {"kept": "new"}),
    "former": lambda place: keep_former(place.folder / "config.toml", 1),
}


def _complaints(place: Place, name: str, before: dict[str, bytes], after: dict[str, bytes]) -> Iterator[str]:
    """Say what is wrong after a kill, and after the same was done again."""
    for path, data in place.all().items():
        if staging.is_leftover(Path(path).name) or (path == "state/trust.json" and b"|" in data):
            continue  # the record names the old file and the new one
        if data not in (before.get(path), after.get(path)):
            yield f"{path} is {data!r}"
    standing = trust_of(place.project.root, place.state)
    if standing.state != "trusted":
        yield f"the project is {standing.state}: {standing.changed}"
    if place.project.names() != ["memory.md"]:
        yield f"the project has {place.project.names()}"
    for path in place.all().keys() - before.keys():
        if not staging.is_leftover(Path(path).name):
            (place.folder / path).unlink()
    for path, data in before.items():  # so that the same changes something again
        (place.folder / path).write_bytes(data)
    ACTIONS[name](place)
    if place.all() != after:
        yield f"the next time leaves {place.all()}"


def tried(place: Place, name: str) -> Iterator[list[str] | int]:
    """Yield what is wrong after a kill at each moment of an action, then how many there were."""

    def work() -> None:
        os.kill(os.getpid(), signal.SIGUSR1)
        ACTIONS[name](place)

    place.lay()
    before = place.all()
    ACTIONS[name](place)
    after = place.all()
    moment = 0
    while True:
        place.lay()
        stepped = Stepped(work)
        stepped.run(moment + 1)
        if not os.WIFSIGNALED(stepped.status):
            break
        moment += 1
        yield [f"{moment}: {one}" for one in _complaints(place, name, before, after)]
    yield moment


def main() -> None:
    """Try the actions that standard input names."""
    unnamed = getattr(os, "O_TMPFILE", 0)
    for line in sys.stdin:
        name, *named = line.split()
        staging._UNNAMED = 0 if named else unnamed
        *found, moments = tried(Place(Path(sys.argv[1])), name)
        print(json.dumps([[one for several in found for one in several], moments]), flush=True)  # type: ignore[union-attr]


if __name__ == "__main__":
    main()
