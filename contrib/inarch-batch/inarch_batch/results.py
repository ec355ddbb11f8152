"""Output folder of a batch: a line for each result, and folders of running tasks."""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from attrs import define, field

from inarch import UsageError
from inarch.staging import make_folder, write_whole

Result = Mapping[str, Any]
"""A line of `results.jsonl`: `id`, `status`, `answer`, `patch`, `cost_usd`, `tokens`, `session`, `seconds`, `error`."""


def result_of(task_id: str, status: str, **more: Any) -> dict[str, Any]:
    """Return a result, empty but for what is given."""
    return {
        "id": task_id, "status": status, "answer": "", "patch": "", "cost_usd": 0.0, "unknown_costs": 0,
        "tokens": {"input": 0, "output": 0, "cached": 0}, "model": "", "session": "", "seconds": 0.0, "error": "",
        **more,
    }  # fmt: skip


@define(eq=False, repr=False)
class Output:
    """The output folder of a batch.

    `statuses` maps the id of each finished task to its status. Results themselves are not held in memory.
    """

    folder: Path
    statuses: dict[str, str] = field(init=False, factory=dict)

    @property
    def results(self) -> Path:
        """Return the path of the results."""
        return self.folder / "results.jsonl"

    @property
    def ledger(self) -> Path:
        """Return the path of the database that all workers share."""
        return self.folder / "ledger.sqlite"

    @property
    def stop(self) -> Path:
        """Return the path of the file whose presence makes workers stop."""
        return self.folder / "stop"

    @property
    def sources(self) -> Path:
        """Return the folder of repositories fetched from an address."""
        return self.folder / "repos"

    def of_task(self, task_id: str) -> Path:
        """Return the folder of a running task, named after its id as far as file names allow."""
        plain = re.sub(r"[^A-Za-z0-9._-]", "_", task_id)[:80].lstrip(".")
        mark = "" if plain == task_id else f"-{sha256(task_id.encode()).hexdigest()[:12]}"
        return self.folder / "tasks" / f"{plain}{mark}"

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Lock the folder against other batches.

        Raises:
            UsageError: Another batch uses it.
            OSError: The folder can't be made or written.
        """
        make_folder(self.folder)
        file = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                other = os.read(file, 20).decode("ascii", "replace").strip()
                raise UsageError(
                    f"another batch works in {self.folder} (process {other})", "wait for it, or take another folder"
                ) from None
            os.ftruncate(file, 0)
            os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
            yield
        finally:
            os.close(file)

    def read(self) -> None:
        """Read which tasks have a result, and remove a last line that a kill has cut off.

        Raises:
            UsageError: The file does not contain results.
        """
        self.statuses.clear()
        if not self.results.exists():
            return
        good = 0
        with self.results.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    break
                result = _result_of(line)
                if result is None:
                    raise UsageError(f"{self.results}:{number} is no result", "take another folder, or mend the line")
                self.statuses[result["id"]] = result["status"]
                good += len(line)
        if good < self.results.stat().st_size:
            os.truncate(self.results, good)

    def all(self) -> Iterator[Result]:
        """Yield the results, one at a time."""
        if self.results.exists():
            with self.results.open("rb") as file:
                yield from (json.loads(line) for line in file)

    def add(self, result: Result) -> None:
        """Append a result, which is on disk when this returns.

        Raises:
            OSError: The result can't be stored, for example on a full disk. None of it is stored.
        """
        line = json.dumps(result).encode() + b"\n"
        file = os.open(self.results, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            size = os.fstat(file).st_size
            try:
                written = os.write(file, line)
                while written < len(line):
                    written += os.write(file, line[written:])
                os.fsync(file)
            except OSError:
                with suppress(OSError):  # the next run removes the rest of the line
                    os.ftruncate(file, size)
                raise
        finally:
            os.close(file)
        self.statuses[result["id"]] = result["status"]

    def forget(self, statuses: frozenset[str]) -> int:
        """Remove the results with these statuses, so that their tasks run again, and return their number."""
        gone = sum(status in statuses for status in self.statuses.values())
        if gone:
            kept = (json.dumps(one).encode() + b"\n" for one in self.all() if one["status"] not in statuses)
            write_whole(self.results, kept)
            self.read()
        return gone


def _result_of(line: bytes) -> Result | None:
    try:
        result = json.loads(line)
    except ValueError:
        return None
    is_one = isinstance(result, dict) and isinstance(result.get("id"), str) and isinstance(result.get("status"), str)
    return result if is_one else None
