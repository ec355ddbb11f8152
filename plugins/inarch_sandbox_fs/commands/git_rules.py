"""The read-only tier of git: the subcommands that look, their options, and what makes git start nothing.

Left out on purpose: what starts programs or reads outside (`--ext-diff --textconv --no-index -O --exec-path`),
writes (`--output`), checks signatures with a program that the repository may name (`--show-signature`, `%G?`), or
reaches another repository (`-C --git-dir --recurse-submodules`).
"""

from __future__ import annotations

from collections.abc import Mapping

from inarch_sandbox_fs.commands.rules import Rule

SETTINGS: Mapping[str, str] = {
    "core.fsmonitor": "false", "core.hooksPath": "/dev/null", "core.pager": "cat", "core.attributesFile": "/dev/null",
    "core.alternateRefsCommand": "", "core.sshCommand": "false", "core.editor": "false", "core.askPass": "",
    "diff.external": "", "diff.submodule": "short", "status.submoduleSummary": "false", "submodule.recurse": "false",
    "log.showSignature": "false", "format.pretty": "medium", "gpg.program": "false", "gpg.openpgp.program": "false",
    "gpg.x509.program": "false", "gpg.ssh.program": "false", "blame.ignoreRevsFile": "", "mailmap.file": "",
    "column.ui": "never", "column.branch": "never", "column.tag": "never", "column.status": "never",
    "color.ui": "false", "protocol.allow": "never", "help.autoCorrect": "0",
}  # fmt: skip
"""Settings above all that a repository's own configuration says, as if given with `-c`."""


def environment(more: Mapping[str, str]) -> Mapping[str, str]:
    """Return git's variables: where the repository is, what must not be looked for, and settings that rule."""
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


