"""What `inarch "summarize this codebase"` costs on real packages: CPU seconds cold, then again, in one run.

    python benchmarks/summarize.py

Cold means fresh cache and state folders. The CPU time is the child's and its children's (user and system). The
baseline parses the package's Python files with `ast` in a bare interpreter: the least that any index has to do.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from fetch import FetchError, fetch_sdist

PACKAGES = (("click", "8.3.1", 1.5), ("httpx", "0.28.1", 1.5), ("Django", "5.2", 6.0))
"""Name, version and the seconds within which the first summary should be there."""
AGAIN = 3
PROMPT = "summarize this codebase"
_PARSE = """
import ast, pathlib
for path in pathlib.Path(".").rglob("*.py"):
    try:
        ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        pass
"""


def cpu_seconds(command: list[str], folder: Path, environ: dict[str, str]) -> float:
    """Run a command to its end and return the CPU time that it and its children took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[-2:])} in {folder.name} ended with {done.returncode}:\n{done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(folder: Path) -> tuple[float, float, float]:
    """Return the seconds of a bare parse, of the first summary and of the best of the next ones."""
    with tempfile.TemporaryDirectory() as scratch:
        keyless = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
        environ = {
            **keyless,
            "XDG_CACHE_HOME": f"{scratch}/cache",
            "XDG_STATE_HOME": f"{scratch}/state",
            "XDG_CONFIG_HOME": f"{scratch}/config",
        }
        summarize = [sys.executable, "-P", "-m", "inarch", PROMPT]
        parse = cpu_seconds([sys.executable, "-W", "ignore", "-c", _PARSE], folder, environ)
        cold = cpu_seconds(summarize, folder, environ)
        again = min(cpu_seconds(summarize, folder, environ) for _ in range(AGAIN))
    return parse, cold, again


def main() -> int:
    print(
        f"{'package':<16}{'cold':>8}{'reach':>8}{'again':>8}{'again/cold':>12}{'again/reach':>13}{'parse':>8}{'cold/parse':>12}"
    )
    try:
        for name, version, reach in PACKAGES:
            parse, cold, again = measure(fetch_sdist(name, version))
            print(
                f"{name + ' ' + version:<16}{cold:>7.2f}s{reach:>7.1f}s{again:>7.2f}s{again / cold:>12.2f}"
                f"{again / reach:>13.2f}{parse:>7.2f}s{cold / parse:>12.2f}",
                flush=True,
            )
    except FetchError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
