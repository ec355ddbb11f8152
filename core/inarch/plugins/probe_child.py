"""Child process of a probe: it imports one plugin, calls its registration hooks and reports its progress.

Run as `python -P -m inarch.plugins.probe_child FOLDER`. The folder holds `job.json` and receives `report`, a line of
JSON for each step. It also receives `hang`, a traceback, if the plugin times out. The process ends normally, so that it
finds threads and exit handlers that would hold up the program.
"""

from __future__ import annotations

import faulthandler
import json
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

from inarch.contract.errors import ConfigError, PluginError
from inarch.contract.guard import guarded, leaving_out
from inarch.contract.records import PluginContext
from inarch.plugins.discovery import FoundPlugin
from inarch.plugins.modules import load_module
from inarch.plugins.single_load import load_alone


def main(folder: Path) -> None:
    """Probe the plugin of `job.json`."""
    job = json.loads((folder / "job.json").read_text("utf-8"))
    found = FoundPlugin(**job["plugin"])
    sys.path[:] = job["path"]
    report, hang = (os.open(folder / name, os.O_WRONLY | os.O_CREAT) for name in ("report", "hang"))

    def say(**line: Any) -> None:
        os.write(report, f"{json.dumps(line)}\n".encode())

    context = PluginContext(found.name, job["root"], {}, {}, str(folder), str(folder))
    faulthandler.dump_traceback_later(job["seconds"], exit=True, file=hang)  # a C thread: ends any loop and any wait
    start = perf_counter()
    say(at="import")
    try:
        try:  # its defaults: services that the settings name, such as servers, are not started
            offered = load_alone(job["plugin"], context, {}, {}, lambda hook: say(at=hook))
        except ConfigError:
            offered = load_alone(job["plugin"], context, job["settings"], job["variables"], lambda hook: say(at=hook))
        seconds = round(perf_counter() - start, 3)
        tools = [tool.name for tool in offered.offers["tools"]]
        faults = list(_command_faults(found, job["commands"]))
        say(passed={"seconds": seconds, "hook_names": offered.hooks, "tools": tools, "commands": faults})
    except ConfigError as error:
        say(settings=error.message.removeprefix(f"{error.source}: "))
    except PluginError as error:
        say(refused=error.reason, remedy=_remedy(found, error))


def _command_faults(found: FoundPlugin, commands: Iterable[str]) -> Iterator[str]:
    import click

    for target in commands:
        module, _, attribute = target.partition(":")
        try:
            with guarded(found.name, "load"):
                command = getattr(load_module(found._replace(module=module)), attribute)
        except PluginError as error:
            yield f"{target} {error.reason}"
        else:
            if not isinstance(command, click.Command):
                yield f"{target} is not a click command"


def _remedy(found: FoundPlugin, error: PluginError) -> str:
    cause, leave = error.__cause__, f"or leave it out with -p no:{found.name}"
    name = str(cause.name or "") if isinstance(cause, ImportError) else ""
    if isinstance(cause, ModuleNotFoundError) and name:
        if f"{found.module}.".startswith(f"{name}."):
            return f"its entry point names a module that is not there: install {found.distribution} again, {leave}"
        return f"install what it needs: `{sys.executable} -m pip install {name.partition('.')[0]}`, {leave}"
    if name.partition(".")[0] == "inarch":
        return f"it was written for another version of Inarch: upgrade {found.distribution} or inarch, {leave}"
    return error.remedy or leaving_out(found.name)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
