"""Rights that a person can give a command in the question: the network, this repository, files of their home."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING

from attrs import evolve

from inarch import ChosenRights, Right, Rights, RightsOffer, ToolFailed
from inarch.command_lines import CARRIERS
from inarch_plugins.sandbox_fs.commands.git_writes import WRITES
from inarch_plugins.sandbox_fs.commands.index_hosts import index_hosts
from inarch_plugins.sandbox_fs.commands.lines import is_open, place
from inarch_plugins.sandbox_fs.commands.runners import is_known
from inarch_plugins.sandbox_fs.commands.shells import can_be_kept, reads_code

if TYPE_CHECKING:
    from inarch_plugins.sandbox_fs.commands.classified import Classified

NETWORK = Right("w", "network", "the network, all of it")
REPOSITORY = Right("g", "git", "this repository's .git, its hooks off; they and its settings stay as they are")
FILES = Right("f", "files", "files of your home folder, to read", "FILE…")
BYPASS = "bypass"
"""Right of every call in the mode of this name, as `ToolContext.rights` says."""
CHOOSABLE = (NETWORK, REPOSITORY, FILES)
MOST_FILES = 20
KEPT_OF_GIT = tuple(
    f".git/{name}"
    for name in ("hooks", "config", "config.worktree", "modules", "worktrees", "info", "commondir",
                 "objects/info/alternates", "remotes", "branches")
)  # fmt: skip
"""Files that a later git reads settings or hooks from.

A program that may change `.git` must leave them as they are.
"""
UNFINISHED_OF_GIT = tuple(f".git/{name}" for name in ("rebase-merge", "rebase-apply", "sequencer"))
"""State of unfinished git operations, including commands to execute: other programs must leave it as it is."""

_LEADS_TO = " -> "


def offered(found: Classified, root: str, chosen: ChosenRights, *, loopback: bool = False) -> RightsOffer | None:
    """Return the rights that a person can choose for a command, and those chosen; None if there is no choice.

    With `loopback` of a process there is no choice of network.
    """
    if found.tier not in ("asked", "workspace") or all(part.rule in WRITES for part in found.commands):
        return None
    unknown = chosen.keys() - {right.name for right in CHOOSABLE}
    if unknown:
        raise ToolFailed("validation", f"there is no right {sorted(unknown)[0]!r} to choose")
    if loopback and NETWORK.name in chosen:
        raise ToolFailed("validation", "it has the loopback of a process, and no other network")
    has_repository = _is_folder(os.path.join(root, ".git"))
    if REPOSITORY.name in chosen and not has_repository:
        raise ToolFailed("not_found", "there is no repository in the workspace root whose .git lies there as a folder")
    resolved: dict[str, tuple[str, ...]] = {REPOSITORY.name: ()} if REPOSITORY.name in chosen else {}
    if NETWORK.name in chosen:
        resolved[NETWORK.name] = tuple(chosen[NETWORK.name])
    files = tuple(dict.fromkeys(_resolved(name, root) for name in chosen.get(FILES.name, ())))
    if len(files) > MOST_FILES:
        raise ToolFailed("validation", f"at most {MOST_FILES} files can be given, not {len(files)}")
    if files:
        resolved[FILES.name] = files
    left_out = {NETWORK} if loopback else set()
    rights = tuple(one for one in (CHOOSABLE if has_repository else (NETWORK, FILES)) if one not in left_out)
    may = tuple(_told(found, resolved, has_repository=has_repository, loopback=loopback))
    lasting = all(
        can_be_kept(one.words) and not _is_fed_code(one) and not (files and _may_be_another(one))
        for one in found.commands
    )
    beyond = tuple(_beyond(found, resolved, loopback=loopback))
    hidden = [
        word for word, right in (("no network", NETWORK), ("no home folder", FILES)) if right.name not in resolved
    ]
    usual = f"sandboxed{': ' * bool(hidden)}{', '.join(hidden)}"
    hosts = () if chosen or loopback or found.parts else index_hosts(found.words, root)
    likely = {NETWORK.name: hosts} if hosts else {}
    return RightsOffer(rights, resolved, may, found.text, lasting, usual=usual, beyond=beyond, likely=likely)


def _is_fed_code(found: Classified) -> bool:
    """Return whether a command after a pipe may run its input as code."""
    is_fed = found.line is not None and found.line.joint == "|"
    return is_fed and found.tier != "read-only" and reads_code(found.words, found.rule)


def _may_be_another(found: Classified) -> bool:
    """Return whether the workspace could change what these words run."""
    program = found.argv[0]
    return found.tier == "workspace" or "/" in program or program in CARRIERS or is_known(program)


def put_together(found: Classified, chosen: ChosenRights) -> Rights:
    """Return a command's rights: those of its tier, and those that a person chose."""
    rights = found.rights
    if BYPASS in chosen:
        return evolve(rights, network=True, confined=False)
    if NETWORK.name in chosen:
        hosts = tuple(chosen[NETWORK.name])
        rights = evolve(rights, network=not hosts, hosts=hosts)
    if REPOSITORY.name in chosen:
        keeps = KEPT_OF_GIT if found.argv[0] == "git" else (*KEPT_OF_GIT, *UNFINISHED_OF_GIT)
        rights = evolve(rights, writes=(*rights.writes, ".git/"), keeps=keeps)
    return evolve(rights, home=dict(map(_named_and_real, chosen.get(FILES.name, ()))))


