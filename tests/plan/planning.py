"""A plugin for the tests: a model that plans, writes, keeps a list, or asks, as the first word says."""

import json
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any

import inarch

PLAN = "# The plan\n\n1. Write new.txt\n"
TODOS = [
    {"content": "Find the year", "status": "completed"},
    {"content": "Change it", "status": "in_progress"},
    {"content": "Run the tests", "status": "pending"},
]
QUESTIONS = [{"question": "Which fruit?", "choices": ["apples", "pears"]}, {"question": "How many?"}]
WRITE = ("write_file", {"file_path": "new.txt", "content": "text\n"})
SCRIPTS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "plan": [("present_plan", {"plan": PLAN}), WRITE],
    "write": [WRITE],
    "todo": [("write_todos", {"todos": TODOS})],
    "question": [("ask_user", {"questions": QUESTIONS})],
}


class Planning:
    name = "planning"
    default_model = default_decision_model = "words"

    async def answer(self, request: inarch.ModelRequest) -> AsyncIterator[inarch.Delta]:
        turn = request.messages[max(i for i, m in enumerate(request.messages) if m.role == "user") :]
        script = SCRIPTS.get(turn[0].text.split()[0], [])
        step = sum(message.role == "assistant" for message in turn)
        if step < len(script):
            name, arguments = script[step]
            yield inarch.CallDelta(0, f"c{step}", name, json.dumps(arguments))
            yield inarch.Finish("calls")
            return
        last = [part.result for part in turn[-1].parts if isinstance(part, inarch.ResultPart)]
        yield inarch.TextDelta("Read: " + " ".join(inarch.result_text(one) for one in last) + "\n\nThe answer.")
        yield inarch.UsageDelta(inarch.Usage(100, 10))
        yield inarch.Finish("stop")

    async def models(self) -> Sequence[inarch.ModelInfo]:
        return [inarch.ModelInfo("words")]

    def limits(self, model: str) -> inarch.Limits:
        return inarch.Limits()

    def price(self, model: str) -> None:
        return None

    async def close(self) -> None:
        pass


@inarch.hookimpl
def inarch_models(context: inarch.PluginContext) -> Iterable[inarch.ModelProvider]:
    return [Planning()]
