"""Prompt files: Markdown files that the user sends by name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import define, field, frozen

import inarch
from inarch.command_lines import NeedsShell, split_command
from inarch_plugins.skills.skills import Folder, folders

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}")
_ENTRY = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*(?:\(([^()]*)\))?\s*(?:,|\s|$)")
_SESSIONS_MODEL = frozenset({"inherit", "sonnet", "opus", "haiku"})
"""Values that mean the session's model. The last three name one provider's models, which the user may not have."""
_LONGEST_MODEL = 200
OWN = ("skills", "commands")
"""Names of this plugin's own commands."""


@frozen
class Allowed:
    """Inarch's tools that a prompt's turn may use, each with its allowed command prefixes, or None for any call."""

    tools: Mapping[str, tuple[str, ...] | None]

    def allows(self, tool: str, arguments: Mapping[str, Any]) -> bool:
        """Return whether a call is allowed."""
        if tool not in self.tools:
            return False
        starts = self.tools[tool]
        return starts is None or any(_begins(str(arguments.get("command", "")), start) for start in starts)


def _begins(command: str, start: str) -> bool:
    """Return whether a command equals the allowed one, or begins with its words if that ends with `:*`."""
    try:
        words, wanted = split_command(command), split_command(start.removesuffix(":*"))
    except (inarch.ToolFailed, NeedsShell):
        return False
    return words[: len(wanted)] == wanted if start.endswith(":*") else words == wanted


@frozen
class PromptFile:
    """A valid prompt file. `file` is its path in its folder. `model` is empty for the session's own."""

    name: str
    folder: Folder
    file: str
    description: str
    hint: str
    body: str
    allowed: Allowed | None = None
    model: str = ""

    @property
    def source(self) -> str:
        """The path shown to the user."""
        return f"{self.folder.shown}/{self.file}"

    def __str__(self) -> str:
        return f"/{self.name} {self.hint}".rstrip() + f" ({self.folder.whose}: {self.source})"


@define
class PromptFiles:
    """The valid prompt files by name, and the errors in prompt files."""

    found: dict[str, PromptFile] = field(factory=dict)
    told: list[str] = field(factory=list)


def read_prompts(context: inarch.PluginContext) -> PromptFiles:
    """Return the prompt files. If names clash, the project's win, and that is reported."""
    prompts = PromptFiles()
    for folder in folders(context, "commands"):
        for file in folder.files():
            if not file.endswith(".md"):
                continue
            where = f"{folder.shown}/{file}"
            try:
                one, remarks = _read(folder, file)
            except inarch.ToolFailed as error:
                prompts.told.append(f"{where}: skipped: {error}")
                continue
            prompts.told += [f"{where}: {remark}" for remark in remarks]
            if (other := prompts.found.setdefault(one.name, one)) is not one:
                prompts.told.append(f"{where}: skipped: {other} has the same name")
    return prompts


def _read(folder: Folder, file: str) -> tuple[PromptFile, list[str]]:
    """Return a prompt file and its ignored entries.

    Raises:
        ToolFailed: It is invalid.
    """
    name = file.removesuffix(".md").replace("/", ":")
    if _NAME.fullmatch(name) is None:
        raise inarch.ToolFailed("validation", f"/{name} is not a valid command name", "use letters, digits and -_.")
    if name in OWN:
        raise inarch.ToolFailed("validation", f"/{name} is a command of Inarch itself", "give the file another name")
    head, body = inarch.split_front_matter(folder.read(file))
    if not body.strip():
        raise inarch.ToolFailed("validation", "it is empty")
    texts: dict[str, str] = {}
    remarks: list[str] = []
    for key in ("description", "argument-hint", "model"):
        value = head.get(key) or ""
        words = [f"[{one}]" for one in value] if isinstance(value, list) else str(value).split()
        texts[key] = " ".join(words)
    model = texts["model"]
    if model in _SESSIONS_MODEL:
        remarks += [] if model == "inherit" else [f"model {model} is unknown here, so the session's model is used"]
        model = ""
    elif len(model) > _LONGEST_MODEL or any(letter.isspace() for letter in model):
        raise inarch.ToolFailed("validation", f"model is {model!r:.60}", "PROVIDER/NAME, PROVIDER or auto")
    allowed = None
    if (listed := head.get("allowed-tools")) is not None:
        allowed = _allowed(listed, remarks)
    description = texts["description"] or inarch.shorten(body.strip().splitlines()[0].lstrip("# "), 80)
    return PromptFile(name, folder, file, description, texts["argument-hint"], body.strip(), allowed, model), remarks


def _allowed(listed: Any, remarks: list[str]) -> Allowed:
    """Return the calls that the entries allow. An invalid entry allows nothing and is reported."""
    entries: Sequence[Any] = listed if isinstance(listed, list) else [listed]
    tools: dict[str, tuple[str, ...] | None] = {}
    for entry in entries:
        text, at = str(entry).strip(), 0
        while at < len(text):
            found = _ENTRY.match(text, at)
            if found is None:
                remarks.append(f"allowed-tools: {text[at:]!r:.80} is not valid and allows nothing")
                break
            at = found.end()
            _add(tools, found[1], found[2], remarks)
    return Allowed(tools)


def _add(tools: dict[str, tuple[str, ...] | None], name: str, start: str | None, remarks: list[str]) -> None:
    for ours in inarch.granted_tools(name):
        known = tools.get(ours, ())
        if not start or start == "*":
            tools[ours] = None
        elif ours != "execute_command":
            remarks.append(f"allowed-tools: {name}({start:.80}) allows nothing: only commands take a pattern")
        elif known is not None:
            tools[ours] = (*known, start)
