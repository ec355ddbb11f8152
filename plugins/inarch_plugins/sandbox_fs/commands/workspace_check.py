"""Check of the workspace just before a command runs: where links lead, and what a repository makes git start.

The tables judge words alone, and the operating system confines what runs. This check between the two gives better
messages, and still protects without confinement.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence

from attrs import evolve

from inarch import Rights, ToolFailed, Workspace
from inarch_lib.staging.repositories import NoRepository, Repository, find
from inarch_plugins.sandbox_fs.commands.git_orders import names_git, overruling, require_root_repository
from inarch_plugins.sandbox_fs.commands.git_rules import environment
from inarch_plugins.sandbox_fs.commands.runners import VENVS
from inarch_plugins.sandbox_fs.commands.secret_files import leads_to_secret
from inarch_plugins.sandbox_fs.paths import normal
from inarch_plugins.sandbox_fs.processes.programs import TABLE

_NAMES_ONLY = frozenset({"ls", "find", "stat", "du", "tree", "file", "realpath"})
_OF_LINKS = frozenset({"find", "stat", "du", "file"})  # report a link that is named, not its target
_ALTERNATES = "objects/info/alternates"
_BORROWING = (".git/commondir", f".git/{_ALTERNATES}")
_LIST_SETTINGS = ("git", "config", "--list", "--name-only", "-z")
_LIST_OWN = ("git", "config", "--local", "--includes", "--list", "--name-only", "-z")
_SETTINGS_SECONDS = 10.0
_MARK = "inarch.rules"  # a setting that git lists if it takes any from its environment


def require_inside(workspace: Workspace, rule: str, paths: Iterable[str]) -> None:
    """Refuse words that lead outside through a link, or name something that would never end."""
    for path in paths:
        if path in ("", "-") or normal(path) == ".":
            continue
        found = workspace.stat(path)
        if found is not None and found.kind == "link":
            if rule in _OF_LINKS and not path.endswith("/"):
                continue
            _require_target_inside(workspace, path)
            if rule not in _NAMES_ONLY and (secret := leads_to_secret(path, workspace.root)):
                raise ToolFailed("permission", f"{path} leads to {secret}, which holds secrets", f"name {secret}")
        elif found is not None and found.kind == "other" and rule not in _NAMES_ONLY:
            workspace.read(path, 0, 0)  # raises, and says what it is


def _require_target_inside(workspace: Workspace, path: str) -> None:
    try:
        workspace.read(path, 0, 0)
    except ToolFailed as error:
        if error.code == "permission":
            raise


def repository_of(workspace: Workspace) -> Repository:
    """Return the repository that a workspace is in."""
    try:
        found = find(workspace.root)
    except NoRepository as error:
        raise ToolFailed(*error.args) from None
    borrowing = os.path.join(found.common_dir, _ALTERNATES)
    if os.path.lexists(borrowing):
        raise _reaching_outside(borrowing)
    return found


def without_filters(workspace: Workspace, repository: Repository) -> Rights:
    """Return the rights of a read-only git, with no program left that the repository would filter files through."""
    reads = repository.reads()
    keys = _listed(workspace, _LIST_SETTINGS, Rights(reads=reads, env=_looking(repository, {_MARK: "1"})))
    if _MARK not in keys:
        raise ToolFailed("execution", "git is too old to be given safe settings", "install git 2.31 or newer")
    names = {key[len("filter.") :].rpartition(".")[0] for key in keys if key.startswith("filter.")}
    settings = {f"filter.{name}.{word}": "" for name in sorted(names) for word in ("clean", "smudge", "process")}
    settings |= {f"filter.{name}.required": "false" for name in names}
    if repository.prefix:
        settings["diff.relative"] = "true"
    return Rights(reads=reads, env=_looking(repository, settings))


def _looking(repository: Repository, settings: Mapping[str, str]) -> Mapping[str, str]:
    return {**environment(settings), **repository.variables}


def without_orders(workspace: Workspace, words: Sequence[str], rights: Rights, folder: str = "") -> tuple[Rights, str]:
    """Return the rights of a command that a person allowed, and the rights that it cannot have.

    Git in it starts nothing that the repository names. If that is impossible, git in it finds no repository.
    """
    left_out = ""
    if rights.keeps and words[0] != "git" and "mount namespace" not in workspace.confinement().layers:
        rights = evolve(rights, writes=tuple(path for path in rights.writes if path != ".git/"), keeps=())
        left_out = (
            "it could not change .git: without a mount namespace, which would keep the hooks, only git itself may"
        )
    reaches = rights.network or bool(rights.home)
    has_git = names_git(words)
    if has_git and (reaches or rights.keeps):
        require_root_repository(words, folder)
    if workspace.stat(".git") is None or not (reaches or rights.keeps or words[0] == "git"):
        return _with_variables(rights, overruling((), reaches=reaches)), left_out
    try:
        _require_own_repository(workspace)
        keys = _listed(workspace, _LIST_OWN, Rights(env=environment({})))
        return _with_variables(rights, overruling(keys, reaches=reaches)), left_out
    except ToolFailed as error:
        if has_git:
            raise
        hidden = f"git in it finds no repository: {error.message}"
        env = {**overruling((), reaches=reaches), "GIT_DIR": os.devnull}
        return _with_variables(rights, env), "; ".join(filter(None, (left_out, hidden)))


def _with_variables(rights: Rights, more: Mapping[str, str]) -> Rights:
    return evolve(rights, env={**rights.env, **more})


def _listed(workspace: Workspace, words: Sequence[str], rights: Rights) -> Sequence[str]:
    """Return the names of settings that git lists."""
    listed = workspace.run(words, rights, timeout_s=_SETTINGS_SECONDS)
    if listed.exit_code != 0:
        raise _unreadable_settings(listed.errors.decode("utf-8", "replace").strip())
    return listed.output.decode("utf-8", "surrogateescape").split("\0")


def _unreadable_settings(said: str) -> ToolFailed:
    """Return the failure for settings that git could not read."""
    # What [include] names outside stays unread: a repository may name any file.
    outside = re.search(r"unable to access '(.+)': Permission denied", said)
    if outside is None:
        return ToolFailed("execution", f"git can't read the repository's configuration: {said}")
    return ToolFailed(
        "permission", f".git/config includes {outside[1]}, which lies outside the workspace and is not read",
        "put the file into the workspace, or remove the [include] from .git/config",
    )  # fmt: skip


def _require_own_repository(workspace: Workspace) -> None:
    git = workspace.stat(".git")
    if git is None:
        raise ToolFailed(
            "not_found", "there is no git repository in the workspace root",
            "start Inarch in the top folder of the repository",
        )  # fmt: skip
    outside = ".git" if git.kind != "directory" else next((path for path in _BORROWING if workspace.stat(path)), None)
    if outside is not None:
        raise _reaching_outside(outside)


def _reaching_outside(path: str) -> ToolFailed:
    said = f"{path} shows that the repository has parts outside the workspace"
    return ToolFailed("permission", said, "use the git tools, or a clone of its own")


def own_folders(workspace: Workspace, below: str = "") -> tuple[str, ...]:
    """Return the workspace folders with a project's own programs, those of a subfolder first."""
    inner = [f"{below}/{folder}" for folder in VENVS] if below else []
    return tuple(folder for folder in (*inner, *VENVS) if _is_there(workspace, folder))


def own_program(workspace: Workspace, name: str, folders: Iterable[str]) -> str:
    """Return the path of a project's own program of this name, or the name if it has none."""
    if "/" in name:
        return name
    return next((path for folder in folders if _is_there(workspace, path := f"{folder}/{name}")), name)


def _is_there(workspace: Workspace, path: str) -> bool:
    try:
        return workspace.stat(path) is not None
    except ToolFailed:
        return False


def own_variables(root: str, folders: Sequence[str]) -> Mapping[str, str]:
    """Return variables that make `make` and similar programs find a project's own programs first; empty if none."""
    if not folders:
        return {}
    users = [folder for folder in os.environ.get("PATH", "").split(os.pathsep) if os.path.isabs(folder)]
    own = [os.path.join(root, folder) for folder in folders]
    found = {"PATH": os.pathsep.join(dict.fromkeys((*own, *users, *TABLE)))}
    environments = [os.path.dirname(folder) for folder in own if folder.endswith(("venv/bin", "/env/bin"))]
    return {**found, "VIRTUAL_ENV": environments[0]} if environments else found


def passed_on(names: Iterable[str]) -> Mapping[str, str]:
    """Return the environment variables that a grant passes on."""
    return {name: os.environ[name] for name in names if name in os.environ}
