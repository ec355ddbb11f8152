"""A plugin for the tests: a model that works on goals, and judges them, as their first word says."""

import json
from collections.abc import AsyncIterator, Iterable, Sequence
from decimal import Decimal
from typing import Any

import inarch

READ = ("read_file", {"file_path": "README.md"})
SCRIPTS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "write": [READ, ("write_file", {"file_path": "done.txt", "content": "text\n"})],
    "ban": [("execute_command", {"command": f"no-such-program {number}"}) for number in range(4)],
    "sleep": [("start_process", {"command": "sleep 600"})],
}


class Working:
    name = "working"
    default_model = default_decision_model = "words"

    async def answer(self, request: inarch.ModelRequest) -> AsyncIterator[inarch.Delta]:
        yield inarch.UsageDelta(inarch.Usage(100, 10, cost_usd=Decimal("0.01")))
        if request.purpose == "decision":
            asked = json.loads(request.messages[-1].text)
            met = {"write": "yes", "give": "impossible"}.get(asked["goal"].split()[0], "no")
            said = {"met": met, "evidence": "c2", "next": f"{'x' * len(asked['results'])} is missing"}
            yield inarch.TextDelta(json.dumps(said))
            yield inarch.Finish("stop")
            return
        turn = request.messages[max(i for i, m in enumerate(request.messages) if "This is a goal" in m.text) :]
        word = turn[0].text.removeprefix("Go on with the goal.").split()[0]
        step = sum(message.role == "assistant" for message in turn)
        script = SCRIPTS.get(word, [])
        if step < len(script) or (word in ("never", "give") and step % 2):
            name, arguments = script[step] if script else ("read_file", {"file_path": "README.md", "offset": step})
            yield inarch.CallDelta(0, f"c{step}", name, json.dumps(arguments))
            yield inarch.Finish("calls")
            return
        yield inarch.TextDelta("The answer.")
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
    return [Working()]
