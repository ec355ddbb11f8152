"""What `pip install .` brings: seconds, wheels of LiteLLM that pip tried, packages, and what weighs most.

Run with `python benchmarks/install.py`; it makes a new virtual environment in a temporary folder and installs this
checkout there, which fetches what it needs. `--requirement 'litellm>=1.108,<2'` shows what another bound would cost.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
import time
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
MOST_SHOWN = 8
TRIED = re.compile(r"(?:Downloading|Using cached|Processing) \S*?\blitellm-([\w.]+?)-\S+\.whl")


def requirements(instead: str | None) -> list[str]:
    """Return what Inarch asks for, LiteLLM maybe by another bound."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    asked: list[str] = project["dependencies"]
    return [instead if instead and one.startswith("litellm") else one for one in asked]


def megabytes(path: Path) -> float:
    """Return the size of a file, or of all the files of a folder."""
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files) / 1e6


def weigh(folder: Path) -> None:
    """Print how many packages there are and what weighs most."""
    site = next(folder.glob("lib/python*/site-packages"))
    sizes = {path.name: megabytes(path) for path in site.iterdir() if path.name not in ("pip", "setuptools")}
    packages = sum(
        path.suffix == ".dist-info" and not path.name.startswith(("pip-", "setuptools-")) for path in site.iterdir()
    )
    print(f"{packages} packages, {sum(sizes.values()):.0f} MB")
    for name, size in sorted(sizes.items(), key=lambda item: -item[1])[:MOST_SHOWN]:
        print(f"  {size:6.1f} MB  {name}")


def main() -> None:
    """Install and tell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requirement", help="of LiteLLM, instead of the project's own")
    instead = parser.parse_args().requirement
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        venv.create(folder, with_pip=True, symlinks=True)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--no-cache-dir", "--disable-pip-version-check"]
        start = time.perf_counter()
        done = subprocess.run([*pip, *requirements(instead)], check=True, capture_output=True, text=True)
        subprocess.run([*pip, "--quiet", "--no-deps", str(ROOT)], check=True)
        print(f"{time.perf_counter() - start:.0f} s")
        tried = list(dict.fromkeys(TRIED.findall(done.stdout)))
        print(f"{len(tried)} wheels of LiteLLM tried: {', '.join(tried)}")
        weigh(folder)


if __name__ == "__main__":
    main()
