"""Tools of the plugin: their arguments and effects; the first call imports the implementation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import inarch
from inarch import FunctionTool, ToolContext
from inarch_plugins.git import schemas

_LOOKING_S = 120.0
_COMMITTING_S = 240.0
_GIT_FOLDER = ".git/"
"""Path of the repository, wherever it really is: in the order of calls it counts as one resource."""
_READS_EVERYTHING = inarch.Effects(reads=frozenset({""}))
_READS_HISTORY = inarch.Effects(reads=frozenset({_GIT_FOLDER}))


def _reads_paths(arguments: Mapping[str, Any]) -> inarch.Effects:
    paths = _paths(arguments.get("paths"))
    return inarch.Effects(reads=paths | {_GIT_FOLDER}) if paths else _READS_EVERYTHING


def _reads_file(arguments: Mapping[str, Any]) -> inarch.Effects:
    return inarch.Effects(reads=_paths([arguments.get("file_path")]) | {_GIT_FOLDER})


def _commits(arguments: Mapping[str, Any]) -> inarch.Effects:
    return inarch.Effects(
        reads=_paths(arguments.get("paths")) or _READS_EVERYTHING.reads, writes=frozenset({_GIT_FOLDER})
    )


def _paths(paths: object) -> frozenset[str]:
    """Return the paths; an invalid one counts as everything, so that the call waits its turn to be refused."""
    given = paths if isinstance(paths, list) else []
    return frozenset("" if not isinstance(path, str) or path == "." else path for path in given)


@inarch.tool(
    category="git", effects=_READS_EVERYTHING, timeout_s=_LOOKING_S,
    title="Look at the Git status", input_schema=schemas.NOTHING, output_schema=schemas.STATUS_DATA,
)  # fmt: skip
def git_status(context: ToolContext) -> dict[str, Any]:
    """Show the branch and staged, changed, untracked and conflicted files."""
    from inarch_plugins.git.repository_views import status

    return status(context)


@inarch.tool(
    category="git", effects=_reads_paths, timeout_s=_LOOKING_S,
    title="Look at the changes[ of {paths}]", input_schema=schemas.DIFF, output_schema=schemas.DIFF_DATA,
)  # fmt: skip
def git_diff(context: ToolContext, paths: list[str] | None = None, staged: bool = False) -> dict[str, Any]:
    """Show the unstaged changes of tracked files, or the staged changes."""
    from inarch_plugins.git.repository_views import diff

    return diff(context, paths, staged)


@inarch.tool(
    category="git", effects=_READS_HISTORY, timeout_s=_LOOKING_S,
    title="List commits[ of {paths}]", input_schema=schemas.LOG, output_schema=schemas.LOG_DATA,
)  # fmt: skip
def git_log(context: ToolContext, paths: list[str] | None = None, limit: int = 20) -> dict[str, Any]:
    """List commits, newest first; with paths, only those that changed them."""
    from inarch_plugins.git.repository_views import log

    return log(context, paths, limit)


@inarch.tool(
    category="git", effects=_READS_HISTORY, timeout_s=_LOOKING_S,
    title="Show commit {revision}", input_schema=schemas.SHOW, output_schema=schemas.SHOW_DATA,
)  # fmt: skip
def git_show(context: ToolContext, revision: str) -> dict[str, Any]:
    """Show one commit: author, date, message and diff."""
    from inarch_plugins.git.repository_views import show

    return show(context, revision)


@inarch.tool(
    category="git", effects=_reads_file, timeout_s=_LOOKING_S,
    title="Look who changed {file_path}", input_schema=schemas.BLAME, output_schema=schemas.BLAME_DATA,
)  # fmt: skip
def git_blame(
    context: ToolContext, file_path: str, start_line: int | None = None, end_line: int | None = None
) -> dict[str, Any]:
    """Show commit, date and author of the last change of each line of a file."""
    from inarch_plugins.git.repository_views import blame

    return blame(context, file_path, start_line, end_line)


@inarch.tool(
    category="git", effects=_READS_EVERYTHING, timeout_s=_LOOKING_S, offered=lambda model: False,
    title="Look at the changes", input_schema=schemas.CHANGES, output_schema=schemas.CHANGES_DATA,
)  # fmt: skip
def git_changes(
    context: ToolContext, base: str = "", commit: str = "", uncommitted: bool = False, after: int = 0, offset: int = 0
) -> dict[str, Any]:
    """Show a change file by file, in pages, for a review: since a branch, of a commit, or not committed yet."""
    from inarch_plugins.git.changes import changes

    return changes(context, base, commit, uncommitted, after, offset)


def _check_commit(arguments: Mapping[str, Any], context: ToolContext) -> None:
    from inarch_plugins.git.commit import check

    check(context, arguments["paths"], arguments["message"])


@inarch.tool(
    category="git", effects=_commits, timeout_s=_COMMITTING_S,
    title="Commit {paths}", input_schema=schemas.COMMIT, output_schema=schemas.COMMIT_DATA, check=_check_commit,
)  # fmt: skip
def git_commit(context: ToolContext, paths: list[str], message: str) -> dict[str, Any]:
    """Commit exactly these paths as they are now. Other staged changes stay staged."""
    from inarch_plugins.git.commit import commit

    return commit(context, paths, message)


TOOLS: tuple[FunctionTool, ...] = (git_status, git_diff, git_log, git_show, git_blame, git_changes, git_commit)
