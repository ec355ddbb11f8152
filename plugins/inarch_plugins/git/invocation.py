"""Invocation of git: its arguments, its rights, and the meaning of its failures.

Nothing in a repository may make git start a program. The process has no right to (if the kernel confines it), and every
setting that names a program is overridden, so that this also holds without confinement.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from attrs import frozen

from inarch import Ran, Rights, ToolContext, ToolFailed
from inarch_lib.staging.git_config import Configured, user_environment, user_files, variables
from inarch_lib.staging.repositories import NoRepository, Repository, find

_Code = Literal["not_found", "validation", "permission", "conflict", "execution"]

SECONDS = 60.0
PLAIN_DIFF = (
    "--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", "--src-prefix=a/", "--dst-prefix=b/",
    "--relative",
)  # fmt: skip

# Git's messages (the first match counts) and their meanings.
_MEANINGS: tuple[tuple[str, _Code, str, str], ...] = (
    (".lock': File exists", "conflict", "the repository is locked by another git",
     "wait until it is done; if none runs, remove that file"),
    ("not a git repository", "not_found", "this is not a git repository", "make one with `git init`"),
    ("promisor remote", "execution", "an object of this partial clone is not here", "run `git fetch` yourself"),
    ("lazy fetching disabled", "execution", "an object of this partial clone is not here", "run `git fetch` yourself"),
    *((sign, "permission", "the repository borrows objects from one outside the workspace",
       "make it whole with `git repack -a -d`, then remove .git/objects/info/alternates")
      for sign in ("object pack directory", "info/alternates")),
    ("bad config", "execution", "the repository's configuration can't be read", "correct .git/config"),
    ("no such path", "not_found", "the path is not in the last commit", "use git_status to see what is"),
    ("did not match any file", "not_found", "a path is neither in the repository nor in the workspace",
     "use git_status to see what has changed"),
    ("are ignored by one of your", "validation", "a path is ignored by .gitignore",
     "leave it out, or add it with `git add -f` yourself first"),
    ("is in submodule", "validation", "a path is in a submodule, which is a repository of its own",
     "open Inarch in the submodule"),
    ("beyond a symbolic link", "permission", "a path goes through a symbolic link", "use the path of the file itself"),
    ("does not have any commits yet", "not_found", "the repository has no commits yet", "make one with git_commit"),
    ("no such ref: HEAD", "not_found", "the repository has no commits yet", "make one with git_commit"),
)  # fmt: skip


@frozen
class Git:
    """Git in one repository, for one call."""

    context: ToolContext
    repository: Repository
    configured: Configured

    @classmethod
    def open(cls, context: ToolContext) -> Git:
        """Find the workspace's repository and read its configuration.

        Raises:
            ToolFailed: There is no repository, or it cannot be used.
        """
        try:
            repository = find(context.workspace.root)
        except NoRepository as error:
            raise ToolFailed(*error.args) from None
        files = user_files()
        environment = repository.variables | user_environment() | {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}
        rights = Rights(reads=(*repository.reads(), *files), env=environment)
        argv = ("git", "config", "--list", "--show-scope", "-z")
        ran = context.workspace.run(argv, rights, timeout_s=SECONDS)
        if ran.exit_code != 0:
            raise failure(ran)
        return cls(context, repository, Configured.parse(ran.output))

    def read(self, *argv: str, stdin: bytes = b"", fails: Sequence[int] = ()) -> Ran:
        """Run git without a right to change anything; exit codes other than 0 and `fails` are failures."""
        return self._run(argv, Rights(reads=self._reads(), env=self._environment(GIT_OPTIONAL_LOCKS="0")), stdin, fails)

    def write(self, *argv: str, stdin: bytes = b"", fails: Sequence[int] = (), **environment: str) -> Ran:
        """Run git with the right to change the repository, but no file of the workspace."""
        repository = self.repository
        rights = Rights(
            writes=(".git/",) if repository.within else (),
            writes_outside=repository.folders,
            reads=(*self._reads(), "/dev/urandom"),  # for the names of its temporary files
            env=self._environment(**environment),
        )
        return self._run(argv, rights, stdin, fails)

    def scope(self, paths: Sequence[str] = ()) -> tuple[str, ...]:
        """Return the arguments that limit a command to paths, or to the workspace if it is part of a repository.

        Raises:
            ToolFailed: A path is invalid, or leads out of the workspace.
        """
        for path in paths:
            self.context.workspace.stat(path)
        return ("--", *(paths or (".",))) if paths or self.repository.prefix else ("--",)

    def _run(self, argv: Sequence[str], rights: Rights, stdin: bytes, fails: Sequence[int]) -> Ran:
        whole = ("git", "--no-pager", *argv)
        ran = self.context.workspace.run(whole, rights, stdin=stdin, timeout_s=SECONDS)
        if ran.exit_code != 0 and ran.exit_code not in fails:
            raise failure(ran)
        return ran

    def _reads(self) -> tuple[str, ...]:
        ignored = self.configured.ignored_by_user()
        return self.repository.reads() + ((ignored,) if ignored else ())

    def _environment(self, **more: str) -> dict[str, str]:
        return variables(self.repository, self.configured, **more)


def failure(ran: Ran) -> ToolFailed:
    """Return the failure for a failed git."""
    if ran.timed_out:
        return ToolFailed("timeout", f"git took longer than {SECONDS:g} s and was stopped", "ask for fewer paths")
    said = text(ran.errors).strip()
    first = next((line for line in said.splitlines() if line.startswith(("fatal: ", "error: "))), said[:300])
    first = first.removeprefix("fatal: ").removeprefix("error: ")[:300]
    if "Permission denied" in said and "unable to access" in said:
        return ToolFailed(
            "permission", f"git can't read a file that its configuration names: {first}",
            "put the file into the workspace, or remove its name from .git/config",
        )  # fmt: skip
    if "invalid object name: " in said:  # the rest is a line of the file, wherever that lies
        return ToolFailed(
            "execution", "a file that blame.ignoreRevsFile names is not a list of commits", "remove it from .git/config"
        )
    for sign, code, meaning, remedy in _MEANINGS:
        if sign in said:
            return ToolFailed(code, f"{meaning} (git: {first})", remedy)
    how = f"signal {ran.signal}" if ran.exit_code is None else f"exit {ran.exit_code}"
    return ToolFailed("execution", f"git failed ({how}): {first or 'it said nothing'}")


def text(data: bytes) -> str:
    """Return bytes as text, with � for bytes that are not UTF-8."""
    return data.decode("utf-8", "replace")
