"""Needs of a program: its interpreters, and the installations that they belong to.

A program may lie anywhere, even in a folder with a person's notes and keys. If a link, a `#!` or a `pyvenv.cfg` leads
to a file, only that file is shown. A whole folder is shown only if it is surely an installation.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress

from inarch_plugins.sandbox_fs.safe_open import held

_KINDS = (
    (("python3", "python"), ("pyvenv.cfg", "lib/python3*")),
    (("node",), ("lib/node_modules", "include/node")),
    (("go",), ("pkg/tool",)),
    (("rustc", "cargo"), ("lib/rustlib",)),
    (("java",), ("jre", "lib/jvm.cfg", "lib/modules")),
    (("ruby",), ("lib/ruby",)),
    (("brew",), ("Cellar",)),
    ((), ("conda-meta/history",)),
)
"""Programs below `bin`, and what beside it proves that they are installed there: one of each kind, or no program."""

_PYTHONS = ("python3", "python")
_MODULES = "lib/node_modules"  # what npm installs for a user, programs included, with or without node itself
_MOST_STEPS = 16
"""Maximum number of followed steps from interpreter to interpreter, or from environment to environment."""


def places_of(path: str) -> list[str]:
    """Return what a program needs: its file, its interpreters, and their installations."""
    found: list[str] = []
    seen: set[str] = set()
    while True:
        named = list(_named(path))
        real = named[-1]
        seen.add(real)
        found += named
        for place in named:
            found += installations_at(os.path.dirname(os.path.dirname(place)))
        above, within, _ = real.partition(f"/{_MODULES}/")
        found += [f"{above}/{_MODULES}"] if within else []
        interpreter = _interpreter(real)
        if not interpreter or os.path.realpath(interpreter) in seen or len(seen) == _MOST_STEPS:
            return found
        path = interpreter


def _named(path: str) -> Iterator[str]:
    """Yield a path, each link target on the way, and the final path."""
    for _ in range(_MOST_STEPS):
        yield path
        if not os.path.islink(path):
            break
        path = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))
    yield os.path.realpath(path)


def installations_at(prefix: str) -> list[str]:
    """Return an installation's prefix and, for a virtual environment, the one it was made from."""
    found: list[str] = []
    waiting, seen = [prefix], set[str]()
    while waiting and len(seen) < _MOST_STEPS:
        prefix = waiting.pop()
        if prefix in seen:  # environments can name each other
            continue
        seen.add(prefix)
        if is_installation(prefix):
            found.append(prefix)
        elif os.path.isdir(os.path.join(prefix, _MODULES)):
            found.append(os.path.join(prefix, _MODULES))
        text = _beginning(os.path.join(prefix, "pyvenv.cfg"), 1 << 14).decode("utf-8", "replace")
        for key, _, value in (line.partition("=") for line in text.splitlines()):
            if key.strip() == "home" and os.path.isabs(value.strip()) and "\0" not in value:
                base = os.path.realpath(value.strip())
                found += [python for python in (os.path.join(base, name) for name in _PYTHONS) if is_program(python)]
                waiting.append(os.path.dirname(base))
    return found


def is_interpreter(place: str) -> bool:
    """Return whether a path is an installation, its modules, something in its `bin`, or a Python."""
    above, name = os.path.split(place)
    if place.endswith(f"/{_MODULES}") or is_installation(place):
        return True
    within = os.path.basename(above) == "bin" and is_installation(os.path.dirname(above))
    return (within or name.startswith("python")) and is_program(place)


def is_installation(prefix: str) -> bool:
    """Return whether a folder is surely an installation of interpreters or compilers and nothing else."""
    if os.path.basename(prefix) == ".local":
        return False  # installations by users, and what desktop programs store beside them
    return any(
        (not programs or any(is_program(os.path.join(prefix, "bin", name)) for name in programs))
        and any(_is_there(prefix, mark) for mark in marks)
        for programs, marks in _KINDS
    )


def listed(folder: str) -> list[str]:
    """Return the names in a folder, none if it cannot be read."""
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _is_there(prefix: str, mark: str) -> bool:
    if not mark.endswith("*"):
        return os.path.exists(os.path.join(prefix, mark))
    folder, beginning = os.path.split(os.path.join(prefix, mark[:-1]))
    return any(name.startswith(beginning) for name in listed(folder))


def is_program(path: str) -> bool:
    """Return whether a path leads to an executable file."""
    return os.path.isfile(path) and os.access(path, os.X_OK)


def _interpreter(path: str) -> str:
    """Return the absolute path of the program in a script's `#!`, empty if there is none."""
    first = _beginning(path, 512).partition(b"\n")[0]
    words = first[2:].split() if first.startswith(b"#!") else []
    named = os.fsdecode(words[0]) if words and b"\0" not in words[0] else ""
    return named if os.path.isabs(named) and is_program(named) else ""


def _beginning(path: str, size: int) -> bytes:
    """Return the first bytes of a regular file, nothing for other files: reading a pipe would block."""
    with suppress(OSError), held(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)) as descriptor:
        return os.read(descriptor, size) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
    return b""
