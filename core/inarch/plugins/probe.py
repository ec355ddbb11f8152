"""Probe: a child process imports a foreign plugin before its first load here.

It finds accidents: a plugin that cannot be imported, hangs, ends the process or prints. Malicious plugins need
isolation. A pass is remembered, and for an hour that a plugin hung.

The child runs `python -P -m inarch.plugins.probe FOLDER`. The folder has `job.json` and receives `report`, a line of
JSON for each step, and `hang`, a traceback, if the plugin times out. The child ends normally, so that it finds threads
and exit handlers that would hold up the program.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from inarch import __version__
from inarch.contract.errors import ConfigError, PluginError
from inarch.contract.guard import guarded, leaving_out
from inarch.contract.records import PluginContext
from inarch.plugins.discovery import FoundPlugin
from inarch.plugins.modules import files_hash, load_module
from inarch.plugins.registration import load_alone
from inarch_lib.staging import write_cache

if TYPE_CHECKING:
    from inarch.config.config import Config

PROBE_S = 5.0
"""Seconds for importing, registering and ending."""
_START_S = 30.0  # for the interpreter and Inarch's own modules on a busy machine, not for the plugin
_LASTS_S = 3600.0
_RULES = "4"  # raise this when a probe checks more than before, so that every plugin is probed again


class Refusal(NamedTuple):
    """Reason why a plugin must not be loaded, without its name, and the remedy."""

    text: str
    remedy: str


class Tried(NamedTuple):
    """Result of a probe: a refusal, or the facts of a plugin that just passed.

    `settings` describes the fault if only the settings are wrong, so that the configuration can name the key.
    """

    refusal: Refusal | None = None
    settings: str = ""
    facts: Mapping[str, Any] = {}
    is_hung: bool = False


def probe(found: FoundPlugin, config: Config, commands: Sequence[str] = (), afresh: bool = False) -> Tried:
    """Load a plugin and its commands in a child process, unless an earlier outcome is stored.

    `afresh` ignores that outcome.
    """
    leave = f"or leave it out with -p no:{found.name}"
    try:
        file = verdict_file(found, config.cache_dir)
        known = None if afresh else remembered(file)
        if known is not None:
            return Tried(refusal_again(found, known) if known else None)
        forget(file)
        needs = needs_of(found)
        if needs.reason:
            return Tried(Refusal(needs.reason, f"{needs.remedy}, {leave}"))
        tried = _run(found, config, commands)
    except OSError as error:
        return Tried(Refusal(f"could not be probed: {error}", f"free space or fix its files, {leave}"))
    if tried.refusal is None and not tried.settings:
        remember(file)
    elif tried.is_hung and tried.refusal is not None:
        remember(file, tried.refusal.text)
    return tried


class Needs(NamedTuple):
    """Requirement of a distribution on Inarch, its first unmet one, "" for none, and a harmless fault of metadata."""

    wants: str = ""
    reason: str = ""
    remedy: str = ""
    warning: str = ""


def needs_of(found: FoundPlugin) -> Needs:
    """Compare the requirements of the plugin's distribution with what is installed, without importing the plugin."""
    if found.ours or found.file:
        return Needs()
    from importlib.metadata import PackageNotFoundError, PathDistribution, version

    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    try:
        texts = PathDistribution(Path(found.location)).requires or []
        needed = [one for one in map(Requirement, texts) if one.marker is None or one.marker.evaluate({"extra": ""})]
    except ValueError as error:  # a requirement or marker that is not valid, or bytes that are not text
        return Needs(warning=f"its metadata can't be read: {str(error).splitlines()[0]}")
    own = [one for one in needed if canonicalize_name(one.name) == "inarch"]
    wants = ", ".join(map(str, own))
    install = f"`inarch plugins install --upgrade {found.distribution}`"
    for one in own:
        if not one.specifier.contains(__version__, prereleases=True):
            what = f"needs {one}, and this is {__version__}"
            return Needs(wants, what, f"upgrade inarch or {found.distribution} ({install})")
    for one in needed:
        try:
            present = __version__ if one in own else version(one.name)
        except PackageNotFoundError:
            present = ""
        if not present or not one.specifier.contains(present, prereleases=True):
            state = f"and {present} is installed" if present else "which is not installed"
            return Needs(wants, f"needs {str(one).partition(';')[0].strip()}, {state}", f"install it whole ({install})")
    return Needs(wants, warning="" if own else "its metadata doesn't name inarch, so its version of Inarch is unknown")


def verdict_file(found: FoundPlugin, cache_dir: Path) -> Path:
    """Return the file that remembers the end of a probe of these very files."""
    plugin = (found.name, found.distribution, found.version, found.module, files_hash(found))
    key = sha256("\0".join((*plugin, _RULES, __version__, sys.version)).encode()).hexdigest()
    return cache_dir / "probes" / key


def remember(file: Path, fault: str = "") -> None:
    """Remember that a plugin passed or, with a fault, that it hung. If that fails, the next start probes again."""
    write_cache(file, fault.encode())


