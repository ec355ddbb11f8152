"""A plugin for the browser's tests: a model that does what the first word of the last prompt names, then answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import inarch

ANSWER = """\
It is **done**.

- `footer.py` has the new year
- nothing else was touched

| file | lines |
|---|--:|
| footer.py | 1 |
"""
Calls = list[tuple[str, dict[str, Any]]]
READ = ("read_file", {"file_path": "footer.py"})
PATCH = ("patch_source_file", {"file_path": "footer.py", "search": "YEAR = 2024", "replace": "YEAR = 2025",
                               "description": "the new year"})  # fmt: skip
TODOS = [
    {"content": "Find the year", "status": "completed"}, {"content": "Change <b>it</b>", "status": "in_progress"},
]  # fmt: skip
QUESTIONS = [{"question": "Which year?", "choices": ["2025", "2026"]}, {"question": "Whose <b>name</b>?"}]
PLAYS: dict[str, Callable[[str], list[Calls]]] = {
    "patch": lambda _: [[READ], [PATCH]],
    "write": lambda words: [[("write_file", {"file_path": words, "content": "one\ntwo\nthree\n"})]],
    "run": lambda words: [[("execute_command", {"command": words})]],
    "read": lambda words: [[("read_file", {"file_path": words})]],
    "both": lambda _: [[("write_file", {"file_path": name, "content": name}) for name in ("a.txt", "b.txt")]],
    "many": lambda words: [[("list_files", {"pattern": f"*{number}"}) for number in range(int(words))]],
    "trace": lambda words: [[("trace_execution", {"function": words})]],
    "plan": lambda _: [[("plan", {})]],
    "todos": lambda _: [[("write_todos", {"todos": TODOS})]],
    "question": lambda _: [[("ask_user", {"questions": QUESTIONS})]],
    "carry": lambda _: [[READ], [("present_plan", {"plan": "# The year\n\n- `footer.py`: 2025"})], [PATCH]],
}
"""What a word stands for: batches of calls, one after the other."""


class Playing:
    """Plays the batches of a word, and then answers; `say` answers with the prompt itself, `lines N` with lines."""

    name = "playing"
    default_model = default_decision_model = "played"

    async def answer(self, request: inarch.ModelRequest) -> AsyncIterator[inarch.Delta]:
        """Play."""
        last = max(at for at, message in enumerate(request.messages) if message.role == "user")
        played = sum(message.role == "assistant" for message in request.messages[last:])
        word, rest = _prompt(request.messages[last])
        batches = PLAYS[word](rest) if word in PLAYS else []
        if played < len(batches):
            yield inarch.ReasoningDelta("I think about it first.")
            for index, (name, arguments) in enumerate(batches[played]):
                yield inarch.CallDelta(index, f"c{len(request.messages)}-{index}", name, json.dumps(arguments))
        else:
            async for piece in _answer(word, rest):
                yield inarch.TextDelta(piece)
        yield inarch.UsageDelta(inarch.Usage(1_200, 80))
        yield inarch.Finish("calls" if played < len(batches) else "stop")

    async def models(self) -> Sequence[inarch.ModelInfo]:
        """Return the one that there is."""
        return [inarch.ModelInfo("played", "plays")]

    def limits(self, model: str) -> inarch.Limits:
        """Return a window."""
        return inarch.Limits(context_tokens=1_000_000)

    def price(self, model: str) -> inarch.Price | None:
        """Return one, so that turns cost something."""
        return inarch.Price(Decimal("0.30"), Decimal("2.50"))

    async def close(self) -> None:
        """Do nothing."""


def _prompt(message: inarch.Message) -> tuple[str, str]:
    """Return the word of the prompt and the rest of its line; the project's structure stands in the message, too."""
    for part in message.parts:
        for line in part.text.splitlines() if isinstance(part, inarch.Text) else ():
            word, _, rest = line.partition(" ")
            if word in PLAYS or word in ("say", "lines", "wait", "fail"):
                return word, rest
    return "", ""


async def _answer(word: str, rest: str) -> AsyncIterator[str]:
    if word == "say":
        yield rest
    elif word == "lines":
        for number in range(int(rest)):
            yield f"line {number}\n"
            await asyncio.sleep(0 if number % 10 else 0.003)  # so that it takes many pictures, as a reply does
    elif word == "wait":
        yield "It begins."
        while not Path(rest).exists():  # noqa: ASYNC110, ASYNC240  # the test makes it, in another process
            await asyncio.sleep(0.02)
        yield " It ends."
    elif word == "fail":
        raise inarch.ProviderError("request", rest)
    else:
        yield ANSWER


PLAN = {"type": "object", "required": ["items"], "properties": {"items": {"type": "array"}}}


@inarch.tool(effects=inarch.Effects())
def plan(context: inarch.ToolContext) -> str:
    """Keep a plan."""
    items = [{"text": "Find the year", "status": "done"}, {"text": "Change it", "status": "in_progress"},
             {"text": "Run the tests", "status": "pending"}]  # fmt: skip
    context.record("plan", {"items": items})
    return "kept"


@inarch.hookimpl
def inarch_events(context: inarch.PluginContext) -> Iterable[inarch.EventKind]:
    """Return the kind of the plan."""
    return [inarch.EventKind("plan", "A plan was made.", PLAN)]


@inarch.hookimpl
def inarch_tools(context: inarch.PluginContext) -> Iterable[inarch.Tool]:
    """Return the tool of the plan."""
    return [plan]


@inarch.hookimpl
def inarch_models(context: inarch.PluginContext) -> Iterable[inarch.ModelProvider]:
    """Return the model."""
    return [Playing()]
