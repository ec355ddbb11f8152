"""A plugin for the tests: whatever it says is full of characters that would mislead a terminal or its reader."""

import json
from collections.abc import AsyncIterator, Iterable, Sequence

import inarch

NASTY = (
    "\x1b[2J\x1b[31mred\x1b]0;title\x07\x1b]8;;http://evil\x07link\x1b]52;c;ZXZpbA==\x07\x1bPq\x1b\\\x9b31m\x9d0;t\x9c\x90q"
    "over\rwritten\x08\x7f\x00\x0b\x0c\x0e\u202egpj.exe\u2066\u2069\u200e\u200b\u2060\ufeff\u00ad\u2028\u2029\u3164"
    "\U000e0041\U000e0142\ufe0f\u200de\u0301ok z" + "\u0335\u0336" * 200 + " wide日本 👩\u200d💻 \ud800 end"
)
"""Escape, OSC and C1 sequences, overwriting, direction, invisible and blank characters, hidden text, piled accents."""
SAID = NASTY.replace("\ud800", "")  # what a reply over a wire can hold


@inarch.tool
def loud(text: str, context: inarch.ToolContext) -> dict[str, str]:
    """Print, emit and return nasty text, or fail with it."""
    print("LOUD", NASTY)
    context.emit(f"live {SAID}")
    if text == "fail":
        raise inarch.ToolFailed("execution", f"failed {SAID}", f"remedy {SAID}")
    if text == "crash":
        raise ValueError(f"crashed {SAID}")
    return {"said": f"{SAID}{text}", SAID: "key"}


class Sour:
    name = "sour"
    default_model = default_decision_model = "words"

    async def answer(self, request: inarch.ModelRequest) -> AsyncIterator[inarch.Delta]:
        turn = request.messages[max(i for i, m in enumerate(request.messages) if m.role == "user") :]
        asked = turn[0].text
        yield inarch.ReasoningDelta(f"thinking {SAID}")
        if "refuse" in asked:
            raise inarch.ProviderError("auth", f"refused {SAID}", remedy=f"do {SAID}")
        if "explode" in asked:
            raise ValueError(f"exploded {SAID}")
        if len(turn) == 1:
            calls = [("loud", {"text": SAID, SAID: "x"}), ("loud", {"text": "fail"}), ("loud", {"text": "crash"}),
                     ("loud", {"text": SAID}), (SAID, {}), ("read_file", {"file_path": SAID}),
                     ("list_directory", {}), ("write_file", {"file_path": f"{SAID}.txt", "content": SAID})]  # fmt: skip
            for index, (name, arguments) in enumerate(calls):
                yield inarch.CallDelta(index, f"c{index}{SAID}", name, json.dumps(arguments))
            yield inarch.Finish("calls")
            return
        for character in f"ANSWER {SAID}\r\nsecond\tline\r":
            yield inarch.TextDelta(character)
        yield inarch.Finish("stop")

    async def models(self) -> Sequence[inarch.ModelInfo]:
        return [inarch.ModelInfo(f"words{SAID}", f"about {SAID}")]

    def limits(self, model: str) -> inarch.Limits:
        return inarch.Limits()

    def price(self, model: str) -> inarch.Price | None:
        return None

    async def close(self) -> None:
        pass


class Teller:
    name = "teller"

    def saw(self, event: inarch.Event) -> None:
        pass

    def summary(self, turn_id: str) -> str:
        return f"summary {SAID}"

    def close(self) -> None:
        pass


@inarch.hookimpl
def inarch_models(context: inarch.PluginContext) -> Iterable[inarch.ModelProvider]:
    return [Sour()]


@inarch.hookimpl
def inarch_tools(context: inarch.PluginContext) -> Iterable[inarch.Tool]:
    return [
        inarch.FunctionTool(
            lambda: None, "described", f"described {SAID}\nsecond {SAID}", {
                "type": "object", "properties": {SAID: {"type": "string", "description": SAID, "default": SAID}}
            },
        )
    ]  # fmt: skip


@inarch.hookimpl
def inarch_tracers(context: inarch.PluginContext) -> Iterable[inarch.Tracer]:
    return [Teller()]


@inarch.hookimpl
def inarch_slash_commands(context: inarch.PluginContext) -> Iterable[inarch.SlashCommand]:
    def crash(words: str) -> str:
        raise ValueError(f"crashed {SAID}")

    return [
        inarch.SlashCommand("sing", f"help {SAID}", lambda words: f"SANG {SAID}"),
        inarch.SlashCommand("crash", "Crash.", crash),
    ]
