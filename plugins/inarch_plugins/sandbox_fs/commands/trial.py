"""Dry run of a command line: its result, its changes as lines to read, and their application."""

from __future__ import annotations

import stat
import weakref
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

from attrs import define, field

from inarch import ToolContext, ToolFailed
from inarch.capabilities import AppliesTrials, Trial, able
from inarch_lib.output.line_matches import line_counts, unified
from inarch_plugins.sandbox_fs.commands.pipelines import Course
from inarch_plugins.sandbox_fs.processes.trial_folder import TrialFolder
from inarch_plugins.sandbox_fs.trial_changes import Change, Compares, TrialChanges, kinds, lines_of

if TYPE_CHECKING:
    from inarch_plugins.sandbox_fs.commands.classified import Classified

LIMIT_S = 10.0
_MOST_OUTPUT = 8 << 10
_MOST_FILES, _MOST_DIFF = 100, 400
_LARGEST_DIFF = 256 << 10
_AGAIN = "this can't be applied as it is, so an approval runs the command again: "


def attempt(found: Classified, context: ToolContext, listing: Classified) -> Tried:
    """Run a command line in a copy of the workspace."""
    compares = able(context.workspace, Compares)
    if compares is None:
        raise ToolFailed("execution", "this workspace has no copies to try a command in", "run it instead")
    folder = TrialFolder.make(context.workspace.root)
    began = monotonic()
    try:
        result = Course(found, context, LIMIT_S, trial=folder).run()
        took_s = monotonic() - began
        asked = folder.asked_for_network()
        return Tried(
            folder,
            compares.compared(partial(TrialChanges, folder=folder)),
            result,
            took_s,
            asked,
            _in_git(listing, context),
        )
    except BaseException:
        folder.remove()
        raise


def _in_git(listing: Classified, context: ToolContext) -> frozenset[str] | None:
    """Return the files in Git, None without a repository."""
    course = Course(listing, context, LIMIT_S)
    course.show = lambda _: None
    with suppress(ToolFailed):
        result = course.run()
        if result["exit_code"] == 0 and not course.is_cut:
            return frozenset(result["output"].split("\0"))
    return None


