"""Start of a batch from the command line, its progress line and its exit code."""

from __future__ import annotations

import os
import re
import sqlite3
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import click
from attrs import define, field

import inarch
from inarch import shorten
from inarch.commands import ANSWERED, CANCELLED, FAILED, LIMITED, USAGE, compose_given, interrupts, say
from inarch_batch.coordinator import Batch, Plan, Progress
from inarch_batch.executors import open_executor
from inarch_batch.reports import write_predictions, write_report
from inarch_batch.results import Output
from inarch_batch.tasks import Task, TaskFault, TaskFileFaults, open_tasks
from inarch_batch.trees import GitFailed, Sources, git
from inarch_lib.schemas.validation import reference_fault

_EVERY_S = 30.0
_MOVES_S = 0.5
_COLUMNS = 79


@define(eq=False, repr=False)
class Teller:
    """A progress display on standard error: in place on a terminal, otherwise a line twice a minute."""

    ceiling: Decimal | None
    is_quiet: bool = False
    _moves: bool = field(init=False, factory=sys.stderr.isatty)
    _due: float = field(init=False, default=0.0)

    def __attrs_post_init__(self) -> None:
        self._due = time.monotonic() + (0.0 if self._moves else _EVERY_S)  # a short batch needs only its summary

    def __call__(self, progress: Progress) -> None:
        """Show the progress, if it is time to."""
        now = time.monotonic()
        if self.is_quiet or now < self._due:
            return
        self._due = now + (_MOVES_S if self._moves else _EVERY_S)
        line = words(progress, self.ceiling)
        click.echo(f"\r\x1b[K{shorten(line, _COLUMNS)}" if self._moves else line, nl=not self._moves, err=True)

    def end(self) -> None:
        """Clear the line that is updated in place."""
        if self._moves and not self.is_quiet:
            click.echo("\r\x1b[K", nl=False, err=True)


def words(progress: Progress, ceiling: Decimal | None) -> str:
    """Return a batch's progress in one line."""
    parts = [f"{progress.done} done"]
    parts += [f"{progress.running} running"] if progress.running else []
    parts += [
        f"{count} {word}" for count, word in ((progress.failed, "failed"), (progress.limited, "limited")) if count
    ]
    parts += [f"{progress.to_come} to come"] if progress.to_come else []
    of = f" of ${ceiling}" if ceiling is not None else ""
    return ", ".join(parts) + f" · ${progress.spent:.4f}{of} spent"


def launch(given: Mapping[str, Any]) -> int:
    """Run a batch and return the exit code.

    Raises:
        UsageError: The arguments, the task file or the output folder are wrong.
        InarchError: The configuration is wrong.
    """
    try:
        git("--version")
    except GitFailed as error:
        raise inarch.UsageError(f"{error}", "a batch needs Git for trees and patches") from None
    output, ceiling = Output(Path(given["out"]).absolute()), money(given.get("max_cost"))
    pattern, part = _pattern(given["pattern"]), cut(given["part"])
    with _writing(output), output.alone():
        output.read()
        if given["redo"]:
            output.forget(frozenset(given["redo"]))
        sources = Sources(output.sources)
        try:
            tasks = _tasks(given, pattern, sources)
        except TaskFileFaults as faults:
            for fault in faults.faults:
                say("error", fault)
            return USAGE
        plan = Plan(
            given["workers"], ceiling, _composing(given), given["retry"], tuple(given["hosts"]), given["keep_trees"]
        )
        return _run(given, tasks[part], output, plan)


def money(text: str | None) -> Decimal | None:
    """Parse an amount of US dollars.

    Raises:
        UsageError: The text is not a valid amount.
    """
    if text is None:
        return None
    try:
        amount = Decimal(text.removeprefix("$"))
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or amount < 0:
        raise inarch.UsageError(f"--max-cost {text!r} is not an amount of US dollars", "write it like 0.50")
    return amount


