"""Read-only tier of git: its subcommands, their options, and the settings that keep git from starting programs.

Left out on purpose: what starts programs or reads outside (`--ext-diff --textconv --no-index -O --exec-path`), writes
(`--output`), checks signatures with a program that the repository may name (`--show-signature`, `%G?`), or reaches
another repository (`-C --git-dir --recurse-submodules`).
"""

from __future__ import annotations

from collections.abc import Mapping

from inarch_lib.staging.git_config import as_variables
from inarch_plugins.sandbox_fs.commands.rules import Rule

SETTINGS: Mapping[str, str] = {
    "core.fsmonitor": "false", "core.hooksPath": "/dev/null", "core.pager": "cat", "core.attributesFile": "/dev/null",
    "core.alternateRefsCommand": "", "core.sshCommand": "false", "core.editor": "false", "core.askPass": "",
    "diff.external": "", "diff.submodule": "short", "status.submoduleSummary": "false", "submodule.recurse": "false",
    "log.showSignature": "false", "format.pretty": "medium", "gpg.program": "false", "gpg.openpgp.program": "false",
    "gpg.x509.program": "false", "gpg.ssh.program": "false", "blame.ignoreRevsFile": "", "mailmap.file": "",
    "column.ui": "never", "column.branch": "never", "column.tag": "never", "column.status": "never",
    "color.ui": "false", "protocol.allow": "never", "help.autoCorrect": "0",
}  # fmt: skip
"""Settings with precedence over a repository's own, as if given with `-c`."""


def environment(more: Mapping[str, str]) -> Mapping[str, str]:
    """Return git's variables: the repository's path, what must not be looked for, and overriding settings."""
    found = {
        "GIT_DIR": ".git",
        "GIT_WORK_TREE": ".",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": "/dev/null",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_PAGER": "cat",
    }
    return found | as_variables({**SETTINGS, **more})


_DIFF = (
    "-p -u -s --patch --no-patch -U=number --unified=number --raw --stat?text --numstat --shortstat --dirstat?text"
    " --summary --patch-with-stat --compact-summary -z --name-only --name-status --color?always|never|auto --no-color"
    " --word-diff?color|plain|porcelain|none --color-words --no-renames --check"
    " --full-index --binary --abbrev?number -M?text --find-renames?text -C?text --find-copies?text"
    " --find-copies-harder -D --irreversible-delete --diff-filter=text -S:text -G:text --pickaxe-all --pickaxe-regex"
    " -R -a --text -b -w --ignore-space-change --ignore-all-space --ignore-space-at-eol --ignore-cr-at-eol"
    " --ignore-blank-lines --inter-hunk-context=number -W --function-context --no-ext-diff --no-textconv --exit-code"
    " --quiet --patience --minimal --histogram --diff-algorithm=patience|minimal|histogram|myers --no-prefix"
    " --src-prefix=text --dst-prefix=text --relative"
)
_LOG = (
    " --oneline --graph --decorate?short|full|auto|no --no-decorate --all --branches?text --tags?text --remotes?text"
    " --merges --no-merges --first-parent --reverse --follow --since:text --until:text --after:text --before:text"
    " --author:text --committer:text --grep:text -i -E -F -P --all-match --invert-grep -n:number -# --max-count:number"
    " --skip:number --format=log_format --pretty?log_format --abbrev-commit --no-abbrev-commit --date=text"
    " --date-order --topo-order --author-date-order --left-right --left-only --right-only --cherry-pick --cherry-mark"
    " --cherry --boundary --simplify-by-decoration --full-history --ancestry-path --no-walk --relative-date"
    " --parents --children --source -L:text --full-diff --no-notes -g --walk-reflogs --not -m -c --cc --root"
)
_SAFE_DIFF = ("--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty")
_WHOLE_WORDS = "--word-diff-regex=[^[:space:]]+"

