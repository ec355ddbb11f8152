"""Policy of the user's `[[rules]]` and `[commands.NAME]`: the strictest rule holds, then a command's grant.

It compares a command call by the words that the tokenizer reads.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field

from inarch.calls.call_order import components, normalised
from inarch.contract.capabilities import AsksInParts, Isolated, able
from inarch.contract.errors import ToolFailed
from inarch.contract.ports import Tool
from inarch.contract.records import Effects, ToolCall, Verdict
from inarch_lib.staging.steering_names import steers

if TYPE_CHECKING:
    from inarch.config.grants import CommandGrant, Rule
    from inarch_sdk.joined_commands import Line


def is_command(call: ToolCall, tool: Tool) -> bool:
    """Return whether a call runs the command line in its argument `command`."""
    return tool.category == "command" and isinstance(call.arguments.get("command"), str)


def line_of(call: ToolCall, tool: Tool) -> Line | None:
    """Return the commands that a call joins; None for other calls, and if a shell would do more than join."""
    if not is_command(call, tool):
        return None
    from inarch_sdk.joined_commands import split_line

    try:
        return split_line(call.arguments["command"])
    except ToolFailed:
        return None


def words_of(call: ToolCall, tool: Tool) -> tuple[str, ...] | None:
    """Return the words of a call of one command; None for other calls."""
    line = line_of(call, tool)
    return line.parts[0].words if line is not None and line.is_plain else None


def open_parts(call: ToolCall, tool: Tool) -> tuple[tuple[ToolCall, bool], ...]:
    """Return the commands of a line that need permission, each as a separate call, with whether it is fed by a pipe.

    Commands that the tool always allows are left out. Returns None for a single command, and for commands in another
    folder. One command alone does not show what it does among others.
    """
    line = line_of(call, tool)
    if line is None or line.is_plain or line.folder:
        return ()
    asks = able(tool, AsksInParts)
    places = range(len(line.parts)) if asks is None else asks.asking(call.arguments)
    parts = (line.parts[place] for place in places)
    return tuple(
        (evolve(call, arguments={**call.arguments, "command": canonical(part.words)}), part.joint == "|")
        for part in parts
    )


def canonical(words: tuple[str, ...]) -> str:
    """Return the canonical spelling of these words, which globs over commands are compared with."""
    from shlex import join

    return join(words)


def granted_by(
    call: ToolCall, tool: Tool, commands: Mapping[str, CommandGrant], runners: Collection[str], *, fed: bool = False
) -> str | None:
    """Return the name of the `[commands.NAME]` that grants a call; `fed` marks a command that reads from a pipe.

    Grants are for programs that the workspace runs. Only `runners` run those, whatever a tool calls itself.
    """
    if not commands or call.name not in runners:
        return None
    words = words_of(call, tool) or through_shell(call)
    return (
        None
        if words is None
        else next((name for name, grant in commands.items() if grant.covers(words, fed=fed)), None)
    )


def through_shell(call: ToolCall) -> tuple[str, ...] | None:
    """Return the form in which a line of several commands is granted, the words of a shell; None for other lines."""
    from inarch_sdk.commandline import NeedsShell
    from inarch_sdk.joined_commands import split_line

    line = call.arguments.get("command")
    try:
        if split_line(line).is_plain:  # type: ignore[arg-type]  # anything but text fails like any other line
            return None
    except NeedsShell:
        pass
    except ToolFailed:
        return None
    return ("sh", "-c", str(line).strip())


def paths_in(line: Line, root: str) -> Iterator[str]:
    """Yield possible paths among the arguments of commands: the folder, each word, and the text after its `=`.

    A path below the root is relative to it, however it is written.
    """
    from posixpath import join, normpath

    given = [word for part in line.parts for word in part.words[1:]]
    for text in (line.folder and ".", *given, *(word.partition("=")[2] for word in given)):
        if text:
            path = normpath(join(root, line.folder, text))
            yield f"{path}/".removeprefix(root.rstrip("/") + "/" if root else "").rstrip("/") or "."


PATH_ARGUMENTS = ("file_path", "new_path", "path", "directory", "file_paths", "paths")
_GLOB = re.compile(r"[*?\[]")
_VARIABLE = re.compile(r"[A-Za-z_]\w*=")
STRICTNESS = {"allow": 0, "ask": 1, "deny": 2}


def _now() -> datetime:
    return datetime.now(UTC)


def _in_order(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    return tuple(rules)


@define(eq=False, repr=False)
class RulesPolicy:
    """Policy of the configured rules and commands; it allows other calls without a reason.

    A rule that allows with `path` needs every path of the call to match. One that asks or denies needs one path. A
    command line is compared by its words. If the tokenizer refuses it, no rule that allows matches it. `runners` are
    the tools whose command lines the workspace runs, and `commands` grants only those. `root` is the workspace's
    absolute path, which command lines may name. `accepted` returns further rules that the user accepted
    for some time. They lift no question about steering files.
    """

    rules: tuple[Rule, ...] = field(converter=_in_order)
    now: Callable[[], datetime] = _now
    commands: Mapping[str, CommandGrant] = field(factory=dict, kw_only=True)
    runners: Collection[str] = field(default=(), kw_only=True)
    root: str = field(default="", kw_only=True)
    accepted: Callable[[ToolCall, Tool], Sequence[Rule]] = field(default=lambda call, tool: (), kw_only=True)
    name: str = field(init=False, default="rules")

    def judge(self, call: ToolCall, tool: Tool) -> Verdict:
        """Return the strictest decision among the matching, unexpired rules, or a command's grant."""
        return self._judged(call, tool)

    def _judged(self, call: ToolCall, tool: Tool, *, fed: bool = False) -> Verdict:
        """Judge a call. One that is `fed` (reads from a pipe) is allowed only by a grant with `stdin`."""
        found = self.strictest(call, tool)
        if found is not None and found.decision != "allow":
            return Verdict(found.decision, str(found))
        # After the rules that deny or ask: a grant does not bypass them.
        command = granted_by(call, tool, self.commands, self.runners, fed=fed)
        if command is not None:
            reached = self.commands[command].reaches
            told = f"granted by [commands.{command}]" + (f", with {reached}" if reached else "")
            return Verdict("allow", told, person=True)
        said_of_parts = self._of_parts(open_parts(call, tool), tool)
        if said_of_parts is not None:
            return said_of_parts
        # A command behind a pipe reads from another one, which no rule about its words foresaw.
        if found is not None and not fed:
            # A wider rule does not cover steering files, and neither does one that was accepted for some time.
            steering = () if is_command(call, tool) else self.rules
            named = (
                _names_program(rule) or (rule in steering and rule.decision == "allow" and steers(rule.path or ""))
                for rule in self.matching(call, tool)
            )
            return Verdict("allow", str(found), person=any(named))
        hidden = self.hidden(call, tool, tool.effects(call.arguments)) if is_command(call, tool) else ()
        if hidden:  # a command's reads cannot be blocked
            return Verdict("ask", f"it may read files that the rule for {json.dumps(hidden[0])} is about")
        return Verdict("allow")

    def _of_parts(self, parts: Sequence[tuple[ToolCall, bool]], tool: Tool) -> Verdict | None:
        """Return allow if every command of a line that needs permission is allowed."""
        verdicts = [self._judged(part, tool, fed=fed) for part, fed in parts]
        if not verdicts or any(verdict.decision != "allow" or not verdict.reason for verdict in verdicts):
            return None
        reasons = dict.fromkeys(verdict.reason for verdict in verdicts)
        return Verdict("allow", "; ".join(reasons), person=all(verdict.person for verdict in verdicts))

    def strictest(self, call: ToolCall, tool: Tool) -> Rule | None:
        """Return the rule that holds for a call, the first of equally strict ones; None if none matches."""
        return max(self.matching(call, tool), key=lambda rule: STRICTNESS[rule.decision], default=None)

    def matching(self, call: ToolCall, tool: Tool) -> Iterator[Rule]:
        """Yield the rules that match a call and have not expired."""
        rules = (*self.rules, *self.accepted(call, tool))
        return (rule for rule in rules if self._matches(rule, call, tool) and rule.counts_at(self.now()))

    def _matches(self, rule: Rule, call: ToolCall, tool: Tool) -> bool:
        if not _is_about(rule, call, tool):
            return False
        if rule.path is None:
            return True
        effects, every = tool.effects(call.arguments), rule.decision == "allow"
        return _path_matches(rule.path, call, tool, effects, self.root, every=every)

    def hidden(self, call: ToolCall, tool: Tool, effects: Effects) -> tuple[str, ...]:
        """Return the globs of paths that rules hide from a call which may find them in folders that it reads.

        The user was not asked about those files, so the call skips them.
        """
        # An isolated plugin's calls may read everything within their bounds.
        may_read = frozenset({""}) if able(tool, Isolated) is not None else effects.reads
        return tuple(
            rule.path
            for rule in self.rules
            if rule.path is not None
            and rule.decision != "allow"
            and _is_above(may_read, rule.path)
            and _is_about(rule, call, tool)
            and rule.counts_at(self.now())
            and not _path_matches(rule.path, call, tool, effects, self.root, every=False)
        )


