"""More instructions than the project's own: the user's for all projects, rules, imported files, and those of folders.

The files and their keys are those of code.claude.com/docs/en/memory and developers.openai.com/codex/guides/agents-md,
read 2026-11.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from pathlib import PurePosixPath

from attrs import define, field, frozen

import inarch
from inarch_lib.staging.guide_imports import imported

FILES = ("AGENTS.override.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md")
"""Instruction files of a folder. The first one that exists is used."""
LOCAL = "CLAUDE.local.md"
"""The user's own instructions for a folder, used beside the others."""
RULES = ".claude/rules/"
GLOBAL_FILE = "AGENTS.md"
GLOBAL_TITLE = "# The user's instructions for all projects"
PROJECT_TITLE = "# More instructions of this project"
MOST = 15_000
"""Most characters of a file."""
MOST_IMPORTED = 60_000
"""Most characters of the files that one imports."""
_told: ContextVar[set[str] | None] = ContextVar("inarch_skills_told", default=None)
"""Files already sent in the running turn's session. Reviewers run in the same context."""


def _title(path: str) -> str:
    below = "" if path.startswith(RULES) else " for everything below its folder"
    return f"Instructions of {path}{below}:"


def nested(brought: inarch.KeptFolder) -> frozenset[str]:
    """Return the paths of the folders' instruction files."""
    deep = (path for path in brought.names() if "/" in path and path[0] != ".")
    return frozenset(path for path in deep if path.rpartition("/")[2] in (*FILES, LOCAL))


@frozen
class Rule:
    """A file of `.claude/rules`. Without `paths` it always counts."""

    path: str
    text: str
    paths: tuple[re.Pattern[str], ...] = ()

    def fits(self, path: str) -> bool:
        """Return whether it counts for a file."""
        return any(glob.fullmatch(path) for glob in self.paths)


def read_rules(brought: inarch.KeptFolder) -> tuple[list[Rule], list[str]]:
    """Return the project's rules, and remarks about those that cannot be read."""
    rules: list[Rule] = []
    remarks: list[str] = []
    for path in brought.names(RULES.rstrip("/")):
        data = brought.read(path) if path.endswith(".md") else None
        if data is None:  # or it changed since it was trusted
            continue
        try:
            keys, body = inarch.split_front_matter(data.decode("utf-8", "replace"), [])
        except inarch.ToolFailed as error:
            remarks.append(f"{path}: skipped: {error.message}")
            continue
        given = keys.get("paths") or ()
        globs = re.split(r",(?![^{]*\})", given) if isinstance(given, str) else given
        if not isinstance(globs, Iterable):
            remarks.append(f"{path}: skipped: paths is {given!r:.60}")
            continue
        rules.append(Rule(path, body.strip(), tuple(_glob(str(glob)) for glob in globs)))
    return rules, remarks


_WILD = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
_PART = re.compile(r"(?:\*\*/)+|\*\*|\{([^{}]*)\}|.", re.DOTALL)


def _glob(pattern: str) -> re.Pattern[str]:
    """Compile a pattern of paths: `*`, `**`, `?` and `{a,b}`. One of a folder fits all files in it."""
    return re.compile(_regex(pattern.strip(" \"'").removeprefix("./").strip("/")) + "(?:/.*)?", re.DOTALL)


def _regex(pattern: str) -> str:
    return "".join(
        _WILD.get(one[0][-3:], re.escape(one[0]))
        if one[1] is None
        else f"(?:{'|'.join(map(_regex, one[1].split(',')))})"
        for one in _PART.finditer(pattern)
    )


Read = Callable[[str], str | None]


def reader(folder: inarch.KeptFolder) -> Read:
    """Return a function that reads the texts of a folder; None for one that is missing, refused or not trusted."""

    def read(path: str) -> str | None:
        try:
            data = folder.read(path)
        except inarch.ToolFailed:
            return None
        return None if data is None else data.decode("utf-8", "replace")

    return read


def sections(guides: Mapping[str, str], read: Read) -> tuple[list[str], list[str]]:
    """Return the texts that instruction files import, each below its path, and the remarks."""
    found, room, parts = imported(guides, read), MOST_IMPORTED, list[str]()
    for path, text in found.texts.items():
        shown = text.strip()[: min(MOST, room)]
        room -= len(shown)
        parts += [f"## {path} (imported)\n{shown}"] if shown else []
    return parts, found.remarks


def findings(brought: inarch.KeptFolder) -> Iterator[inarch.Finding]:
    """Yield a finding if something of the project's instructions is not read."""
    read = reader(brought)
    paths = (*FILES, LOCAL, *sorted(nested(brought)))
    rules, remarks = read_rules(brought)
    guides = {**{path: text for path in paths if (text := read(path))}, **{rule.path: rule.text for rule in rules}}
    if lines := (*remarks, *imported(guides, read).remarks):
        remedy = "look at the files, then: inarch config trust"
        yield inarch.Finding("instructions", "note", "parts of instruction files are not read", remedy, lines)


