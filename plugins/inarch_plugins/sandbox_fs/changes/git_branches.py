"""Commits of a copy: they come into the repository as objects and branches `inarch/…`, and move nothing of yours."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress

from inarch import Piped, Rights, ToolFailed, Workspace
from inarch.capabilities import RunsPiped, able
from inarch_lib.confinement.overlay import UPPER
from inarch_plugins.sandbox_fs.changes.change_folder import ChangeFolder
from inarch_plugins.sandbox_fs.commands.git_rules import environment
from inarch_plugins.sandbox_fs.commands.rights_choice import KEPT_OF_GIT

_REFS = (".git/refs/heads", ".git/refs/stash", ".git/HEAD")
_TIP = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_LIMIT_S = 120.0


def new_tips(change: ChangeFolder) -> dict[str, str]:
    """Return the commits of the copy's branches, stash and detached head that no ref of the original names."""
    if not os.path.isdir(os.path.join(change.root, ".git")):
        return {}
    known = _known(change.root)
    found = _tips(os.path.join(change.path, UPPER), _REFS)
    return {name: tip for name, tip in found.items() if tip not in known}


def bring(change: ChangeFolder, workspace: Workspace) -> dict[str, str]:
    """Bring the commits of a copy into the original's repository; return the new branches with their commits."""
    tips, pipes = new_tips(change), able(workspace, RunsPiped)
    if not tips or pipes is None:
        return {}
    objects = os.path.join(change.path, UPPER, ".git/objects")
    reads = Rights(reads=(objects,), env={**environment({}), "GIT_ALTERNATE_OBJECT_DIRECTORIES": objects})
    writes = Rights(writes=(".git/",), keeps=KEPT_OF_GIT, env=environment({}))
    wanted = "\n".join([*tips.values(), *(f"^{one}" for one in _known(change.root)), ""])
    packs = Piped(("git", "pack-objects", "--revs", "--stdout", "-q"), reads)
    ran = pipes.run_piped(
        [packs, Piped(("git", "unpack-objects", "-q", "--strict"), writes)], stdin=wanted.encode(), timeout_s=_LIMIT_S
    )
    names = {f"inarch/{change.id[-8:]}/{os.path.basename(name)}": tip for name, tip in tips.items()}
    refs = "".join(f"create refs/heads/{name} {tip}\n" for name, tip in names.items())
    if not ran.exit_code:
        ran = workspace.run(("git", "update-ref", "--stdin"), writes, stdin=refs.encode())
    if ran.exit_code:
        said = (ran.errors or ran.output).decode("utf-8", "replace").strip()
        raise ToolFailed("execution", f"the commits of the copy can't be brought here: {said}", "they wait in the copy")
    return names


def _known(root: str) -> set[str]:
    known = set(_tips(root, (".git/refs", ".git/HEAD")).values())
    with suppress(OSError), open(os.path.join(root, ".git/packed-refs"), encoding="utf-8") as packed:
        known.update(_TIP.findall(packed.read()))
    return known


def _tips(root: str, places: tuple[str, ...]) -> dict[str, str]:
    return {path: tip for place in places for path in _files(root, place) if (tip := _tip(os.path.join(root, path)))}


def _files(root: str, place: str) -> Iterator[str]:
    path = os.path.join(root, place)
    if not os.path.isdir(path):
        yield place
    for at, _, names in os.walk(path):
        yield from (os.path.relpath(os.path.join(at, name), root) for name in names)


def _tip(path: str) -> str:
    """Return the commit that a file names, "" for none; links are not followed."""
    with suppress(OSError), open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
        text = file.read(100).decode("ascii", "replace").strip()
        return text if _TIP.fullmatch(text) else ""
    return ""
