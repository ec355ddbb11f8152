"""What earlier probes found: a pass for good, a refusal for a while, so that a bad plugin costs its time once.

Both are kept by the plugin's name, distribution, version and files, by Inarch's version and the interpreter. A refusal
also counts only while its settings and the installed distributions stay as they were, and while a module that it missed
is still missing.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from inarch import __version__
from inarch.plugins.discovery import FoundPlugin
from inarch.plugins.modules import files_hash, locate
from inarch_staging import write_cache

if TYPE_CHECKING:
    from inarch.config.config import Config

HOUR, DAY = 3600.0, 86_400.0
_RULES = "2"  # to be raised when a probe checks more than before, so that every plugin is probed again


class Refusal(NamedTuple):
    """Why a plugin must not be loaded.

    Args:
        text: What is wrong, without the plugin's name.
        remedy: What to do.
        lasts: Seconds for which the probe need not be repeated; 0 if it must be.
        missing: The module that could not be imported, if that is what is wrong.
    """

    text: str
    remedy: str
    lasts: float = HOUR
    missing: str = ""


def key_of(found: FoundPlugin) -> str:
    """Return what passes and refusals of these very files are kept by."""
    from hashlib import sha256

    plugin = (found.name, found.distribution, found.version, found.module, files_hash(found))
    parts = (*plugin, _RULES, __version__, sys.version)
    return sha256("\0".join(parts).encode()).hexdigest()


def state_of(given: Mapping[str, Any]) -> str:
    """Return the hash of what could make a refused plugin pass next time: what it is given and what is installed."""
    from hashlib import sha256

    installed = [
        sorted(name for name in _names(path) if name.endswith((".dist-info", ".egg-info", ".pth"))) for path in sys.path
    ]
    return sha256(json.dumps([given, installed], default=str, sort_keys=True).encode()).hexdigest()


def _names(path: str) -> list[str]:
    try:
        return os.listdir(path)  # noqa: PTH208 - names are all that is wanted
    except OSError:
        return []


class Verdicts(NamedTuple):
    """The folder with what was found of one plugin."""

    folder: Path
    key: str

    @property
    def _refusal(self) -> Path:
        return self.folder / f"{self.key}.refused"

    def passed(self) -> bool:
        """Whether these files have passed a probe before."""
        return os.access(self.folder / self.key, os.F_OK)

    def keep_pass(self) -> None:
        """Remember that the plugin may be loaded."""
        self._write(self.folder / self.key, "")

    def keep_refusal(self, refusal: Refusal, given: Mapping[str, Any]) -> None:
        """Remember that the plugin must not be loaded, for as long as the refusal lasts."""
        if refusal.lasts:
            kept = {"at": time.time(), "state": state_of(given), "refusal": refusal._asdict()}
            self._write(self._refusal, json.dumps(kept))

    def refusal(self, given: Mapping[str, Any]) -> Refusal | None:
        """Return the refusal that still counts, with the time of the probe in its words."""
        try:
            kept = json.loads(self._refusal.read_text("utf-8"))
            refusal = Refusal(**kept["refusal"])
            age = time.time() - kept["at"]
        except (OSError, ValueError, TypeError, KeyError):  # none, or not one of ours
            return None
        if not 0 <= age < refusal.lasts or kept.get("state") != state_of(given):
            return None
        if refusal.missing and locate(refusal.missing) is not None:
            return None
        since = time.strftime("%H:%M", time.localtime(kept["at"]))
        return refusal._replace(text=f"{refusal.text} (remembered from {since})")

    def forget(self) -> None:
        """Make the next load probe again."""
        for path in (self.folder / self.key, self._refusal):
            try:
                path.unlink(missing_ok=True)
            except OSError:  # what can't be written can't be forgotten either
                pass

    def _write(self, path: Path, text: str) -> None:
        write_cache(path, text.encode())  # one that can't be written costs the next start a probe, nothing else


def verdicts_of(found: FoundPlugin, config: Config) -> Verdicts | None:
    """Return where it is remembered that such a plugin hung: it must not cost every start its time."""
    try:
        return Verdicts(config.cache_dir / "probes", f"{key_of(found)}.isolated")
    except OSError:  # files that can't be read: its loader will say so
        return None
