"""What a tree of many files costs, from the first question on.

`python benchmarks/tracing/many.py [--files N] [--keep]`.

The tree is made of the standard library and of what is installed beside this interpreter; where that is not enough,
of further copies whose packages have other names (`click2` for `click`, in their imports, too). Questions are asked by
`inarch context get` in processes of their own, as a person does: seconds to each answer, and how much of the tree it
knew. Then `inarch trace index` finishes the index: CPU as a multiple of `ast.parse` of all files, most memory of one
process, size on disk; and the question is asked once more.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from cold import floor
from fetch import cache_folder

QUESTION = "where is the default timeout of a request applied"
ASKED = 12
"""Questions that are asked before the index is finished."""
_TOP_IMPORT = re.compile(r"^([ \t]*)(from|import)[ \t]+([A-Za-z_]\w*)", re.M)


class Run(NamedTuple):
    """What a process cost, and what it said."""

    wall: float
    cpu: float
    memory: int
    """The most it had, in MB."""
    said: str


def sources() -> Iterator[tuple[str, Path]]:
    """Give the top packages and modules that are installed, and the folders of the standard library."""
    for folder in (Path(sysconfig.get_path("purelib")), Path(sysconfig.get_path("stdlib"))):
        for path in sorted(folder.iterdir()):
            if path.name in ("site-packages", "__pycache__") or not path.name.isidentifier() or not path.is_dir():
                continue
            yield path.name, path


def tree(root: Path, wanted: int) -> int:
    """Make a tree of so many Python files, and give their number."""
    made, copy = 0, 1
    packages = [(name, path, sorted(path.rglob("*.py"))) for name, path in sources()]
    names = {name for name, _, _ in packages}
    while made < wanted:
        for name, path, files in packages:
            for file in files[: wanted - made]:
                target = root / (name if copy == 1 else f"{name}{copy}") / file.relative_to(path)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(renamed(file.read_bytes(), names, copy))
            made += len(files[: wanted - made])
        copy += 1
    return made


def renamed(data: bytes, names: set[str], copy: int) -> bytes:
    """Give a file's bytes with the packages of this copy in its imports."""
    if copy == 1:
        return data
    text = data.decode("utf-8", "surrogateescape")

    def other(found: re.Match[str]) -> str:
        return f"{found[1]}{found[2]} {found[3]}{copy}" if found[3] in names else found[0]

    return _TOP_IMPORT.sub(other, text).encode("utf-8", "surrogateescape")


def run(words: list[str], root: Path, home: Path) -> Run:
    """Run Inarch in a process of its own, with a home of its own."""
    environ = {**os.environ, "HOME": str(home)}
    environ |= {f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("CACHE", "STATE", "CONFIG", "DATA")}
    start = time.perf_counter()
    command, pipe = [sys.executable, "-m", "inarch", *words], subprocess.PIPE
    child = subprocess.Popen(
        command, cwd=root, env=environ, text=True, stdin=subprocess.DEVNULL, stdout=pipe, stderr=subprocess.STDOUT
    )
    assert child.stdout is not None
    said = child.stdout.read()
    _, _, used = os.wait4(child.pid, 0)
    return Run(time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss // 1024, said)


def kept(home: Path) -> float:
    """Give the size of the index, in MB."""
    return sum(path.stat().st_size for path in home.rglob("symbols-*")) / 1e6


def told(said: str) -> str:
    """Give the lines of an answer that say how much of the tree it knew, and its first line."""
    lines = [line for line in said.splitlines() if line.strip()]
    notes = [line for line in lines if re.search(r"\d of [\d,]+ ", line)]
    return " | ".join(dict.fromkeys([*lines[:1], *notes]))[:300]


def report(label: str, found: Run, home: Path, parsing: float = 0.0) -> None:
    """Print a line about a process."""
    share = f" = {found.cpu / parsing:4.2f} x parse" if parsing else ""
    cost = f"{found.wall:6.2f} s  CPU {found.cpu:6.2f} s{share}  {found.memory:5} MB  index {kept(home):6.1f} MB"
    print(f"{label:12} {cost}  {told(found.said)}", flush=True)


def measure(root: Path, home: Path, asked: int) -> None:
    """Ask, finish the index, ask again, and print a line each."""
    question = ["context", "get", QUESTION]
    for number in range(1, asked + 1):
        report(f"question {number}", run(question, root, home), home)
    parsing = floor(sorted(root.rglob("*.py")))
    print(f"{'parse':12} {parsing:6.2f} s", flush=True)
    report("trace index", run(["trace", "index"], root, home), home, parsing)
    for _ in range(2):
        report("afterwards", run(question, root, home), home)


def main() -> None:
    """Make the tree and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--asked", type=int, default=ASKED)
    parser.add_argument("--keep", action="store_true", help="keep the tree for the next run")
    chosen = parser.parse_args()
    root = cache_folder() / f"many-{chosen.files}"
    if not root.is_dir():
        shutil.rmtree(f"{root}.part", ignore_errors=True)
        tree(Path(f"{root}.part"), chosen.files)
        os.rename(f"{root}.part", root)
    with tempfile.TemporaryDirectory() as home:
        measure(root, Path(home), chosen.asked)
    if not chosen.keep:
        shutil.rmtree(root)


if __name__ == "__main__":
    main()
