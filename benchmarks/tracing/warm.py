"""What the graph costs once it is made: one file changed, a flow in the same process, `inarch context get` again.

`python benchmarks/tracing/warm.py [PACKAGE ...]`. CPU seconds of this process (of the child for the command line, wall
time beside it), with the cold figure and the size on disk. The changed file is the largest and a middling one.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sources import fetch_sdist

import inarch
from inarch_brief_tracer.finding.search import search
from inarch_brief_tracer.graph.flows import flow_to
from inarch_brief_tracer.indexing.index import Index
from inarch_brief_tracer.store.database import Store
from inarch_brief_tracer.store.kept_files import Shelf
from inarch_sandbox_fs import inarch_workspaces

PACKAGES = {"click": "8.3.1", "flask": "3.1.2", "rich": "14.2.0", "Django": "5.2"}
QUESTIONS = ("how are values validated", "render", "parse the options", "write the output")
ROUNDS = 5


@contextmanager
def opened(index: Index, root: Path, moment: object = None) -> Iterator[Any]:
    """Lend the index, brought up to date and linked."""
    (spec,) = inarch_workspaces(inarch.PluginContext("sandbox-fs", str(root)))
    workspace = spec.open(str(root))
    try:
        with index.opened(workspace, moment, linked=True) as (connection, coverage):
            yield Shelf(connection, lambda path: (root / path).read_bytes()), coverage
    finally:
        workspace.close()


def ask(index: Index, root: Path, question: str, moment: object = None) -> None:
    """Find the best symbol and the flow through it."""
    with opened(index, root, moment) as (shelf, coverage):
        graph = index.links.graph(shelf, coverage.linked)
        for hit in search(shelf, question, limit=6).hits[:1]:
            node = graph.at(hit.file, hit.place)
            if node is not None:
                flow_to(graph, node)


def cpu(work: Any, *arguments: Any) -> float:
    """Measure the CPU seconds of this process."""
    start = time.process_time()
    work(*arguments)
    return time.process_time() - start


def changed(index: Index, root: Path, path: Path) -> float:
    """Add a function to a file and bring the graph up to date; the middle of several tries."""
    found = []
    for number in range(ROUNDS):
        with path.open("a") as file:
            file.write(f"\n\ndef added_{number}():\n    return {number}\n")
        found.append(cpu(ask, index, root, "added"))
    return sorted(found)[ROUNDS // 2]


def command_line(root: Path, home: str) -> tuple[float, float]:
    """Give wall and CPU seconds of `inarch context get`, the middle of several."""
    environ = {**os.environ, "XDG_CACHE_HOME": home, "XDG_STATE_HOME": home, "XDG_CONFIG_HOME": home, "HOME": home}
    found = []
    for _ in range(ROUNDS + 2):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        words = [sys.executable, "-m", "inarch", "context", "get", "render the output"]
        subprocess.run(words, cwd=root, env=environ, check=True, capture_output=True)
        wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append((wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
    return sorted(found[2:])[ROUNDS // 2]


def measure(name: str, folder: Path) -> None:
    """Measure one package and print its row."""
    sdist = fetch_sdist(name, PACKAGES[name])
    base = sdist / "src" if (sdist / "src").is_dir() else sdist
    root = folder / "root"
    shutil.copytree(base / name.lower(), root / name.lower())
    index = Index(Store(str(folder / "cache"), str(root)), 600.0, 600.0)
    cold = cpu(ask, index, root, QUESTIONS[0])
    time.sleep(2.5)  # stamps as young as the reading prove nothing: the next look reads again
    ask(index, root, QUESTIONS[0])
    warm = sorted(cpu(ask, index, root, question, 1) for question in QUESTIONS * 3)
    size = sum(path.stat().st_size for path in (folder / "cache").iterdir())
    files = sorted(root.rglob("*.py"), key=lambda path: path.stat().st_size)
    large, middling = changed(index, root, files[-1]), changed(index, root, files[len(files) * 3 // 4])
    index.links.close()
    wall, child = command_line(root, str(folder / "home"))
    print(
        f"{name:7} cold {cold:6.2f} s  disk {size / 1e6:5.1f} MB  changed: largest {large * 1e3:4.0f} ms, other"
        f" {middling * 1e3:4.0f} ms  in process {warm[len(warm) // 2] * 1e3:5.1f} ms (worst {warm[-1] * 1e3:5.1f})"
        f"  command line {wall * 1e3:4.0f} ms, CPU {child * 1e3:4.0f} ms",
        flush=True,
    )


def main(names: list[str]) -> None:
    """Measure packages and print a row each."""
    for name in names or PACKAGES:
        with tempfile.TemporaryDirectory() as folder:
            measure(name, Path(folder))


if __name__ == "__main__":
    main(sys.argv[1:])
