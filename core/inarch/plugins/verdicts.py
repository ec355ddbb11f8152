"""Results of earlier probes: a pass for good, a refusal for an hour, by the plugin's files, Inarch and the interpreter.

A refusal counts only while the plugin's settings and the installed distributions stay as they were.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, NamedTuple

from inarch import __version__
from inarch.plugins.discovery import FoundPlugin
from inarch.plugins.modules import files_hash
from inarch_lib.staging import write_cache

_LASTS_S = 3600.0
_RULES = "3"  # to be raised when a probe checks more than before, so that every plugin is probed again


class Refusal(NamedTuple):
    """Why a plugin must not be loaded, without its name, and what to do."""

    text: str
    remedy: str


def key_of(found: FoundPlugin) -> str:
    """Return the key of the verdict on these very files."""
    plugin = (found.name, found.distribution, found.version, found.module, files_hash(found))
    return sha256("\0".join((*plugin, _RULES, __version__, sys.version)).encode()).hexdigest()


class Verdict(NamedTuple):
    """The file with the verdict on one plugin. If it can't be written, the next start probes again."""

    path: Path

    def read(self, given: Mapping[str, Any]) -> Refusal | Literal["passed"] | None:
        """Return the verdict that still counts; a refusal says when the probe was."""
        try:
            kept = json.loads(self.path.read_text("utf-8"))
            if kept["refusal"] is None:
                return "passed"
            text, remedy = kept["refusal"]
            if not 0 <= time.time() - kept["at"] < _LASTS_S or kept["state"] != _state(given):
                return None
        except (OSError, ValueError, TypeError, KeyError):  # none, or not one of ours
            return None
        since = time.strftime("%H:%M", time.localtime(kept["at"]))
        return Refusal(f"{text} (remembered from {since})", remedy)

    def keep(self, refusal: Refusal | None, given: Mapping[str, Any] = {}) -> None:
        """Remember a refusal, or without one that the plugin may be loaded."""
        state = "" if refusal is None else _state(given)
        write_cache(self.path, json.dumps({"at": time.time(), "state": state, "refusal": refusal}).encode())

    def forget(self) -> None:
        """Make the next load probe again."""
        with suppress(OSError):  # a folder that can't be written remembers nothing new either
            self.path.unlink(missing_ok=True)


def _state(given: Mapping[str, Any]) -> str:
    """Return the hash of what could make a refused plugin pass next time: what it is given and what is installed."""
    installed = [sorted(os.listdir(path)) for path in sys.path if os.path.isdir(path)]  # noqa: PTH112, PTH208
    return sha256(json.dumps([given, installed], default=str, sort_keys=True).encode()).hexdigest()
