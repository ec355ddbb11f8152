"""Changes of a commit, of a branch or of the working tree, file by file and in pages."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from attrs import frozen

from inarch import ToolContext, ToolFailed
from inarch_plugins.git.invocation import PLAIN_DIFF, Git, text
from inarch_plugins.git.repository_views import read_status, resolved

MOST_TEXT = 40_000
"""Most characters of diffs in a page: a longer result would lose its middle."""
MOST_FILES = 200
"""Most files in a page."""
_MOST_REST = 60
_LAST = (
    ".md", ".rst", ".txt", ".json", ".jsonl", ".lock", ".sum", ".csv", ".xml", ".svg", ".html", ".css", ".map",
    ".min.js",
)  # fmt: skip
"""Ends of names of documents and data, which come after the code."""
_LARGEST = 2_000_000
_SECTION = re.compile(r"^(?=diff --git )", re.MULTILINE)


@frozen
class Row:
    """A changed file with its counts of lines; both are 0 for a binary file and for a rename only."""

    path: str
    old_path: str | None
    added: int
    removed: int
    is_new: bool = False
    """Whether Git does not track it yet."""

    @property
    def header(self) -> str:
        """The first line of its diff."""
        return f"diff --git a/{self.old_path or self.path} b/{self.path}"


def changes(context: ToolContext, base: str, commit: str, uncommitted: bool, after: int, offset: int) -> dict[str, Any]:
    """Return a page of the changes: code before documents and data, then the files with the fewest changed lines first.

    Without `base`, `commit` and `uncommitted`, the changes are the uncommitted ones. If there are none, they are those
    since the merge base with the default branch.

    Args:
        context: The call's context.
        base: A branch: the changes since its merge base with `HEAD`.
        commit: A commit: the changes since its first parent.
        uncommitted: Whether to take the changes that are not committed, with untracked files.
        after: How many files to skip.
        offset: How many characters of the next file's diff to skip.

    Raises:
        ToolFailed: There is no repository or no such revision, or the histories have no common commit.
    """
    if sum(map(bool, (base, commit, uncommitted))) > 1:
        raise ToolFailed("validation", "base, commit and uncommitted exclude each other", "give one of them")
    git = Git.open(context)
    what, revisions, rows = _chosen(git, base, commit, uncommitted)
    rows.sort(key=lambda row: (row.path.endswith(_LAST), row.added + row.removed, row.path))
    page, end, at = _page(git, revisions, rows[after : after + MOST_FILES], offset)
    end += after
    return {
        "what": what, "total": len(rows), "files": page,
        "next": {"after": end, "offset": at} if end < len(rows) else None, "rest": _rest(rows[end:]),
    }  # fmt: skip


def _chosen(git: Git, base: str, commit: str, uncommitted: bool) -> tuple[str, list[str], list[Row]]:
    """Return what is compared, in words and as revisions, and the changed files."""
    if commit:
        found = resolved(git, commit)
        parents = text(git.read("rev-list", "--parents", "--max-count=1", found).output).split()[1:]
        revisions = [parents[0] if parents else _empty_tree(git), found]
        return f"commit {found[:12]}", revisions, _listed(git, revisions)
    if not base:
        has_commit = git.read("rev-parse", "--verify", "--quiet", "HEAD", fails=(1, 128)).exit_code == 0
        revisions = ["HEAD" if has_commit else _empty_tree(git)]
        rows = _listed(git, revisions) + _untracked(git)
        if rows or uncommitted:
            return "uncommitted changes", revisions, rows
        base = _default_branch(git)
    ran = git.read("merge-base", resolved(git, base), resolved(git, "HEAD"), fails=(1,))
    if ran.exit_code == 1:
        raise ToolFailed(
            "not_found", f"{base} and HEAD have no common commit here",
            "fetch the whole history, for example with `git fetch --unshallow`",
        )  # fmt: skip
    revisions = [text(ran.output).split()[0], resolved(git, "HEAD")]
    return f"changes since {base}", revisions, _listed(git, revisions)


def _empty_tree(git: Git) -> str:
    return text(git.read("hash-object", "-t", "tree", "--stdin").output).strip()


def _default_branch(git: Git) -> str:
    ran = git.read("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD", fails=(1, 128))
    named = text(ran.output).strip() if ran.exit_code == 0 else ""
    for branch in filter(None, (named, "main", "master")):
        if git.read("rev-parse", "--verify", "--quiet", f"{branch}^{{commit}}", fails=(1, 128)).exit_code == 0:
            return branch
    raise ToolFailed("not_found", "nothing is uncommitted, and there is no branch main or master", "name the base")


def _listed(git: Git, revisions: list[str]) -> list[Row]:
    ran = git.read("diff", *PLAIN_DIFF, "-M", "--numstat", "-z", *revisions, *git.scope())
    fields = iter(text(ran.output).split("\0"))
    rows = []
    for one in fields:
        if not one:
            continue
        added, removed, path = one.split("\t", 2)
        old = None if path else next(fields)
        path = path or next(fields)
        if "\ufffd" not in path:  # a name that is not UTF-8 can't be given to Git here
            rows.append(Row(path, old, _number(added), _number(removed)))
    return rows


def _number(count: str) -> int:
    return 0 if count == "-" else int(count)  # a binary file


def _untracked(git: Git) -> list[Row]:
    status, _ = read_status(git, "all")
    names = [path for path in status.untracked if not path.endswith("/") and "\ufffd" not in path]
    return [Row(path, None, _new_text(git, path).count("\n+"), 0, is_new=True) for path in names]


def _new_text(git: Git, path: str) -> str:
    """Return the diff that adds an untracked file, without lines if it is binary, large or not a file."""
    header = f"diff --git a/{path} b/{path}\nnew file\n"
    stat = git.context.workspace.stat(path)
    if stat is None or stat.kind != "file" or stat.size > _LARGEST:
        return header
    data = git.context.workspace.read(path).data
    if not data or b"\0" in data:
        return header
    lines = text(data).removesuffix("\n").split("\n")
    return f"{header}--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{len(lines)} @@\n" + "".join(f"+{x}\n" for x in lines)


def _page(git: Git, revisions: list[str], rows: list[Row], offset: int) -> tuple[list[dict[str, Any]], int, int]:
    """Return the files of a page, the number of whole ones, and the characters of a next one that are in it."""
    diffs = _diffs(git, revisions, [row for row in rows if not row.is_new])
    page, room = [], MOST_TEXT
    for at, row in enumerate(rows):
        whole = _new_text(git, row.path) if row.is_new else diffs.get(row.header) or _single(git, revisions, row)
        part = whole[offset : offset + room]
        page.append({
            "path": row.path, "old_path": row.old_path, "added": row.added, "removed": row.removed, "diff": part,
        })  # fmt: skip
        room -= len(part)
        if offset + len(part) < len(whole):
            return page, at, offset + len(part)
        offset = 0
        if room <= 0:
            return page, at + 1, 0
    return page, len(rows), 0


def _diffs(git: Git, revisions: list[str], rows: list[Row]) -> dict[str, str]:
    """Return the diffs by their first lines; one whose name Git quotes is missing."""
    if not rows:
        return {}
    found: dict[str, str] = {}
    for section in _SECTION.split(_patch(git, revisions, rows)):
        header = section.partition("\n")[0]
        found[header] = found.get(header, "") + section
    return found


def _single(git: Git, revisions: list[str], row: Row) -> str:
    return _patch(git, revisions, [row])


def _patch(git: Git, revisions: list[str], rows: list[Row]) -> str:
    paths = [path for row in rows for path in (row.old_path, row.path) if path]
    return text(git.read("diff", *PLAIN_DIFF, "-M", *revisions, *git.scope(paths)).output)


def _rest(rows: list[Row]) -> list[dict[str, Any]]:
    """Return files, or the folders of many with their numbers of files."""
    if len(rows) <= _MOST_REST:
        return [{"path": row.path, "files": 1} for row in rows]
    folders = Counter(f"{row.path.rpartition('/')[0] or '.'}/" for row in rows).most_common()
    more = sum(count for _, count in folders[_MOST_REST:])
    named = [{"path": folder, "files": count} for folder, count in folders[:_MOST_REST]]
    return [*named, *([{"path": "other folders", "files": more}] if more else [])]
