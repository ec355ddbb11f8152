"""`apply_patch`: the tool that some families of models are trained on; a patch happens whole or not at all."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from attrs import frozen

import inarch
from inarch import Effects, ToolContext, ToolFailed
from inarch_plugins.sandbox_fs import schemas
from inarch_plugins.sandbox_fs.tools_write import (
    known_bytes,
    known_hash,
    require_free,
    require_unchanged,
    seen_bytes,
    writable,
)

if TYPE_CHECKING:
    from inarch_plugins.sandbox_fs.envelope import FilePatch


_AZURES_3_5 = 35
"""Azure writes gpt-3.5 as `gpt-35`."""


def patches(model: str, families: Sequence[str] | None = None) -> bool:
    """Whether a model, by its full name, patches in the envelope: by these families, else by its own name."""
    name = model.rpartition("/")[2].lower()
    if families is None:
        version = re.search(r"\bgpt-?(\d+)", name)
        is_new = version is not None and 5 <= int(version[1]) != _AZURES_3_5
        return is_new or "gpt-oss" in name or "codex" in name
    # Each start asks this, and most models are of none: a pattern whose longest plain part is missing needs no regex.
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


@frozen(eq=False, repr=False)  # each start makes the class
class _Step:
    """One file's change, worked out: `known` is the hash of what stands at its path, `data` what will."""

    file: FilePatch
    known: str | None = None
    data: bytes | None = None


def _steps(context: ToolContext, patch: str) -> list[_Step]:
    """Work out the whole patch; nothing is written."""
    from inarch_plugins.sandbox_fs.envelope import read_envelope

    return [_step(context, one) for one in read_envelope(patch, context.workspace.root)]


def _step(context: ToolContext, file: FilePatch) -> _Step:
    path = writable(context, file.path)
    if file.kind == "add":
        require_free(context, path)
        return _Step(file, None, "".join(f"{line}\n" for line in file.content).encode("utf-8", "surrogatepass"))
    if file.kind == "delete":
        require_unchanged(context, path)
        return _Step(file, known_hash(context, path))
    known = known_bytes(context, path)
    if file.new_path is not None:
        require_free(context, writable(context, file.new_path))
    from inarch_plugins.sandbox_fs.envelope import patched

    before = seen_bytes(context, path, known)
    after = patched(before, file.hunks, path)
    return _Step(file, known, None if after == before else after)


def _check(arguments: Mapping[str, Any], context: ToolContext) -> None:
    _steps(context, arguments["patch"])


@inarch.tool(
    category="file", effects=_effects, input_schema=schemas.APPLY_PATCH, receives_secrets=True, check=_check
)  # fmt: skip
def apply_patch(context: ToolContext, patch: str) -> dict[str, Any]:
    """Change files by a patch, all of it or nothing; files that it updates must have been read first."""
    steps = _steps(context, patch)
    undo: list[Callable[[], object]] = []
    try:
        for step in steps:
            _take(context, step, undo)
    except BaseException:
        _take_back(undo)
        raise
    said = {"add": "created", "delete": "deleted", "update": "patched"}
    return {
        "files": [
            {"path": one.file.new_path or one.file.path, "note": said[one.file.kind]}
            | ({"old_path": one.file.path} if one.file.new_path else {})
            for one in steps
        ]
    }


def _take(context: ToolContext, step: _Step, undo: list[Callable[[], object]]) -> None:
    """Change one file, and note how that is taken back."""
    workspace, path, known = context.workspace, step.file.path, step.known
    if known is None:
        made = workspace.replace(path, [step.data or b""], None).after
        undo.append(lambda: workspace.remove(path, made or ""))
    elif step.file.kind == "delete":
        entry, before = workspace.stat(path), seen_bytes(context, path, known)
        workspace.remove(path, known)
        if entry is not None:
            undo.append(lambda: workspace.restore(path, entry, before))
    else:
        target = step.file.new_path or path
        if target != path:
            workspace.move(path, target, known)
            undo.append(lambda: workspace.move(target, path, known))
        if step.data is not None:
            before = seen_bytes(context, target, known)
            after = workspace.replace(target, [step.data], known).after
            undo.append(lambda: workspace.replace(target, [before], after))


def _take_back(undo: Sequence[Callable[[], object]]) -> None:
    """Put everything back, the last first; what somebody else has changed since is theirs."""
    left = []
    for one in reversed(undo):
        try:
            one()
        except ToolFailed as failure:
            left.append(failure.message)
    if left:
        raise ToolFailed(
            "conflict", f"the patch failed halfway, and not all of it could be put back: {'; '.join(left)}",
            "look at the files before you go on",
        )  # fmt: skip
