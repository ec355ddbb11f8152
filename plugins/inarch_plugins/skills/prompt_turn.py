"""Turns of prompt files and skills: their commands run as ordinary calls, and their tool lists count for the turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from attrs import define, field

import inarch
from inarch_plugins.skills.expansion import Command, expand
from inarch_plugins.skills.prompts import PromptFile, PromptFiles
from inarch_plugins.skills.skills import Skill, Skills
from inarch_plugins.skills.tool_lists import NO, UNASKED, YES, Answers, Entry, TurnRules, begin_turn, turn_rules

SENT = "sent"
RUNNER = "execute_command"
SENT_SCHEMA = {
    "type": "object",
    "required": ["text", "name", "source"],
    "properties": {"text": {"type": "string"}, "name": {"type": "string"}, "source": {"type": "string"}},
}


async def send(prompt: PromptFile, words: str, context: inarch.SlashContext, answers: Answers) -> str:
    """Submit the text of a prompt file or a skill. Return the error if there is one."""
    try:
        body = prompt.body()
        if prompt.keys.model:
            context.ask_model(prompt.keys.model)
    except inarch.InarchError as error:
        return f"/{prompt.name} was not sent: {prompt.source}: {error}"
    with _counting(await _asked(prompt, context, answers)):
        pieces = [
            await _output(prompt, piece, context) if isinstance(piece, Command) else piece
            for piece in expand(body, words, prompt.keys.names, prompt.places(context.session_id))
        ]
    text = "".join(pieces).strip()
    if not text or inarch.split_slash_command(text) is not None:
        return f"/{prompt.name} was not sent: it becomes {text[:80] or 'nothing'!r}, which is not a prompt"
    if isinstance(prompt, Skill):
        text = f"Do what the skill {prompt.name} says (its files are in {prompt.place}).\n\n{text}"
    context.record(SENT, {"text": f"/{prompt.name} of {prompt.source}", "name": prompt.name, "source": prompt.source})
    context.submit(f"@{prompt.keys.agent} {text}" if prompt.keys.agent else text)
    return ""


async def _asked(prompt: PromptFile, context: inarch.SlashContext, answers: Answers) -> tuple[Entry, ...]:
    """Return the entries of a file's lists that count. The first time, ask the user whether its allowed tools count."""
    lists = prompt.keys.lists
    if not lists.allowed:
        return lists.denied
    if answers.of(lists) is None and context.approve not in UNASKED:
        asked = {"questions": [{"question": lists.question, "choices": [YES, NO]}]}
        found = await context.call("ask_user", asked)
        if found.success:
            answers.give(lists, str(found.data["answers"][0]["answer"]))
        else:
            context.show(f"/{prompt.name}: no user has allowed its tools yet: run it once in a conversation")
    return (*lists.allowed, *lists.denied) if answers.of(lists) else lists.denied


@contextmanager
def _counting(entries: tuple[Entry, ...]) -> Iterator[None]:
    """Let entries count for the calls within."""
    token = turn_rules.set(TurnRules("", None, [*entries]))
    try:
        yield
    finally:
        turn_rules.reset(token)


async def _output(prompt: PromptFile, command: Command, context: inarch.SlashContext) -> str:
    """Run a command and return its output, or its error, as a quotation."""
    ran = await context.call(RUNNER, {"command": command.line})
    code = ran.data.get("exit_code") if isinstance(ran.data, Mapping) else None
    if not ran.success or code:
        why = ran.error.message if ran.error is not None else f"exit code {code}"
        context.show(f"/{prompt.name}: {command.line}: {why}")
    is_output = ran.success and code == 0 and not ran.metadata.get("truncated")
    return _fenced(str(ran.data.get("output", "")) if is_output else inarch.result_text(ran))


def _fenced(text: str) -> str:
    """Quote an output, so that none of it is read as a mention."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"\n{fence}\n{text.rstrip()}\n{fence}\n"


@define(eq=False, repr=False)
class Sent:
    """Context source that reports errors in files, and starts the turn's rules with those of the sent file."""

    files: Sequence[PromptFiles]
    answers: Answers
    told: list[str] = field(init=False)
    name: str = "prompt-files"

    def __attrs_post_init__(self) -> None:
        self.told = [told for files in self.files if not isinstance(files, Skills) for told in files.told]

    async def gather(self, situation: inarch.Situation) -> inarch.Contribution | None:
        """Check whether this turn's prompt is a file's."""
        turn = begin_turn(situation.turn.session_id)
        sent = [event.data for event in situation.happened if event.kind == f"skills.{SENT}"]
        if turn is not None and sent:
            turn.entries += self._entries(str(sent[-1].get("name")), str(sent[-1].get("source")))
        notes, self.told = tuple(self.told), []
        return inarch.Contribution(notes=notes) if notes else None

    def _entries(self, name: str, source: str) -> tuple[Entry, ...]:
        """Return the entries that count in a file's turn."""
        named = (files.found[name] for files in self.files if name in files.found)
        one = next((one for one in named if one.source == source), None)
        if one is None:
            return ()
        lists = one.keys.lists
        return (*(lists.allowed if self.answers.of(lists) else ()), *lists.denied)


def show_prompts(prompts: PromptFiles) -> str:
    """List the prompt files with their sources, and the errors, for `/commands`."""
    lines = [f"{one}\n  {inarch.shorten(one.description, 200)}" for one in prompts.found.values()]
    wrong = [f"! {told}" for told in (*prompts.told, *prompts.bent)]
    return "\n".join([*lines, *wrong]) or "no prompt files; to add one, write ~/.agents/commands/NAME.md"
