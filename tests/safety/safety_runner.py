"""Safety cases: data that says what is there, which tool is called and what must come of it.

A file of cases (`paths.json`, `commands.json`) is a list of objects:

    {"name": "link-to-a-file-outside",          unique, becomes the test's id
     "class": "symbolic link",                  the published class of attack, or the ordinary use that must stay
     "setup": [{"link": "l", "to": "{outside}/secret.txt"}],
     "tool": "read_file",
     "arguments": {"file_path": "l"},
     "refused": "permission",                   error code; or a list of codes of which one must come
     "says": "symbolic link",                   optional: stands in the message or its remedy
    }

and for what must go on working, instead of `refused`:

     "allowed": {"content": "one\n"}            each key must have exactly this value in the result's data; a list means
                                                the data itself; {} only asks for success
     "has": ["one"]                             optional: stands in the result's data, written as JSON
     "lacks": ["two"]                           optional: does not
     "files": {"a.txt": "two\n", "b": null}     every file of the root that changed, with its text after; null is gone.
                                                Without this key nothing in the root may have changed.

Further optional keys: `config` (a configuration mapping, given to `compose`), `environ` (more variables), `earlier`
(calls that come first: [{"tool": …, "arguments": …}]; they must succeed), `touched` (paths of the root, with `*` as in
fnmatch, about which nothing is asked: caches of a test run).

Things of `setup`; paths are below the root unless they begin with `{outside}`; parents are made:

    {"file": p, "text": t | "base64": b | "bytes": [..], "repeat": n, "mode": "0600", "executable": true}
    {"folder": p, "mode": "0500"}   {"link": p, "to": target}   {"hardlink": p, "to": existing}
    {"fifo": p}   {"socket": p}   {"device": p}   {"sparse": p, "size": n}   {"deep": p, "levels": n}   {"git": p}

The target of a link is relative to the folder that it is in. A device is one that never ends (a FIFO where only root
makes devices); `deep` makes p/d/d/…/leaf.txt; `git` runs `git init`.

In every text of a case `{root}`, `{outside}`, `{sibling}` (a folder whose name starts with the root's) and `{secret}`
are filled in; a name that is no UTF-8 is written with surrogate escapes (`"\\udcff"`).

After every case the runner demands, whatever the verdict: nothing outside the root differs (names, kinds, bytes, modes,
owners, times of change, extended attributes); `{secret}`, which stands only in files outside, is not in the result; no
process that the case started is left; it did not hang (a call that ran into its time limit is a failure); a refusal
changed nothing inside either and names no exception.
"""

from __future__ import annotations

import base64
import ctypes
import fnmatch
import json
import os
import shutil
import socket
import stat
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from attrs import field, frozen

import inarch

SECRET = "sesame-7f3a9c-open"
DEADLINE_S = 90.0  # what hangs is ended by its own limit later
PATIENCE_S = 120.0  # for what is dying
"""Seconds after which a case has hung; generous, for a case takes some hundredths."""

_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER: what a case leaves behind becomes our child, whoever started it
_HERE = Path(__file__).parent

Snapshot = dict[str, tuple[Any, ...]]


@frozen
class Place:
    """A root, and beside it what no tool may read or change."""

    root: Path
    outside: Path
    sibling: Path
    home: Path
    state: Path

    @classmethod
    def make(cls, folder: Path) -> Place:
        """Make the folders and the sentinels in them."""
        names = ("root", "outside", "root-sibling", "home", "state")
        place = cls(*(folder / name for name in names))
        for name in names:
            (folder / name).mkdir()
        place.fill()
        return place

    def fill(self) -> None:
        """Make the sentinels in empty folders."""
        for one in (self.outside, self.sibling):
            (one / "secret.txt").write_text(f"{SECRET}\n")
            (one / "folder").mkdir()
            (one / "folder" / "file.txt").write_text(f"{SECRET} below\n")
        (self.outside / "victim.txt").write_text("victim\n")
        (self.outside / "tool").write_text(f"#!/bin/sh\necho {SECRET}\n")
        (self.outside / "tool").chmod(0o755)

    def filled(self, value: Any) -> Any:
        """Return a value of a case with the names of this place in its texts."""
        if isinstance(value, str):
            names = {"root": self.root, "outside": self.outside, "sibling": self.sibling, "secret": SECRET}
            for name, text in names.items():
                value = value.replace(f"{{{name}}}", str(text))
            return value
        if isinstance(value, list):
            return [self.filled(one) for one in value]
        if isinstance(value, dict):
            return {self.filled(name): self.filled(one) for name, one in value.items()}
        return value

    def around(self) -> Snapshot:
        """Return what stands around the root."""
        return {**snapshot(self.outside), **snapshot(self.sibling), **snapshot(self.home)}


