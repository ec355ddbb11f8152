"""A plugin with an object of every kind that can be isolated; the tests load it in this process and in its own."""

from __future__ import annotations

import asyncio
import ctypes
import os
import socket
import sys
import threading
import time
import urllib.request
from decimal import Decimal
from typing import Any

from attrs import field, frozen

import inarch


@frozen
class Settings:
    """What the plugin can be told."""

    loud: bool = field(default=False, metadata={"doc": "Whether it shouts."})
    sizes: tuple[int, ...] = ()
    key_env: str = "EVERY_KEY"


@inarch.tool
def shout(text: str) -> str:
    """Say it louder."""
    return text.upper()


@inarch.tool
def echo(value: Any = None) -> Any:
    """Give back what was given."""
    return value


@inarch.tool
async def whisper(text: str, context: inarch.ToolContext) -> dict[str, Any]:
    """Say it in pieces."""
    for letter in text:
        context.emit(letter)
        await asyncio.sleep(0)
    return {"loud": context.settings.loud, "text": text.lower()}


@inarch.tool(effects=inarch.Effects(writes=frozenset({"out/"})), category="file")
def put(path: str, text: str, context: inarch.ToolContext) -> dict[str, Any]:
    """Write a file through the workspace."""
    changed = context.workspace.replace(path, [text.encode()], None)
    return {"before": changed.before, "after": changed.after, "seen": len(context.seen)}


@inarch.tool(effects=inarch.Effects(reads=frozenset({""})), category="search")
def look(context: inarch.ToolContext) -> dict[str, Any]:
    """Look at everything that a workspace shows."""
    workspace = context.workspace
    found = workspace.stat("a.txt")
    return {
        "stat": None if found is None else [found.kind, found.size],
        "nothing": workspace.stat("absent"),
        "read": workspace.read("a.txt").data.decode(),
        "part": workspace.read("a.txt", 2, 3).data.decode(),
        "digest": workspace.digest("a.txt"),
        "walk": list(workspace.walk("*.txt").paths),
        "search": [[hit.path, hit.line, hit.text] for hit in workspace.search("insi.e").hits],
        "earlier": len(context.earlier),
        "rights": context.rights,
        "state": context.state.name,
        "level": workspace.confinement().level > 0,
    }


@inarch.tool
def cat(context: inarch.ToolContext) -> dict[str, Any]:
    """Run a program."""
    pieces: list[bytes] = []
    ran = context.workspace.run(["cat", "a.txt"], inarch.Rights(), on_output=pieces.append)
    return {"code": ran.exit_code, "output": ran.output.decode(), "pieces": b"".join(pieces).decode()}


@inarch.tool
def fail(how: str, context: inarch.ToolContext) -> Any:
    """Fail in one of many ways."""
    ways: dict[str, Any] = {
        "value": lambda: int("x"),
        "failed": lambda: _raise(inarch.ToolFailed("not_found", "nothing here", "look elsewhere")),
        "leave": lambda: sys.exit("bye"),
        "cancelled": lambda: _raise(inarch.Cancelled()),
        "object": object,
        "nan": lambda: float("nan"),
        "outside": lambda: context.workspace.read("../x"),
        "absent": lambda: context.workspace.read("absent"),
        "undeclared": lambda: context.emit(7),  # type: ignore[arg-type]
        "result": lambda: inarch.ToolResult(False, error=inarch.ToolError("conflict", "no", "try")),
        "wordless": lambda: inarch.ToolResult(False, error="said so"),  # type: ignore[arg-type]
        "metadata": lambda: inarch.ToolResult(True, [1], metadata={"truncated": True}),
    }
    return ways[how]()


def _raise(error: Exception) -> None:
    raise error


@inarch.tool(timeout_s=60)
def end(how: str) -> str:
    """End the process, or never end."""
    if how == "exit":
        print("these were its last words", flush=True)
        os._exit(3)
    if how == "segfault":
        ctypes.string_at(0)
    if how == "memory":
        return str(len(bytearray(2 << 30)))
    if how == "sleep":
        time.sleep(600)
    while how == "spin":
        pass
    return "stayed"


@inarch.tool(timeout_s=60)
async def wait(seconds: float) -> str:
    """Wait, and stop when told to."""
    await asyncio.sleep(seconds)
    return "waited"


@inarch.tool
def reach(what: str, where: str) -> str:
    """Try to get at something directly."""
    if what == "connect":
        socket.create_connection(("127.0.0.1", int(where))).close()
    elif what == "fetch":
        return urllib.request.urlopen(where).read().decode()
    elif what == "unix":
        socket.socket(socket.AF_UNIX).close()
    elif what == "exit":
        os._exit(int(where))
    elif what == "write":
        with open(where, "w") as file:
            file.write("got through")
    elif what == "read":
        with open(where, "rb") as file:
            return file.read().decode(errors="replace")
    elif what == "start":
        os.posix_spawn("/bin/true", ["true"], {})
    elif what == "fork":
        if os.fork() == 0:
            os._exit(0)
    elif what == "signal":
        os.kill(int(where), 0)
    elif what == "variables":
        return " ".join(sorted(os.environ))
    return "got through"


