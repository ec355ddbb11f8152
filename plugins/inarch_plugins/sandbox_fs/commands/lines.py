"""Lines of several commands: each command is judged by itself, and the strictest determines the line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import evolve

from inarch import Rights
from inarch_plugins.sandbox_fs.commands.classified import Classified
from inarch_plugins.sandbox_fs.commands.command_grants import Grants, allowing
from inarch_plugins.sandbox_fs.commands.kinds import check_path
from inarch_plugins.sandbox_fs.commands.secret_files import could_show, in_pieces
from inarch_plugins.sandbox_fs.commands.shells import STANDARD_INPUT
from inarch_plugins.sandbox_fs.paths import normal

_TIERS = ("read-only", "granted", "workspace", "asked", "none")
"""Tiers, the most permissive first."""


def folder_in(named: str, root: str) -> str:
    """Return the folder of a line's leading `cd`, relative to the root; empty for the root itself."""
    if not named:
        return ""
    inside = named == root or named.startswith(f"{root}/")
    path = (named[len(root) :].strip("/") or ".") if root and inside else named
    check_path(path, root)
    found = normal(path)
    return "" if found == "." else found


def in_a_line(found: Classified, folder: str, fed: bool) -> Classified:
    """Classify one command among others; a person decides about some that the approval mode could allow alone.

    This applies to a file of the workspace that is run by its path and to input piped into a build (`make -f -`). With
    these, text from elsewhere could have code run behind a harmless command. It also applies to git in a folder, where
    a repository may have settings that start programs.
    """
    read = fed and any(map(STANDARD_INPUT.fullmatch, found.words[1:]))
    if found.tier == "workspace" and (read or "FILE" in found.rule.split()):
        what = "what another command writes" if read else "a file of the workspace among other commands"
        reason = f"{found.words[0]} runs {what}"
        return evolve(found, tier="asked", reason=reason, remedy="run it in a call of its own", shape=found.words)
    if folder and found.tier == "read-only" and found.words[0] == "git":
        reason = f"git in {folder} uses the settings of a repository there"
        return evolve(
            found, tier="asked", argv=found.words, reason=reason, remedy="use git in the root, with a path",
            rights=Rights(writes=("",), executes=True), options_end=0,
        )  # fmt: skip
    return found


def kept_whole(parts: Sequence[Classified], root: str) -> Sequence[Classified]:
    """Return the commands; those that split output which may hold secrets get a reason to ask.

    Output is searched for secrets, which cannot be recognized in pieces of a line.
    """
    found: list[Classified] = []
    before: list[Classified] = []
    for part in parts:
        if part.line is None or part.line.joint != "|":
            before = []
        if part.tier == "read-only" and part.in_pieces and not part.reason:
            shown = next(filter(None, (_shown_secrets(one, root) for one in before)), "")
            part = evolve(part, reason=in_pieces(part.rule, shown) if shown else "")
        before.append(part)
        found.append(part)
    return found


def _shown_secrets(part: Classified, root: str) -> str:
    """Return the source from which a read-only command could show secrets, "" if it shows none."""
    if part.contents:
        return "the repository"
    return could_show(part.rule, part.paths, root, part.options_end > 0) if part.tier == "read-only" else ""


def is_open(part: Classified) -> bool:
    """Return whether a command needs a question."""
    return part.tier not in ("read-only", "granted") or (part.tier == "read-only" and bool(part.reason))


def place(parts: Sequence[Classified], part: Classified) -> str:
    """Return the name of a command of a line for people."""
    from shlex import join

    return f"part {next(at for at, one in enumerate(parts, 1) if one is part)}, {join(part.words)}"


def strictest(parts: Sequence[Classified], text: str, grants: Grants) -> Classified:
    """Classify the line by its strictest command; the reason names each that is not allowed by itself."""
    worst = max(parts, key=lambda part: _TIERS.index(part.tier))
    asking = [part for part in parts if part.tier == "none"][:1] or [part for part in parts if is_open(part)]
    writes = dict.fromkeys(path for part in parts for path in part.rights.writes)
    return Classified(
        worst.tier,
        tuple(word for part in parts for word in part.words),
        worst.argv,
        worst.rule,
        "; ".join(f"{place(parts, part)}: {part.reason}" for part in asking),
        worst.remedy,
        "" if worst.tier == "none" and not worst.allowed_by else _allowing(asking, text, grants, worst.folder),
        Rights(writes=tuple(writes), executes=any(part.rights.executes for part in parts)),
        shape=worst.words,
        folder=worst.folder,
        parts=tuple(parts),
    )


def _allowing(parts: Iterable[Classified], text: str, grants: Grants, folder: str) -> str:
    """Return the tables that would allow each of these commands, or the line itself if it leaves the root."""
    if folder:
        return allowing(("sh", "-c", text), grants)
    tables: list[str] = []
    known = set(grants)
    for words, fed in dict.fromkeys((part.words, part.line is not None and part.line.joint == "|") for part in parts):
        table = allowing(words, known, fed)
        known.add(table.partition("]")[0].partition(".")[2])
        tables.append(table)
    return "\n".join(tables)
