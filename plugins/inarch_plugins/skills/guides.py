"""More instructions than the project's own: the user's for all projects, and those of folders once a call uses them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from pathlib import PurePosixPath

from attrs import define, field

import inarch

FILES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md")
"""Instruction files of a folder. The first one that exists is used."""
GLOBAL_TITLE = "# The user's instructions for all projects"
MOST = 15_000
"""Most characters of a file."""
_told: ContextVar[set[str] | None] = ContextVar("inarch_skills_told", default=None)
"""Files already sent in the running turn's session. Reviewers run in the same context."""


def _title(path: str) -> str:
    return f"Instructions of {path} for everything below its folder:"


def nested(brought: inarch.KeptFolder) -> frozenset[str]:
    """Return the paths of the folders' instruction files."""
    deep = (path for path in brought.names() if "/" in path and path[0] != ".")
    return frozenset(path for path in deep if path.rpartition("/")[2] in FILES)


@define(eq=False, repr=False)
class TouchedFolders:
    """Reviewer that adds a folder's instructions to the result of the first call in it."""

    brought: inarch.KeptFolder
    known: frozenset[str]
    name: str = "guides"

    def review(self, call: inarch.ToolCall, tool: inarch.Tool, context: inarch.ToolContext) -> str | None:
        """Return the instructions that were not sent yet."""
        effects = tool.effects(call.arguments)
        texts = []
        for file in self._fresh(sorted(path for path in effects.reads | effects.writes if path)):
            data = self.brought.read(file)
            if data is not None:  # None if it changed since it was trusted
                texts.append(f"{_title(file)}\n{data.decode('utf-8', 'replace').strip()[:MOST]}")
        return "\n\n".join(texts) or None

    def _fresh(self, paths: Sequence[str]) -> Iterator[str]:
        """Yield the files that apply to some paths and were not sent yet, the outermost first."""
        told = _told.get()
        for path in paths if told is not None else ():
            place = PurePosixPath(path)
            for folder in reversed([place, *place.parents]):
                found = next((file for name in FILES if (file := str(folder / name)) in self.known), None)
                if found is not None and told is not None and found not in told:
                    told.add(found)
                    yield found


@define(eq=False, repr=False)
class GlobalGuide:
    """Context source with the user's instructions for all projects, unless the model already sees the same ones."""

    user: inarch.KeptFolder | None
    known: frozenset[str]
    sessions: dict[str, set[str]] = field(init=False, factory=dict)
    name: str = "guides"

    async def gather(self, situation: inarch.Situation) -> inarch.Contribution | None:
        """Return the instructions."""
        self._begin(situation.turn.session_id, situation.messages)
        try:
            data = self.user.read(FILES[0]) if self.user is not None else None
        except inarch.ToolFailed as error:
            return inarch.Contribution(notes=(error.message,)) if len(situation.messages) == 1 else None
        if data is None or not data.strip():
            return None
        text = f"{GLOBAL_TITLE}\n{data.decode('utf-8', 'replace').strip()[:MOST]}"
        parts = (part.text for one in situation.messages for part in one.parts if isinstance(part, inarch.Text))
        return None if text in parts else inarch.Contribution(text)

    def _begin(self, session: str, messages: Sequence[inarch.Message]) -> None:
        """Record whose turn runs. The messages of a resumed session show which files were sent."""
        if session not in self.sessions:
            parts = (part for message in messages for part in message.parts)
            seen = "\n".join(inarch.result_text(part.result) for part in parts if isinstance(part, inarch.ResultPart))
            self.sessions[session] = {path for path in self.known if _title(path) in seen}
        _told.set(self.sessions[session])