@inarch.tool
def raw(data: str, count: int = 1) -> str:
    """Write bytes of a hostile child on the pipe."""
    with socket.socket(fileno=os.dup(int(sys.argv[1]))) as pipe:  # as it was told: its number may be any
        for _ in range(count):
            pipe.send(bytes.fromhex(data))
    time.sleep(600)
    return "stayed"


@inarch.tool
def many(count: int, context: inarch.ToolContext) -> int:
    """Emit many pieces from several threads, each in order."""
    for number in range(count):
        context.emit(f"{number} ")
    return threading.active_count()


class Echo:
    """A model that says back what was said."""

    name, default_model, default_decision_model = "echo", "plain", "small"

    async def answer(self, request: inarch.ModelRequest) -> Any:
        if request.model == "broken":
            raise inarch.ProviderError("quota", "no more", status=429, retry_after=2.5, remedy="pay")
        if request.model == "fault":
            raise RuntimeError("fault")
        for letter in request.messages[-1].text:
            yield inarch.TextDelta(letter)
        yield inarch.CallDelta(0, "1", "shout", '{"text": "a"}')
        yield inarch.UsageDelta(inarch.Usage(1, 2, cost_usd=Decimal("0.5")))
        yield inarch.Finish("stop")

    async def find_default(self) -> None:
        self.default_model = "found"

    async def models(self) -> Any:
        return [inarch.ModelInfo("plain", "said", 10)]

    def limits(self, model: str) -> inarch.Limits:
        return inarch.Limits(len(model))

    def price(self, model: str) -> inarch.Price | None:
        price = inarch.Price(Decimal(1), Decimal("0.25"))
        return None if model == "free" else inarch.Price(Decimal(2), Decimal(3), above=(100, price))

    async def close(self) -> None:
        pass


class Chooser:
    """A strategy that asks, looks, and decides."""

    name = "chooser"

    async def decide(self, situation: inarch.Situation) -> inarch.Decision | None:
        if situation.turn.content == "pass":
            return None
        reply = await situation.ask(inarch.ModelRequest("m", "", situation.messages))
        text = situation.workspace.read("a.txt").data.decode()
        calls = (inarch.PlannedCall(situation.tools[0].name, {"text": text}),)
        return inarch.Decision("call_tools", calls, reply.message.text, situation.decision_model)

    async def gather(self, situation: inarch.Situation) -> inarch.Contribution | None:
        image = inarch.Image("image/png", b"\x89PNG\0\xff")
        return inarch.Contribution(
            f"{len(situation.messages)} messages after {situation.happened}", images=(image,), notes=("noted",)
        )


class Strict:
    """A policy."""

    name = "strict"

    def judge(self, call: inarch.ToolCall, tool: inarch.Tool) -> inarch.Verdict:
        if call.arguments.get("text") == "raise":
            raise ValueError("no idea")
        writes = tool.effects(call.arguments).writes
        if call.arguments.get("text") == "secret" or tool.input_schema["type"] != "object":
            return inarch.Verdict("deny", f"{tool.name} may not ({len(writes)})")
        return inarch.Verdict("allow")


class Counter:
    """A tracer that counts, and remembers what it saw last."""

    name = "counter"

    def __init__(self, folder: str) -> None:
        self.count, self.last, self.folder = 0, "", folder

    def saw(self, event: inarch.Event) -> None:
        if event.kind == "error":
            raise ValueError("an error was seen")
        self.count, self.last = self.count + 1, event.kind

    def summary(self, turn_id: str) -> str | None:
        return f"{self.count} {self.last} {turn_id}"

    def files(self, session_id: str) -> list[str]:
        return [os.path.join(os.path.realpath(self.folder), session_id)]

    def close(self) -> None:
        pass


async def _slash(arguments: str) -> str:
    if arguments == "wrong":
        raise inarch.UsageError("wrong words", "other words")
    return arguments[::-1]


@inarch.hookimpl
def inarch_settings() -> type:
    return Settings


@inarch.hookimpl
def inarch_models(context: inarch.PluginContext) -> Any:
    return [Echo()]


@inarch.hookimpl
def inarch_strategies(context: inarch.PluginContext) -> Any:
    return [Chooser()]


@inarch.hookimpl
def inarch_context_sources(context: inarch.PluginContext) -> Any:
    return [Chooser()]


@inarch.hookimpl
def inarch_policies(context: inarch.PluginContext) -> Any:
    return [Strict()]


@inarch.hookimpl
def inarch_tracers(context: inarch.PluginContext) -> Any:
    return [Counter(context.state_dir)]


@inarch.hookimpl
def inarch_slash_commands(context: inarch.PluginContext) -> Any:
    return [inarch.SlashCommand("back", "Say it backwards.", _slash)]


@inarch.hookimpl
def inarch_stores(context: inarch.PluginContext) -> Any:
    return [inarch.StoreSpec("remembering", lambda path: inarch.open_store("memory", path))]


@inarch.hookimpl
def inarch_checks(context: inarch.PluginContext) -> Any:
    return [inarch.SelfCheck("tea", lambda: [inarch.Finding("kitchen", "note", "no tea", "buy some", ("tea",))])]
