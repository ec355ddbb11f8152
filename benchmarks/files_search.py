"""Search a million lines through the workspace, against the search program called directly.

    python benchmarks/files_search.py

Prints one JSON line for each program that is there; CPU is that of this process and of its children.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import Literal

from files_cpu import compare

from inarch_sandbox_fs.engines import Engines
from inarch_sandbox_fs.settings import Settings
from inarch_sandbox_fs.workspace import FolderWorkspace

PATTERN = r"def needle_\w+\("
LINE = "    value_{0} = compute(argument_{0}, other={0})  # line {0}\n"


def make_tree(root: str) -> None:
    for number in range(1_000):
        folder = Path(root, f"package{number // 50}")
        folder.mkdir(exist_ok=True)
        lines = [LINE.format(number * 1_000 + line) for line in range(1_000)]
        if number % 20 == 0:
            lines[500] = f"def needle_{number}(x):\n"
        (folder / f"module{number}.py").write_text("".join(lines))


def measure(root: str, name: Literal["ripgrep", "grep"], command: list[str]) -> None:
    """Print the row for one program."""
    workspace = FolderWorkspace.open(root, Settings(search_engine=name))
    environment = {**os.environ, "LC_ALL": "C"}
    assert len(workspace.search(PATTERN).hits) == 50

    def direct() -> None:
        subprocess.run(command, cwd=root, env=environment, check=True, capture_output=True)

    compare(f"1,000,000 lines with {name}", lambda: workspace.search(PATTERN), direct, 1.5)
    workspace.close()


def main() -> None:
    programs = Engines("/nowhere", "auto")
    ripgrep, grep = programs.program("rg"), programs.program("grep")
    with tempfile.TemporaryDirectory() as root:
        make_tree(root)
        if ripgrep:
            measure(root, "ripgrep", [ripgrep, "-n", "--no-heading", "-e", PATTERN, "."])
        if grep:
            measure(root, "grep", [grep, "-rnE", "-e", PATTERN, "."])


if __name__ == "__main__":
    main()