def remembered(file: Path) -> str | None:
    """Return the fault of a plugin that hung within the last hour, "" for one that passed, None for neither."""
    try:
        fault, at = file.read_text("utf-8"), file.stat().st_mtime
    except (OSError, ValueError):
        return None
    if not fault:
        return ""
    since = time.strftime("%H:%M", time.localtime(at))
    return f"{fault} (remembered from {since})" if 0 <= time.time() - at < _LASTS_S else None


def forget(file: Path) -> None:
    """Make the next load probe again."""
    with suppress(OSError):  # a read-only folder remembers nothing new either
        file.unlink(missing_ok=True)


def refusal_again(found: FoundPlugin, fault: str) -> Refusal:
    """Return the refusal for a remembered fault."""
    what = f"--plugin {found.file} plugins check" if found.file else f"plugins check {found.name}"
    return Refusal(fault, f"{leaving_out(found.name)}; `inarch {what}` tries it again")


def _run(found: FoundPlugin, config: Config, commands: Sequence[str]) -> Tried:
    from subprocess import DEVNULL, Popen, TimeoutExpired
    from tempfile import TemporaryDirectory

    job = {
        "plugin": found._asdict(),
        "root": config.root,
        "settings": config.plugin_tables.get(found.name, {}),
        "variables": {key: config.environ[key] for key in config.environ if key.startswith("INARCH_PLUGIN_")},
        "seconds": PROBE_S,
        "commands": commands,
        "path": [entry for entry in sys.path if entry not in ("", ".")],  # a clone must not add modules to the probe
    }
    with TemporaryDirectory(prefix="inarch-probe-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "cwd").mkdir()
        (folder / "job.json").write_text(json.dumps(job, default=str), "utf-8")
        with (folder / "stdout").open("wb") as stdout, (folder / "stderr").open("wb") as stderr:
            child = Popen(
                [sys.executable, "-P", "-m", "inarch.plugins.probe", name],
                stdin=DEVNULL, stdout=stdout, stderr=stderr, cwd=folder / "cwd", start_new_session=True,
            )  # fmt: skip
            code = None
            try:
                with suppress(TimeoutExpired):
                    code = child.wait(PROBE_S + _START_S)
            finally:
                with suppress(ProcessLookupError, PermissionError):  # with the processes that it left behind
                    os.killpg(child.pid, signal.SIGKILL)
                child.wait()
        return _read(found, folder, code)


def _read(found: FoundPlugin, folder: Path, code: int | None) -> Tried:
    """Return the child's report and its exit as a result."""
    paths = [folder / name for name in ("report", "hang", "stdout", "stderr")]
    report, hang, printed, said = [
        path.read_text("utf-8", "replace").strip() if path.exists() else "" for path in paths
    ]
    last = json.loads(report.rpartition("\n")[2] or '{"at": "start"}')
    step = last.get("at", "exit")
    where = f"in {step}" if step.startswith("inarch_") else f"at {step}"
    is_hung = False
    if "refused" in last:
        return Tried(Refusal(last["refused"], last["remedy"]))
    if code is None or hang:
        held = " (a thread or an exit handler holds it up)" if step == "exit" else ""
        fault, is_hung = f"did not finish {where} within {PROBE_S:g} s{held}", True
    elif code < 0:
        fault = f"crashed {where} ({signal.strsignal(-code) or -code})"
    elif code or "at" in last:
        tail = said.rpartition("\n")[2][:200]
        fault = f"ended the process {where} (exit code {code}{': ' + tail if tail else ''})"
    elif printed:
        fault = f"prints to standard output while it is loaded: {printed[:60]!r}"
    elif "settings" in last:
        return Tried(settings=last["settings"])
    else:
        facts = last["passed"]
        warnings = [f"writes to standard error while it is loaded: {said[:60]!r}"] if said else []
        if not facts["hook_names"] and not facts["tools"]:
            warnings.append("registers nothing: it has no @inarch.tool and no hook")
        return Tried(facts={**facts, "warnings": warnings})
    return Tried(Refusal(fault, leaving_out(found.name)), is_hung=is_hung)


def _child(folder: Path) -> None:
    """Probe the plugin of `job.json`."""
    import faulthandler

    job = json.loads((folder / "job.json").read_text("utf-8"))
    found = FoundPlugin(**job["plugin"])
    sys.path[:] = job["path"]
    report, hang = (os.open(folder / name, os.O_WRONLY | os.O_CREAT) for name in ("report", "hang"))

    def say(**line: Any) -> None:
        os.write(report, f"{json.dumps(line)}\n".encode())

    context = PluginContext(found.name, job["root"], {}, {}, str(folder), str(folder))
    faulthandler.dump_traceback_later(job["seconds"], exit=True, file=hang)  # a C thread: ends any loop and any wait
    start = time.perf_counter()
    say(at="import")
    try:
        try:  # its defaults: services that the settings name, such as servers, are not started
            offered = load_alone(job["plugin"], context, {}, {}, lambda hook: say(at=hook))
        except ConfigError:
            offered = load_alone(job["plugin"], context, job["settings"], job["variables"], lambda hook: say(at=hook))
        seconds = round(time.perf_counter() - start, 3)
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
    _child(Path(sys.argv[1]))
