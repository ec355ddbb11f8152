"""The tool `merge_task`: merge an agent's change from its work tree into the workspace, all or nothing."""

from __future__ import annotations

import stat
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import inarch
from inarch_lib.output.line_merge import Merged, clash_text, is_binary, merge
from inarch_plugins.agents.changes import Change, read_change

NAME = "merge_task"
MOST_BYTES = 64 << 20
"""Size limit in bytes of a merged file."""
NOTHING = inarch.Standing()
Fetch = Callable[[inarch.Standing], bytes]
MOST_CLASHES = 10
"""Most conflicts of a file that are shown."""
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["change"],
    "additionalProperties": False,
    "properties": {
        "change": {"type": "string", "description": "The change named in a result of `task`."},
        "files": {"type": "array", "items": {"type": "string"}, "description": "Only these files. All by default."},
        "conflicts": {
            "enum": ["refuse", "mark"],
            "description": "If both sides changed the same lines: refuse the merge, or write both with marks.",
        },
    },
}


class MergedPath(NamedTuple):
    """The merged content of a path: its bytes and mode.

    `clash` describes a conflict. `data` then has both sides between marks, or is None if text cannot hold them.
    """

    data: bytes | None
    mode: int
    clash: str = ""


def merge_path(
    base: inarch.Standing, ours: inarch.Standing, theirs: inarch.Standing, fetch: Fetch
) -> MergedPath | None:
    """Apply the change from `base` to `theirs` to `ours`, or return None if nothing changes.

    `fetch` returns the bytes of a version.
    """
    if theirs in (ours, base):
        return None
    if ours == base:
        return MergedPath(None if theirs == NOTHING else fetch(theirs), theirs.mode)
    if ours == NOTHING:
        return MergedPath(None, 0, "it was removed here, and changed by the agent")
    if theirs == NOTHING:
        return MergedPath(None, 0, "it was changed here, and removed by the agent")
    sides = [one for one in (base, ours, theirs) if one != NOTHING]
    if any(not stat.S_ISREG(one.mode) for one in sides):
        return MergedPath(None, 0, "one side is not a plain file, and both changed it")
    return _file(base, ours, theirs, fetch)


def _file(base: inarch.Standing, ours: inarch.Standing, theirs: inarch.Standing, fetch: Fetch) -> MergedPath:
    mode = ours.mode if theirs.mode == base.mode else theirs.mode
    modes = "" if ours.mode in (base.mode, theirs.mode) or theirs.mode == base.mode else _modes(base, ours, theirs)
    if ours.hash == theirs.hash or theirs.hash == base.hash:
        return MergedPath(fetch(ours), mode, modes)
    if ours.hash == base.hash:
        return MergedPath(fetch(theirs), mode, modes)
    versions = [fetch(one) if one != NOTHING else b"" for one in (base, ours, theirs)]
    if any(map(is_binary, versions)):
        return MergedPath(None, 0, "it is binary, and both sides changed it")
    merged: Merged = merge(*versions)
    told = [clash_text(merged.clashes[:MOST_CLASHES], ("here", "before", "of the agent"))] if merged.clashes else []
    if len(merged.clashes) > MOST_CLASHES:
        told.append(f"… {len(merged.clashes) - MOST_CLASHES} more conflicts")
    return MergedPath(merged.data, mode, "\n".join([*told, *filter(None, [modes])]))


def _modes(*sides: inarch.Standing) -> str:
    base, ours, theirs = (f"{stat.S_IMODE(one.mode):03o}" for one in sides)
    return f"its mode was {base}, and is {ours} here and {theirs} in the change"


class _Step(NamedTuple):
    """A path that changes: its present and its future state."""

    path: str
    ours: inarch.Standing
    merged: MergedPath

    def state(self) -> inarch.FileState:
        return inarch.FileState(self.path, self.merged.mode, self.merged.data or b"", self.ours.hash, self.ours.mode)


