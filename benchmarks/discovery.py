"""Discovery with 200 distributions installed: CPU of `discover()` against scandir and read of the same files.

Run with `python benchmarks/discovery.py`; it builds the distributions in a temporary folder, prints one line for each
figure and fails nothing.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

COUNT = 200
ROUNDS = 30


def build(folder: Path) -> None:
    for number in range(COUNT):
        name = f"distribution_{number:03}"
        info = folder / f"{name}-1.{number}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.{number}\n")
        (info / "RECORD").write_text("")
        text = f"[console_scripts]\n{name} = {name}:main\n"
        if number % 4 == 0:
            text += (
                f"\n[inarch.plugins]\nplugin-{number} = {name}\n\n[inarch.commands]\ncommand-{number} = {name}:run\n"
            )
        if number % 2 == 0:  # half of what is installed has entry points at all
            (info / "entry_points.txt").write_text(text)
        (folder / f"{name}.py").write_text(f"raise SystemExit('{name} was imported')\n")


def bare(folder: Path) -> int:
    """Read the same files with nothing on top."""
    size = 0
    with os.scandir(folder) as entries:
        paths = [entry.path for entry in entries if entry.name.endswith(".dist-info")]
    for path in paths:
        try:
            with open(f"{path}/entry_points.txt", "rb", buffering=0) as file:
                size += len(file.readall())
        except OSError:
            pass
    return size


def cpu_ms(action: Callable[[], object]) -> float:
    """Return the median CPU time of an action in milliseconds."""
    times = []
    for _ in range(ROUNDS):
        start = time.process_time_ns()
        action()
        times.append((time.process_time_ns() - start) / 1e6)
    return sorted(times)[ROUNDS // 2]


def first_use_ms(folder: Path) -> tuple[float, str]:
    """Return the CPU of the first `discover()` of a fresh process, its own import included."""
    code = (
        "import sys, time; start = time.process_time_ns();"
        f"from inarch.plugins.discovery import discover; found = discover([{str(folder)!r}]);"
        "print((time.process_time_ns() - start) / 1e6, 'importlib.metadata' in sys.modules, len(found.plugins))"
    )
    out = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True).stdout.split()
    return float(out[0]), f"{out[2]} plugins found, importlib.metadata imported: {out[1]}"


def imported_outside_profile(folder: Path) -> str:
    """Compose the default profile beside 200 distributions and say which of their modules were imported."""
    code = (
        "import sys; from inarch.config.load import load_config;"
        " from inarch.plugins.composition import compose_plugins;"
        f"compose_plugins(load_config({str(folder)!r}, config={{}}));"
        "print(sum(name.startswith('distribution_') for name in sys.modules))"
    )
    environ = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, env=environ, check=False)
    return done.stdout.strip() or done.stderr.strip()


def main() -> None:
    from inarch.plugins.discovery import discover

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build(folder)
        ours = cpu_ms(lambda: discover([name]))
        base = cpu_ms(lambda: bare(folder))
        first = [first_use_ms(folder) for _ in range(9)]
        print(f"discover() with {COUNT} distributions: {ours:.2f} ms CPU; bare scandir and read: {base:.2f} ms")
        print(f"ratio: {ours / base:.2f}")
        print(f"first use in a fresh process, with its imports: {sorted(first)[4][0]:.2f} ms CPU ({first[0][1]})")
        print(f"modules imported of plugins outside the profile: {imported_outside_profile(folder)}")


if __name__ == "__main__":
    main()