@frozen
class Case:
    """One case, as its file says it."""

    name: str
    kind: str
    tool: str
    arguments: Mapping[str, Any]
    setup: tuple[Mapping[str, Any], ...] = ()
    earlier: tuple[Mapping[str, Any], ...] = ()
    refused: tuple[str, ...] = ()
    says: str = ""
    allowed: Any = None
    has: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    files: Mapping[str, str | None] = field(factory=dict)
    touched: tuple[str, ...] = ()
    config: Mapping[str, Any] = field(factory=dict)
    environ: Mapping[str, str] = field(factory=dict)
    contained: bool = False
    repeat: int = 1
    approve: str = "all"

    @property
    def verdict(self) -> str:
        """What must come of it, in a word."""
        return "contained" if self.contained else "refused" if self.refused else "allowed"

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Case:
        """Read a case; a key that means nothing, or a missing verdict, is an error."""
        known = {("kind" if name == "class" else name): value for name, value in data.items()}
        refused = known.pop("refused", ())
        if known.get("contained"):  # needs no other verdict
            known["allowed"] = {}
        known["refused"] = (refused,) if isinstance(refused, str) else tuple(refused)
        for name in ("setup", "earlier", "has", "lacks", "touched"):
            known[name] = tuple(known.get(name, ()))
        case = cls(**known)
        if bool(case.refused) == (case.allowed is not None):
            raise ValueError(f"{case.name}: give either `refused` or `allowed`")
        return case


def load(*names: str) -> list[Case]:
    """Return the cases of files beside this one.

    Raises:
        ValueError: Two have the same name, or one has no verdict.
    """
    cases = [Case.of(data) for name in names for data in json.loads((_HERE / name).read_text("utf-8"))]
    known = [case.name for case in cases]
    if len(set(known)) != len(known):
        raise ValueError(f"the same name twice: {sorted({name for name in known if known.count(name) > 1})}")
    return cases


def _is_any(path: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns)


def _check_verdict(case: Case, place: Place, result: inarch.ToolResult, changes: list[str]) -> None:
    if case.refused:
        assert not result.success, f"not refused: {result.data}"
        assert result.error is not None and result.error.code in case.refused, result.error
        said = f"{result.error.message} {result.error.remedy}"
        assert place.filled(case.says) in said, said
        assert "Traceback" not in said and "Error(" not in said, said
        assert not changes, f"refused, and yet changed: {changes}"
        return
    assert result.success, result.error
    allowed = place.filled(case.allowed)
    if isinstance(allowed, dict):
        data = result.data if isinstance(result.data, dict) else {}
        assert {name: data.get(name) for name in allowed} == allowed, result.data
    else:
        assert result.data == allowed, result.data
    text = json.dumps(result.data, ensure_ascii=False)
    assert all(place.filled(one) in text for one in case.has), text
    assert not any(place.filled(one) in text for one in case.lacks), text
    files = place.filled(dict(case.files))
    found = {path: (_text(place.root / path) if (place.root / path).exists() else None) for path in changes}
    assert found == files, f"changed: {found}"


def _text(file: Path) -> str:
    return file.read_bytes().decode("utf-8", "surrogateescape")


def set_up(case: Case, place: Place) -> None:
    """Make what a case needs."""
    for thing in case.setup:
        kind = next(iter(thing))
        path = place.root / place.filled(thing[kind])
        path.parent.mkdir(parents=True, exist_ok=True)
        _MAKERS[kind](path, place.filled(dict(thing)))
    for thing in reversed(case.setup):  # at the end, so that a closed folder can be filled first
        if "mode" in thing:
            (place.root / place.filled(thing[next(iter(thing))])).chmod(int(thing["mode"], 8))


def _make_file(path: Path, thing: Mapping[str, Any]) -> None:
    data = base64.b64decode(thing["base64"]) if "base64" in thing else bytes(thing.get("bytes", ()))
    data = data or thing.get("text", "").encode("utf-8", "surrogateescape")
    path.write_bytes(data * thing.get("repeat", 1))
    if thing.get("executable"):
        path.chmod(0o755)


def _make_socket(path: Path, thing: Mapping[str, Any]) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            made.bind(f"/proc/self/fd/{folder}/{path.name}")  # a socket's own path is limited to some 100 bytes
        finally:
            os.close(folder)


def _make_device(path: Path, thing: Mapping[str, Any]) -> None:
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 5))
    except PermissionError:
        os.mkfifo(path)


def _make_sparse(path: Path, thing: Mapping[str, Any]) -> None:
    with path.open("wb") as file:
        file.truncate(thing["size"])


