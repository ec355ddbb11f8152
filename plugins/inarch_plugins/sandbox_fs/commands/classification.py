"""Classification of a command line: its tier, its rights, and how it will run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from attrs import evolve

from inarch import Rights, ToolFailed
from inarch.command_lines import Line, NeedsShell, Part, split_line
from inarch_plugins.sandbox_fs.commands import lines, secret_files
from inarch_plugins.sandbox_fs.commands.classified import Classified
from inarch_plugins.sandbox_fs.commands.command_grants import Grants, allowing, matching, network
from inarch_plugins.sandbox_fs.commands.git_rules import GIT, environment, prepared
from inarch_plugins.sandbox_fs.commands.git_writes import reader_of
from inarch_plugins.sandbox_fs.commands.kinds import Refused, check_free, check_path, nearest
from inarch_plugins.sandbox_fs.commands.programs import PROGRAMS
from inarch_plugins.sandbox_fs.commands.rules import Reader, Rule
from inarch_plugins.sandbox_fs.commands.runners import RUNNERS, Runner, program_name
from inarch_plugins.sandbox_fs.commands.shells import check_env, is_variable, split_variables

_INSTEAD = {
    "rm": "use delete_file", "mv": "use move_file", "touch": "use create_file", "cp": "use read_file, then create_file",
    "mkdir": "use create_file: it makes the folders of its path", "tee": "use write_file",
    "patch": "use patch_source_file", "awk": "use search_files, grep or cut", "rg": "use search_files, or grep -rn",
    "cd": "every command starts in the workspace root: give paths relative to it, or begin with cd FOLDER &&",
    "python": "write it to a file and run python FILE", "python3": "write it to a file and run python3 FILE",
    "timeout": "give timeout_s instead", "git": "such as git status; use the tool git_commit to commit",
}  # fmt: skip
"""Remedies if no person can be asked."""
_CHANGES = Rights(writes=("",), executes=True)


def classify(command: str | Sequence[str], grants: Grants | None = None, root: str = "") -> Classified:
    """Classify a command line; it opens only the files that the line names, to see whether they hold secrets."""
    grants = grants or {}
    try:
        line = split_line(command) if isinstance(command, str) else Line((Part(tuple(command)),))
    except NeedsShell as error:
        return _shell(str(command).strip(), grants, error)
    except ToolFailed as error:
        return Classified("none", reason=error.message, remedy=error.remedy)
    if line.is_plain:
        return _one(line.parts[0].words, grants, root)
    return _granted(("sh", "-c", str(command).strip()), grants, "") or _line(line, str(command).strip(), grants, root)


def _line(line: Line, text: str, grants: Grants, root: str) -> Classified:
    """Classify a line of several commands by the strictest of them."""
    try:
        folder = lines.folder_in(line.folder, root)
    except Refused as refused:
        return Classified("none", ("cd", line.folder), rule="cd", reason=refused.reason, remedy=refused.remedy)
    parts: list[Classified] = []
    for part in line.parts:
        # The user's grants apply in the root.
        found = _one(part.words, {} if folder else grants, f"{root}/{folder}" if folder else root, part.joint == "|")
        parts.append(evolve(lines.in_a_line(found, folder, part.joint == "|"), line=part, folder=folder))
    whole = lines.kept_whole(parts, f"{root}/{folder}" if folder else root)
    return lines.strictest(whole, text, grants)


def _one(words: tuple[str, ...], grants: Grants, root: str, fed: bool = False) -> Classified:
    """Classify one command; a `fed` one reads the output of another."""
    if not words or not words[0]:
        return Classified("none", words, reason="the command names no program", remedy="give a program first")
    try:
        if is_variable(words[0]):
            return _with_variables(words, grants, root, fed)
        return _found(words, grants, root, fed)
    except Refused as refused:
        found = Classified("none", words, rule=words[0], reason=refused.reason, remedy=refused.remedy)
        if not refused.grantable:
            return found
        if fed and (named := matching(words, grants)):
            reason = f"[commands.{named[0]}] grants {words[0]} without what another command pipes into it"
            found = evolve(found, reason=reason, remedy="have it read a file that its words name")
        found = evolve(found, allowed_by=allowing(words, grants, fed))
        if any(".." in part.split("/") for word in words for part in word.split("=")):
            return found  # nothing above the workspace is available to it, whoever allowed it
        return evolve(found, tier="asked", argv=words, rights=_CHANGES, shape=words)


def _shell(line: str, grants: Grants, error: ToolFailed) -> Classified:
    """Classify a line that needs a shell: a person may allow it."""
    words = ("sh", "-c", line)
    granted = _granted(words, grants, "")
    return granted or Classified(
        "asked", words, words, "sh -c", f"it needs a shell: {error.message}", error.remedy, allowing(words, grants),
        rights=_CHANGES, shape=words,
    )  # fmt: skip


def _with_variables(words: tuple[str, ...], grants: Grants, root: str, fed: bool) -> Classified:
    """Classify a command with variables before it: a person is asked, whatever it is without them."""
    variables, rest = split_variables(words)
    found = _granted(words, grants, root, fed)
    if found is None:
        without = _one(rest, grants, root, fed)
        if without.tier == "none":
            return without
        reason = f"it sets {', '.join(variables)} for {rest[0]}"
        found = Classified(
            "asked", words, rule=rest[0], reason=reason, remedy="leave the variables out", rights=_CHANGES, shape=words,
            allowed_by=allowing(words, grants, fed), exits=without.exits,
        )  # fmt: skip
    return evolve(found, argv=rest, rights=evolve(found.rights, env=variables))


def _found(words: tuple[str, ...], grants: Grants, root: str, fed: bool) -> Classified:
    """Return the result of the first tier that knows the words; the user's own grants may allow what a rule refuses."""
    try:
        found = _read_only(words, root, fed)
    except Refused:
        found = _granted(words, grants, root, fed)
        if found is None:
            raise
    return (
        found
        or _granted(words, grants, root, fed)
        or _workspace(words, root)
        or _writes(words, grants, root)
        or _none(words)
    )


