"""Overrides of a repository's settings that start programs, for git commands that a person gave more rights."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from inarch import ToolFailed
from inarch_lib.staging.git_config import as_variables

_ALWAYS: Mapping[str, str] = {
    "core.hooksPath": "/dev/null", "core.fsmonitor": "false", "core.pager": "cat", "core.editor": "true",
    "sequence.editor": "true", "core.askPass": "", "core.attributesFile": "/dev/null", "gc.auto": "0",
    "maintenance.auto": "false", "branch.autoSetupMerge": "false", "submodule.recurse": "false",
    "protocol.ext.allow": "never", "log.showSignature": "false", "color.ui": "false",
    "safe.bareRepository": "explicit",
}  # fmt: skip
_WITHIN_REACH: Mapping[str, str] = {"protocol.file.allow": "never"}
"""Additional settings for commands with network or home files.

In a repository at a path, git runs the hooks without any of our settings.
"""
_HARMLESS = re.compile(
    r"core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol"
    r"|safecrlf|quotepath|abbrev|compression|bigfilethreshold)"
    r"|remote\..*\.(?:url|pushurl|fetch|push|tagopt|prune|mirror|skipfetchall|skipdefaultupdate)|remote\.pushdefault"
    r"|branch\..*\.(?:remote|merge|rebase|pushremote|description)|user\.(?:name|email)|init\.defaultbranch"
    r"|pull\.(?:rebase|ff)|push\.(?:default|followtags)|merge\.(?:ff|conflictstyle|log)|rebase\.(?:autostash|autosquash)"
    r"|fetch\.(?:prune|prunetags)|advice\..*|extensions\.(?:objectformat|noop|preciousobjects)|commit\.(?:verbose|status)"
    r"|status\.(?:short|branch|showuntrackedfiles)|submodule\..*\.(?:url|active)|diff\.(?:renames|algorithm|noprefix)",
    re.S,
)  # fmt: skip
_REFUSED = re.compile(
    r"url\..*|include(?:if\..*)?\.path|core\.(?:worktree|gitproxy)|extensions\..*|hook\..*"
    r"|remote\..*\.(?:receivepack|uploadpack|vcs)",
    re.S,
)
"""Settings of which git takes the first value, or all of them, so that a later one cannot override it."""
_INSTEAD = {"core.sshcommand": "ssh", "core.bare": "false", "gpg.program": "false", "credential.helper": ""}
_CHECKS = frozenset({"sslverify", "protecthfs", "protectntfs", "fsckobjects"})
"""Last words of settings that enable a check: always on, whatever the repository says."""
_ELSEWHERE = ("-C", "-c", "--git-dir", "--work-tree", "--exec-path", "--config-env", "--namespace", "--super-prefix")
_MOVING = frozenset({"cd", "pushd", "chdir"})
_SET_IN_LINE = re.compile(r"GIT_\w*=")
_BETWEEN = re.compile(r"[\s;|&(){}<>`'\"$]+")


def names_git(words: Sequence[str]) -> bool:
    """Return whether git is named among a command's words, or in a line for a shell."""
    return any(_is_git(part) for line in _lines(words) for part in line)


def require_root_repository(words: Sequence[str], folder: str = "") -> None:
    """Refuse words that run git outside the root's repository, or with other settings."""
    found = f"cd {folder}" if folder else next(filter(None, map(_leading_elsewhere, _lines(words))), "")
    if found:
        raise ToolFailed(
            "permission",
            f"{found}: with more rights git runs only in the root's own repository, with its settings",
            f"leave {found} out, or let it run without w, g and f",
        )  # fmt: skip


def _lines(words: Sequence[str]) -> Iterable[Sequence[str]]:
    """Yield the words, and those within each word that may be a line for a shell."""
    yield words
    if not _is_git(words[0]):
        yield from (_BETWEEN.split(word) for word in words if _BETWEEN.search(word))


def _is_git(word: str) -> bool:
    return word.rpartition("/")[2] == "git"


def _leading_elsewhere(words: Sequence[str]) -> str:
    """Return the word that runs git elsewhere, or with settings not known to be harmless."""
    if any(map(_is_git, words)) and (named := next(filter(_SET_IN_LINE.match, words), "")):
        return named
    if (
        any(map(_is_git, words[1:]))
        and not _is_git(words[0])
        and (moved := next((word for word in words if word in _MOVING), ""))
    ):
        return moved  # in a shell: into a folder whose repository has settings of its own
    for number, word in enumerate(words):
        left = iter(words[number + 1 :] if _is_git(word) else ())
        for option in left:
            if option == "-c" and _HARMLESS.fullmatch(next(left, "").partition("=")[0].lower()):
                continue
            if option.startswith(_ELSEWHERE):
                return option
            if not option.startswith("-"):
                break
    return ""


def overruling(keys: Collection[str], *, reaches: bool) -> Mapping[str, str]:
    """Return git's variables for a command that a person allowed, given the repository's settings.

    Settings not known to be harmless are set to nothing. Git gives the environment precedence.
    """
    theirs = [key for key in dict.fromkeys(keys) if key and not _HARMLESS.fullmatch(key.lower())]
    stubborn = next((key for key in theirs if _REFUSED.fullmatch(key.lower())), "")
    if stubborn:
        raise ToolFailed(
            "permission", f"the repository's .git/config sets {stubborn}, which can't be overridden here",
            "run it yourself in a terminal, or remove the setting",
        )  # fmt: skip
    ours = {**_ALWAYS, **(_WITHIN_REACH if reaches else {})}
    always = {key.lower() for key in ours}
    settings = {key: _instead_of(key.lower()) for key in theirs if key.lower() not in always}
    found = {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_PAGER": "cat",
        "GIT_EDITOR": "true",
        "GIT_ASKPASS": "true",
    }
    return {**found, **as_variables({**settings, **ours})}


def _instead_of(key: str) -> str:
    return "true" if key.rpartition(".")[2] in _CHECKS else _INSTEAD.get(key, "")
