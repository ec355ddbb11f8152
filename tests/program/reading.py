"""A plugin for the tests: a front end that reads a prompt a line, from wherever they come."""

import asyncio
import sys
from collections.abc import Iterable, Sequence

import inarch


class Lines:
    name = "lines"

    def show(self, event: inarch.Event) -> None:
        if event.kind == "model.delta":
            print(event.data["text"], end="", flush=True)

    async def approve(self, batch: Sequence[inarch.ApprovalRequest]) -> Sequence[inarch.Approval]:
        return []

    def close(self) -> None:
        pass

    def converse(self, launch: inarch.Launch) -> int:
        return asyncio.run(self.talk(launch))

    async def talk(self, launch: inarch.Launch) -> int:
        app = launch.compose(self)
        try:
            session = launch.session(app)
            for line in sys.stdin:
                if "spoil" in line:
                    raise ValueError("spoilt milk")
                await launch.run(session, line.strip())
                print(f" [{len(session.turns)}]")
            return 0
        finally:
            await app.aclose()


@inarch.hookimpl
def inarch_front_ends(context: inarch.PluginContext) -> Iterable[inarch.FrontEnd | inarch.FrontEndSpec]:
    return [Lines()]
