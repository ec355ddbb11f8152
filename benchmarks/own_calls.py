"""How many of our own functions a command calls, and how many of our own files it imports.

`python benchmarks/own_calls.py [WORD ...]` runs `inarch WORD ...` in a copy of the example project of the docs, twice.
The second time its index is kept, and that one counts. Without words it asks "who calls check_schema?". A step of a
generator counts as a call.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COUNTING = """
import atexit, sys, threading
from collections import Counter
roots, calls = (ROOT + "/core/inarch", ROOT + "/plugins/inarch"), Counter()

def count(frame, event, argument):
    if event == "call" and frame.f_code.co_filename.startswith(roots):
        calls[frame.f_code.co_filename[len(ROOT) + 1:]] += 1

@atexit.register
def report():
    sys.setprofile(None)
    files = {file for one in sys.modules.values() if (file := getattr(one, "__file__", None) or "").startswith(roots)}
    print(f"{sum(calls.values())} calls, {len(files)} files", *calls.most_common(8), sep="\\n  ", file=sys.stderr)

threading.setprofile(count)
sys.setprofile(count)
from inarch.__main__ import main
main()
"""


def main() -> None:
    """Count and print."""
    words = sys.argv[1:] or ["who calls check_schema?"]
    with tempfile.TemporaryDirectory() as folder:
        project = shutil.copytree(ROOT / "docs" / "example", Path(folder, "project"))
        kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
        homes = {f"XDG_{name}_HOME": str(Path(folder, name)) for name in ("CONFIG", "STATE", "CACHE", "DATA")}
        for last in (False, True):
            code = f"ROOT = {str(ROOT)!r}\n{COUNTING}"
            ran = subprocess.run(
                [sys.executable, "-c", code, *words], cwd=project, env={**kept, **homes}, stdin=subprocess.DEVNULL,
                capture_output=True, text=True, check=False,
            )  # fmt: skip
            if last:
                print(*ran.stderr.splitlines()[-9:], sep="\n")


if __name__ == "__main__":
    main()