GIT: tuple[Rule, ...] = (
    Rule(
        "git status",
        "-s --short -b --branch -sb --porcelain?v1|v2|1|2 --long --show-stash -u?no|normal|all"
        " --untracked-files?no|normal|all --ignored?traditional|no|matching -z --renames --no-renames --ahead-behind"
        " --no-ahead-behind",
        "object*", style="git", forced=("--ignore-submodules=dirty",),
    ),
    Rule(
        "git diff",
        f"{_DIFF} --cached --staged --merge-base --base --ours --theirs",
        "object*", style="git", forced=_SAFE_DIFF, exits={1: "there are differences"},
    ),
    Rule(
        "git log", _DIFF + _LOG, "object*", style="git", forced=_SAFE_DIFF,
    ),
    Rule(
        "git show", _DIFF + _LOG, "object*", style="git", forced=_SAFE_DIFF,
    ),
    Rule(
        "git branch",
        "-a --all -r --remotes -v -vv -av -avv -rv --verbose --list -l --show-current --sort=text --format=ref_format"
        " --no-color --color?always|never|auto --contains:object --no-contains:object --merged:object"
        " --no-merged:object --points-at:object --abbrev?number -i --ignore-case",
        "", style="git",
    ),
    Rule(
        "git branch --list", "-a -r -v -vv -i --sort=text --format=ref_format", "text*", style="git",
    ),
    Rule(
        "git tag", "-n?number --sort=text --format=ref_format --contains:object --no-contains:object"
        " --merged:object --no-merged:object --points-at:object -i", "", style="git",
    ),
    Rule(
        "git tag -l", "-n?number --sort=text --format=ref_format -i", "text*", style="git",
    ),
    Rule(
        "git tag --list", "-n?number --sort=text --format=ref_format -i", "text*", style="git",
    ),
    Rule(
        "git blame",
        "-L:text -w -s -e -l -t -f -n -b -c --show-name --show-number --show-email -p --porcelain --line-porcelain"
        " --root --date=text -M?number -C?number --since=text --first-parent --abbrev=number --ignore-rev:object",
        "object object*", style="git", forced=("--no-textconv", "--no-progress"),
    ),
    Rule(
        "git grep",
        "-i -v -w -x -c -n -l -L -o -q -h -H -E -F -G -P -a -I -p -W -r -# --ignore-case --invert-match --word-regexp"
        " --count --line-number --files-with-matches --name-only --files-without-match --only-matching"
        " --extended-regexp --fixed-strings --basic-regexp --perl-regexp --text --heading --break --show-function"
        " --function-context --cached --untracked --all-match --and --or --not -e:text -A:number -B:number -C:number"
        " -m:number --max-depth=number --max-count=number --no-color --color?always|never|auto",
        "text object*", style="git", instead_of_first="-e", forced=("--no-textconv", "--no-recurse-submodules"),
        exits={1: "nothing matched"},
    ),
    Rule(
        "git ls-files",
        "-c -d -m -o -i -s -u -k -t -v -z --cached --deleted --modified --others --ignored --stage --unmerged --killed"
        " --exclude-standard --exclude=text -x:text --directory --no-empty-directory --error-unmatch --full-name --eol"
        " --abbrev?number --deduplicate", "object*", style="git",
    ),
    Rule(
        "git ls-tree", "-r -d -t -l -z --long --name-only --name-status --full-name --full-tree --abbrev?number",
        "object object*", style="git",
    ),
    Rule(
        "git rev-parse",
        "--show-toplevel --short?number --abbrev-ref --verify -q --quiet --is-inside-work-tree --is-bare-repository"
        " --is-inside-git-dir --symbolic-full-name --symbolic --git-dir --show-prefix --show-cdup --all --sq",
        "object*", style="git",
    ),
    Rule(
        "git rev-list",
        "--count --all -n:number -# --max-count=number --first-parent --merges --no-merges --reverse --left-right"
        " --parents --since=text --until=text --abbrev-commit --oneline --not", "object*", style="git",
    ),
    Rule(
        "git describe", "--tags --all --long --always --abbrev=number --match=text --exclude=text --exact-match"
        " --first-parent --candidates=number --contains", "object*", style="git",
    ),
    Rule(
        "git shortlog", "-s -n -e -sn -ns -se -ne -sne --summary --numbered --email --no-merges --all --since=text"
        " --until=text", "object object*", style="git", instead_of_first="--all",
    ),
    Rule(
        "git cat-file", "-t -s -p -e", "object", style="git", exits={1: "there is no such object"},
    ),
    Rule(
        "git merge-base", "--all --is-ancestor --octopus --independent --fork-point", "object object*", style="git",
        exits={1: "no"},
    ),
    Rule(
        "git remote", "-v --verbose", "", style="git",
    ),
    Rule(
        "git remote get-url", "--push --all", "text", style="git",
    ),
    Rule("git --version"),
)  # fmt: skip


def prepared(rest: tuple[str, ...], rule: Rule) -> tuple[str, ...]:
    """Return git's command line as it will run: the subcommand, forced options, the words given.

    A word diff splits at white space, whatever the repository's attributes say: smaller pieces show secrets.
    """
    found: list[str] = []
    for position, word in enumerate(rest):
        found.append(word)
        if word.startswith(("--word-diff", "--color-words")) and "--" not in rest[:position]:
            found += () if word == "--word-diff=none" else (_WHOLE_WORDS,)
    return ("git", "--no-pager", "--no-optional-locks", rule.words[1], *rule.forced, *rule.words[2:], *found)
