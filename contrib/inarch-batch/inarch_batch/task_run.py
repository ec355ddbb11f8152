"""Run of one task in a worker, which may be a thread, a process or another machine."""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from attrs import define, field, frozen

import inarch
from inarch.staging import make_folder, write_whole
from inarch_batch import trees
from inarch_batch.ledger import Ledger, leased
from inarch_batch.results import result_of
from inarch_batch.tasks import Task
from inarch_batch.worker_models import Purse

Why = Literal["stopped", "money", "price", "halt"]
GO_ON = "Go on with the task where it was interrupted."
LEAST_MONEY = Decimal("0.000001")
_POLL_S = 0.2
_SETUP_S = 3_600.0
_SHOWN = 2_000


@frozen
class Job:
    """A worker's job, in plain values that can go to another machine."""

    task: Task
    folder: str
    output: str
    source: str
    commit: str
    ceiling: Decimal | None
    compose: Mapping[str, Any]
    hosts: tuple[str, ...] = ()
    keeps_tree: bool = False
    version: str = ""


@frozen
class Outcome:
    """Outcome of an attempt: a result, or the reason why there is none."""

    result: Mapping[str, Any] | None = None
    why: Why = "stopped"
    error: str = ""


class Stopped(Exception):
    """The batch stops, and the next run continues the task."""


class _Failed(Exception):
    """The task can't run. The message gives the reason."""


_FAULTS = (
    _Failed, trees.GitFailed, inarch.ToolFailed, inarch.UsageError, inarch.ConfigError, inarch.PluginError
)  # fmt: skip


def version() -> str:
    """Return the names and versions of Inarch and this distribution."""
    from importlib.metadata import version as version_of

    return f"inarch {inarch.__version__}, inarch-batch {version_of('inarch-batch')}"


def kept_result(folder: Path) -> Mapping[str, Any] | None:
    """Return the result that an attempt left in a task's folder, or None."""
    try:
        found: Mapping[str, Any] = json.loads((folder / "result.json").read_bytes())
    except FileNotFoundError:
        return None
    return found


def run_job(job: Job) -> Outcome:
    """Run a task to its end and return its result, which is then on disk.

    A task with a result does not run again, because an executor may resubmit a dead worker's job.
    """
    if version() != job.version:
        return Outcome(None, "halt", f"a worker on {os.uname().nodename} has {version()}; the batch runs {job.version}")
    folder = Path(job.folder)
    try:
        make_folder(folder)
        with leased(folder):
            _ledger_of(job).give_up(job.folder)  # holds of a worker that died of this task
            result = kept_result(folder) or asyncio.run(_Attempt(job).run())
            write_whole(folder / "result.json", json.dumps(result).encode())
    except Stopped as stopped:
        return Outcome(None, "stopped", str(stopped))
    except _Broke as broke:
        return Outcome(None, broke.why, str(broke))
    except OSError as error:  # a full disk is not the task's fault
        said = f"{error.filename or folder} can't be written: {error.strerror}" if error.strerror else f"{error}"
        return Outcome(None, "halt", said)
    except inarch.StoreError as error:
        return Outcome(None, "halt", f"{error}")
    if not job.keeps_tree:
        with suppress(OSError):  # only the result matters, and it is stored
            trees.remove(folder / "tree")
            trees.remove(folder / "before.git")
    return Outcome(result)


class _Broke(Exception):
    """The task stopped because the batch's money ran out or a model's price is unknown. `why` says which."""

    def __init__(self, why: Why, text: str) -> None:
        super().__init__(text)
        self.why = why