@define(eq=False, repr=False)
class TouchedFolders:
    """Reviewer that adds a folder's instructions, and the rules of a file, to the result of the first call there."""

    brought: inarch.KeptFolder
    known: frozenset[str]
    rules: Sequence[Rule] = ()
    name: str = "guides"

    def review(self, call: inarch.ToolCall, tool: inarch.Tool, context: inarch.ToolContext) -> str | None:
        """Return the instructions that were not sent yet."""
        effects, read = tool.effects(call.arguments), reader(self.brought)
        texts, rules = [], {rule.path: rule.text for rule in self.rules}
        for file in self._fresh(sorted(path for path in effects.reads | effects.writes if path)):
            text = rules.get(file) or read(file)
            if text is not None:  # None if it changed since it was trusted
                parts = sections({**dict.fromkeys(FILES, ""), file: text}, read)[0]
                texts.append("\n\n".join([f"{_title(file)}\n{text.strip()[:MOST]}", *parts]))
        return "\n\n".join(texts) or None

    def _fresh(self, paths: Sequence[str]) -> Iterator[str]:
        """Yield the files that apply to some paths and were not sent yet, the outermost first."""
        told = _told.get()
        for path in paths if told is not None else ():
            for found in self._of(path):
                if told is not None and found not in told:
                    told.add(found)
                    yield found

    def _of(self, path: str) -> Iterator[str]:
        place = PurePosixPath(path)
        for folder in reversed([place, *place.parents]):
            files = [file for name in (*FILES, LOCAL) if (file := str(folder / name)) in self.known]
            yield from files[:1]
            yield from (file for file in files[1:] if file.endswith(LOCAL))
        yield from (rule.path for rule in self.rules if rule.fits(path))


@define(eq=False, repr=False)
class ProjectGuide:
    """Context source with the project's rules and imported files, unless the model already sees the same ones."""

    brought: inarch.KeptFolder
    name: str = "rules"
    _is_told: bool = field(init=False, default=False)

    async def gather(self, situation: inarch.Situation) -> inarch.Contribution | None:
        """Return the instructions. Report what cannot be read once."""
        text, remarks = self.text()
        notes, self._is_told = () if self._is_told else tuple(remarks), True
        text = "" if _is_there(text, situation.messages) else text
        return inarch.Contribution(text, notes=notes) if text or notes else None

    def text(self) -> tuple[str, list[str]]:
        """Return the rules without paths and what is imported at the top, and the remarks."""
        rules, remarks = read_rules(self.brought)
        read = reader(self.brought)
        always = {rule.path: rule.text for rule in rules if not rule.paths}
        tops = {path: text for path in (*FILES, LOCAL) if (text := read(path))}
        parts, more = sections({**tops, **always}, read)
        shown = [f"## {path}\n{text[:MOST]}" for path, text in always.items() if text]
        return "\n\n".join([PROJECT_TITLE, *shown, *parts]) if shown or parts else "", remarks + more


def _is_there(text: str, messages: Sequence[inarch.Message]) -> bool:
    return text in (part.text for one in messages for part in one.parts if isinstance(part, inarch.Text))


@define(eq=False, repr=False)
class GlobalGuide:
    """Context source with the user's instructions for all projects, unless the model already sees the same ones."""

    user: inarch.KeptFolder | None
    known: frozenset[str]
    sessions: dict[str, set[str]] = field(init=False, factory=dict)
    name: str = "guides"
    _is_told: bool = field(init=False, default=False)

    async def gather(self, situation: inarch.Situation) -> inarch.Contribution | None:
        """Return the instructions."""
        self._begin(situation.turn.session_id, situation.messages)
        try:
            data = self.user.read(GLOBAL_FILE) if self.user is not None else None
        except inarch.ToolFailed as error:
            return inarch.Contribution(notes=(error.message,)) if len(situation.messages) == 1 else None
        if self.user is None or data is None or not data.strip():
            return None
        own = data.decode("utf-8", "replace")
        parts, remarks = sections({GLOBAL_FILE: own}, reader(self.user))
        text = "\n\n".join([f"{GLOBAL_TITLE}\n{own.strip()[:MOST]}", *parts])
        notes, self._is_told = () if self._is_told else tuple(remarks), True
        text = "" if _is_there(text, situation.messages) else text
        return inarch.Contribution(text, notes=notes) if text or notes else None

    def _begin(self, session: str, messages: Sequence[inarch.Message]) -> None:
        """Record whose turn runs. The messages of a resumed session show which files were sent."""
        if session not in self.sessions:
            parts = (part for message in messages for part in message.parts)
            seen = "\n".join(inarch.result_text(part.result) for part in parts if isinstance(part, inarch.ResultPart))
            self.sessions[session] = {path for path in self.known if _title(path) in seen}
        _told.set(self.sessions[session])
