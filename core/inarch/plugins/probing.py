"""Has this plugin ever been loaded without harm? If not, a child process tries it first, under limits.

A pass is remembered by distribution, version and the hash of the plugin's files; a refusal never is.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from inarch.contract.errors import PluginError
from inarch.plugins.discovery import FoundPlugin
from inarch.plugins.modules import files_hash

if TYPE_CHECKING:
    from subprocess import Popen

MEMORY_BYTES = 1 << 30
_RULES = "1"  # to be raised when a probe checks more than before, so that every plugin is probed again

Outcome = Literal["passed", "settings"]


class ProbeJob(NamedTuple):
    """What a probe needs to know of the place where the plugin will run.

    Args:
        root: The workspace root that the hooks are told.
        settings: The plugin's table of the configuration, used where a setting has no default.
        variables: The environment variables that give settings.
        cache_dir: Where passes are remembered.
        seconds: Wall clock that importing and registering may take.
        memory_bytes: Address space that they may take.
    """

    root: str
    settings: Mapping[str, Any]
    variables: Mapping[str, str]
    cache_dir: Path
    seconds: float
    memory_bytes: int = MEMORY_BYTES


def probe(found: FoundPlugin, job: ProbeJob) -> Outcome:
    """Load the plugin in a child unless these very files have passed before.

    Returns "settings" where everything but its settings was in order, so that the configuration can name the wrong key.

    Raises:
        PluginError: The plugin must not be loaded.
    """
    try:
        mark = job.cache_dir / "probes" / _key(found)
        if os.access(mark, os.F_OK):
            return "passed"
        outcome = _run(found, job)
    except OSError as error:  # a file that can't be read, no room for temporary files, no interpreter
        raise PluginError(
            f"plugin {found.name!r} could not be probed: {error}",
            plugin=found.name,
            door="load",
            remedy=f"make room or mend its files, or leave it out with -p no:{found.name}",
        ) from error
    if outcome == "passed":
        _remember(mark)
    return outcome


def _key(found: FoundPlugin) -> str:
    from hashlib import sha256

    parts = (found.name, found.distribution, found.version, found.module, files_hash(found), _RULES, sys.version)
    return sha256("\0".join(parts).encode()).hexdigest()


def _remember(mark: Path) -> None:
    try:
        mark.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        mark.touch(mode=0o600)
    except OSError:  # a cache that can't be written costs the next start a probe, nothing else
        pass


def _run(found: FoundPlugin, job: ProbeJob) -> Outcome:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="inarch-probe-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "cwd").mkdir()
        (folder / "job.json").write_text(_job_text(found, job), "utf-8")
        ended = _watch(folder, job.seconds)
        return _verdict(found, job, folder, ended)


def _job_text(found: FoundPlugin, job: ProbeJob) -> str:
    return json.dumps(
        {
            "plugin": found._asdict(),
            "path": [entry for entry in sys.path if entry not in ("", ".")],
            "root": job.root,
            "settings": job.settings,
            "variables": job.variables,
            "memory_bytes": job.memory_bytes,
        },
        default=str,
    )


def _watch(folder: Path, seconds: float) -> int | None:
    """Run the child and return its exit code, None if it had to be killed; nothing of its group lives on."""
    from subprocess import DEVNULL, Popen, TimeoutExpired

    with (folder / "stdout").open("wb") as stdout, (folder / "stderr").open("wb") as stderr:
        child = Popen(
            [sys.executable, "-P", "-m", "inarch.plugins.probe", str(folder)],
            stdin=DEVNULL,
            stdout=stdout,
            stderr=stderr,
            cwd=folder / "cwd",
            start_new_session=True,
        )
        try:
            return child.wait(seconds)
        except TimeoutExpired:
            return None
        finally:
            _kill_group(child)
            child.wait()


def _kill_group(child: Popen[bytes]) -> None:
    import signal

    try:
        os.killpg(child.pid, signal.SIGKILL)
    except AttributeError:  # Windows
        child.kill()
    except (ProcessLookupError, PermissionError):  # nobody left; macOS says it the other way
        pass


def _verdict(found: FoundPlugin, job: ProbeJob, folder: Path, ended: int | None) -> Outcome:
    last = _last_line(folder / "report")
    if "passed" in last and ended == 0:
        return "passed"
    if "settings" in last and ended == 0:
        return "settings"
    if "refused" in last:
        text = last["refused"]
    else:
        text = f"plugin {found.name!r} {_what_happened(last, ended, job.seconds, folder)}"
    if "MemoryError" in text:
        text += f" (limit: {job.memory_bytes >> 20} MiB)"
    raise PluginError(
        text,
        plugin=found.name,
        door="load",
        remedy=f"leave it out with -p no:{found.name}, or report it to its author",
    )


def _last_line(report: Path) -> dict[str, str]:
    try:
        lines = report.read_text("utf-8").splitlines()
        last: dict[str, str] = json.loads(lines[-1])
        return last
    except (OSError, IndexError, ValueError):  # the child did not come that far
        return {}


def _what_happened(last: Mapping[str, str], ended: int | None, seconds: float, folder: Path) -> str:
    step = last.get("at", "start")
    where = f"in {step}" if step.startswith("inarch_") else f"at {step}"
    if ended is None:
        return f"did not finish {where} within {seconds:g} s"
    if ended < 0:
        return f"crashed {where} ({_signal_name(-ended)})"
    tail = (folder / "stderr").read_text("utf-8", "replace").strip().rpartition("\n")[2]
    return f"ended the process {where} (exit code {ended}{': ' + tail[:200] if tail else ''})"


def _signal_name(number: int) -> str:
    import signal

    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
