"""Read-only views of the repository."""

from __future__ import annotations

import os
from typing import Any

from inarch import Ran, ToolContext, ToolFailed
from inarch_plugins.git import git_output
from inarch_plugins.git.invocation import PLAIN_DIFF, Git, text
from inarch_plugins.git.status import Status

_MOST_PATHS = 500
_MOST_NAMED = 5
_MOST_LINES = 300
_LONGEST_REVISION = 500


def status(context: ToolContext) -> dict[str, Any]:
    """Return the branch and what is staged, changed, untracked and conflicted."""
    git = Git.open(context)
    found, notes = read_status(git, "normal")
    lists: dict[str, list[Any]] = {
        "staged": found.staged, "changed": found.changed,
        "untracked": found.untracked, "conflicted": found.conflicted,
    }  # fmt: skip
    notes += [
        f"only the first {_MOST_PATHS} of {len(one)} {name}" for name, one in lists.items() if len(one) > _MOST_PATHS
    ]
    notes += _behind_filters(filtered(git, found.names))
    return {
        "branch": found.head, "commit": found.commit, "upstream": found.upstream,
        "ahead": found.ahead, "behind": found.behind, "operation": git.repository.operation(),
        **{name: one[:_MOST_PATHS] for name, one in lists.items()},
        "note": _joined(notes),
    }  # fmt: skip


def _behind_filters(files: list[tuple[str, str]]) -> list[str]:
    """Return a note on files whose contents cannot be compared because configured programs are not run."""
    if not files:
        return []
    names = ", ".join(path for path, _ in files[:_MOST_NAMED])
    more = f" and {len(files) - _MOST_NAMED} more" if len(files) > _MOST_NAMED else ""
    filters = ", ".join(sorted({name for _, name in files}))
    return [f"{names}{more} go through a filter that is not run ({filters}): their contents may be unchanged"]


def diff(context: ToolContext, paths: list[str] | None = None, staged: bool = False) -> dict[str, Any]:
    """Return the changes of tracked files since they were staged, or the staged ones since the last commit."""
    git = Git.open(context)
    wanted = ("--cached",) if staged else ()
    ran = git.read("diff", *PLAIN_DIFF, *wanted, *git.scope(paths or ()))
    notes = _shortened(ran, "name fewer paths")
    if not ran.output:
        notes.append("nothing is staged" if staged else "no tracked file differs from what is staged or committed")
    return {"diff": text(ran.output), "note": _joined(notes)}


def log(context: ToolContext, paths: list[str] | None = None, limit: int = 20) -> dict[str, Any]:
    """Return commits, the newest first; with paths only those that changed them."""
    git = Git.open(context)
    ran = git.read(
        "log", "-z", f"--format={git_output.LOG_FORMAT}", f"--max-count={limit + 1}", *git.scope(paths or ())
    )
    _demand_whole(ran, "lower the limit")
    found = git_output.commits(ran.output)
    notes = [f"only the newest {limit}; raise the limit"] if len(found) > limit else []
    if not found:
        notes.append("no commit changed these paths")
    return {"commits": found[:limit], "note": _joined(notes)}


def show(context: ToolContext, revision: str) -> dict[str, Any]:
    """Return one commit: author, time, message and diff."""
    git = Git.open(context)
    commit = resolved(git, revision)
    argv = ("show", *PLAIN_DIFF, f"--format={git_output.SHOW_FORMAT}", commit)
    ran = git.read(*argv, *git.scope())
    # If the workspace is part of a repository, git prints nothing for a commit that did not touch it.
    data = git_output.shown(ran.output or git.read(*argv, "--no-patch").output)
    notes = _shortened(ran, "use git_diff or read_file for single files")
    if not data["diff"]:
        notes.append(f"the commit changes nothing{' below the workspace' if git.repository.prefix else ''}")
    return {**data, "note": _joined(notes)}


