"""A plugin for the tests: a script whose calls leave marks in a file, and a store that kills the process.

DURABILITY_KILL_AT=N ends it as `kill -9` does at the N-th moment at which the journal is written: before and after each
`append`, and after each `sync`. From DURABILITY_FULL_AT=N on no file of the process may grow over the size that the log
of the store has then: a full disk. Every request of the model goes as a line to DURABILITY_REQUESTS, the number of the
moments to DURABILITY_MOMENTS.
"""

import json
import os
import resource
import signal
from collections.abc import AsyncIterator, Iterable, Sequence
from pathlib import Path

import inarch
from inarch.contract.codec import to_data
from inarch_plugins.sqlite_store.store import SqliteStore

STEPS: tuple[tuple[tuple[str, dict[str, str]], ...], ...] = (
    (("mark", {"name": "a"}), ("read_file", {"file_path": "README.md"}), ("mark", {"name": "b"})),
    (("create_file", {"file_path": "new.txt", "content": "new\n"}),),
    (("mark", {"name": "c"}),),
)


def _note(name: str, line: str) -> None:
    with Path(os.environ[f"DURABILITY_{name}"]).open("a") as file:
        file.write(f"{line}\n")


class KillingStore(SqliteStore):
    moments = 0

    def append(self, session_id: str, events: Sequence[inarch.Event]) -> None:
        self._moment()
        super().append(session_id, events)
        self._moment()

    async def sync(self) -> None:
        await super().sync()
        self._moment()

    def _moment(self) -> None:
        self.moments += 1
        if os.environ.get("DURABILITY_KILL_AT") == str(self.moments):
            os.kill(os.getpid(), signal.SIGKILL)
        if os.environ.get("DURABILITY_FULL_AT") == str(self.moments):
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            size = self._database.file.with_name("sessions.db-wal").stat().st_size
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        if "DURABILITY_MOMENTS" in os.environ:
            Path(os.environ["DURABILITY_MOMENTS"]).write_text(str(self.moments))


class Marking:
    name = "marking"
    default_model = default_decision_model = "script"

    async def answer(self, request: inarch.ModelRequest) -> AsyncIterator[inarch.Delta]:
        _note("REQUESTS", json.dumps(to_data(request.messages)))
        last = max(place for place, message in enumerate(request.messages) if message.role == "user")
        step = sum(message.role == "tool" for message in request.messages[last:])
        if request.messages[last].text.startswith("go on") or step == len(STEPS):
            yield inarch.TextDelta("It is done.")
            yield inarch.Finish("stop")
            return
        for index, (name, arguments) in enumerate(STEPS[step]):
            yield inarch.CallDelta(index, f"c{step}{index}", name, json.dumps(arguments))
        yield inarch.Finish("calls")

    async def models(self) -> Sequence[inarch.ModelInfo]:
        return [inarch.ModelInfo("script")]

    def limits(self, model: str) -> inarch.Limits:
        return inarch.Limits()

    def price(self, model: str) -> inarch.Price | None:
        return None

    async def close(self) -> None:
        pass


@inarch.tool(effects=inarch.Effects(exclusive=True))
def mark(name: str) -> str:
    """Leave a mark that outlives the process."""
    _note("MARKS", name)
    return f"marked {name}"


@inarch.hookimpl
def inarch_models(context: inarch.PluginContext) -> Iterable[inarch.ModelProvider]:
    return [Marking()]


@inarch.hookimpl
def inarch_stores(context: inarch.PluginContext) -> Iterable[inarch.StoreSpec]:
    return [inarch.StoreSpec("killing", KillingStore)]
