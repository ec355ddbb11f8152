"""A plugin: a model that follows a script named by the prompt, for sessions that are made once and kept."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any

import inarch

Calls = list[tuple[str, dict[str, Any]]]
SCRIPTS: dict[str, list[Calls]] = {
    "greet in English": [
        [("read_file", {"file_path": "shop/greeting.py"})],
        [("patch_source_file", {"file_path": "shop/greeting.py", "search": "Moin", "replace": "Hello"})],
        [("write_file", {"file_path": "docs/greeting.md", "content": "# Greeting\n\nIt says Hello.\n"})],
    ],
    "greet in French": [
        [("read_file", {"file_path": "shop/greeting.py"})],
        [("patch_source_file", {"file_path": "shop/greeting.py", "search": "Hello", "replace": "Salut"})],
    ],
    "tidy up": [
        [("read_multiple_files", {"file_paths": ["notes.txt", "old.txt"]})],
        [
            ("move_file", {"file_path": "notes.txt", "new_path": "docs/notes.txt"}),
            ("delete_file", {"file_path": "old.txt"}),
        ],
    ],
    "list and count": [
        [("execute_command", {"command": "ls"}), ("execute_command", {"command": "wc -l README.md"})],
    ],
    "make the file": [[("execute_command", {"command": "make made.txt"})]],
    "remember the basket": [[("save_memory", {"text": "A basket weighs 150 grams an apple."})]],
    "trace the basket": [[("find_callers", {"function": "weigh"})]],
    "look around": [
        [("list_directory", {"directory": "."}), ("search_files", {"pattern": "weigh"})],
        [("read_file", {"file_path": path}) for path in ("nowhere.txt", "README.md", "Makefile", "shop/basket.py")],
    ],
    "count up": [
        [("read_file", {"file_path": "count.txt"})],
        [("patch_source_file", {"file_path": "count.txt", "search": "|", "replace": "1|"})],
    ],
}
DECISION = {
    "requires_tool_call": True,
    "tool_name": "read_file",
    "arguments": {"file_path": "README.md"},
    "reasoning": "the file was named",
}


class Speaking:
    name = "speaking"
    default_model = default_decision_model = "words"

    async def answer(self, request: inarch.ModelRequest) -> AsyncIterator[inarch.Delta]:
        if request.response_schema is not None:
            yield inarch.TextDelta(json.dumps(DECISION))
            yield inarch.UsageDelta(inarch.Usage(400, 20))
            yield inarch.Finish("stop")
            return
        turn = request.messages[max(i for i, m in enumerate(request.messages) if m.role == "user") :]
        asked = turn[0].text
        script = next((steps for words, steps in SCRIPTS.items() if words in asked), [])
        done = sum(message.role == "assistant" for message in turn)
        if request.tool_choice != "none" and done < len(script):
            for index, (name, arguments) in enumerate(script[done]):
                yield inarch.CallDelta(index, f"c{done}{index}", name, json.dumps(arguments))
            yield inarch.UsageDelta(inarch.Usage(1200, 34))
            yield inarch.Finish("calls")
            return
        yield inarch.TextDelta("Well: ")
        if "wait" in asked:
            await asyncio.sleep(60)
        yield inarch.TextDelta("that is what there was to be done.")
        yield inarch.UsageDelta(inarch.Usage(1300, 12))
        yield inarch.Finish("stop")

    async def models(self) -> Sequence[inarch.ModelInfo]:
        return [inarch.ModelInfo("words", "follows a script")]

    def limits(self, model: str) -> inarch.Limits:
        return inarch.Limits()

    def price(self, model: str) -> inarch.Price | None:
        return None

    async def close(self) -> None:
        pass


@inarch.hookimpl
def inarch_models(context: inarch.PluginContext) -> Iterable[inarch.ModelProvider]:
    return [Speaking()]
