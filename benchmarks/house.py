"""The measures of the house, a JSON line for each: its size, circles, doors, shapes and names.

    python benchmarks/house.py [--list]

`--list` also prints the items behind each count. The last rows run Inarch against a scripted server on loopback. They
count the files and functions that a prompt with three calls enters (bodies of modules don't count), the times that a
walk along the code turns back to a file that it has left, and the modules that start-up imports.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from house_counts import House, Row, doors, shapes, size, tangles
from programs import Place
from serving import serving

ENTERED = """
import runpy, sys, threading
entered = {}
def saw(frame, event, argument, entered=entered):
    if event == "call":
        code = frame.f_code
        if code not in entered and code.co_name != "<module>":
            back = frame.f_back
            entered[code] = back is not None and back.f_code.co_filename == code.co_filename
threading.setprofile(saw)
sys.setprofile(saw)
told, sys.argv = sys.argv[1], ["inarch", *sys.argv[2:]]
try:
    runpy.run_module("inarch", run_name="__main__")
finally:
    sys.setprofile(None)
    with open(told, "w") as file:
        file.writelines(f"{code.co_filename}:{code.co_qualname}:{within:d}\\n" for code, within in [*entered.items()])
"""
IMPORTED = """
import runpy, sys
told, sys.argv = sys.argv[1], ["inarch", *sys.argv[2:]]
try:
    runpy.run_module("inarch", run_name="__main__")
finally:
    with open(told, "w") as file:
        file.writelines(f"{name}\\n" for name in sys.modules)
"""


class Walk(NamedTuple):
    """What happens from a function on, as far as it is in some folders; `words` are the command that does it."""

    what: str
    words: tuple[str, ...]
    root: str
    folders: tuple[str, ...]
    keyless: bool = False


PROMPT = ("read the note",)
WALKS = (
    Walk("a prompt", PROMPT, "Session.run", ("core/inarch/sessions", "core/inarch/turns")),
    Walk("a tool call", PROMPT, "Scheduler.", ("core/inarch/calls",)),
    Walk("a setting", PROMPT, "load_config", ("core/inarch/config",)),
    Walk("a journal event", PROMPT, "Journal.", ("core/inarch/journal",)),
    Walk(
        "an offline question", ("who calls greet?",), "Offline.answer", ("plugins/inarch_brief/offline",), keyless=True
    ),
    Walk(
        "an edit",
        ("replace hello with goodbye in greet.py",),
        "Handle.replace",
        ("plugins/inarch_plugins/sandbox_fs",),
        True,
    ),
)


class Running:
    """Inarch as a person starts it, beside a server whose replies call a tool three times."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.told = place.folder / "told"

    def said(self, *words: str) -> str:
        """Return what a command prints."""
        argv = [sys.executable, "-P", "-m", "inarch", *words]
        return subprocess.run(argv, cwd=self.place.workspace, env=self.place.environ, capture_output=True,
                              text=True, check=True).stdout  # fmt: skip

    def watched(self, program: str, *words: str) -> list[str]:
        """Return what a program says of a run of Inarch."""
        self.place.run([sys.executable, "-P", "-c", program, str(self.told), *words])
        return self.told.read_text("utf-8").splitlines()


def files_in_order(entered: Sequence[str], walk: Walk, root: Path) -> list[str]:
    """Return the files of a walk in the order in which functions of theirs are first called from other files."""
    files: list[str] = []
    begun = False
    for line in entered:
        path, name, within = line.rsplit(":", 2)
        begun = begun or name.startswith(walk.root)
        if not begun or within == "1" or not Path(path).is_relative_to(root):
            continue
        file = str(Path(path).relative_to(root))
        if file.startswith(walk.folders) and (not files or files[-1] != file):
            files.append(file)
    return files


def walks(root: Path, inarch: Running) -> Iterator[Row]:
    """Yield how often each walk comes back to a file that it has left."""
    (inarch.place.workspace / "greet.py").write_text('def greet():\n    return "hello"\n\n\nprint(greet())\n')
    for walk in WALKS:
        words = (*walk.words, "--approve", "all", *(("--model", "offline") if walk.keyless else ()))
        files = files_in_order(inarch.watched(ENTERED, *words), walk, root)
        backs = len(files) - len(set(files)) if files else -1
        yield Row(f"times back to a file on the way of {walk.what} ({len(set(files))} files)", backs, files, 0)


def runs(root: Path, inarch: Running) -> Iterator[Row]:
    """Yield the rows of what is entered and imported."""
    entered = [line.rsplit(":", 2)[0] for line in inarch.watched(ENTERED, *PROMPT)]
    ours = [path for path in entered if Path(path).is_relative_to(root / "core") or "/plugins/" in path]
    files = set(ours)
    kernel = {path for path in files if Path(path).is_relative_to(root / "core" / "inarch")}
    yield Row("files that a prompt with three calls enters", len(files), sorted(files), 180)
    yield Row("files of the kernel that it enters", len(kernel), sorted(kernel), 95)
    yield Row("functions that it enters", len(ours))
    for words in "--version", "--help", *PROMPT:
        modules = inarch.watched(IMPORTED, words)
        yield Row(f"modules that `inarch {words}` imports", len(modules), sorted(modules))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true", help="print the items behind each count")
    whole = parser.parse_args().list
    root = Path(__file__).resolve().parents[1]
    packages = [str(root / "core"), str(root / "plugins")]
    sys.path[:0] = packages  # this source, whatever is installed
    import inarch
    from inarch import host
    from inarch.plugins.discovery import discover

    house = House(root)
    built_in = [part.module for part in discover().builtins.values()]
    of_source = (size(house), tangles(house), doors(house, inarch.__all__, host.__all__, built_in), shapes(house))
    with serving() as server, tempfile.TemporaryDirectory() as folder:
        place = Place(folder, files=True)
        place.configure(server, "3", "openai-compatible")
        place.environ["PYTHONPATH"] = os.pathsep.join(packages)
        running = Running(place)
        running.said(*PROMPT)  # plugins are probed and files compiled
        for row in chain(*of_source, runs(root, running), walks(root, running)):
            reach = {} if row.reach is None else {"reach": row.reach, "reached": row.is_reached}
            print(json.dumps({"what": row.what, "value": row.value, **reach}), flush=True)
            for line in row.consists_of if whole else ():
                print(f"  {line}")


if __name__ == "__main__":
    main()
