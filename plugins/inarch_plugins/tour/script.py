"""The scripted model of the tour, as a plugin file: it calls no service, and asks for the same calls each time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from attrs import frozen

import inarch
from inarch.testing import ScriptedModel, calls, says

PROMPT = "refuse a table without columns"
FILE = "acme/validation.py"
LOOP = '    for name, kind in table.get("columns", {}).items():'
WRONG = '    if not table["columns"]:\n'
RIGHT = '    if not table.get("columns"):\n'
TESTS = "python3 -m unittest discover tests"
FREE = inarch.Usage(cost_usd=Decimal(0))
PAUSE_S = 0.3  # so that a reader sees one step after another


@frozen
class Step:
    """One reply: what the model says, the calls it asks for, and what their command prints."""

    text: str
    calls: tuple[tuple[str, dict[str, Any]], ...]
    prints: str = ""


def _patch(search: str, replace: str, description: str) -> tuple[str, dict[str, Any]]:
    arguments = {"file_path": FILE, "search": search, "replace": replace, "description": description}
    return "patch_source_file", arguments


STEPS = (
    Step(
        "I am a script, not a model. First I read the code. Reading runs without a question.",
        (("read_file", {"file_path": FILE}), ("find_callers", {"function": "acme.validation.check_schema"})),
    ),
    Step(
        "Before I change a file, Inarch asks you. Press `a` to approve this edit.",
        (_patch(LOOP, f'{WRONG}        raise TableError("the table has no columns")\n{LOOP}', "refuse such tables"),),
    ),
    Step(
        "Now the tests. Commands run in a sandbox, and ask first. Press `a` again.",
        (("execute_command", {"command": TESTS}),),
        prints="KeyError",
    ),
    Step(
        'A test fails: `table["columns"]` raises KeyError if the key is missing. I correct my edit. Press `a`.',
        (_patch(WRONG, RIGHT, "accept a missing key"),),
    ),
    Step("The tests again. Press `a`.", (("execute_command", {"command": TESTS}),), prints="OK"),
)
END = """The tests pass. `check_schema` refuses a table without columns now, and `acme check` reports it. Your turn:

1. Type `/undo` and Enter: it restores the files that this turn changed. `/redo` changes them again.
2. Press Ctrl-D to leave. The tour then replays this session from its record.
"""
UNEXPECTED = "Something went differently than my script says. Press Ctrl-D to leave, then start `inarch tour` again."
DENIED = "You said no, so nothing happened. Send any prompt and I ask again, or press Ctrl-D to leave."
OVER = "I am a script and have nothing more to say. Try `/undo` or `/help`, or press Ctrl-D to leave."


def reply(request: inarch.ModelRequest) -> list[Any]:
    """Return the pieces of the next reply, after a pause."""
    found = next_reply(request.messages)
    pieces = says(found, FREE) if isinstance(found, str) else calls(*found.calls, text=found.text, usage=FREE)
    return [PAUSE_S, *pieces]


def next_reply(messages: Sequence[inarch.Message]) -> Step | str:
    """Return the next step of the script, or the text that ends the turn."""
    done, fault, is_new = 0, "", True
    for message in messages:
        names = [name for name, _ in STEPS[done].calls] if done < len(STEPS) else []
        parts = [part for part in message.parts if isinstance(part, inarch.ResultPart) and part.name in names]
        is_new = message.role == "user" or (is_new and not parts)
        if parts:
            fault = _fault(STEPS[done], [part.result for part in parts])
            done += not fault
    if fault and not is_new:
        return DENIED if fault == "denied" else UNEXPECTED
    if done < len(STEPS):
        return STEPS[done]
    return OVER if is_new else END


def _fault(step: Step, results: Iterable[inarch.ToolResult]) -> str:
    """Return the code of the first error; a step that ends as the script expects has none."""
    for result in results:
        if result.error is not None:
            return result.error.code
        if step.prints and step.prints not in result.data["output"]:
            return "execution"
    return ""


@inarch.hookimpl
def inarch_models(context: inarch.PluginContext) -> Iterable[inarch.ModelProvider]:
    """Return the scripted model."""
    free = inarch.Price(Decimal(0), Decimal(0))
    return [ScriptedModel([reply], "tour", "scripted", "scripted", free, repeat=True)]
