"""What the first index of a tree costs: Django (package only), the standard library, sympy.

`python benchmarks/tracing/cold.py [django|stdlib|sympy ...]`. Each tree is measured in a process of its own: CPU of
`ast.parse` of all its files (collector off, trees dropped; before and after, the mean counts), then CPU of the first
answer on the command line (`inarch QUESTION`, with its start and all its processes), then that of the index with its
search and the whole graph; the most memory the process had, and what is on disk afterwards.
"""

from __future__ import annotations

import ast
import gc
import os
import resource
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import warnings
from pathlib import Path

from recorded import fetch_sdist

import inarch
from inarch_brief.tracer.indexing.index import Index, Look
from inarch_brief.tracer.store.database import Store
from inarch_plugins.sandbox_fs import inarch_workspaces

TREES = {"django": "5.2", "stdlib": "", "sympy": "1.14.0"}
QUESTIONS = {
    "django": "how are migrations ordered?",
    "stdlib": "how are zip files read?",
    "sympy": "how are sums solved?",
}


def copied(name: str, folder: Path) -> list[Path]:
    """Copy the package of a tree below a folder, and give its Python files."""
    source = fetch_sdist(name, TREES[name]) / name if TREES[name] else Path(sysconfig.get_path("stdlib"))
    shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("site-packages", "__pycache__"))
    return sorted((folder / name).rglob("*.py"))


def floor(paths: list[Path]) -> float:
    """Give the CPU seconds of parsing all files, nothing kept; what can't be parsed is tried all the same."""
    spent = 0.0
    gc.disable()
    for path in paths:
        data = path.read_bytes()
        start = time.process_time()
        try:
            ast.parse(data)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass
        spent += time.process_time() - start
    gc.enable()
    return spent


def indexed(root: Path, cache: str) -> tuple[float, str]:
    """Give the CPU seconds of the first index with its graph, and what it says of itself."""
    (spec,) = inarch_workspaces(inarch.PluginContext("sandbox-fs", str(root)))
    workspace = spec.open(str(root))
    index = Index(Store(cache, str(root)), 900.0, 900.0)
    start = time.process_time()
    with index.opened(Look(workspace), linked=True) as (_, coverage):
        spent = time.process_time() - start
    index.links.close()
    workspace.close()
    return spent, f"{coverage.indexed:,} of {coverage.files:,} files; {coverage.linked or 'linked wholly'}"


def first_answer(name: str, root: Path, home: Path) -> float:
    """Give the CPU seconds of the first question about a tree, asked on the command line."""
    places = {f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("CONFIG", "STATE", "CACHE", "DATA")}
    kept = {key: value for key, value in os.environ.items() if not key.endswith("_API_KEY")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = [sys.executable, "-m", "inarch", QUESTIONS[name]]
    subprocess.run(words, cwd=root, env={**kept, **places}, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(name: str) -> None:
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "root")
        paths = copied(name, root)
        parsing = floor(paths)
        first = first_answer(name, root, Path(folder, "home"))
        spent, said = indexed(root, folder + "/cache")
        parsing = (parsing + floor(paths)) / 2
        size = sum(path.stat().st_size for path in Path(folder, "cache").iterdir())
    print(
        f"{name:7} parse {parsing:6.2f} s  first answer {first:5.2f} s = {first / parsing:4.2f} x"
        f"  index {spent:6.2f} s = {spent / parsing:4.2f} x  memory"
        f" {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024:4} MB  disk {size / 1e6:5.2f} MB  {said}",
        flush=True,
    )


def main(arguments: list[str]) -> int:
    """Measure trees, each in a process of its own."""
    if arguments[:1] == ["--one"]:
        measure(arguments[1])
        return 0
    for name in arguments or TREES:
        subprocess.run([sys.executable, __file__, "--one", name], check=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
