"""The probe child: loads one plugin under limits, registers it, and writes down how far it came.

Run as `python -P -m inarch.plugins.probe FOLDER`; the folder holds `job.json` and receives `report`, a line of JSON for
each step. A report that ends in the middle tells the parent where the plugin hung, crashed or left.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from inarch.contract.doors import guarded
from inarch.contract.errors import ConfigError, PluginError
from inarch.contract.records import PluginContext
from inarch.plugins.checks import schema_fault
from inarch.plugins.discovery import FoundPlugin
from inarch.plugins.modules import load_module
from inarch.plugins.registration import new_manager, register

_FILE_SIZE = 64 << 20  # a plugin has no reason to write more while it registers


def main(folder: Path) -> None:
    """Probe the plugin of `job.json` and end the process, whatever threads or exit handlers the plugin left."""
    job = json.loads((folder / "job.json").read_text("utf-8"))
    sys.path[:] = job["path"]
    _limit(job["memory_bytes"])
    with (folder / "report").open("w", encoding="utf-8", buffering=1) as report:

        def say(**line: str) -> None:
            report.write(json.dumps(line) + "\n")

        try:
            _probe(job, folder, lambda step: say(at=step))
            say(passed="yes")
        except ConfigError as error:  # no defaults, and the configuration is wrong: the parent knows the line
            say(settings=error.message)
        except PluginError as error:
            say(refused=error.message)
    os._exit(0)


def _limit(memory_bytes: int) -> None:
    try:
        import resource
    except ImportError:  # Windows: the parent's time limit is all there is
        return
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_FILE_SIZE, _FILE_SIZE))


def _probe(job: Mapping[str, Any], folder: Path, step: Callable[[str], None]) -> None:
    found = FoundPlugin(**job["plugin"])
    directory = Path.cwd()
    step("import")
    module = load_module(found)

    def context_for(cls: type | None) -> PluginContext:
        settings = {} if cls is None else _settings(found.name, cls, job, folder)
        places = (str(folder / "cache"), str(folder / "state"))
        return PluginContext(found.name, job["root"], settings, {}, *places)

    registration = register(module, found.name, new_manager(), context_for, step)
    step("checks")
    for tool in registration.offers["tools"]:
        with guarded(found.name, "hook"):
            fault = schema_fault(tool)
        if fault:
            raise PluginError(f"plugin {found.name!r} broke the contract: {fault}", plugin=found.name, door="hook")
    _check_behaviour(found.name, directory, folder)


def _settings(name: str, cls: type, job: Mapping[str, Any], folder: Path) -> Any:
    try:
        with guarded(name, "settings"):
            return cls()
    except PluginError:  # a setting without a default: only the real ones will do
        pass
    from inarch.config import load_config

    home = {"HOME": str(folder), **job["variables"]}
    config = load_config(str(folder), config={"plugins": {name: job["settings"]}}, environ=home)
    return config.settings(name, cls)


def _check_behaviour(name: str, directory: Path, folder: Path) -> None:
    what = ""
    if not directory.exists() or Path.cwd() != directory:
        what = "changes the working directory while it is loaded"
    else:
        sys.stdout.flush()
        if os.fstat(1).st_size:
            text = (folder / "stdout").read_text("utf-8", "replace").strip()
            what = f"prints to standard output while it is loaded: {text[:60]!r}"
    if what:
        raise PluginError(f"plugin {name!r} {what}", plugin=name, door="load")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