def _make_deep(path: Path, thing: Mapping[str, Any]) -> None:
    path.mkdir()
    folder = os.open(path, os.O_RDONLY)
    for _ in range(thing["levels"]):
        os.mkdir("d", dir_fd=folder)
        deeper = os.open("d", os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = deeper
    os.close(os.open("leaf.txt", os.O_WRONLY | os.O_CREAT, 0o644, dir_fd=folder))
    os.close(folder)


def _make_git(path: Path, thing: Mapping[str, Any]) -> None:
    git = shutil.which("git")
    assert git is not None, "these cases need git"
    path.mkdir(exist_ok=True)
    subprocess.run([git, "init", "--quiet", "--template=", str(path)], check=True, env={"HOME": "/nonexistent"})


_MAKERS: dict[str, Callable[[Path, Mapping[str, Any]], None]] = {
    "file": _make_file,
    "folder": lambda path, thing: path.mkdir(exist_ok=True),
    "link": lambda path, thing: os.symlink(thing["to"], path),
    "hardlink": lambda path, thing: os.link(path.parent / thing["to"], path),
    "fifo": lambda path, thing: os.mkfifo(path),
    "socket": _make_socket,
    "device": _make_device,
    "sparse": _make_sparse,
    "deep": _make_deep,
    "git": _make_git,
}


def snapshot(folder: Path) -> Snapshot:
    """Return everything below a folder: path to kind, mode, owner, time of change, attributes and content."""
    found: Snapshot = {}
    pending = [(str(folder), "")]
    while pending:
        path, shown = pending.pop()
        status = os.lstat(path)
        kind = stat.S_IFMT(status.st_mode)
        content: Any = None
        size, time_of_change = 0, status.st_mtime_ns
        if kind == stat.S_IFREG:
            size = status.st_size
            with open(path, "rb") as file:
                # Of a huge sparse file a part has to do.
                content = file.read(1 << 20) if status.st_size > 1 << 24 else file.read()
        elif kind == stat.S_IFLNK:
            content = os.readlink(path)
        elif kind == stat.S_IFDIR:
            names = sorted(os.listdir(path))
            content = tuple(names) if shown.count("/") < 60 else ()
            time_of_change = 0  # its names say as much, and a temporary file may have been here
            pending += [(f"{path}/{name}", f"{shown}/{name}".lstrip("/")) for name in content]
        attributes = tuple((name, os.getxattr(path, name, follow_symlinks=False)) for name in _attributes(path))
        found[shown or "."] = (
            kind, stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid, size, time_of_change,
            attributes, content,
        )  # fmt: skip
    prefix = f"{folder}/" if folder.name != "root" else ""
    return {prefix + path: value for path, value in found.items()}


def _attributes(path: str) -> list[str]:
    try:
        return sorted(os.listxattr(path, follow_symlinks=False))
    except (AttributeError, OSError):
        return []  # not every system and file system has them


def differing(before: Snapshot, after: Snapshot) -> list[str]:
    """Return the paths that two snapshots don't agree on; folders only where the folder itself differs."""

    def is_folder(path: str) -> bool:
        return any(one.get(path, (0,))[0] == stat.S_IFDIR for one in (before, after))

    paths = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    return sorted(path for path in paths if not is_folder(path) or _folder_differs(before.get(path), after.get(path)))


def _folder_differs(before: tuple[Any, ...] | None, after: tuple[Any, ...] | None) -> bool:
    # A folder that appears or goes shows by its files; one of its own would be an empty one.
    if before is None or after is None:
        return not (before or after or ((),))[-1]
    return before[1:4] != after[1:4]


def own_the_lost() -> None:
    """Become the parent of every process that a case leaves without one, so that none can hide."""
    ctypes.CDLL(None, use_errno=True).prctl(_SUBREAPER, 1, 0, 0, 0)


def children() -> set[int]:
    """Return the processes that are children of this one."""
    found: set[int] = set()
    for task in os.listdir("/proc/self/task"):
        try:
            found.update(int(one) for one in Path(f"/proc/self/task/{task}/children").read_text().split())
        except FileNotFoundError:
            pass  # the thread has ended
    return found


def assert_none_left(before: set[int]) -> None:
    """Demand that no process is left that was not there before; what is dying is given some time."""
    end = time.monotonic() + PATIENCE_S
    while left := children() - before:
        for process in left:
            try:
                os.waitpid(process, os.WNOHANG)  # buried: an orphan's new parent has to
            except ChildProcessError:
                pass
        if time.monotonic() > end:
            names = [Path(f"/proc/{process}/cmdline").read_bytes() for process in left]
            raise AssertionError(f"processes left: {names}")
        time.sleep(0.001)
