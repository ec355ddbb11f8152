"""Coordinator of a batch, which assigns tasks to workers and stores their results."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from decimal import Decimal
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

from inarch_batch.executors import WorkersUnreachable
from inarch_batch.ledger import Ledger
from inarch_batch.results import Output, Result, result_of
from inarch_batch.task_run import Job, Outcome, kept_result, run_job, version
from inarch_batch.tasks import Task, TaskFault
from inarch_batch.trees import Sources, remove

LOOK_S = 0.25
"""Seconds between two checks for Ctrl-C and reports of the progress."""
MOST_DEATHS = 20
"""Worker deaths until a task counts as failed. A task that fills the memory would kill workers for ever."""


@frozen
class Plan:
    """Parameters of a batch."""

    workers: int
    ceiling: Decimal | None
    compose: Mapping[str, Any]
    retries: int = 0
    hosts: tuple[str, ...] = ()
    keeps_trees: bool = False


@frozen
class Progress:
    """Progress of a batch."""

    done: int
    failed: int
    limited: int
    running: int
    to_come: int
    spent: Decimal


@define(eq=False, repr=False)
class _Started:
    task: Task
    job: Job
    is_alone: bool


@define(eq=False, repr=False)
class Batch:
    """A running batch."""

    tasks: Sequence[Task]
    output: Output
    plan: Plan
    executor: Executor
    told: Callable[[Progress], None]
    is_stopping: bool = False
    fault: str = ""
    is_out_of_money: bool = False
    unpriced: str = ""
    _ledger: Ledger = field(init=False)
    _sources: Sources = field(init=False)
    _waiting: deque[Task] = field(init=False, factory=deque)
    _poor: deque[Task] = field(init=False, factory=deque)
    _running: dict[Future[Outcome], _Started] = field(init=False, factory=dict)
    _tries: dict[str, int] = field(init=False, factory=dict)
    _deaths: dict[str, int] = field(init=False, factory=dict)
    _earlier: dict[str, Result] = field(init=False, factory=dict)
    _counts: Counter[str] = field(init=False, factory=Counter)

    def __attrs_post_init__(self) -> None:
        self._ledger = Ledger(self.output.ledger, self.plan.ceiling)
        self._sources = Sources(self.output.sources)

    def stop(self) -> None:
        """Start no more tasks and interrupt the running ones, which continue in the next run."""
        self.is_stopping = True

    def run(self) -> Progress:
        """Run the tasks without a result until all have one or none can continue.

        Raises:
            OSError, sqlite3.Error: The output folder can't be written.
        """
        self._ledger.make()
        self._ledger.give_up()  # holds of workers that were killed with an earlier coordinator
        self.output.stop.unlink(missing_ok=True)
        wanted = {task.id for task in self.tasks}
        self._counts.update(status for task_id, status in self.output.statuses.items() if task_id in wanted)
        self._waiting.extend(task for task in self.tasks if task.id not in self.output.statuses)
        try:
            while self._fill() or self._running:
                ended, _ = wait(self._running, LOOK_S, FIRST_COMPLETED)
                for future in ended:
                    self._ended(self._running.pop(future), future)
                self.told(self.progress())
        finally:
            self.output.stop.unlink(missing_ok=True)
        return self.progress()

    @property
    def not_begun(self) -> int:
        """Return the number of tasks that have not started."""
        return len(self._waiting)

    def progress(self) -> Progress:
        """Return the progress."""
        counts, running = self._counts, len(self._running)
        done, failed, limited = (counts[status] for status in ("done", "failed", "limited"))
        to_come = len(self.tasks) - done - failed - limited - running
        return Progress(done, failed, limited, running, to_come, self._ledger.spent)

    def _fill(self) -> bool:
        """Assign tasks to idle workers, and return whether any task started."""
        if self.is_stopping or self.fault:
            if self._running and not self.output.stop.exists():
                self.output.stop.touch()
            return False
        if self.is_out_of_money or (self._poor and self._running):
            return False  # running tasks may give money back, and the poor ones need it first
        is_alone = bool(self._poor)
        if is_alone:
            self._waiting.appendleft(self._poor.popleft())
        began = False
        while self._waiting and len(self._running) < (1 if is_alone else self.plan.workers):
            task = self._waiting.popleft()
            try:
                self._begin(task, is_alone)
            except WorkersUnreachable as error:
                self.fault = f"{error}"
                return False
            began = True
        return began

    def _begin(self, task: Task, is_alone: bool) -> None:
        folder = self.output.of_task(task.id)
        try:
            commit = "" if task.root else self._sources.commit(task)
            source = "" if task.root else str(self._sources.place(task.repo))
        except (TaskFault, OSError) as error:
            self.fault = f"task {task.id}: {error}"
            return
        job = Job(
            task, str(folder.absolute()), str(self.output.folder.absolute()), source, commit,
            self.plan.ceiling, self.plan.compose, self.plan.hosts, self.plan.keeps_trees, version(),
        )  # fmt: skip
        self._running[self.executor.submit(run_job, job)] = _Started(task, job, is_alone)

    def _ended(self, started: _Started, future: Future[Outcome]) -> None:
        error = CancelledError("it was cancelled") if future.cancelled() else future.exception()
        outcome = future.result() if error is None else self._died(started, error)
        if outcome.result is not None:
            self._has_result(started, outcome.result)
        elif outcome.why == "halt":
            self.fault = self.fault or outcome.error
        elif outcome.why == "price":
            self.unpriced = outcome.error
        elif outcome.why == "money":
            # if it ran alone, no other task held money: the rest can't pay for a request
            self.is_out_of_money = started.is_alone
            self._poor.append(started.task)
        elif not self.is_stopping and not self.fault:
            self._waiting.appendleft(started.task)

    def _died(self, started: _Started, error: BaseException) -> Outcome:
        """Return the outcome that a dead worker has left. Without a result, another worker continues the task."""
        self._ledger.give_up_dead()
        task = started.task
        kept = kept_result(Path(started.job.folder))
        if kept is not None:
            return Outcome(kept)
        deaths = self._deaths[task.id] = self._deaths.get(task.id, 0) + 1
        if deaths <= MOST_DEATHS:
            return Outcome(None, "stopped")
        return Outcome(result_of(task.id, "failed", error=f"its worker died {deaths} times, the last time of: {error}"))

    def _has_result(self, started: _Started, result: Result) -> None:
        task, folder = started.task, Path(started.job.folder)
        result = _with_costs(result, self._earlier.pop(task.id, None))
        tries = self._tries.pop(task.id, 0)
        if result["status"] == "failed" and tries < self.plan.retries and not self.is_stopping:
            self._tries[task.id], self._earlier[task.id] = tries + 1, result
            remove(folder)
            self._waiting.append(task)
            return
        try:
            self.output.add(result)
        except OSError as error:
            self.fault = f"{self.output.results} can't be written: {error.strerror}"
            return
        self._deaths.pop(task.id, None)
        self._counts[result["status"]] += 1
        if not self.plan.keeps_trees:
            remove(folder)


def _with_costs(result: Result, earlier: Result | None) -> Result:
    """Return a result with the costs of earlier attempts added."""
    if earlier is None:
        return result
    tokens = {key: count + earlier["tokens"][key] for key, count in result["tokens"].items()}
    unknown = result["unknown_costs"] + earlier["unknown_costs"]
    return {**result, "cost_usd": result["cost_usd"] + earlier["cost_usd"], "unknown_costs": unknown, "tokens": tokens}
