"""`git add` and `git commit` as commands: they get the rights of the tool `git_commit`, wherever the repository is.

Left out on purpose: what asks a person or edits (`-p -i -e`), rewrites a commit (`--amend`), or signs (`-S`).
"""

from __future__ import annotations

from collections.abc import Sequence

from inarch import Rights, ToolFailed, Workspace
from inarch_lib.staging.git_config import Configured, user_environment, user_files, variables
from inarch_lib.staging.repositories import Repository
from inarch_plugins.sandbox_fs.commands.kinds import Refused
from inarch_plugins.sandbox_fs.commands.rules import Reader, Rule

ADD = Rule("git add", "-A --all -u --update -v --verbose -n --dry-run -N --intent-to-add", "path*", style="git")
COMMIT = Rule(
    "git commit",
    "-m:text --message=text -am:text -a --all -q --quiet -v --verbose -n --no-verify -s --signoff --allow-empty"
    " --dry-run",
    "path*", style="git",
)  # fmt: skip
WRITES = (ADD.name, COMMIT.name)
_WHOLE_TREE = {"git add": {"-A", "--all", "-u", "--update"}, "git commit": {"-a", "--all", "-am"}}
_SECONDS = 10.0


def reader_of(words: Sequence[str], root: str) -> Reader | None:
    """Return the reader of a command that stages or commits; None for any other."""
    rule = next((one for one in (ADD, COMMIT) if tuple(words[:2]) == one.words), None)
    if rule is None:
        return None
    reader = Reader(rule, root, words[2:])
    try:
        reader.read()
    except Refused:
        return None
    return reader


def prepared(reader: Reader, workspace: Workspace, repository: Repository) -> tuple[Rights, str]:
    """Return the rights of a git that stages or commits, and a note on what it leaves out."""
    whole = _WHOLE_TREE[reader.rule.name] & reader.given
    if repository.prefix and whole and not reader.paths:
        (option, *_) = sorted(whole)
        message = f"{reader.rule.name} {option} would reach folders of the repository outside the workspace"
        raise ToolFailed("permission", message, "name the paths, such as git add .")
    reads = (*repository.reads(), *user_files())
    look = repository.variables | user_environment() | {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}
    argv = ("git", "config", "--list", "--show-scope", "-z")
    listed = workspace.run(argv, Rights(reads=reads, env=look), timeout_s=_SECONDS)
    if listed.exit_code != 0:
        said = listed.errors.decode("utf-8", "replace").strip()[:300]
        raise ToolFailed("execution", f"git can't read its configuration: {said}", "correct it, or use git_commit")
    configured = Configured.parse(listed.output)
    ignored = configured.ignored_by_user()
    reads = (*repository.reads(), *((ignored,) if ignored else ()))
    env = variables(repository, configured, GIT_LITERAL_PATHSPECS="0", **configured.identity())
    _require_unfiltered(workspace, configured, Rights(reads=reads, env=env))
    rights = Rights(
        writes=(".git/",) if repository.within else (),
        writes_outside=repository.folders,
        reads=(*reads, "/dev/urandom"),  # for the names of its temporary files
        env=env,
    )
    hooks = configured.hooks(repository.top, repository.common_dir) if reader.rule is COMMIT else ()
    return rights, f"the repository's hooks were not run: {', '.join(hooks)}" if hooks else ""


def _require_unfiltered(workspace: Workspace, configured: Configured, rights: Rights) -> None:
    """Refuse to stage files whose content a filter's program would change: none is run here."""
    filters = configured.filters()
    if not filters:
        return
    changed = workspace.run(("git", "ls-files", "-z", "-m", "-o", "--exclude-standard"), rights, timeout_s=_SECONDS)
    argv = ("git", "check-attr", "-z", "--stdin", "filter")
    found = workspace.run(argv, rights, stdin=changed.output, timeout_s=_SECONDS).output.decode("utf-8", "replace")
    fields = iter(found.split("\0"))
    for path, _, value in zip(fields, fields, fields, strict=False):
        if value in filters:
            message = f"{path} goes through the filter {value}, which is not run here"
            raise ToolFailed("permission", message, "the user can run it in a terminal")