@define(eq=False, repr=False)
class _Attempt:
    """One attempt at a task."""

    job: Job
    began: float = field(factory=time.monotonic)
    purse: Purse = field(init=False)
    _stop: Path = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.purse = Purse(_ledger_of(self.job), self.job.folder)
        self._stop = Path(self.job.output) / "stop"

    async def run(self) -> Mapping[str, Any]:
        """Run the attempt and return its result.

        Raises:
            Stopped, _Broke: The task has no result yet.
            OSError, inarch.StoreError: The disk can't be written.
        """
        if self._stop.exists():
            raise Stopped
        folder = Path(self.job.folder)
        tree = folder / "tree"
        ready = folder / "ready.json"
        try:
            known = json.loads(ready.read_bytes()) if ready.exists() else {}
            if not known:
                self._make(tree)
            async with inarch.compose(root=tree, replacing=self.purse.wrap, **self._composing()) as app:
                if not known:
                    await self._set_up(app, tree)
                    known = {"before": trees.snapshot(tree, folder / "before.git")}
                    write_whole(ready, json.dumps(known).encode())
                turn, session = await self._turn(app, folder / "session")
                patch = trees.patch_since(tree, folder / "before.git", known["before"])
                return self._result(turn, patch, app, session)
        except _FAULTS as error:
            return self._line("failed", error=f"{error}")

    def _make(self, tree: Path) -> None:
        job = self.job
        for name in ("session", "result.json"):
            (Path(job.folder) / name).unlink(missing_ok=True)
        trees.make_tree(tree, job.task.root, job.source, job.commit, Path(job.output))

    def _composing(self) -> dict[str, Any]:
        """Return the arguments of `inarch.compose`: the batch's own, overridden by the task's."""
        given, task = dict(self.job.compose), self.job.task
        flags = dict(given.pop("flags", {}))
        if task.model:
            flags["model"] = task.model
        if task.profile:
            given["profile"] = task.profile
        if task.schema is not None:
            flags["output_schema"] = task.schema
        limits = [one for one in (task.max_cost_usd, self.job.ceiling) if one is not None]
        if limits:  # Inarch then limits each reply's length, on which the hold relies
            flags["max_cost_usd"] = min(limits)
        return {**given, "flags": flags}

    async def _set_up(self, app: inarch.App, tree: Path) -> None:
        """Run the task's setup with the rights of a build: the whole tree, and only the granted hosts."""
        rights = inarch.Rights(writes=("",), executes=True, hosts=self.job.hosts)
        for argv in self.job.task.setup:
            over = threading.Event()
            waiting = asyncio.create_task(self._watch(over.set))
            try:
                ran = await asyncio.to_thread(
                    app.workspace.run, argv, rights, timeout_s=_SETUP_S, merged=True, cancelled=over
                )
            except inarch.Cancelled:
                raise Stopped from None
            finally:
                waiting.cancel()
            if ran.exit_code != 0:
                said = ran.output.decode("utf-8", "replace").strip()[-_SHOWN:]
                how = f"exited with {ran.exit_code}" if ran.exit_code is not None else "was killed"
                raise _Failed(f"setup: {' '.join(argv)} {how}\n{said}".strip())

    async def _turn(self, app: inarch.App, kept: Path) -> tuple[inarch.Turn, inarch.Session]:
        """Run the task's turn, or continue the turn of a worker that died."""
        session = _session_of(app, kept)
        done, poor = session.turns[-1] if session.turns else None, kept.with_name("poor")
        if done is not None and done.status in ("done", "limited") and not poor.exists():
            return done, session  # only the result was missing
        prompt = self.job.task.prompt if done is None else GO_ON
        if done is None:
            write_whole(kept, session.id.encode())
        if (
            done is not None and self.job.task.max_cost_usd is not None
        ):  # limits apply to one turn, and this is the next one
            spent = sum((row.cost_usd for row in app.transcript(session.id).spent()), Decimal(0))
            limits = [self.job.task.max_cost_usd - spent, *([self.job.ceiling] if self.job.ceiling is not None else [])]
            session.change({"max_cost_usd": max(min(limits), LEAST_MONEY)})
        running = asyncio.create_task(session.run(prompt))
        watching = asyncio.create_task(self._watch(running.cancel))
        try:
            turn = await running
        except asyncio.CancelledError:
            raise Stopped from None
        finally:
            watching.cancel()
        if self.purse.failure:
            raise OSError(self.purse.failure)
        if self._is_broke(turn):
            poor.touch()
            raise _Broke("price" if self.purse.is_unpriced else "money", turn.error or turn.limit or "")
        poor.unlink(missing_ok=True)
        return turn, session

    def _is_broke(self, turn: inarch.Turn) -> bool:
        """Return whether the batch's limit ended the turn, and not the task's own."""
        own, ceiling = self.job.task.max_cost_usd, self.job.ceiling
        is_batchs = ceiling is not None and (own is None or ceiling < own)
        return (self.purse.is_empty and turn.status == "failed") or (turn.limit == "max_cost_usd" and is_batchs)

    async def _watch(self, stop: Any) -> None:
        """Call `stop` once the batch stops."""
        while not self._stop.exists():  # noqa: ASYNC110 - another process signals by a file
            await asyncio.sleep(_POLL_S)
        stop()

    def _result(self, turn: inarch.Turn, patch: str, app: inarch.App, session: inarch.Session) -> Mapping[str, Any]:
        spent = app.transcript(session.id).spent()
        status = turn.status if turn.status in ("done", "limited") else "failed"
        tokens = {name: sum(getattr(row, f"{name}_tokens") for row in spent) for name in ("input", "output", "cached")}
        return self._line(
            status, answer=turn.content, patch=patch, session=session.id, model=turn.model, tokens=tokens,
            error=turn.error or ("" if status == "done" else turn.limit or turn.status),
            cost_usd=float(sum((row.cost_usd for row in spent), Decimal(0))),
            unknown_costs=sum(row.unknown for row in spent),
        )  # fmt: skip

    def _line(self, status: str, **more: Any) -> dict[str, Any]:
        return result_of(self.job.task.id, status, seconds=round(time.monotonic() - self.began, 3), **more)


def _ledger_of(job: Job) -> Ledger:
    return Ledger(Path(job.output) / "ledger.sqlite", job.ceiling)


def _session_of(app: inarch.App, kept: Path) -> inarch.Session:
    """Return the task's stored session, or a new one."""
    if kept.exists():
        with suppress(inarch.UsageError):
            return app.session(kept.read_text())
    return app.session()