def _names_program(rule: Rule) -> bool:
    """Return whether a rule allows one program by its name; a wider rule does not cover a command without a tier."""
    command = rule.match.get("command", "*")
    if rule.decision != "allow" or not _GLOB.search(command):
        return rule.decision == "allow"
    words = (word for word in command.split(" ") if not _VARIABLE.match(word))
    program = next(words, "*")
    from inarch_sdk.commandline import CARRIERS

    return program not in CARRIERS and not _GLOB.search(program)


def _is_about(rule: Rule, call: ToolCall, tool: Tool) -> bool:
    """Return whether a rule's tool and arguments match a call, whatever its paths."""
    return fnmatchcase(call.name, rule.tool) and all(
        _argument_matches(call, tool, key, glob, rule.decision == "allow") for key, glob in rule.match.items()
    )


def _argument_matches(call: ToolCall, tool: Tool, key: str, glob: str, every: bool) -> bool:
    if key not in call.arguments:
        return False
    if key == "command" and is_command(call, tool):
        return _command_matches(call, tool, glob, every)
    value = call.arguments[key]
    if not isinstance(value, (list, tuple)):
        return fnmatchcase(_as_text(value), glob)
    hits = [fnmatchcase(_as_text(item), glob) for item in value]
    return bool(hits) and (all(hits) if every else any(hits))