def _told(found: Classified, chosen: ChosenRights, *, has_repository: bool, loopback: bool) -> Iterable[str]:
    """Describe a command's rights, a line each; rights that are off can be chosen by their key."""
    files = chosen.get(FILES.name, ())
    opened = [part for part in found.parts if is_open(part)]
    yield from (f"{place(found.parts, part)}: {part.reason}" for part in opened)
    yield (
        "each of these " * bool(opened)
        + "may change the workspace except .git and .inarch, and start programs; beyond that"
    )
    yield (
        "     network: loopback of a process, and nothing beyond" if loopback
        else f"  w  network: {', '.join(chosen[NETWORK.name]) or 'all of it' if NETWORK.name in chosen else 'none'}"
    )  # fmt: skip
    if has_repository:
        on = "may be changed, except its hooks and settings; its hooks are off"
        yield f"  g  .git: {on if REPOSITORY.name in chosen else 'can only be read'}"
    yield f"  f  home folder: {'hidden but for ' + ', '.join(files) if files else 'hidden'}"
    if files:
        send = ", and send it anywhere" if NETWORK.name in chosen else ""
        yield f"     whatever {' and '.join(one.argv[0] for one in opened or [found])} starts can read that, too{send}"


def _beyond(found: Classified, chosen: ChosenRights, *, loopback: bool) -> Iterable[str]:
    """Describe what the user added to a command's usual rights."""
    opened = [part for part in found.parts if is_open(part)]
    files, names = chosen.get(FILES.name, ()), " and ".join(one.argv[0] for one in opened or [found])
    if loopback:
        yield "network: loopback of a process, and nothing beyond"
    if NETWORK.name in chosen:
        yield f"may use the network: {', '.join(chosen[NETWORK.name]) or 'all of it'}"
    if REPOSITORY.name in chosen:
        yield "may change .git, except its hooks and settings; its hooks are off"
    if files:
        send = ", and send it anywhere" if NETWORK.name in chosen else ""
        yield f"may read {', '.join(files)}; whatever {names} starts can read that, too{send}"


def _resolved(name: str, root: str) -> str:
    """Return a file of the home folder as the question shows it: its path, and the target if it is a link."""
    unseen = any(unicodedata.category(char)[0] == "C" for char in name)
    if not name or unseen or name.count(_LEADS_TO) > 1:
        raise ToolFailed("validation", f"not a file that can be named: {name!r}")
    given, _, expected = name.partition(_LEADS_TO)
    home = os.path.realpath(os.path.expanduser("~"))
    path = os.path.normpath(os.path.join(home, os.path.expanduser(given)))
    path = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    real = os.path.realpath(path)
    if not all(_lies_in(home, one) and not _lies_in(os.path.realpath(root), one) for one in (path, real)):
        raise ToolFailed("permission", f"{given} is not a file of your home folder outside the workspace")
    try:
        found = os.stat(real)
    except OSError as error:
        raise ToolFailed("not_found", f"{given}: {(error.strerror or str(error)).lower()}") from None
    if not stat.S_ISREG(found.st_mode):
        raise ToolFailed("validation", f"{given} is not a regular file; name each file of a folder")
    if expected and expected != real:
        raise ToolFailed("conflict", f"{given} now leads elsewhere: to {real}, not to {expected}")
    return path if path == real else f"{path}{_LEADS_TO}{real}"


def _named_and_real(shown: str) -> tuple[str, str]:
    """Return the name of a file in the program's own home folder, and the real file."""
    path, _, real = shown.partition(_LEADS_TO)
    home = os.path.realpath(os.path.expanduser("~"))
    return os.path.relpath(path, home), real or path


def _lies_in(folder: str, path: str) -> bool:
    return path != folder and os.path.commonpath((folder, path)) == folder


def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False
