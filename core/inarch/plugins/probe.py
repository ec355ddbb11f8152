"""The probe child: loads one plugin under limits, registers it, and writes down how far it came.

Run as `python -P -m inarch.plugins.probe FOLDER`; the folder holds `job.json` and receives `report`, a line of JSON for
each step. A report that ends in the middle tells the parent where the plugin hung, crashed or left. The process ends as
every Python process does, so that threads and exit handlers which would hold up the program are found, too.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from inarch.contract.errors import ConfigError, PluginError
from inarch.contract.guarding import guarded
from inarch.contract.records import PluginContext
from inarch.plugins.discovery import FoundPlugin
from inarch.plugins.modules import load_module
from inarch.plugins.registration import check_schemas, new_manager, register
from inarch.plugins.verdicts import CHANGE_REMEDY

if TYPE_CHECKING:
    from inarch.plugins.surroundings import Surroundings

_ALONE_S = 2
_FILE_SIZE = 64 << 20  # a plugin has no reason to write more while it registers


def main(folder: Path) -> None:
    """Probe the plugin of `job.json`."""
    job = json.loads((folder / "job.json").read_text("utf-8"))
    sys.path[:] = job["path"]
    # Before the plugin can get at them: it must not be able to keep its faults to itself.
    encode, write, open_report = json.JSONEncoder().encode, os.write, os.open
    from inarch.plugins.surroundings import Surroundings

    before = Surroundings()
    report = open_report(folder / "report", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def say(**line: Any) -> None:
        write(report, f"{encode(line)}\n".encode())

    try:  # the plugin's time begins with the report
        facts = _probe(job, folder, before, lambda step: say(at=step))
        say(passed=facts)
    except ConfigError as error:  # no defaults, and the configuration is wrong: the parent knows the line
        home = f"{error.source}: " if error.source.startswith(str(folder)) else ""  # no file of the user's
        say(settings=error.message.removeprefix(home))
    except PluginError as error:
        say(refused=error.reason, remedy=error.remedy, **_cause(error))


def _cause(error: PluginError) -> dict[str, str]:
    """Return what the parent needs to know of what was raised, to say what helps and how long it counts."""
    cause = error.__cause__
    if not isinstance(cause, ImportError):
        return {} if cause is None else {"raised": "yes"}
    missing = cause.name if isinstance(cause, ModuleNotFoundError) else ""
    return {"raised": "yes", "missing": str(missing or ""), "wanted_of": str(cause.name or "")}


def _limit(memory_bytes: int, seconds: float) -> None:
    try:
        import resource
    except ImportError:  # Windows: the parent's time limit is all there is
        return
    import signal

    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(int(seconds * 2) + _ALONE_S)  # ends a plugin that only waits when the parent was killed
    cpu = int(seconds * 4) + 10  # on all processors together; ends a loop even when the parent is gone
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_FILE_SIZE, _FILE_SIZE))


def _probe(job: Mapping[str, Any], folder: Path, before: Surroundings, step: Callable[[str], None]) -> dict[str, Any]:
    found = FoundPlugin(**job["plugin"])
    warnings: dict[str, None] = {}
    memory, start = _memory_mb(), perf_counter()
    directory = Path.cwd()

    def look(when: str) -> None:
        for change in before.changes(found.package):
            if change.refused:
                raise _refused(found.name, f"{change.text} {when}")
            warnings.setdefault(change.text)
        _check_behaviour(found.name, directory, folder)

    _limit(job["memory_bytes"], job["seconds"])
    step("import")
    module = load_module(found)
    look("while it is imported")
    registration = register(module, found.name, new_manager(), _contexts(found, job, folder), step)
    facts = {"seconds": round(perf_counter() - start, 3), "memory_mb": round(_memory_mb() - memory, 1)}
    step("checks")
    check_schemas(found.name, registration.offers)
    look("while its hooks are called")
    commands = [fault for target in job["commands"] if (fault := _command_fault(found, target))]
    tools = [tool.name for tool in registration.offers["tools"]]
    if not (registration.hooks or tools or job["commands"]):
        warnings.setdefault("registers nothing: it has no @inarch.tool, no hook and no command")
    return {**facts, "hook_names": registration.hooks, "tools": tools, "warnings": list(warnings), "commands": commands}


def _memory_mb() -> float:
    """Return what this process has in memory; where only the most it ever had is known, that."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)
    except (OSError, ValueError):
        pass
    try:
        import resource
    except ImportError:
        return 0.0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def _contexts(found: FoundPlugin, job: Mapping[str, Any], folder: Path) -> Callable[[type | None], PluginContext]:
    def context_for(cls: type | None) -> PluginContext:
        settings = {} if cls is None else _settings(found.name, cls, job, folder)
        places = (str(folder / "cache"), str(folder / "state"))
        return PluginContext(found.name, job["root"], settings, {}, *places)

    return context_for


def _settings(name: str, cls: type, job: Mapping[str, Any], folder: Path) -> Any:
    try:
        with guarded(name, "settings"):
            return cls()
    except PluginError:  # a setting without a default: only the real ones will do
        pass
    from inarch.config.load import load_config

    home = {"HOME": str(folder), **job["variables"]}
    config = load_config(str(folder), config={"plugins": {name: job["settings"]}}, environ=home)
    return config.settings(name, cls)


def _command_fault(found: FoundPlugin, target: str) -> str:
    """Say what keeps a command of the plugin from being loaded; "" if nothing does."""
    import click

    module, _, attribute = target.partition(":")
    try:
        loaded = load_module(found._replace(module=module))
        with guarded(found.name, "load"):
            command = getattr(loaded, attribute)
    except PluginError as error:
        return f"{target} {error.reason}"
    return "" if isinstance(command, click.Command) else f"{target} is no click command"


def _check_behaviour(name: str, directory: Path, folder: Path) -> None:
    what = ""
    if not directory.exists() or Path.cwd() != directory:
        what = "changes the working directory while it is loaded"
    elif _offset(0):
        what = "reads standard input while it is loaded"
    else:
        with guarded(name, "load"):  # the stream is the plugin's as well
            sys.__stdout__.flush()  # type: ignore[union-attr]
        text = (folder / "stdout").read_text("utf-8", "replace").strip()
        if (folder / "stdout").stat().st_size:
            what = f"prints to standard output while it is loaded: {text[:60]!r}"
    if what:
        raise _refused(name, what)


def _offset(descriptor: int) -> int:
    try:
        return os.lseek(descriptor, 0, os.SEEK_CUR)
    except OSError:  # closed: said where descriptors are compared
        return 0


def _refused(name: str, what: str) -> PluginError:
    return PluginError(f"plugin {name!r} {what}", plugin=name, door="load", remedy=CHANGE_REMEDY.format(name))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
