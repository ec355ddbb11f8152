"""What the symbol index costs, against the least that any such index must do.

For each source distribution: CPU seconds to read and `ast.parse` the product code (the floor), to build the index from
nothing, and to look again when nothing changed; and the two ratios.

    python benchmarks/symbols_index.py
"""

from __future__ import annotations

import ast
import asyncio
import tempfile
import time
import warnings
from pathlib import Path

from fetch import fetch_sdist

import inarch
from inarch_brief_tracer.facts.modules import CODE, role_of

PACKAGES = (("click", "8.3.1"), ("httpx", "0.28.1"), ("Django", "5.2"))
SETTINGS = {"plugins": {"brief-tracer": {"index_seconds": 600.0}}}


def floor(root: Path) -> float:
    """Read and parse the product code."""
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for path in root.rglob("*.py"):
            if role_of(path.relative_to(root).as_posix()) == CODE:
                ast.parse(path.read_bytes())
    return time.process_time() - start


def asked(root: Path, home: str) -> float:
    """Ask for a symbol, as a new process would: composition included, imports not."""
    environ = {"XDG_CACHE_HOME": home, "XDG_STATE_HOME": home, "XDG_CONFIG_HOME": home, "HOME": home}
    with inarch.compose(root=root, config=SETTINGS, environ=environ) as app:
        start = time.process_time()
        result = asyncio.run(app.call_tool("find_symbols", {"query": "main"}))
        if not result.success:
            raise SystemExit(f"{root.name}: {result.error}")
        return time.process_time() - start


def main() -> None:
    """Measure every package and print a row each."""
    with tempfile.TemporaryDirectory() as home:
        asked(Path(__file__).parent, home)  # imports are not what is measured
        for name, version in PACKAGES:
            root = fetch_sdist(name, version)
            least, cold, warm = floor(root), asked(root, home), asked(root, home)
            print(
                f"{name:8} floor {least:6.3f} s  cold {cold:6.3f} s = {cold / least:4.1f} x floor"
                f"  again {warm:6.3f} s = {warm / cold:5.1%} of cold"
            )


if __name__ == "__main__":
    main()