class Merges:
    """Merger of stored changes into the workspace."""

    name = "merge_task"

    def __init__(self, state: str) -> None:
        self._state = Path(state)

    def tool(self) -> inarch.Tool:
        """Return the tool."""
        made = inarch.tool(
            name=NAME, input_schema=_SCHEMA, effects=_effects, check=self.check, preview=self.preview
        )  # fmt: skip
        return made(self.merge_task)

    def merge_task(
        self,
        context: inarch.ToolContext,
        change: str,
        files: Sequence[str] = (),
        conflicts: str = "refuse",
    ) -> dict[str, Any]:
        """Merge the change that an agent made in its work tree into the workspace, all of it or nothing."""
        kept, steps = self._steps(context, change, files, conflicts)
        workspace: Any = context.workspace
        if steps:
            workspace.restore_all([step.state() for step in steps])
        done = files or kept.merging
        kept.note_merged(done)
        changed = [step.path for step in steps]
        marked = [step.path for step in steps if step.merged.clash]
        left = [path for path in kept.files if path not in kept.merging]
        return {
            "merged": changed, "unchanged": [path for path in done if path not in changed],
            **({"conflicts_marked": marked} if marked else {}),
            **({"never_merged": left, "patch": str(kept.patch)} if left else {}),
        }  # fmt: skip

    def check(self, arguments: Mapping[str, Any], context: inarch.ToolContext) -> None:
        """Refuse a change that cannot be merged before the user is asked about it."""
        self._steps(context, arguments["change"], arguments.get("files", ()), arguments.get("conflicts", "refuse"))

    def preview(self, arguments: Mapping[str, Any]) -> str:
        """Return the change as a patch."""
        change = read_change(self._state, str(arguments["change"]))
        title = f"merge the change of {change.agent} from its work tree: {change.task}"
        text = f"{title}\n{change.text(arguments.get('files') or change.merging)}"
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")

    def rewrite(self, call: inarch.ToolCall, tool: inarch.Tool, context: inarch.ToolContext) -> inarch.Rewrite | None:
        """Add the files if the call names none, because the policy judges the call by them."""
        if call.name != NAME or call.arguments.get("files"):
            return None
        try:
            files = read_change(self._state, str(call.arguments["change"])).merging
        except inarch.ToolFailed:
            return None  # the call reports this error itself
        return inarch.Rewrite({**call.arguments, "files": [*files]}) if files else None

    def _steps(
        self, context: inarch.ToolContext, name: str, files: Sequence[str], conflicts: str
    ) -> tuple[Change, list[_Step]]:
        """Compute the whole merge without writing."""
        change = read_change(self._state, name)
        if context.workspace.root not in change.roots:
            raise inarch.ToolFailed("validation", f"{name} is a change of {change.roots[0]}", "merge it there")
        if unknown := [path for path in files if path not in change.merging]:
            raise inarch.ToolFailed(
                "validation", f"{name} has no {', '.join(unknown)} to merge", f"it has {', '.join(change.merging)}"
            )
        steps, clashes = list[_Step](), list[_Step]()
        for path in files or change.merging:
            ours = _standing(context.workspace, path)
            base, theirs = change.files[path]
            merged = merge_path(base, ours, theirs, lambda side, path=path: _bytes(context, change, path, side))  # type: ignore[misc]
            if merged is None:
                continue
            steps.append(_Step(path, ours, merged))
            if merged.clash and (conflicts != "mark" or merged.data is None):
                clashes.append(steps[-1])
        if clashes:
            raise _clashing(change, clashes, len(files or change.merging))
        return change, steps


def _effects(arguments: Mapping[str, Any]) -> inarch.Effects:
    files = frozenset(map(str, arguments.get("files") or [""]))
    return inarch.Effects(reads=files, writes=files)


def _standing(workspace: inarch.Workspace, path: str) -> inarch.Standing:
    entry = workspace.stat(path)
    if entry is None:
        return NOTHING
    if entry.kind == "link":
        return inarch.Standing(sha256(_target(workspace, path)).hexdigest(), stat.S_IFLNK | 0o777)
    if entry.kind == "file":
        return inarch.Standing(workspace.digest(path), stat.S_IFREG | entry.mode)
    return inarch.Standing(None, (stat.S_IFDIR if entry.kind == "directory" else stat.S_IFIFO) | entry.mode)


def _bytes(context: inarch.ToolContext, change: Change, path: str, side: inarch.Standing) -> bytes:
    """Return the bytes of a version, from the workspace if the change does not have them."""
    ref = side.hash or ""
    if any(one.hash == ref for one in change.files[path]):
        try:
            return change.data(ref)
        except OSError as error:
            what = f"bytes of {path} in {change.folder} can't be read: {error.strerror}"
            raise inarch.ToolFailed("execution", what) from error
    found = context.workspace.read(path, 0, MOST_BYTES)
    if found.hash != ref:
        what = f"{path} is bigger than {MOST_BYTES >> 20} MB, or changed during the merge"
        raise inarch.ToolFailed("conflict", what, "try again, or leave it out of `files`")
    return found.data


def _target(workspace: Any, path: str) -> bytes:
    found: bytes = workspace.link_target(path)
    return found


def _clashing(change: Change, clashes: Sequence[_Step], files: int) -> inarch.ToolFailed:
    shown = "\n".join(f"{step.path}: {step.merged.clash}" for step in clashes)
    marks = all(step.merged.data is not None for step in clashes)
    how = 'write both sides with marks (conflicts = "mark"), or ' if marks else ""
    return inarch.ToolFailed(
        "conflict", f"{len(clashes)} of {files} files were changed on both sides, so nothing was merged\n{shown}",
        f"{how}merge the others (files) and change these yourself, the whole change is in {change.patch}",
    )  # fmt: skip