def cut(text: str) -> slice:
    """Parse `A:B` as a slice.

    Raises:
        UsageError: The text is not a slice.
    """
    found = re.fullmatch(r"(-?\d{1,9})?:(-?\d{1,9})?", text or ":")
    if found is None:
        raise inarch.UsageError(f"--slice {text!r} is no slice", "write it like 0:50, 50: or -10:")
    first, last = (int(one) if one is not None else None for one in found.groups())
    return slice(first, last)


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise inarch.UsageError(
            f"--filter {text!r} is no regular expression: {error}", "write it like '^django__'"
        ) from None
    return text


@contextmanager
def _writing(output: Output) -> Iterator[None]:
    """Turn errors that keep the output folder from being written into one line."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        raise inarch.UsageError(
            f"{output.folder} can't be written: {error}", "make room there, and run the same again: it goes on"
        ) from None


def _tasks(given: Mapping[str, Any], pattern: str, sources: Sources) -> list[Task]:
    path = Path(given["tasks"])
    folder = Path(given["root"]) if given.get("root") else path.parent

    def check(task: Task) -> None:
        sources.check(task)
        check_schema(task)

    try:
        return open_tasks(path, folder.absolute(), check, is_swebench=given["form"] == "swebench", pattern=pattern)
    except OSError as error:
        raise inarch.UsageError(
            f"{path} can't be read: {error.strerror}", "name a file with a task on each line"
        ) from None


def check_schema(task: Task) -> None:
    """Raise `TaskFault` if a task's schema refers to something outside itself."""
    if task.schema is not None and (fault := reference_fault(task.schema)):
        raise TaskFault(f"'schema': {fault}")


def _composing(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the arguments that compose each task, after one trial composition.

    `auto` is resolved here, so that all tasks use the same model, whatever keys a worker has.
    """
    app = compose_given({**given, "root": None, "max_cost": None})
    try:
        flags = {key: given[key] for key in ("approve", "max_iterations") if given.get(key) is not None}
        flags["model"] = app.choice().full_name
        return {
            "profile": given.get("profile"),
            "flags": flags,
            "without": tuple(one.removeprefix("no:") for one in given.get("without") or ()),
            "files": tuple(os.path.abspath(one) for one in given.get("files") or ()),  # noqa: PTH100 - as it is typed
        }
    finally:
        app.close()


def _run(given: Mapping[str, Any], tasks: list[Task], output: Output, plan: Plan) -> int:
    teller = Teller(plan.ceiling, bool(given.get("quiet")))
    with ExitStack() as stack:
        executor = stack.enter_context(open_executor(given["executor"], plan.workers))
        batch = Batch(tasks, output, plan, executor, teller)
        asked: list[int] = []

        def stop(number: int) -> None:
            asked.append(number)
            batch.stop()

        stack.enter_context(interrupts(stop))
        try:
            progress = batch.run()
        finally:
            teller.end()
    if not batch.fault:  # after a fault the disk is probably full
        write_report(output, f"${progress.spent:.4f}")
        if given["form"] == "swebench":
            write_predictions(output)
    if not given.get("quiet"):
        click.echo(f"{words(progress, plan.ceiling)} · {output.results}")
    return _exit_code(batch, progress, is_cancelled=bool(asked))


def _exit_code(batch: Batch, progress: Progress, *, is_cancelled: bool) -> int:
    left = "1 task has" if progress.to_come == 1 else f"{progress.to_come} tasks have"
    if batch.fault:
        say("error", f"{batch.fault}; {left} no result: run the same again to go on")
        return FAILED
    if is_cancelled:
        say("note", f"stopped; {left} no result: run the same again to go on")
        return CANCELLED
    if batch.is_out_of_money:
        begun = f", {batch.not_begun} of them not begun" if batch.not_begun else ""
        say("note", f"the money is spent; {left} no result{begun}: go on with a higher --max-cost")
        return LIMITED
    if batch.unpriced:
        say("note", f"{left} no result: {batch.unpriced}")
        return LIMITED
    return FAILED if progress.failed else LIMITED if progress.limited else ANSWERED
