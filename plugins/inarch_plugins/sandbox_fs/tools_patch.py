"""The tool `apply_patch`, which some model families are trained on; a patch applies whole or not at all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from stat import S_IFREG
from typing import TYPE_CHECKING, Any

import inarch
from inarch import Effects, FileState, ToolContext, ToolFailed
from inarch.capabilities import Restorable, able
from inarch_plugins.sandbox_fs import schemas
from inarch_plugins.sandbox_fs.tools_write import (
    known_bytes,
    known_hash,
    require_file,
    require_free,
    require_unchanged,
    seen_bytes,
    writable,
)

if TYPE_CHECKING:
    from inarch_plugins.sandbox_fs.envelope import FilePatch


_NEW = 0o644
"""Permissions of a new file."""
_AZURES_3_5 = 35
"""Azure's spelling of gpt-3.5 is `gpt-35`."""


def patches(model: str, families: Sequence[str] | None = None) -> bool:
    """Return whether a model uses the patch envelope: by these families, else by its own name."""
    name = model.rpartition("/")[2].lower()
    if families is None:
        version = re.search(r"\bgpt-?(\d+)", name)
        is_new = version is not None and 5 <= int(version[1]) != _AZURES_3_5
        return is_new or "gpt-oss" in name or "codex" in name
    # Each start asks this, and most models match no family: without the pattern's longest literal part no regex is
    # needed.
    near = (one for one in map(str.lower, families) if "[" in one or max(re.split(r"[*?]", one), key=len) in name)
    return any(fnmatchcase(name, family) for family in near)


def _effects(arguments: Mapping[str, Any]) -> Effects:
    from inarch_plugins.sandbox_fs.envelope import read_envelope

    try:
        files = read_envelope(str(arguments.get("patch", "")))
    except ToolFailed:
        return Effects(writes=frozenset({""}))  # the call will be refused; until then it conflicts with all others
    reads = frozenset(one.path for one in files if one.kind == "update")
    return Effects(reads, frozenset(path for one in files for path in one.paths))


def _states(context: ToolContext, patch: str) -> tuple[list[FilePatch], list[FileState]]:
    """Compute the file patches and the new state of each path; write nothing."""
    from inarch_plugins.sandbox_fs.envelope import read_envelope

    files = read_envelope(patch, context.workspace.root)
    return list(files), [state for one in files for state in _states_of(context, one)]


def _states_of(context: ToolContext, file: FilePatch) -> Iterator[FileState]:
    path = writable(context, file.path)
    if file.kind == "add":
        require_free(context, path)
        data = "".join(f"{line}\n" for line in file.content).encode("utf-8", "surrogatepass")
        yield FileState(path, S_IFREG | _NEW, data)
        return
    mode = S_IFREG | require_file(context, path).mode
    if file.kind == "delete":
        require_unchanged(context, path)
        yield FileState(path, 0, b"", known_hash(context, path), mode)
        return
    known = known_bytes(context, path)
    if file.new_path is not None:
        require_free(context, writable(context, file.new_path))
    from inarch_plugins.sandbox_fs.envelope import patched

    before = seen_bytes(context, path, known)
    after = patched(before, file.hunks, path)
    if file.new_path is None:
        yield FileState(path, mode, after, known, mode)
    else:
        yield FileState(file.new_path, mode, after)
        yield FileState(path, 0, b"", known, mode)


def _check(arguments: Mapping[str, Any], context: ToolContext) -> None:
    _states(context, arguments["patch"])


@inarch.tool(
    category="file", effects=_effects, title="Edit {files}", input_schema=schemas.APPLY_PATCH,
    receives_secrets=True, check=_check,
)  # fmt: skip
def apply_patch(context: ToolContext, patch: str) -> dict[str, Any]:
    """Apply a patch to files, all of it or nothing. Files that it updates must have been read first."""
    files, states = _states(context, patch)
    restoring = able(context.workspace, Restorable)
    if restoring is None:
        raise ToolFailed(
            "execution", "this workspace can't change several files as one",
            "set patch_models = [] in [plugins.sandbox-fs]",
        )  # fmt: skip
    restoring.restore_all(states)
    said = {"add": "created", "delete": "deleted", "update": "patched"}
    return {
        "files": [
            {"path": one.new_path or one.path, "note": said[one.kind]}
            | ({"old_path": one.path} if one.new_path else {})
            for one in files
        ]
    }
