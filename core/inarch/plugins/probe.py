"""Probe: a child process imports a foreign plugin before its first load here.

It finds accidents: a plugin that cannot be imported, hangs, ends the process or prints. Malicious plugins need
isolation. The verdict is remembered, so that a good plugin is probed once.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, NamedTuple

from inarch import __version__
from inarch.contract.guard import leaving_out
from inarch.plugins.discovery import FoundPlugin
from inarch.plugins.modules import files_hash
from inarch_lib.staging import write_cache

_START_S = 30.0  # for the interpreter and Inarch's own modules on a busy machine, not for the plugin


class ProbeJob(NamedTuple):
    """Environment in which the plugin will run.

    Args:
        root: The workspace root for the hooks.
        settings: The plugin's table of the configuration.
        variables: The environment variables that give settings.
        cache_dir: The user's folder of caches.
        seconds: Time limit for importing, registering and ending.
        commands: Commands to load as well, `module:attribute` each.
    """

    root: str
    settings: Mapping[str, Any]
    variables: Mapping[str, str]
    cache_dir: Path
    seconds: float
    commands: tuple[str, ...] = ()

    @property
    def given(self) -> Mapping[str, Any]:
        """The values whose change could let a refused plugin pass."""
        return self._replace(root="", cache_dir=Path(), commands=())._asdict()


class Tried(NamedTuple):
    """Result of a probe: a refusal, or the facts of a plugin that just passed.

    `settings` describes the fault if only the settings are wrong, so that the configuration can name the key.
    """

    refusal: Refusal | None = None
    settings: str = ""
    facts: Mapping[str, Any] = {}


def probe(found: FoundPlugin, job: ProbeJob, afresh: bool = False) -> Tried:
    """Load the plugin in a child unless there is a verdict on these very files; `afresh` ignores that verdict."""
    from inarch.plugins.version_contract import version_contract

    leave = f"or leave it out with -p no:{found.name}"
    try:
        verdict = Verdict(job.cache_dir / "probes" / key_of(found))
        known = None if afresh else verdict.read(job.given)
        if known == "passed":
            return Tried()
        if known is not None:
            what = f"--plugin {found.file} plugins check" if found.file else f"plugins check {found.name}"
            return Tried(known._replace(remedy=f"{known.remedy}; `inarch {what}` tries it again"))
        verdict.forget()
        contract = version_contract(found)
        if contract.reason:  # not stored: reading metadata is cheap, and any installation may fix it
            return Tried(Refusal(contract.reason, f"{contract.remedy}, {leave}"))
        tried = _run(found, job)
    except OSError as error:
        return Tried(Refusal(f"could not be probed: {error}", f"free space or fix its files, {leave}"))
    if not tried.settings:
        verdict.keep(tried.refusal, job.given)
    return tried


def _run(found: FoundPlugin, job: ProbeJob) -> Tried:
    from subprocess import DEVNULL, Popen, TimeoutExpired
    from tempfile import TemporaryDirectory

    path = [entry for entry in sys.path if entry not in ("", ".")]
    text = {**job._replace(cache_dir=Path())._asdict(), "plugin": found._asdict(), "path": path}
    with TemporaryDirectory(prefix="inarch-probe-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "cwd").mkdir()
        (folder / "job.json").write_text(json.dumps(text, default=str), "utf-8")
        with (folder / "stdout").open("wb") as stdout, (folder / "stderr").open("wb") as stderr:
            child = Popen(
                [sys.executable, "-P", "-m", "inarch.plugins.probe_child", name],
                stdin=DEVNULL, stdout=stdout, stderr=stderr, cwd=folder / "cwd", start_new_session=True,
            )  # fmt: skip
            code = None
            try:
                with suppress(TimeoutExpired):
                    code = child.wait(job.seconds + _START_S)
            finally:
                _end(child.pid)
                child.wait()
        return _read(found, folder, code, job.seconds)


def _end(pid: int) -> None:
    """End the child and the processes that it left behind."""
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            os.kill(pid, signal.SIGTERM)
        else:
            os.killpg(pid, signal.SIGKILL)


def _read(found: FoundPlugin, folder: Path, code: int | None, seconds: float) -> Tried:
    """Return the child's report and its exit as a result."""
    paths = [folder / name for name in ("report", "hang", "stdout", "stderr")]
    report, hang, printed, said = [
        path.read_text("utf-8", "replace").strip() if path.exists() else "" for path in paths
    ]
    last = json.loads(report.rpartition("\n")[2] or '{"at": "start"}')
    step = last.get("at", "exit")
    where = f"in {step}" if step.startswith("inarch_") else f"at {step}"
    if "refused" in last:
        return Tried(Refusal(last["refused"], last["remedy"]))
    if code is None or hang:
        held = " (a thread or an exit handler holds it up)" if step == "exit" else ""
        fault = f"did not finish {where} within {seconds:g} s{held}"
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
    return Tried(Refusal(fault, leaving_out(found.name)))


_LASTS_S = 3600.0
_RULES = "3"  # raise this when a probe checks more than before, so that every plugin is probed again


class Refusal(NamedTuple):
    """Reason why a plugin must not be loaded, without its name, and the remedy."""

    text: str
    remedy: str


def key_of(found: FoundPlugin) -> str:
    """Return the key of the verdict on these very files."""
    plugin = (found.name, found.distribution, found.version, found.module, files_hash(found))
    return sha256("\0".join((*plugin, _RULES, __version__, sys.version)).encode()).hexdigest()


class Verdict(NamedTuple):
    """File with the verdict on one plugin. If it cannot be written, the next start probes again."""

    path: Path

    def read(self, given: Mapping[str, Any]) -> Refusal | Literal["passed"] | None:
        """Return the verdict if it still applies; a refusal has the time of the probe."""
        try:
            kept = json.loads(self.path.read_text("utf-8"))
            if kept["refusal"] is None:
                return "passed"
            text, remedy = kept["refusal"]
            if not 0 <= time.time() - kept["at"] < _LASTS_S or kept["state"] != _state(given):
                return None
        except (OSError, ValueError, TypeError, KeyError):  # missing, or not one of Inarch's
            return None
        since = time.strftime("%H:%M", time.localtime(kept["at"]))
        return Refusal(f"{text} (remembered from {since})", remedy)

    def keep(self, refusal: Refusal | None, given: Mapping[str, Any] = {}) -> None:
        """Remember a refusal, or without one that the plugin may be loaded."""
        state = "" if refusal is None else _state(given)
        write_cache(self.path, json.dumps({"at": time.time(), "state": state, "refusal": refusal}).encode())

    def forget(self) -> None:
        """Make the next load probe again."""
        with suppress(OSError):  # a read-only folder remembers nothing new either
            self.path.unlink(missing_ok=True)


def _state(given: Mapping[str, Any]) -> str:
    """Return the hash of everything that could let a refused plugin pass: its inputs and the installed packages."""
    installed = [sorted(os.listdir(path)) for path in sys.path if os.path.isdir(path)]  # noqa: PTH112, PTH208
    return sha256(json.dumps([given, installed], default=str, sort_keys=True).encode()).hexdigest()