@define(eq=False, repr=False)
class Tried:
    """Command line that was tried."""

    folder: TrialFolder
    changes: TrialChanges
    result: dict[str, Any]
    took_s: float
    asked_network: bool
    in_git: frozenset[str] | None
    _remover: Any = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._remover = weakref.finalize(self, self.folder.remove)  # also at the end of the process

    def drop(self) -> None:
        """Discard the changes; may be called twice."""
        self._remover()

    @property
    def applies(self) -> bool:
        """Return whether the changes can be applied as they are."""
        return self._remover.alive and not self.changes.obstacle

    def apply(self, context: ToolContext) -> dict[str, Any]:
        """Apply exactly the changes that were seen and return the result of the dry run."""
        applies, compares = able(context.workspace, AppliesTrials), able(context.workspace, Compares)
        if applies is None or compares is None:
            raise ToolFailed("execution", "this workspace cannot apply a dry run", "run the command again")
        now = compares.compared(partial(TrialChanges, folder=self.folder))
        if now.found != self.changes.found or now.obstacle:
            before = {change.path: change for change in self.changes.found}
            path = next((one.path for one in now.found if before.get(one.path) != one), "the workspace")
            raise _changed(now.obstacle or f"{path} was changed")
        try:
            left = applies.apply_trial(now.states()) if now.found else ()
        except ToolFailed as error:
            raise (_changed(error.message) if error.code == "conflict" else error) from None
        kept = [f"{path} is not empty and stays" for path in left]
        note = "; ".join(filter(None, (self.result["note"], "tried first, then applied as seen", *kept)))
        return {**self.result, "note": note}

    def trial(self) -> Trial:
        """Return it as the user sees it."""
        lines = [self._summary(), *self._files(), *self._diffs(), *self._output()]
        if self.changes.obstacle:
            lines.append(f"{_AGAIN}{self.changes.obstacle}")
        return Trial(tuple(lines), self.drop, self.applies, self._data())

    def _data(self) -> dict[str, Any]:
        files = [
            {
                "path": change.path, "change": kind, "mode_before": change.before.mode, "mode_after": change.after.mode,
                "bytes": change.after.size, "files_below": self.changes.removed.get(change.path, 0) or None,
                "in_git": self._is_in_git(change.path),
            }
            for kind, change in kinds(self.changes)
        ]  # fmt: skip
        return {
            "exit_code": self.result["exit_code"], "output": self._text(), "duration_s": round(self.took_s, 3),
            "asked_for_network": self.asked_network, "files": files, "obstacle": self.changes.obstacle,
        }  # fmt: skip

    def _is_in_git(self, path: str) -> bool | None:
        if self.in_git is None:
            return None
        return path in self.in_git or any(one.startswith(f"{path}/") for one in self.in_git)

    def _summary(self) -> str:
        named = [kind for kind, _ in kinds(self.changes)]
        words = [f"{kind} {named.count(kind)}" for kind in ("change", "mode", "add", "delete") if kind in named]
        gone = [change for change in self.changes.found if not change.after.mode and not change.before.is_folder]
        lost = [one for one in self.changes.found if one.before.hash and one.before.hash != one.after.hash]
        apart = [f"{len(gone)} files in all"] if len(gone) > named.count("delete") else []
        if self.in_git is not None and (alone := sum(one.path not in self.in_git for one in lost)):
            apart.append(f"{alone} not in Git")
        aside = f" ({', '.join(apart)})" if apart else ""
        code = self.result["exit_code"]
        ended = f"exit {code}" if code is not None else "killed by a signal"
        network = "; asked for the network (refused)" if self.asked_network else ""
        return f"would {', '.join(words) or 'change nothing'}{aside}, {ended}, {self.took_s * 1000:.0f} ms{network}"

    def _files(self) -> Iterator[str]:
        listed = list(kinds(self.changes))
        for kind, change in listed[:_MOST_FILES]:
            yield f"   {kind:<6} {change.path}{self._detail(kind, change)}"
        if len(listed) > _MOST_FILES:
            yield f"   … {len(listed) - _MOST_FILES:,} more paths"

    def _detail(self, kind: str, change: Change) -> str:
        path, before, after = change.path, change.before, change.after
        known = self.in_git is None or kind == "add" or before.is_folder or path in self.in_git
        aside = "" if known else "  not in Git"
        if kind == "delete":
            return f"/ ({self.changes.removed[path]:,} files){aside}" if before.is_folder else aside
        modes = f"  mode {before.mode & 0o7777:o} → {after.mode & 0o7777:o}" if before.mode else ""
        modes = "" if before.mode == after.mode or stat.S_IFMT(before.mode) != stat.S_IFMT(after.mode) else modes
        if after.is_folder:
            return f"/{modes}"
        if stat.S_ISLNK(after.mode):
            return f" → {self.changes.data(change).decode('utf-8', 'replace')}{aside}"
        if kind == "mode":
            return f"{modes}{aside}"
        texts = self._texts(change)
        if texts is None:
            return f"  {before.size:,} → {after.size:,} bytes{modes}{aside}"
        added, removed = line_counts(*texts)
        return f"  +{added} −{removed}{modes}{aside}"

    def _texts(self, change: Change) -> tuple[list[str], list[str]] | None:
        """Return the lines before and after; None for what is not a small text."""
        sides = change.before, change.after
        if any(side.size > _LARGEST_DIFF or (side.mode and not stat.S_ISREG(side.mode)) for side in sides):
            return None
        found = self.changes.data_before(change), self.changes.data(change)
        return None if any(b"\0" in data for data in found) else lines_of(found)

    def _diffs(self) -> Iterator[str]:
        room = _MOST_DIFF
        for kind, change in list(kinds(self.changes))[:_MOST_FILES]:
            texts = self._texts(change) if kind in ("change", "add") else None
            if texts is None:
                continue
            rows = list(unified(*texts, (f"a/{change.path}", f"b/{change.path}")))
            yield from (f"   {row.removesuffix(chr(10))}" for row in rows[:room])
            room -= len(rows)
            if room < 0:
                yield "   … the rest of the changed lines is not shown"
                return

    def _text(self) -> str:
        text = str(self.result["output"])
        if len(text) <= _MOST_OUTPUT:
            return text
        return f"… the last of {len(text):,} characters …\n{text[-_MOST_OUTPUT:]}"

    def _output(self) -> Iterator[str]:
        if self._text().strip():
            yield "its output:"
            yield from (f"   {line}" for line in self._text().rstrip("\n").split("\n"))
        if self.result["note"]:
            yield f"note: {self.result['note']}"


def _changed(what: str) -> ToolFailed:
    return ToolFailed("conflict", f"{what} since the dry run; nothing was written", "try it again")
