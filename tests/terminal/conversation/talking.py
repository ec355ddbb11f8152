"""A plugin for the tests: a model that says what it was sent, streams, calls tools, or runs what follows a colon.

`write 60: a.txt` writes a file of so many lines, `remind: words` has a plugin say something a second later, and
`plan: a.txt` writes a todo list and reads the file.
"""

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from pathlib import Path
from typing import Any

import inarch


def call(index: int, name: str, **arguments: Any) -> inarch.CallDelta:
    return inarch.CallDelta(index, f"c{index}", name, json.dumps(arguments))


class Talking:
    name = "talking"
    default_model = default_decision_model = "words"

    async def answer(self, request: inarch.ModelRequest) -> AsyncIterator[inarch.Delta]:
        turn = request.messages[max(i for i, m in enumerate(request.messages) if m.role == "user") :]
        prompt = turn[0].parts[0].text  # type: ignore[union-attr]
        if ":" in prompt and prompt.startswith("run") and len(turn) == 1:
            yield call(0, "execute_command", command=prompt.partition(":")[2].strip())
            yield inarch.Finish("calls")
            return
        if prompt.startswith("edit: "):
            path = prompt.removeprefix("edit: ")
            if len(turn) == 1:
                yield call(0, "read_file", file_path=path)
                yield inarch.Finish("calls")
                return
            if len(turn) == 3:
                yield call(0, "patch_source_file", file_path=path, search="return 1", replace="return 2")
                yield inarch.Finish("calls")
                return
        if prompt == "three" and len(turn) == 1:
            yield call(0, "create_file", file_path="one.txt", content="1")
            yield call(1, "create_file", file_path="two.txt", content="2")
            yield call(2, "execute_command", command="pytest -q")
            yield inarch.Finish("calls")
            return
        if prompt.startswith("plan: ") and len(turn) == 1:
            todos = [{"content": "look", "status": "completed"}, {"content": "mend", "status": "pending"}]
            yield call(0, "write_todos", todos=todos)
            yield call(1, "read_file", file_path=prompt.removeprefix("plan: "))
            yield inarch.Finish("calls")
            return
        if prompt.startswith("remind: ") and len(turn) == 1:
            yield call(0, "remind", text=prompt.removeprefix("remind: "))
            yield inarch.Finish("calls")
            return
        if prompt.startswith("write ") and len(turn) == 1:
            many, path = prompt.removeprefix("write ").split(": ")
            lines = "".join(f"line {number}\n" for number in range(1, int(many) + 1))
            yield call(0, "write_file", file_path=path, content=lines)
            yield inarch.Finish("calls")
            return
        yield inarch.TextDelta(f"Heard {len(prompt.splitlines())} lines, {len(prompt)} characters.\n\n")
        if "slow" in prompt:
            yield inarch.TextDelta("Slowly\n\n")
            await asyncio.sleep(600)
        if "stuck" in prompt:
            Path("stuck.txt").write_text("now")  # noqa: ASYNC240 - it is about to be worse
            time.sleep(600)  # noqa: ASYNC251 - holds up the event loop on purpose
        for line in prompt.splitlines()[:3]:
            yield inarch.TextDelta(f"said {line}\n\n")
        seen = "".join(part.text for part in turn[0].parts[1:] if isinstance(part, inarch.Text))
        for word in ("from the command", "from the file"):
            if word in seen:
                yield inarch.TextDelta(f"said it saw what is {word}\n")
        yield inarch.UsageDelta(inarch.Usage(100, 10))
        yield inarch.Finish("stop")

    async def models(self) -> Sequence[inarch.ModelInfo]:
        return [inarch.ModelInfo("words", "says it again"), inarch.ModelInfo("other", "says it, too")]

    def limits(self, model: str) -> inarch.Limits:
        return inarch.Limits()

    def price(self, model: str) -> inarch.Price | None:
        return None

    async def close(self) -> None:
        pass


@inarch.tool(effects=inarch.Effects())
def remind(text: str, context: inarch.ToolContext) -> str:
    """Say something in a second.

    Args:
        text: What to say.
    """
    timer = threading.Timer(1.0, context.inbox.say, [text])
    timer.daemon = True
    timer.start()
    return "later"


@inarch.hookimpl
def inarch_models(context: inarch.PluginContext) -> Iterable[inarch.ModelProvider]:
    return [Talking()]