def blame(
    context: ToolContext, file_path: str, start_line: int | None = None, end_line: int | None = None
) -> dict[str, Any]:
    """Return the last commit of each line of a file, with time and author."""
    first = start_line or 1
    if end_line is not None and end_line < first:
        raise ToolFailed("validation", f"end_line {end_line} is before start_line {first}")
    last = min(end_line or first + _MOST_LINES, first + _MOST_LINES)
    git = Git.open(context)
    scope = git.scope([file_path])
    try:
        ran = git.read("blame", "--porcelain", "--no-textconv", f"-L{first},{last}", *scope)
    except ToolFailed as failed:
        if "has only" not in failed.message:
            raise
        if "has only 0 lines" in failed.message and first == 1:
            return {"path": file_path, "lines": [], "note": "the file is empty"}
        raise ToolFailed("validation", f"line {first} is after the end of {file_path}", "start earlier") from None
    _demand_whole(ran, "ask for fewer lines with start_line and end_line")
    lines = git_output.blamed(ran.output)
    note = (
        f"only {_MOST_LINES} lines; go on with start_line={first + _MOST_LINES}" if len(lines) > _MOST_LINES else None
    )
    return {"path": file_path, "lines": lines[:_MOST_LINES], "note": note}


def read_status(git: Git, untracked: str, *scope: str) -> tuple[Status, list[str]]:
    """Return the status of the workspace or of paths, and the notes about it."""
    argv = ("status", "--porcelain=v2", "--branch", "-z", "--ignore-submodules=dirty")
    notes = []
    ran = git.read(*argv, f"--untracked-files={untracked}", *(scope or git.scope()))
    if ran.truncated:
        notes.append("there are too many untracked files to list them")
        ran = git.read(*argv, "--untracked-files=no", *(scope or git.scope()))
        _demand_whole(ran, "use git_diff with paths")
    status = Status.parse(ran.output, git.repository.prefix)
    if b"\xef\xbf\xbd" not in ran.output and "\ufffd" in text(ran.output):
        notes.append("names with \ufffd are not UTF-8 and can't be named in a call")
    return status, notes


def filtered(git: Git, names: list[bytes]) -> list[tuple[str, str]]:
    """Return the files that git would pass through a filter's program, each with the filter's name."""
    filters = git.configured.filters()
    if not filters or not names:
        return []
    top = os.fsencode(git.repository.top)
    ran = git.read("check-attr", "-z", "--stdin", "filter", stdin=b"".join(top + b"/" + name + b"\0" for name in names))
    fields = iter(ran.output.split(b"\0"))
    found = ((text(path), text(value)) for path, _, value in zip(fields, fields, fields, strict=False))
    above = f"{git.repository.root}/"
    return [(path.removeprefix(above), value) for path, value in found if value in filters]


def resolved(git: Git, revision: str) -> str:
    """Return the hash of a commit.

    Raises:
        ToolFailed: The text is not one revision, or there is no such commit.
    """
    ranged = ".." in revision and not revision.startswith(":/")
    if revision.startswith(("-", "^")) or ranged or len(revision) > _LONGEST_REVISION or not revision.isprintable():
        raise ToolFailed(
            "validation", f"{revision[:80]!r} is not one revision", "give a hash, a branch, a tag, or such as HEAD~2"
        )
    ran = git.read("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}", fails=(1, 128))
    if ran.exit_code == 0:
        return text(ran.output).strip()
    if git.read("rev-parse", "--verify", "--quiet", "HEAD", fails=(1, 128)).exit_code != 0:
        raise ToolFailed("not_found", "the repository has no commits yet", "make one with git_commit")
    raise ToolFailed("not_found", f"there is no commit {revision!r}", "use git_log to see which there are")


def _shortened(ran: Ran, remedy: str) -> list[str]:
    return [f"the output was too long and lacks its middle; {remedy}"] if ran.truncated else []


def _demand_whole(ran: Ran, remedy: str) -> None:
    if ran.truncated:
        raise ToolFailed("execution", "git's answer is too long", remedy)


def _joined(notes: list[str]) -> str | None:
    return "; ".join(notes) or None