def _read_only(words: tuple[str, ...], root: str, fed: bool) -> Classified | None:
    """Classify a program of the read-only tier; a refusing rule excludes the other tiers."""
    if words[:2] in (("git", "--no-pager"), ("git", "-P")):
        words = ("git", *words[2:])
    rule = _rule(words)
    if rule is None:
        return None
    rest = words[len(rule.words) :]
    reader = Reader(rule, root, rest, fed)
    paths = reader.read()
    is_git = rule.words[0] == "git"
    argv = prepared(rest, rule) if is_git else (*rule.words, *rule.forced, *rest)
    rights = Rights(env=environment({})) if is_git else Rights()
    secret = secret_files.named(rule.name, (*paths, *reader.objects), root)
    in_pieces = secret_files.takes_apart(rule.name, reader.given)
    reason = f"{rule.name} could show the secrets in {secret}" if secret else ""
    if is_git and not reason and secret_files.tries(rule.name, reader.given, rest, reader.objects, root):
        reason = f"{rule.name} could find out secrets of the repository by trying"
    if in_pieces and is_git and not reason and secret_files.names_revision(rest, reader.objects, root):
        reason = secret_files.in_pieces(rule.name, "the repository")
    searches = secret_files.searches(rule.name, reader.given)
    if in_pieces and not reason and (held := secret_files.could_show(rule.name, paths, root, searches)):
        reason = secret_files.in_pieces(rule.name, held)
    return Classified(
        "read-only", words, argv, rule.name, rights=rights, paths=paths, shape=words, exits=rule.exits,
        reason=reason, options_end=len(argv) - len(rest) + reader.options_end if searches and not secret else 0,
        in_pieces=in_pieces,
        contents=secret_files.shows_history(rule.name, reader.given),
    )  # fmt: skip


@cache
def _rules() -> Mapping[str, tuple[Rule, ...]]:
    """Return the rules by program, those with more words first."""
    found: dict[str, tuple[Rule, ...]] = {}
    for rule in sorted((*PROGRAMS, *GIT), key=lambda rule: -len(rule.words)):
        found[rule.words[0]] = (*found.get(rule.words[0], ()), rule)
    return found


def _rule(words: tuple[str, ...]) -> Rule | None:
    return next((rule for rule in _rules().get(words[0], ()) if words[: len(rule.words)] == rule.words), None)


def _granted(words: tuple[str, ...], grants: Grants, root: str, fed: bool = False) -> Classified | None:
    found = matching(words, grants, fed)
    if found is None:
        return None
    name, fixed = found
    for word in words[fixed:]:
        check_free(word, root)
    grant = grants[name]
    rights = Rights(writes=tuple(grant.writes), executes=True, **network(grant))
    return Classified(
        "granted", words, words, f"[commands.{name}]", rights=rights, passes=tuple(grant.env), shape=words
    )  # fmt: skip


def _workspace(words: tuple[str, ...], root: str) -> Classified | None:
    runner = _runner(words, root)
    if runner is None:
        return None
    for word in words[1:]:
        check_free(word, root)
    if "/" in words[0]:
        check_path(words[0], root)
    reason = f"{words[0]} runs code of the workspace (workspace tier)"
    return Classified(
        "workspace", words, words, runner.pattern, reason,
        rights=_CHANGES, shape=runner.shape(words),
        is_exact=runner.is_exact, exits=runner.exits,
    )  # fmt: skip


def _runner(words: tuple[str, ...], root: str) -> Runner | None:
    known = (program_name(words[0]), *words[1:])
    found = next((runner for runner in RUNNERS if runner.takes(known, root)), None)
    return found or (_OWN_SCRIPT if words[0].startswith("./") else None)


_OWN_SCRIPT = Runner("FILE")
"""Program of the workspace, named by its path."""


def _writes(words: tuple[str, ...], grants: Grants, root: str) -> Classified | None:
    """Classify a command that only stages or commits."""
    reader = reader_of(words, root)
    if reader is None:
        return None
    name = reader.rule.name
    reason = f"{name} changes this repository's index" if name == "git add" else f"{name} adds a commit"
    return Classified(
        "asked", words, words, name, f"{reason}, with Git's hooks off", "use the tool git_commit",
        allowing(words, grants), rights=Rights(), paths=tuple(reader.paths), shape=reader.rule.words, is_exact=False,
    )  # fmt: skip


def _none(words: tuple[str, ...]) -> Classified:
    check_env(words)
    name = words[0]
    reason, remedy = f"{name} is in no tier of commands", _INSTEAD.get(name, "")
    if "=" in name:
        raise Refused("variables can't be set before a command", "leave them out", grantable=False)
    if name == "git":
        reason = f"git {' '.join(words[1:2])} is not one of the read-only commands"
    elif "/" in name:
        reason = f"{reason}: programs are given by name"
        remedy = "name it ./PATH if it is a program of the workspace"
    elif not remedy:
        near = nearest(name, {*_rules(), *(word for runner in RUNNERS for word in runner.words[0])} - {"FILE"})
        remedy = f"did you mean {near}?" if near and near != name else "use another tool or program"
    raise Refused(reason, remedy)
