"""Run the path cases with layers switched off and print what each layer catches.

    python tests/safety/layers.py

A row a layer: attacks that are caught with it alone and not without any (`alone`), and attacks that get through when
only it is off (`missing`). What is off is replaced here: a lexical check that lets every text pass, an opening that is
`os.open(os.path.join(root, path))`, no protected names, no look at what kind of file was opened. An attack is caught
when the call fails, nothing changes and nothing leaks, whatever the message. Each case runs in a process of its own
with a time limit and a memory limit, for without the layers a case may never end.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Set
from pathlib import Path
from unittest import mock

import safety_runner
from attrs import evolve
from safety_runner import Case, Place, check, load

from inarch import ToolFailed
from inarch_sandbox_fs import tools_write, touching, workspace, writing
from inarch_sandbox_fs.commands import policy
from inarch_sandbox_fs.opening import PATH_ONLY, SAFE, best_open
from inarch_sandbox_fs.settings import Settings
from inarch_sandbox_fs.workspace import FolderWorkspace

LAYERS = {
    "lexical": "text of the path: '..', absolute, NUL, length",
    "kernel": "openat2 below the root's descriptor, and no link followed when writing",
    "names": "protected names in every spelling, in policy and workspace",
    "kind": "fstat: regular files only",
}
DEADLINE_S = 15.0
IMPATIENCE_S = 5.0  # what is left without a layer stays
MOST_MEMORY = 2 << 30
CODES = ("validation", "permission", "denied", "not_found", "conflict", "execution", "timeout")


def _any_text(path: object, root: str = "") -> str:
    if not isinstance(path, str):
        raise ToolFailed("validation", "not a path")
    return path


def _nothing(*_: object) -> None:
    return None


def _naive_open(root: int, path: str, flags: int, follow: bool) -> int:
    folder = os.readlink(f"/proc/self/fd/{root}")
    extra = os.O_CLOEXEC if flags & PATH_ONLY == PATH_ONLY else SAFE
    return os.open(os.path.join(folder, path), flags & ~os.O_NOFOLLOW | extra)


@contextlib.contextmanager
def _naive_parent(root: int, open_it: object, path: str, make: bool) -> Iterator[tuple[int, str]]:
    parent, name = os.path.split(os.path.join(os.readlink(f"/proc/self/fd/{root}"), path))
    if make:
        os.makedirs(parent, exist_ok=True)
    folder = os.open(parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield folder, name
    finally:
        os.close(folder)


def _any_kind(descriptor: int, path: str) -> os.stat_result:
    return os.fstat(descriptor)


@contextlib.contextmanager
def only(layers: Set[str]) -> Iterator[None]:
    """Leave out every other layer meanwhile."""
    with contextlib.ExitStack() as stack:

        def replace(module: object, name: str, value: object) -> None:
            stack.enter_context(mock.patch.object(module, name, value))

        if "lexical" not in layers:
            for module in (workspace, tools_write, touching):
                replace(module, "normal", _any_text)
        if "kernel" not in layers:
            replace(workspace, "parent_folder", _naive_parent)
            # Following a link at the end of a path is what a plain `open` does.
            replace(writing.os, "O_NOFOLLOW", 0)
        if "names" not in layers:
            replace(workspace, "check_writable", _nothing)
            replace(tools_write, "check_writable", _nothing)
            replace(policy, "is_protected", _nothing)
        if "kind" not in layers:
            replace(workspace, "require_regular", _any_kind)
            replace(writing.stat, "S_ISREG", lambda mode: True)
        yield


def caught(case: Case, layers: Set[str]) -> bool:
    """Whether a case that must be refused is refused with these layers."""
    with tempfile.TemporaryDirectory() as folder:
        child = os.fork()
        if child == 0:
            os._exit(_in_child(case, layers, Path(folder)))
        end = time.monotonic() + DEADLINE_S
        while not (ended := os.waitpid(child, os.WNOHANG))[0]:
            if time.monotonic() > end:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return False
            time.sleep(0.002)
        return os.waitstatus_to_exitcode(ended[1]) == 0


def _in_child(case: Case, layers: Set[str], folder: Path) -> int:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    safety_runner.PATIENCE_S = IMPATIENCE_S

    def opened(root: str) -> FolderWorkspace:
        descriptor = os.open(root, os.O_RDONLY)
        return FolderWorkspace.open(root, Settings(), best_open(descriptor) if "kernel" in layers else _naive_open)

    try:
        with only(layers):
            result = check(evolve(case, refused=CODES, says=""), Place.make(folder), opened)
        return int(result.error is not None and "MemoryError" in result.error.message)
    except Exception:
        return 1


def main() -> None:
    attacks = [case for case in load("paths.json") if case.refused]
    everything = set(LAYERS)

    def count(layers: Set[str]) -> set[str]:
        return {case.name for case in attacks if caught(case, layers)}

    nothing, whole = count(set()), count(everything)
    print(f"{len(attacks)} attacks; all layers: {len(whole)} caught; no layer: {len(nothing)}")
    print(f"{'layer':10} {'alone':>6} {'missing':>8}  what it is")
    for name, what in LAYERS.items():
        alone, without = count({name}) - nothing, whole - count(everything - {name})
        print(f"{name:10} {len(alone):6} {len(without):8}  {what}", flush=True)
        if "-v" in sys.argv:
            print(f"  only {name} catches: {', '.join(sorted(without))}")


if __name__ == "__main__":
    main()
