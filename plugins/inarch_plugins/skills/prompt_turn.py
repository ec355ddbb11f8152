"""Turns of prompt files: their commands run as ordinary calls, and the turn uses only the tools that they name."""

from __future__ import annotations

import asyncio
import re
import shlex
from collections.abc import Iterator, Mapping
from contextvars import ContextVar

from attrs import define, field, frozen

import inarch
from inarch_plugins.skills.prompts import Allowed, PromptFile, PromptFiles

_PLACE = re.compile(r"!`(?P<command>[^`\n]+)`|\$(?P<name>ARGUMENTS(?![A-Za-z0-9_])|[1-9][0-9]?(?![0-9]))")


@frozen
class Command:
    """A command that is replaced by its output."""

    line: str


def expand(text: str, words: str) -> list[str | Command]:
    """Replace `$ARGUMENTS` in a text with all words, and `$1` with the first. Missing words become empty.

    The words are inserted once and not expanded further, so they cannot contain commands or placeholders. If the text
    has
    no placeholder, the words are appended.
    """
    pieces = list(_pieces(text, words))
    if words and not any(one["name"] for one in _PLACE.finditer(text)) and not _in_commands(text):
        pieces.append(f"\n\n{words}")
    return pieces


def _pieces(text: str, words: str) -> Iterator[str | Command]:
    said, end = _words(words), 0
    for one in _PLACE.finditer(text):
        yield text[end : one.start()]
        yield _value(one["name"], words, said) if one["name"] else Command(_filled(one["command"], words, said))
        end = one.end()
    yield text[end:]


def _filled(command: str, words: str, said: list[str]) -> str:
    return _PLACE.sub(lambda one: _value(one["name"], words, said), command)


def _in_commands(text: str) -> bool:
    return any(_PLACE.search(one["command"]) for one in _PLACE.finditer(text) if one["command"])


def _value(name: str, words: str, said: list[str]) -> str:
    if name == "ARGUMENTS":
        return words
    return said[int(name) - 1] if int(name) <= len(said) else ""


def _words(words: str) -> list[str]:
    """Split the words. Quoted ones stay together."""
    try:
        return shlex.split(words)
    except ValueError:  # an apostrophe, not a quotation mark
        return words.split()


SENT = "sent"
RUNNER = "execute_command"
SENT_SCHEMA = {
    "type": "object",
    "required": ["text", "name", "source"],
    "properties": {"text": {"type": "string"}, "name": {"type": "string"}, "source": {"type": "string"}},
}


@frozen
class Narrowed:
    """A turn limited to some tools: its session, its task, its prompt file's name and the tools."""

    session_id: str
    task: asyncio.Task[object] | None
    name: str
    allowed: Allowed


_narrowed: ContextVar[Narrowed | None] = ContextVar("inarch_skills_narrowed", default=None)
"""Limit of the running turn. Its calls and the turns of called agents run in the same context."""


async def send(prompt: PromptFile, words: str, context: inarch.SlashContext) -> str:
    """Submit a prompt file's text. Return the error if there is one."""
    body, own = without_itself(prompt)
    if own:
        context.show(f"{prompt.source} mentions itself; the mention is skipped")
    try:
        if prompt.model:
            context.ask_model(prompt.model)
    except inarch.InarchError as error:
        return f"/{prompt.name} was not sent: {prompt.source}: {error}"
    parts: list[str] = []
    for piece in expand(body, words):
        if isinstance(piece, str):
            parts.append(piece)
            continue
        ran = await context.call(RUNNER, {"command": piece.line})
        if not ran.success and (ran.error is None or ran.error.code != "execution"):
            why = ran.error.message if ran.error is not None else "it was not run"
            return f"/{prompt.name} was not sent: {piece.line}: {why}"
        parts.append(_fenced(inarch.result_text(ran)))
    text = "".join(parts).strip()
    if not text or inarch.split_slash_command(text) is not None:
        return f"/{prompt.name} was not sent: it becomes {text[:80] or 'nothing'!r}, which is not a prompt"
    context.record(SENT, {"text": f"/{prompt.name} of {prompt.source}", "name": prompt.name, "source": prompt.source})
    context.submit(text)
    return ""


def without_itself(prompt: PromptFile) -> tuple[str, bool]:
    """Return a prompt file's text without mentions of the file itself, and whether it had some."""
    if prompt.folder.brought is None:
        return prompt.body, False  # mentions cannot name files outside the workspace
    mention = re.compile(rf"(?<!\S)@(?:\./)?{re.escape(f'{prompt.folder.prefix}/{prompt.file}')}(?![\w/-])")
    text, count = mention.subn("", prompt.body)
    return text, count > 0


def _fenced(text: str) -> str:
    """Quote an output, so that none of it is read as a mention."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"\n{fence}\n{text.rstrip()}\n{fence}\n"


@define(eq=False, repr=False)
class Sent:
    """Context source that reports errors in files and tracks which turn is limited. It adds no text."""

    prompts: PromptFiles
    told: list[str] = field(init=False)
    name: str = "prompt-files"

    def __attrs_post_init__(self) -> None:
        self.told = list(self.prompts.told)

    async def gather(self, situation: inarch.Situation) -> inarch.Contribution | None:
        """Check whether this turn's prompt is a file's."""
        sent = [event for event in situation.happened if event.kind == f"skills.{SENT}"]
        outer, task = _narrowed.get(), asyncio.current_task()
        is_inside = outer is not None and outer.session_id != situation.turn.session_id and outer.task is not task
        if not is_inside:  # an agent's turn keeps the limit of its caller's turn
            _narrowed.set(self._narrowed(situation.turn.session_id, task, sent[-1].data) if sent else None)
        notes, self.told = tuple(self.told), []
        return inarch.Contribution(notes=notes) if notes else None

    def _narrowed(
        self, session_id: str, task: asyncio.Task[object] | None, sent: Mapping[str, object]
    ) -> Narrowed | None:
        """Return the limit that a file sets for its turn. An invalid file allows no tools."""
        name = str(sent.get("name"))
        allowed = self.prompts.found[name].allowed if name in self.prompts.found else Allowed({})
        return None if allowed is None else Narrowed(session_id, task, name, allowed)


@frozen
class Narrowing:
    """Rewriter that denies calls outside the limit of this turn."""

    name: str = "allowed-tools"

    def rewrite(self, call: inarch.ToolCall, tool: inarch.Tool, context: inarch.ToolContext) -> inarch.Rewrite | None:
        """Deny a call of a tool that the prompt file does not name."""
        narrowed = _narrowed.get()
        if narrowed is None or narrowed.allowed.allows(call.name, call.arguments):
            return None
        tools = ", ".join(narrowed.allowed.tools)
        allowed = f"only {tools}" if tools else "no tools"
        return inarch.Rewrite(decision="deny", reason=f"/{narrowed.name} allows {allowed}")


def show_prompts(prompts: PromptFiles) -> str:
    """List the prompt files with their sources, and the errors, for `/commands`."""
    lines = [f"{one}\n  {inarch.shorten(one.description, 200)}" for one in prompts.found.values()]
    wrong = [f"! {told}" for told in prompts.told]
    return "\n".join([*lines, *wrong]) or "no prompt files; to add one, write ~/.agents/commands/NAME.md"
