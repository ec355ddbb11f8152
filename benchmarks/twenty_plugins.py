"""Twenty small plugins in the profile against none: start-up CPU of `inarch tools list` and of an offline prompt.

    python benchmarks/twenty_plugins.py [--runs 25]

Each plugin is an installed distribution with a tool and a hook. Prints a JSON line a row: the ratio of the medians, the
runs of both taking turns, after one run of each for probes and compiled files; and how many modules are imported.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

COUNT = 20
MODULE = '''"""A small plugin."""

from __future__ import annotations

import inarch


@inarch.tool
def {name}_words(text: str, longest: int = 40) -> int:
    """Count the words of a text."""
    return sum(len(word) <= longest for word in text.split())


class Watcher:
    """Sees nothing."""

    name = "{name}"

    async def gather(self, situation: inarch.Situation) -> None:
        """Add nothing."""


@inarch.hookimpl
def inarch_context_sources(context: inarch.PluginContext) -> list[Watcher]:
    """Offer a context source."""
    return [Watcher()]
'''
PROFILES = """
[profiles.none]
model = "offline"

[profiles.twenty]
model = "offline"
plugins = [{shipped}, {names}]
"""
COUNTED = """
import sys
from inarch.program.main import run
run(sys.argv[1:])
sys.stderr.write(f"\\n{len(sys.modules)}\\n")
"""
WORDS = {"tools list": ["tools", "list"], "offline prompt": ["--no-journal", "what is in this folder?"]}


def build(folder: Path) -> dict[str, str]:
    """Write distributions, a configuration and a project; return the environment to run in."""
    from inarch.config.tables import SHIPPED_PLUGINS

    names = [f"small{number:02}" for number in range(COUNT)]
    for name in names:
        info = folder / "site" / f"{name}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\nRequires-Dist: inarch\n")
        (info / "entry_points.txt").write_text(f"[inarch.plugins]\n{name} = {name}\n")
        (folder / "site" / f"{name}.py").write_text(MODULE.format(name=name))
    config = folder / "home" / ".config" / "inarch" / "config.toml"
    config.parent.mkdir(parents=True)
    shipped, added = (", ".join(map(json.dumps, some)) for some in (SHIPPED_PLUGINS, names))
    config.write_text(PROFILES.format(shipped=shipped, names=added))
    (folder / "project").mkdir()
    (folder / "project" / "shop.py").write_text('"""A shop."""\n')
    keep = {key: value for key, value in os.environ.items() if key in ("PATH", "LANG", "LC_ALL")}
    return {**keep, "HOME": str(folder / "home"), "PYTHONPATH": str(folder / "site")}


def run(words: list[str], profile: str, environ: dict[str, str], program: tuple[str, ...]) -> tuple[float, str]:
    """Return the user and system seconds of one run and what it wrote to standard error."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-P", *program, "--profile", profile, *words],
        cwd=Path(environ["HOME"]).parent / "project", env=environ, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stderr


def cpu(words: list[str], profile: str, environ: dict[str, str]) -> float:
    """Return the user and system seconds of one run of the program."""
    return run(words, profile, environ, ("-m", "inarch"))[0]


def imported(words: list[str], profile: str, environ: dict[str, str]) -> int:
    """Return how many modules a run imports."""
    return int(run(words, profile, environ, ("-c", COUNTED))[1].splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=25)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as name:
        environ = build(Path(name))
        for what, words in WORDS.items():
            for profile in ("twenty", "none"):  # probes, compiled files and caches are there
                cpu(words, profile, environ)
            pairs = [(cpu(words, "twenty", environ), cpu(words, "none", environ)) for _ in range(runs)]
            twenty, none = (statistics.median(column) for column in zip(*pairs, strict=True))
            modules = [imported(words, profile, environ) for profile in ("twenty", "none")]
            row = {"what": f"{what}: {COUNT} plugins / none", "ratio": round(twenty / none, 2), "reach": 1.3,
                   "twenty_ms": round(twenty * 1000, 1), "none_ms": round(none * 1000, 1), "runs": runs,
                   "modules": modules}  # fmt: skip
            print(json.dumps(row))


if __name__ == "__main__":
    main()
