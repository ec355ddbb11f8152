"""Settings of git: the user's and the repository's, as far as they apply, and those under which Inarch runs it.

No program that they name is run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from attrs import frozen

from inarch_lib.staging.repositories import Repository

_INCLUDED = re.compile(r"^\s*path\s*=\s*\"?(.+?)\"?\s*$", re.MULTILINE | re.IGNORECASE)
_DEEPEST = 3
_LONGEST = 1_000_000
_RUN_BY_HOOKS = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit")
_KEPT = ("core.autocrlf", "core.eol", "core.safecrlf", "core.filemode", "core.symlinks", "core.ignorecase")


@frozen
class Configured:
    """Configuration that git would use.

    Args:
        values: Each key's last value, whoever set it.
        users: Each key's last value among those that the user or the system set.
    """

    values: Mapping[str, str]
    users: Mapping[str, str]

    @classmethod
    def parse(cls, listed: bytes) -> Configured:
        """Parse the output of `git config --list --show-scope -z`."""
        values: dict[str, str] = {}
        users: dict[str, str] = {}
        fields = iter(os.fsdecode(listed).split("\0"))
        for scope, entry in zip(fields, fields, strict=False):
            key, _, value = entry.partition("\n")
            values[key] = value
            if scope in ("system", "global"):
                users[key] = value
        return cls(values, users)

    def filters(self) -> tuple[str, ...]:
        """Return the names of filters that would run a program over file contents."""
        programs = ("clean", "smudge", "process")
        return self._sections("filter", programs, (key for key, value in self.values.items() if value))

    def overrides(self) -> Iterator[tuple[str, str]]:
        """Yield settings that disable every filter's and hook's program, and the user's own settings to preserve."""
        for name in self._sections("filter", ("clean", "smudge", "process", "required"), self.values):
            yield from ((f"filter.{name}.{program}", "") for program in ("clean", "smudge", "process"))
            yield f"filter.{name}.required", "false"
        for name in self._sections("hook", ("command", "event"), self.values):
            yield f"hook.{name}.enabled", "false"
        yield from ((key, self.values[key]) for key in _KEPT if key in self.values)
        yield "core.excludesFile", self.ignored_by_user() or os.devnull

    def ignored_by_user(self) -> str | None:
        """Return the file with the user's global ignore rules."""
        path = self.users.get("core.excludesfile") or os.path.join(_config_home(), "ignore")
        path = os.path.abspath(os.path.expanduser(path))
        return path if os.path.isfile(path) else None

    def identity(self) -> dict[str, str]:
        """Return the variables of the author and the committer, as far as they are known."""
        found = {key: os.environ[key] for key in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE") if key in os.environ}
        for who, what in product(("author", "committer"), ("name", "email")):
            variable = f"GIT_{who.upper()}_{what.upper()}"
            value = (
                os.environ.get(variable)
                or self.values.get(f"{who}.{what}")
                or self.values.get(f"user.{what}")
                or (os.environ.get("EMAIL", "") if what == "email" else "")
            ).strip()
            if value:
                found[variable] = value
        return found

    def signs(self) -> bool:
        """Return whether commits should be signed."""
        return self.values.get("commit.gpgsign", "false").lower() in ("", "true", "yes", "on", "1")

    def hooks(self, top: str, common_dir: str) -> tuple[str, ...]:
        """Return the names of the hooks that git would have run for a commit."""
        named = self.values.get("core.hookspath")
        folder = os.path.join(top, os.path.expanduser(named)) if named else os.path.join(common_dir, "hooks")
        return tuple(name for name in _RUN_BY_HOOKS if _is_program(os.path.join(folder, name)))

    @staticmethod
    def _sections(kind: str, programs: tuple[str, ...], keys: Iterable[str]) -> tuple[str, ...]:
        split = (key.split(".", 1)[1].rpartition(".") for key in keys if key.startswith(f"{kind}."))
        return tuple(dict.fromkeys(name for name, _, last in split if name and last in programs))


def user_files() -> tuple[str, ...]:
    """Return the files of the user's and the system's git configuration, including included ones."""
    found = dict.fromkeys(
        (os.environ.get("GIT_CONFIG_SYSTEM", "/etc/gitconfig"), os.path.join(_config_home(), "config"),
         os.path.expanduser("~/.gitconfig"), os.environ.get("GIT_CONFIG_GLOBAL", "")),
    )  # fmt: skip
    level = [path for path in found if os.path.isfile(path)]
    files = list(level)
    for _ in range(_DEEPEST):
        level = [path for file in level for path in _included(file) if path not in files]
        files += level
    return tuple(files)


def user_environment() -> dict[str, str]:
    """Return the variables that lead git to the user's configuration."""
    names = ("XDG_CONFIG_HOME", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM")
    return {"HOME": os.path.expanduser("~")} | {name: os.environ[name] for name in names if name in os.environ}


def _included(file: str) -> Iterator[str]:
    """Yield the files that one of the user's own files may include; more than git takes does no harm."""
    try:
        with open(file, encoding="utf-8", errors="surrogateescape") as opened:
            text = opened.read(_LONGEST)
    except OSError:
        return
    for named in _INCLUDED.findall(text):
        path = os.path.join(os.path.dirname(file), os.path.expanduser(named))
        if "\0" not in path and os.path.isfile(path):
            yield os.path.normpath(path)


def _config_home() -> str:
    return os.path.join(os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config"), "git")


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


_SETTINGS = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "core.editor": "false",
    "core.askPass": "false",
    "core.sshCommand": "false",
    "core.gitProxy": "false",
    "core.untrackedCache": "false",
    "core.attributesFile": os.devnull,
    "core.quotePath": "false",
    "commit.gpgSign": "false",
    "gpg.program": "false",
    "log.showSignature": "false",
    "log.showRoot": "true",
    "protocol.allow": "never",
    "credential.helper": "",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "submodule.recurse": "false",
    "diff.submodule": "short",
    "diff.ignoreSubmodules": "dirty",
    "diff.orderFile": os.devnull,
    "diff.noprefix": "false",
    "diff.mnemonicPrefix": "false",
    "status.relativePaths": "false",
    "mailmap.file": os.devnull,
    "i18n.commitEncoding": "UTF-8",
    "i18n.logOutputEncoding": "UTF-8",
    "color.ui": "false",
}
_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "false",
    "LC_ALL": "C",
}


def variables(repository: Repository, configured: Configured, **more: str) -> dict[str, str]:
    """Return the variables of a git that works in a repository and starts no program that a setting names.

    Args:
        repository: Where it works.
        configured: The settings that it would find there.
        more: More variables, which override these.
    """
    settings = dict((*_SETTINGS.items(), *configured.overrides()))
    return {**_ENVIRONMENT, **repository.variables, **more, **as_variables(settings)}


def as_variables(settings: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that give git settings, which take precedence over those of files.

    The option `-c` cannot express a name with a `=` in it.
    """
    found = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings.items()):
        found |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return found
