"""Changes of a copy as lines to read and as plain data."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from typing import Any

from inarch import escape
from inarch_lib.output.line_matches import line_counts, unified
from inarch_plugins.sandbox_fs.changes.change_folder import ChangeFolder
from inarch_plugins.sandbox_fs.changes.copy_changes import Review, Reviewed
from inarch_plugins.sandbox_fs.changes.git_branches import new_tips
from inarch_plugins.sandbox_fs.trial_changes import lines_of

_MOST_FILES, _MOST_LINES, _MOST_CALLS = 200, 2_000, 2
_LARGEST = 1 << 20


def review_lines(change: ChangeFolder, review: Review, ignored: set[str]) -> Iterator[str]:
    """Yield the files of a change: first those to look at, then the others; those that Git ignores are summed up."""
    marked = [one for one in review.found if one.marks]
    plain = [one for one in review.found if not one.marks and one.path not in ignored]
    aside = [one for one in review.found if not one.marks and one.path in ignored]
    yield f"change {change.id}: {_count(len(review.found))} of {change.root}"
    if marked:
        yield "look at these; only `inarch apply ID PATH` applies them:"
        yield from (_line(review, one) for one in marked)
    yield from (_line(review, one) for one in plain[:_MOST_FILES])
    if len(plain) > _MOST_FILES:
        yield f"  … {len(plain) - _MOST_FILES:,} more"
    if aside:
        size = sum(one.theirs.size for one in aside) / (1 << 20)
        gone = [one.path for one in aside if one.kind == "delete" and not one.base.is_folder]
        lost = f", {len(gone)} deleted: {', '.join(gone[:5])}{' …' if len(gone) > 5 else ''}" if gone else ""
        yield f"  not in Git: {_count(len(aside))}, {size:.1f} MB{lost}"
    if tips := new_tips(change):
        yield f"  git: commits of {', '.join(sorted(tips))}; they become branches inarch/…"


def diff_lines(review: Review, chosen: Sequence[Reviewed]) -> Iterator[str]:
    """Yield the unified diffs of text files, each hunk with its number."""
    room = _MOST_LINES
    for one in chosen:
        texts = lines_of(_texts(review, one))
        if texts is None:
            continue
        number = 0
        for row in unified(*texts, (f"a/{one.path}", f"b/{one.path}"), context=0):  # as `hunk` numbers them
            number += row.startswith("@@")
            shown = escape(row.removesuffix("\n"), keep_newlines=False)
            yield f"{shown}  hunk {number}" if row.startswith("@@") else shown
            room -= 1
            if room < 0:
                yield "… the rest of the changed lines is not shown"
                return


def data_of(change: ChangeFolder, review: Review, ignored: set[str], *, diff: bool = False) -> dict[str, Any]:
    """Return a change as plain data, with the changed lines of each file if wanted."""
    files = [
        {
            "path": one.path, "change": one.kind, "mode_before": one.base.mode, "mode_after": one.theirs.mode,
            "added": rows[0], "removed": rows[1], "bytes": one.theirs.size, "look_at": list(one.marks),
            "problem": one.problem, "ignored": one.path in ignored, "calls": review.session.told(one.path),
            **({"diff": list(diff_lines(review, [one]))} if diff else {}),
        }
        for one in review.found for rows in (_counted(review, one),)
    ]  # fmt: skip
    return {
        "id": change.id, "root": change.root, "began": change.began, "sessions": change.sessions, "files": files,
        "commits": new_tips(change),
    }  # fmt: skip


def _line(review: Review, one: Reviewed) -> str:
    calls = review.session.told(one.path)
    by = ", ".join(calls[-_MOST_CALLS:]) + (f" and {len(calls) - _MOST_CALLS} more" if len(calls) > _MOST_CALLS else "")
    left = f"can't be applied: {one.problem}" if one.problem else ""
    said = [_detail(review, one), *one.marks, f"by {by}" if by else "", left]
    slash = "/" if (one.theirs if one.theirs.mode else one.base).is_folder else ""
    return escape(f"  {one.kind:<6} {one.path}{slash}  {'; '.join(filter(None, said))}".rstrip(), keep_newlines=False)


def _detail(review: Review, one: Reviewed) -> str:
    before, after = one.base, one.theirs
    if stat.S_ISLNK(after.mode):
        return f"link to {os.readlink(review.changes.place(one.path))}"
    modes = f"mode {before.mode & 0o7777:o} → {after.mode & 0o7777:o}"
    if one.kind == "mode":
        return modes
    added, removed = _counted(review, one)
    if added is None:
        return "" if after.is_folder or before.is_folder else f"{before.size:,} → {after.size:,} bytes"
    changed = before.mode and after.mode and before.mode != after.mode
    return f"+{added} −{removed}" + (f", {modes}" if changed else "")


def _counted(review: Review, one: Reviewed) -> tuple[int | None, int | None]:
    """Return the numbers of added and removed lines, None for what is not a small text."""
    texts = lines_of(_texts(review, one))
    if texts is None:
        return None, None
    return line_counts(*texts)


def _texts(review: Review, one: Reviewed) -> tuple[bytes, bytes] | None:
    small = max(one.base.size, one.theirs.size, one.ours.size) <= _LARGEST
    return review.texts(one) if small and one.kind != "mode" else None


def _count(files: int) -> str:
    return f"{files:,} file{'' if files == 1 else 's'}"