def as_variables(settings: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that give git settings, which rule over those of files."""
    found = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings.items()):
        found |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return found


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
_COMMIT = "use the tool git_commit"
_WITHOUT = {
    "--ext-diff": "diffs are made by git itself", "--textconv": "files are shown as they are",
    "--output": "its output is returned; use write_file to keep it", "--no-index": "use diff to compare two files",
    "--show-signature": "signatures are not checked here",
    "--word-diff-regex": "use --word-diff: smaller pieces would show secrets",
}  # fmt: skip

GIT: tuple[Rule, ...] = (
    Rule(
        "git status",
        "-s --short -b --branch -sb --porcelain?v1|v2|1|2 --long --show-stash -u?no|normal|all"
        " --untracked-files?no|normal|all --ignored?traditional|no|matching -z --renames --no-renames --ahead-behind"
        " --no-ahead-behind",
        "object*", style="git", forced=("--ignore-submodules=dirty",),
        match=("git status", "git status -sb", "git status --porcelain=v2 -uno", "git status -- src", "git status src"),
        not_match=("git status -v", "git status /etc", "git status --porc", "git status --ignore-submodules=none"),
    ),
    Rule(
        "git diff",
        f"{_DIFF} --cached --staged --merge-base --base --ours --theirs",
        "object*", style="git", forced=_SAFE_DIFF, exits={1: "there are differences"}, remedies=_WITHOUT,
        match=("git diff", "git diff --stat HEAD~1", "git diff main..dev -- src", "git diff -U5 --cached a.txt",
               "git diff -M90% --name-only main...dev"),
        not_match=("git diff --no-index a b", "git diff --ext-diff", "git diff --textconv", "git diff --output=x",
                   "git diff --outp=x", "git diff -Oorder", "git diff -O order", "git diff a /etc/passwd",
                   "git diff --output x", "git diff -- ../x", "git diff --ext", "git diff --submodule=diff",
                   "git diff --output-indicator-new=x"),
    ),
    Rule(
        "git log", _DIFF + _LOG, "object*", style="git", forced=_SAFE_DIFF, remedies=_WITHOUT,
        match=("git log", "git log --oneline -5", "git log -n 3 --stat", "git log --format='%h %an %s' main..dev",
               "git log --since=2.weeks --author 'A B' -- src", "git log -L 1,5:a.py", "git log --pretty=format:%H",
               "git log --pretty=fuller -p a.txt", "git log --all --graph --decorate"),
        not_match=("git log --format=%G?", "git log --pretty=format:%+GK", "git log --show-signature",
                   "git log --format=custom", "git log --output=x", "git log --ext-diff -p", "git log --stdin",
                   "git log --format '%H'", "git log '--format=%(describe)'", "git log -- /etc/passwd",
                   "git log --onel",
                   "git log -n --output=x"),
    ),
    Rule(
        "git show", _DIFF + _LOG, "object*", style="git", forced=_SAFE_DIFF, remedies=_WITHOUT,
        match=("git show", "git show HEAD", "git show --stat HEAD~2", "git show HEAD:src/a.py",
               "git show -s --format=%H"),
        not_match=("git show --textconv HEAD:a", "git show --ext-diff", "git show --output=x", "git show ../a"),
    ),
    Rule(
        "git branch",
        "-a --all -r --remotes -v -vv -av -avv -rv --verbose --list -l --show-current --sort=text --format=ref_format"
        " --no-color --color?always|never|auto --contains:object --no-contains:object --merged:object"
        " --no-merged:object --points-at:object --abbrev?number -i --ignore-case",
        "", style="git",
        match=("git branch", "git branch -a", "git branch -vv", "git branch --contains HEAD",
               "git branch --show-current",
               "git branch --format='%(refname:short)'"),
        not_match=("git branch new", "git branch -d x", "git branch -D x", "git branch -m a b", "git branch -f a b",
                   "git branch --edit-description", "git branch -u origin/x", "git branch --column",
                   "git branch '--format=%(signature)'", "git branch -a -- new"),
    ),
    Rule(
        "git branch --list", "-a -r -v -vv -i --sort=text --format=ref_format", "text*", style="git",
        match=("git branch --list 'feature/*'", "git branch --list -a 'x*'"), not_match=("git branch --list -d x",),
    ),
    Rule(
        "git tag", "-n?number --sort=text --format=ref_format --contains:object --no-contains:object"
        " --merged:object --no-merged:object --points-at:object -i", "", style="git",
        match=("git tag", "git tag -i", "git tag -n3", "git tag --points-at HEAD", "git tag --sort=-creatordate"),
        not_match=("git tag v1", "git tag -d v1", "git tag -a v1", "git tag -v v1", "git tag -s v1", "git tag -F x v1"),
    ),
    Rule(
        "git tag -l", "-n?number --sort=text --format=ref_format -i", "text*", style="git",
        match=("git tag -l", "git tag -l 'v1.*'"), not_match=("git tag -l -d v1",),
    ),
    Rule(
        "git tag --list", "-n?number --sort=text --format=ref_format -i", "text*", style="git",
        match=("git tag --list 'v1.*'",), not_match=("git tag --list -d v1",),
    ),
    Rule(
        "git blame",
        "-L:text -w -s -e -l -t -f -n -b -c --show-name --show-number --show-email -p --porcelain --line-porcelain"
        " --root --date=text -M?number -C?number --since=text --first-parent --abbrev=number --ignore-rev:object",
        "object object*", style="git", forced=("--no-textconv", "--no-progress"), remedies=_WITHOUT,
        match=("git blame a.py", "git blame -L 10,20 a.py", "git blame -w HEAD~1 -- a.py", "git blame -L10,+5 a.py"),
        not_match=("git blame", "git blame --contents /etc/passwd a.py", "git blame --ignore-revs-file=x a",
                   "git blame --textconv a", "git blame -S x a", "git blame ../a"),
    ),
    Rule(
        "git grep",
        "-i -v -w -x -c -n -l -L -o -q -h -H -E -F -G -P -a -I -p -W -r -# --ignore-case --invert-match --word-regexp"
        " --count --line-number --files-with-matches --name-only --files-without-match --only-matching"
        " --extended-regexp --fixed-strings --basic-regexp --perl-regexp --text --heading --break --show-function"
        " --function-context --cached --untracked --all-match --and --or --not -e:text -A:number -B:number -C:number"
        " -m:number --max-depth=number --max-count=number --no-color --color?always|never|auto",
        "text object*", style="git", instead_of_first="-e", forced=("--no-textconv", "--no-recurse-submodules"),
        exits={1: "nothing matched"}, remedies=_WITHOUT,
        match=("git grep main", "git grep -n main -- src", "git grep -e a --and -e b", "git grep -A3 x"),
        not_match=("git grep -O x", "git grep -Oless x", "git grep --open-files-in-pager=x y", "git grep --no-index x",
                   "git grep -f x", "git grep --textconv x", "git grep x /etc", "git grep --recurse-submodules x",
                   "git grep"),
    ),
    Rule(
        "git ls-files",
        "-c -d -m -o -i -s -u -k -t -v -z --cached --deleted --modified --others --ignored --stage --unmerged --killed"
        " --exclude-standard --exclude=text -x:text --directory --no-empty-directory --error-unmatch --full-name --eol"
        " --abbrev?number --deduplicate", "object*", style="git",
        match=("git ls-files", "git ls-files -o --exclude-standard", "git ls-files src", "git ls-files --stage -- a"),
        not_match=("git ls-files -X x", "git ls-files --exclude-from=x", "git ls-files --with-tree=x",
                   "git ls-files --recurse-submodules", "git ls-files /etc"),
    ),
    Rule(
        "git ls-tree", "-r -d -t -l -z --long --name-only --name-status --full-name --full-tree --abbrev?number",
        "object object*", style="git",
        match=("git ls-tree HEAD", "git ls-tree -r --name-only HEAD src"),
        not_match=("git ls-tree", "git ls-tree --format=x HEAD", "git ls-tree HEAD /etc"),
    ),
    Rule(
        "git rev-parse",
        "--show-toplevel --short?number --abbrev-ref --verify -q --quiet --is-inside-work-tree --is-bare-repository"
        " --is-inside-git-dir --symbolic-full-name --symbolic --git-dir --show-prefix --show-cdup --all --sq",
        "object*", style="git",
        match=("git rev-parse HEAD", "git rev-parse --abbrev-ref HEAD", "git rev-parse --show-toplevel",
               "git rev-parse --short=8 HEAD"),
        not_match=("git rev-parse --parseopt", "git rev-parse --resolve-git-dir /x", "git rev-parse --abbrev HEAD"),
    ),
    Rule(
        "git rev-list",
        "--count --all -n:number -# --max-count=number --first-parent --merges --no-merges --reverse --left-right"
        " --parents --since=text --until=text --abbrev-commit --oneline --not", "object*", style="git",
        match=("git rev-list --count HEAD", "git rev-list -n 5 main..dev"),
        not_match=("git rev-list --stdin", "git rev-list --use-bitmap-index HEAD", "git rev-list --disk-usage HEAD"),
    ),
    Rule(
        "git describe", "--tags --all --long --always --abbrev=number --match=text --exclude=text --exact-match"
        " --first-parent --candidates=number --contains", "object*", style="git",
        match=("git describe", "git describe --tags --always", "git describe --tags HEAD~3"),
        not_match=("git describe --dirty", "git describe --broken", "git describe --tag"),
    ),
    Rule(
        "git shortlog", "-s -n -e -sn -ns -se -ne -sne --summary --numbered --email --no-merges --all --since=text"
        " --until=text", "object object*", style="git", instead_of_first="--all",
        match=("git shortlog -sn HEAD", "git shortlog -sne --all", "git shortlog v1..HEAD"),
        not_match=("git shortlog", "git shortlog --output=x HEAD", "git shortlog --format=%G? HEAD"),
    ),
    Rule(
        "git cat-file", "-t -s -p -e", "object", style="git", exits={1: "there is no such object"},
        match=("git cat-file -p HEAD", "git cat-file -t HEAD:src"),
        not_match=("git cat-file --batch", "git cat-file --textconv HEAD:a", "git cat-file --filters HEAD:a"),
    ),
    Rule(
        "git merge-base", "--all --is-ancestor --octopus --independent --fork-point", "object object*", style="git",
        exits={1: "no"},
        match=("git merge-base main dev", "git merge-base --is-ancestor a b"), not_match=("git merge-base",),
    ),
    Rule(
        "git remote", "-v --verbose", "", style="git",
        match=("git remote", "git remote -v"),
        not_match=("git remote add x y", "git remote show origin", "git remote update", "git remote -v update"),
    ),
    Rule(
        "git remote get-url", "--push --all", "text", style="git",
        match=("git remote get-url origin",), not_match=("git remote get-url", "git remote get-url --add x y"),
    ),
    Rule("git --version", match=("git --version",), not_match=("git --version x", "git --versio")),
)  # fmt: skip

REMEDIES: Mapping[str, str] = {
    "add": _COMMIT, "commit": _COMMIT, "rm": "use delete_file", "mv": "use move_file",
    "-C": "git runs in the workspace root: leave -C out", "-c": "git's settings are fixed here: leave -c out",
    "--git-dir": "git runs on the workspace's repository: leave --git-dir out",
    "--work-tree": "git runs on the workspace: leave --work-tree out",
    "checkout": "use git show REVISION:PATH to see a file, and write_file to change one",
    "restore": "use git show REVISION:PATH to see a file, and write_file to change one",
}  # fmt: skip
"""What to do instead of what git may not be given."""


def prepared(rest: tuple[str, ...], rule: Rule) -> tuple[str, ...]:
    """Return git's command line as it will run: the subcommand, forced options, the words given.

    Words of a word diff end at white space, whatever the repository's attributes say: smaller pieces show secrets.
    """
    found: list[str] = []
    for position, word in enumerate(rest):
        found.append(word)
        if word.startswith(("--word-diff", "--color-words")) and "--" not in rest[:position]:
            found += () if word == "--word-diff=none" else (_WHOLE_WORDS,)
    return ("git", "--no-pager", "--no-optional-locks", rule.words[1], *rule.forced, *rule.words[2:], *found)
