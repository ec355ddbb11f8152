"""List 50,000 files through the workspace, against a bare recursion over `os.scandir`.

    python benchmarks/files_list.py

Prints one JSON line a row: without and with ignore rules, for a tree of big and one of small folders. The workspace
sorts, checks and opens safely; the bare recursion only collects relative paths.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from files_cpu import compare

from inarch import Walk
from inarch_sandbox_fs.globs import compile_glob
from inarch_sandbox_fs.opening import best_open
from inarch_sandbox_fs.walk import Walker
from inarch_sandbox_fs.workspace import FolderWorkspace

RULES = """*.py[cod]
*.so
__pycache__/
.DS_Store
/build/
dist/
docs/_build/
*.egg-info
.env
*.log
!keep.log
*~
.coverage*
"""
ENDS = ("py", "md", "pyc", "txt")


def make_tree(root: str, packages: int, folders: int, files: int) -> None:
    for package in range(packages):
        for number in range(folders):
            folder = Path(root, f"package{package}", f"folder{number}")
            folder.mkdir(parents=True)
            for file in range(files):
                (folder / f"file_{file}.{ENDS[file % len(ENDS)]}").touch()
    Path(root, ".gitignore").write_text(RULES)
    Path(root, ".git").mkdir()  # elsewhere the rules would not count


def bare(folder: str, prefix: str, found: list[str]) -> list[str]:
    below = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                below.append(entry.name)
            else:
                found.append(prefix + entry.name)
    for name in below:
        bare(f"{folder}/{name}", f"{prefix}{name}/", found)
    return found


def measure(root: str, files: int) -> None:
    """Print the rows for a tree with so many files in each folder."""
    workspace = FolderWorkspace.open(root)
    descriptor = os.open(root, os.O_RDONLY)
    everything = compile_glob("**/*")

    def without_rules() -> Walk:
        return Walker(descriptor, best_open(descriptor), frozenset(), use_ignore=False).walk(everything)

    assert sorted(bare(root, "", [])) == list(without_rules().paths)
    what = f"50,000 files, {files} a folder"
    compare(f"{what}, no ignore rules", without_rules, lambda: bare(root, "", []), 1.5)
    compare(f"{what}, ignore rules", workspace.walk, lambda: bare(root, "", []), 3.0)
    os.close(descriptor)
    workspace.close()


def main() -> None:
    for shape in ((25, 10, 200), (50, 50, 20)):
        with tempfile.TemporaryDirectory() as root:
            make_tree(root, *shape)
            measure(root, shape[2])


if __name__ == "__main__":
    main()
