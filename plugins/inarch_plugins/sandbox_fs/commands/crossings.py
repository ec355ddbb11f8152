"""Commands that reach beyond the workspace: the sandbox would only make them fail, so a person decides.

This table protects nothing: the sandbox holds whatever is not in it. It finds the commands that need a right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from inarch_plugins.sandbox_fs.commands.classified import Classified
from inarch_plugins.sandbox_fs.commands.git_writes import WRITES
from inarch_plugins.sandbox_fs.commands.secret_files import is_secret

_PROGRAMS: Mapping[str, str] = {
    "needs the network": """
        curl wget ssh scp sftp ftp telnet nc ncat rsync ping dig nslookup npx bunx uvx pipx""",
    "acts on other systems": """
        docker podman kubectl helm terraform tofu pulumi ansible ansible-playbook aws gcloud az gh glab heroku fly
        vercel netlify wrangler twine psql mysql mongosh redis-cli""",
    "acts on this machine": """
        sudo su doas kill pkill killall mount umount crontab at systemctl service shutdown reboot apt apt-get dnf yum
        brew chown passwd useradd""",
    "needs this repository's .git or the network": "git",
}
"""What programs do, whatever their arguments are."""
_EFFECTS = {program: effect for effect, programs in _PROGRAMS.items() for program in programs.split()}
_INSTALLERS = frozenset({
    "npm", "pnpm", "yarn", "bun", "pip", "pip3", "uv", "poetry", "pdm", "pipenv", "gem", "bundle", "composer",
    "cargo", "go", "conda",
})  # fmt: skip
_INSTALLING = frozenset({
    "add", "ci", "i", "install", "update", "upgrade", "publish", "login", "exec", "dlx", "create", "audit",
    "outdated", "sync", "lock", "fetch", "download", "tidy", "get", "push",
})  # fmt: skip
"""Commands of installers that need the network."""
_FETCHING = frozenset({"add", "ci", "i", "install", "update", "sync", "lock", "fetch", "download", "tidy", "get"})
"""Commands of installers that fetch packages and do nothing else outside."""
_GIT = frozenset({"add", "commit", "checkout", "switch", "restore", "stash", "merge", "fetch"})
"""Commands of Git that change nothing outside the workspace and its repository."""
_GROUPS = (["pip"], ["mod"], ["tool"])
_LOCAL = re.compile(r"(?:https?://)?(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])(?:[:/].*)?")
_WORD = r"[^\s;|&()<>`$\"']+"
_WORDS = re.compile(_WORD)
_COMMANDS = re.compile(rf"(?:^|[;|&(`\n]|\b(?:do|then|else|exec|env|time|nohup|xargs)\b)\s*({_WORD}(?:[ \t]+{_WORD})*)")
"""Programs with their words in a shell's line."""


_LOCAL_GIT = frozenset({
    "add", "am", "apply", "branch", "checkout", "cherry-pick", "clean", "commit", "merge", "mv", "rebase", "reset",
    "restore", "revert", "rm", "stash", "switch", "tag",
})  # fmt: skip
"""Commands of git that change only the repository and its files."""


def crossing(found: Classified, root: str, *, in_copy: bool = False) -> str:
    """Return why a person should decide about a command that the sandbox would hold; empty for no reason."""
    for part in found.commands:
        if part.rights.network or part.rights.hosts or (part.tier == "read-only" and part.reason):
            return part.reason or "has the network"
        text = _text(part)
        own = part.rule in WRITES
        commands = [] if own else [words for words in _commands(part) if not (in_copy and _is_local_git(words))]
        words = _WORDS.findall(text) if text else part.words
        if reason := next(filter(None, map(_effect, commands)), "") or _secret(words, root):
            return reason
    return ""


def is_reviewable(found: Classified, root: str) -> bool:
    """Return whether an approver may answer for the user: the sandbox holds all but a package's or Git's own work."""
    return not any(
        (part.tier == "read-only" and part.reason)
        or _secret(part.words, root)
        or (crossing(part, root) and (part.rule == "sh -c" or not _is_own_work(part.argv)))
        for part in found.commands
    )


def _is_own_work(argv: Sequence[str]) -> bool:
    name, rest = argv[0].rpartition("/")[2], [*argv[1:]]
    if name == "git":
        return bool(rest) and rest[0] in _GIT
    name, rest = _module(name, rest)
    return name in _INSTALLERS and not _FETCHING.isdisjoint(_command(rest))


def _module(name: str, rest: list[str]) -> tuple[str, list[str]]:
    """Return a program and its words, for `python -m NAME` those of the module."""
    if name in ("python", "python3") and rest[:1] == ["-m"]:
        return "".join(rest[1:2]), rest[2:]
    return name, rest


def _command(rest: Sequence[str]) -> list[str]:
    named = [word for word in rest if not word.startswith("-")]
    return named[1:2] if named[:1] in _GROUPS else named[:1]


def changes_repository(found: Classified) -> bool:
    """Return whether a command has git change this repository alone."""
    return any(_is_local_git(words) for part in found.commands for words in _commands(part))


def _text(part: Classified) -> str:
    return part.words[2] if part.rule == "sh -c" else ""


def _commands(part: Classified) -> list[Sequence[str]]:
    text = _text(part)
    return [words.split() for words in _COMMANDS.findall(text)] if text else [part.argv]


def _is_local_git(words: Sequence[str]) -> bool:
    return words[0] == "git" and not _LOCAL_GIT.isdisjoint(words[1:2])


def _effect(words: Sequence[str]) -> str:
    """Return what a command reaches, by its program and its first words."""
    words = [*words]
    while words and "=" in words[0]:
        del words[0]
    if not words:
        return ""
    name, rest = _module(words[0].rpartition("/")[2], words[1:])
    named = [word for word in rest if not word.startswith("-")]
    if name in _INSTALLERS:
        return "" if _INSTALLING.isdisjoint(_command(rest)) and words != ["yarn"] else "needs the network"
    if name in ("curl", "wget") and any(map(_LOCAL.fullmatch, named)):
        return ""  # it reaches the sandbox's own loopback
    return _EFFECTS.get(name, "")


def _secret(words: Iterable[str], root: str) -> str:
    found = next((word for word in words if "GIT_" in word or is_secret(word, root)), "")
    return f"names {found}, which may hold secrets" if found else ""
