"""From what a probe child wrote and how it ended to what is said of the plugin, what helps, and how long it counts."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from inarch.contract.guarding import leaving_out
from inarch.plugins.discovery import FoundPlugin
from inarch.plugins.remembering import DAY, HOUR, Refusal
from inarch.plugins.watching import CROWD, Ended

CHANGE_REMEDY = 'run it in a process of its own: [isolation.{0}] mode = "process"; or leave it out with -p no:{0}'
"""What helps with a plugin that does what concerns others, but may be good for something all the same."""
_NOISE = 64 << 10  # more on standard error than this would drown what the user wants to read


class Tried(NamedTuple):
    """What a probe found: a refusal, or the facts of a plugin that passed; `settings` if only those were wrong."""

    refusal: Refusal | None = None
    settings: str = ""
    facts: Mapping[str, Any] = {}


def verdict(found: FoundPlugin, folder: Path, ended: Ended, seconds: float, memory_bytes: int) -> Tried:
    """Read what the child left in `folder`."""
    last = _last_line(folder / "report")
    noise = (folder / "stderr").stat().st_size
    leave = leaving_out(found.name)
    if noise >= _NOISE:
        text = f"writes {_size(noise)} to standard error while it is loaded: {_first(folder / 'stderr')!r}"
        return Tried(Refusal(text, leave, DAY))
    if "passed" in last and ended.code == 0:
        if ended.others:
            text = f"leaves {ended.others} process{'es' * (ended.others > 1)} behind when it is loaded"
            return Tried(Refusal(text, CHANGE_REMEDY.format(found.name), DAY))
        printed = _first(folder / "stdout")
        if printed:
            return Tried(Refusal(f"prints to standard output at exit: {printed!r}", leave, DAY))
        return Tried(facts=_told(last["passed"], folder))
    if "settings" in last and ended.code == 0:
        return Tried(settings=last["settings"])
    if "refused" in last:
        return Tried(_raised(found, last, memory_bytes))
    text = _what_happened("exit" if "passed" in last else last.get("at", "start"), ended, seconds, folder)
    if "MemoryError" in text:
        text += _limit_of(memory_bytes)
    return Tried(Refusal(text, leave, HOUR if ended.code is None else DAY))


def _raised(found: FoundPlugin, last: Mapping[str, str], memory_bytes: int) -> Refusal:
    text = last["refused"]
    if "MemoryError" in text:
        text += _limit_of(memory_bytes)
    missing, top = last.get("missing", ""), last.get("missing", "").partition(".")[0]
    leave = f"or leave it out with -p no:{found.name}"
    if missing and f"{found.module}.".startswith(f"{missing}."):
        remedy = f"its entry point names a module that is not there: install {found.distribution} again, {leave}"
    elif missing:
        remedy = f"install what it needs: `{sys.executable} -m pip install {top}`, {leave}"
    elif last.get("wanted_of", "").partition(".")[0] == "inarch":
        remedy = f"it was written for another version of Inarch: upgrade {found.distribution} or inarch, {leave}"
    else:
        remedy = last.get("remedy") or leaving_out(found.name)
    return Refusal(text, remedy, HOUR if "raised" in last else DAY, top)


def _told(facts: Mapping[str, Any], folder: Path) -> Mapping[str, Any]:
    warnings = list(facts["warnings"])
    said = _first(folder / "stderr")
    if said:
        warnings.append(f"writes to standard error while it is loaded: {said!r}")
    return {**facts, "warnings": warnings}


def _last_line(report: Path) -> dict[str, Any]:
    try:
        lines = report.read_text("utf-8").splitlines()
        last = json.loads(lines[-1])
    except (OSError, IndexError, ValueError, RecursionError):  # the child did not come that far
        return {}
    if not isinstance(last, dict) or not all(isinstance(text, str) for key, text in last.items() if key != "passed"):
        return {}  # the plugin has written into the report itself
    facts = last.get("passed", {"warnings": []})
    return last if isinstance(facts, dict) and isinstance(facts.get("warnings"), list) else {}


def _what_happened(step: str, ended: Ended, seconds: float, folder: Path) -> str:
    where = f"in {step}" if step.startswith("inarch_") else f"at {step}"
    if ended.crowded:
        return f"had more than {CROWD} processes {where}"
    if ended.code is None:
        held = " (a thread or an exit handler holds it up)" if step == "exit" else ""
        return f"did not finish {where} within {seconds:g} s{held}"
    if ended.code < 0:
        return f"crashed {where} ({signal_name(-ended.code)})"
    tail = _ends(folder / "stderr")[1].rpartition("\n")[2]
    return f"ended the process {where} (exit code {ended.code}{': ' + tail[:200] if tail else ''})"


def _first(path: Path) -> str:
    return _ends(path)[0][:60]


def _ends(path: Path) -> tuple[str, str]:
    """Return the beginning and the end of a file, which may be large."""
    with path.open("rb") as file:
        first = file.read(1 << 10)
        file.seek(max(0, path.stat().st_size - (1 << 12)))
        last = file.read(1 << 12)
    return first.decode("utf-8", "replace").strip(), last.decode("utf-8", "replace").strip()


def _size(count: int) -> str:
    return f"{count >> 20} MiB" if count >> 20 else f"{count >> 10} KiB"


def _limit_of(memory_bytes: int) -> str:
    return f" (limit: {memory_bytes >> 20} MiB)"


def signal_name(number: int) -> str:
    """Return a signal's name where it has one."""
    import signal

    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
