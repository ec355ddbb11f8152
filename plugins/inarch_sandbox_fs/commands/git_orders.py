"""What a repository's own settings would have git start, overruled where a person lets it run with more rights."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from inarch import ToolFailed
from inarch_sandbox_fs.commands.git_rules import as_variables

_ALWAYS: Mapping[str, str] = {
    "core.hooksPath": "/dev/null", "core.fsmonitor": "false", "core.pager": "cat", "core.editor": "true",
    "sequence.editor": "true", "core.askPass": "", "core.attributesFile": "/dev/null", "gc.auto": "0",
    "maintenance.auto": "false", "branch.autoSetupMerge": "false", "submodule.recurse": "false",
    "protocol.ext.allow": "never", "log.showSignature": "false", "color.ui": "false",
}  # fmt: skip
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
"""Of these git takes the first word, or all of them, so that no later one overrules it."""
_INSTEAD = {"core.sshcommand": "ssh", "core.bare": "false", "gpg.program": "false", "credential.helper": ""}


def overruling(keys: Collection[str]) -> Mapping[str, str]:
    """Return git's variables for a command that a person lets run, given the settings that the repository brings.

    What of those is not known to be harmless is set to nothing. Git takes the last word of the environment.

    Raises:
        ToolFailed: A setting of the repository can't be overruled.
    """
    theirs = [key for key in dict.fromkeys(keys) if key and not _HARMLESS.fullmatch(key.lower())]
    stubborn = next((key for key in theirs if _REFUSED.fullmatch(key.lower())), "")
    if stubborn:
        raise ToolFailed(
            "permission", f"the repository's .git/config sets {stubborn}, which can't be overruled here",
            "run it yourself in a terminal, or take the setting out",
        )  # fmt: skip
    always = {key.lower() for key in _ALWAYS}
    settings = {key: _INSTEAD.get(key.lower(), "") for key in theirs if key.lower() not in always}
    found = {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_PAGER": "cat",
        "GIT_EDITOR": "true",
        "GIT_ASKPASS": "true",
    }
    return {**found, **as_variables({**settings, **_ALWAYS})}
