"""Prompt files: Markdown files that the user sends by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from attrs import define, field, frozen

import inarch
from inarch_plugins.skills.folders import Folder, folders
from inarch_plugins.skills.prompt_keys import Keys, read_keys, text_of

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}")
OWN = ("skills", "commands")
"""Names of this plugin's own commands."""


@frozen
class PromptFile:
    """A valid prompt file.

    Args:
        file: Its path in the folder.
        keys: How its text is sent.
        within: The path in the folder that links may not lead out of.
    """

    name: str
    folder: Folder
    file: str
    description: str
    keys: Keys
    within: str = ""
    root: str = ""

    def body(self) -> str:
        """Return its text without the front matter."""
        return inarch.split_front_matter(self.folder.read(self.file, self.within), [])[1].strip()

    def places(self, session_id: str) -> dict[str, str]:
        """Return the values of `${CLAUDE_PROJECT_DIR}` and others, by name."""
        own = str(self.folder.base / self.within)
        return {"CLAUDE_PROJECT_DIR": self.root, "CLAUDE_SESSION_ID": session_id, "CLAUDE_SKILL_DIR": own}

    @property
    def source(self) -> str:
        """The path shown to the user."""
        return f"{self.folder.shown}/{self.file}"

    def __str__(self) -> str:
        return f"/{self.name} {self.keys.hint}".rstrip() + f" ({self.folder.whose}: {self.source})"


@define
class PromptFiles:
    """The valid prompt files by name, the errors, and what has no effect in valid ones."""

    found: dict[str, PromptFile] = field(factory=dict)
    told: list[str] = field(factory=list)
    bent: list[str] = field(factory=list)
    clash = "{other} has the same name"

    def add(self, source: str, read: Callable[[list[str]], PromptFile]) -> None:
        """Read a file and add it, or its error. The first of several with the same name counts."""
        remarks: list[str] = []
        try:
            one = read(remarks)
        except inarch.ToolFailed as error:
            self.told.append(f"{source}: skipped: {error}")
            return
        self.bent += [f"{source}: {remark}" for remark in remarks]
        if (other := self.found.setdefault(one.name, one)) is not one:
            self.told.append(f"{source}: skipped: {self.clash.format(one=one, other=other)}")


def read_prompts(context: inarch.PluginContext) -> PromptFiles:
    """Return the prompt files. If names clash, the project's win, and that is reported."""
    prompts = PromptFiles()
    for folder, file in _files(context):
        prompts.add(f"{folder.shown}/{file}", partial(_read, context, folder, file))
    return prompts


def _files(context: inarch.PluginContext) -> Iterator[tuple[Folder, str]]:
    for folder in folders(context, "commands"):
        yield from ((folder, file) for file in folder.files() if file.endswith(".md"))


def _read(context: inarch.PluginContext, folder: Folder, file: str, bent: list[str]) -> PromptFile:
    """Return a prompt file."""
    name = file.removesuffix(".md").replace("/", ":")
    if NAME.fullmatch(name) is None:
        raise inarch.ToolFailed("validation", f"/{name} is not a valid command name", "use letters, digits and -_.")
    if name in OWN:
        raise inarch.ToolFailed("validation", f"/{name} is a command of Inarch itself", "give the file another name")
    head, body = front_matter(folder.read(file), bent)
    description = text_of(head, "description") or inarch.shorten(body.strip().splitlines()[0].lstrip("# "), 80)
    keys = read_keys(head, {**folder.places, "FILE": str(folder.base / file), "CLAUDE_PROJECT_DIR": context.root}, bent)
    return PromptFile(folder.lead + name, folder, file, description, keys, root=context.root)


def front_matter(text: str, bent: list[str]) -> tuple[Mapping[str, Any], str]:
    """Return the front matter and the text of a file.

    Raises:
        ToolFailed: The front matter has no end or is too large, or there is no text below it.
    """
    head, body = inarch.split_front_matter(text, bent)
    if not body.strip():
        raise inarch.ToolFailed("validation", "it has no text below the front matter" if head else "it is empty")
    return head, body
