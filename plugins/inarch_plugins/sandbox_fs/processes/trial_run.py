"""Runs of programs in a copy of the workspace."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from attrs import evolve

from inarch import Cancelled, Piped, Ran, Rights, ToolFailed
from inarch_plugins.sandbox_fs.processes.confinement_plan import Manner
from inarch_plugins.sandbox_fs.processes.trial_folder import TrialFolder

if TYPE_CHECKING:
    from inarch_plugins.sandbox_fs.processes.runner import Runner

_LEVEL = 3
_PROBE = Rights(writes=("",), executes=True)


def run_tried(runner: Runner, parts: Sequence[Piped], manner: Manner) -> Ran:
    """Run a pipeline whose changes `manner.trial` takes; none of its processes is left afterwards."""
    trial = manner.trial
    assert trial is not None
    _require_triable(runner, parts)
    stop = threading.Event()
    try:
        with trial.watched(stop, manner.cancelled):
            return runner.run(parts, evolve(manner, cancelled=stop))
    except Cancelled:
        if not trial.excess:
            raise
        message = f"the dry run was stopped: {trial.excess}"
        raise ToolFailed("execution", message, "run it instead, or deny it") from None


def problem(runner: Runner) -> str:
    """Return why commands can't be tried here, empty if they can: one is tried."""
    trial: TrialFolder | None = None
    try:
        trial = TrialFolder.make(runner.root)
        run_tried(runner, [Piped(("true",), _PROBE)], Manner(trial=trial))
    except ToolFailed as error:
        return error.message
    finally:
        if trial is not None:
            trial.remove()
    return ""


def _require_triable(runner: Runner, parts: Sequence[Piped]) -> None:
    found = runner.confinement()
    if found.level < _LEVEL:
        raise ToolFailed("permission", f"commands are tried at level {_LEVEL}, and this is level {found.level}: "
                         f"{found.reason}", "`inarch doctor` shows what is missing")  # fmt: skip
    for part in parts:
        rights = part.rights
        if rights.network or rights.hosts:
            message = f"{part.argv[0]} needs the network, and a dry run has none"
            raise ToolFailed("permission", message, "run it instead")
        if rights.writes_outside or (rights.writes and rights.writes != ("",)):
            beyond = ", ".join(path for path in (*rights.writes, *rights.writes_outside) if path)
            raise ToolFailed("permission", f"{part.argv[0]} has rights of its own to write {beyond}, and a dry run "
                             "covers the workspace alone", "run it instead")  # fmt: skip
    if sum(bool(part.rights.writes) for part in parts) > 1:
        raise ToolFailed("permission", "several commands of one pipe may write, and a copy takes the changes of one",
                         "run it instead")  # fmt: skip