def _command_matches(call: ToolCall, tool: Tool, glob: str, allowing: bool) -> bool:
    """Compare a command's words with a glob; `pytest *` also means `pytest` alone.

    A rule that asks or denies matches a line if it matches one of its commands or its text, because it is unknown
    what runs behind a shell.
    """
    words = words_of(call, tool)
    texts = [canonical(words)] if words is not None else []
    if words is None and not allowing:
        line = line_of(call, tool)
        texts = [call.arguments["command"].strip(), *(canonical(part.words) for part in (line.parts if line else ()))]
    return any(fnmatchcase(text, glob) or (glob.endswith(" *") and fnmatchcase(text, glob[:-2])) for text in texts)


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _path_matches(glob: str, call: ToolCall, tool: Tool, effects: Effects, root: str, *, every: bool) -> bool:
    paths = {normalised(path) for path in (*effects.reads, *effects.writes, *_given(call.arguments))}
    if every:
        # Paths do not prove what a call of unknown effects touches, nor what programs do.
        bounded = not effects.exclusive and not effects.programs
        # A rule that allows is about the root unless it says otherwise: an added folder may have the same names.
        added = any(path.partition("/")[0] == "+" for path in paths) and not glob.startswith("+/")
        return bool(paths) and bounded and not added and all(path_matches(path, glob) for path in paths)
    line = line_of(call, tool)
    paths.update(normalised(path) for path in (paths_in(line, root) if line is not None else ()))
    return any(path_matches(path, glob) for path in paths) or _is_above(effects.writes, glob)


def _given(arguments: Mapping[str, Any]) -> Iterable[str]:
    for name in PATH_ARGUMENTS:
        value = arguments.get(name)
        for item in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(item, str):
                yield item


def _is_above(paths: Iterable[str], glob: str) -> bool:
    """Return whether one of the paths is a folder that may contain paths of the glob."""
    fixed = components(re.split(r"[*?\[]", glob, maxsplit=1)[0].rpartition("/")[0])
    folders = [components(path) for path in paths if path.endswith("/") or not components(path)]
    return any(folder[: len(fixed)] == fixed[: len(folder)] for folder in folders)


def path_matches(path: str, glob: str) -> bool:
    """Return whether a path, or a folder that contains it, matches a glob.

    `*` stays within a component and `**` does not. A glob without a slash is tried on every component's name.
    """
    parts = path.split("/")
    if "/" not in glob.strip("/"):
        return any(fnmatchcase(part, glob.strip("/")) for part in parts)
    return any(_begins(parts, one) for one in _alternatives(glob))


@lru_cache(maxsize=256)
def _alternatives(glob: str) -> tuple[tuple[str, ...], ...]:
    """Return what a glob means, a glob for each component, of which `**` alone spans several."""
    parts = re.sub(r"\*{3,}", "**", normalised(glob)).split("/")
    for at, part in enumerate(parts):
        before, mark, after = part.partition("**")
        if mark and part != mark:
            within = [f"{before}*{after}"], [f"{before}*", mark, f"*{after}"]
            wholes = ("/".join([*parts[:at], *some, *parts[at + 1 :]]) for some in within)
            return tuple(one for whole in wholes for one in _alternatives(whole))
    return (tuple(parts),)


def _begins(parts: Sequence[str], globs: Sequence[str]) -> bool:
    """Return whether the first components of a path match; a last `**` needs one of them."""
    places = {0}
    for number, glob in enumerate(globs, 1):
        if glob == "**":
            least = number == len(globs)
            places = {to for at in places for to in range(at + least, len(parts) + 1)}
        else:
            places = {at + 1 for at in places if at < len(parts) and fnmatchcase(parts[at], glob)}
    return bool(places)
