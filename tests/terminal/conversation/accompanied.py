"""A plugin for the tests: the terminal's conversation with somebody beside the keyboard, who says prompts by Space."""

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import inarch
import inarch_plugins.terminal

PARTS = inarch.PluginContext("terminal", ".")
SECRET = "sk-ant-api03-0123456789abcdefghijABCDEFGHIJ"


class Companion:
    """Says a prompt when Space is pressed; its line tells what happened."""

    def __init__(self) -> None:
        self.keys = {"space": self.say, "c-x": self.fail}
        self.did = "nothing"
        self.failure = asyncio.Event()
        self.beside: Any = None

    def status(self, columns: int) -> str:
        hidden = self.beside.hidden(SECRET) if self.beside is not None else ""
        return f"beside {columns} columns: {self.did} {hidden}"

    def cancelled(self) -> None:
        self.now("was cancelled")
        self.beside.cancel()

    def say(self) -> None:
        slow = self.did == "is ready"
        self.beside.say("slow words from beside" if slow else f"words from beside {SECRET}", self.around)

    def fail(self) -> None:
        self.failure.set()

    @contextmanager
    def around(self) -> Iterator[None]:
        self.now("is in a turn")
        try:
            yield
        finally:
            self.now("has had a turn")

    def now(self, did: str) -> None:
        self.did = did
        self.beside.changed()

    async def run(self, beside: Any) -> None:
        self.beside = beside
        beside.tell(f"takes part in {'a session' if beside.session.id else 'nothing'}")
        self.now("is ready")
        try:
            await self.failure.wait()
        finally:
            print("the companion has left")
        raise inarch.UsageError("the companion failed", "press other keys")


class Launch:
    """A launch that has a companion."""

    def __init__(self, launch: Any) -> None:
        self.launch, self.companion = launch, Companion()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.launch, name)


def converse(launch: Any) -> int:
    spec: Any = next(iter(inarch_plugins.terminal.inarch_front_ends(PARTS)))
    accompanied = Launch(launch)
    accompanied.output = "text"
    return int(spec.converse(accompanied))


@inarch.hookimpl
def inarch_front_ends(context: inarch.PluginContext) -> Iterable[inarch.FrontEndSpec]:
    def nothing(options: inarch.FrontEndOptions) -> inarch.FrontEnd:
        raise AssertionError("it is only talked to")

    return [inarch.FrontEndSpec("accompanied", nothing, converse)]
