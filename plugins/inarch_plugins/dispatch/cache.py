"""Cache of decisions, valid for a while and only if nothing they depend on has changed."""

from __future__ import annotations

import hashlib
import json
import re
import time
from pathlib import Path
from typing import Any

from attrs import define, field

from inarch import DispatchReply, Situation, ToolFailed, from_data, to_data
from inarch_lib.staging import write_cache

VERSION = 1
"""Version of these files; a file of another version is ignored and overwritten."""


@define(eq=False, repr=False)
class DecisionCache:
    """Small JSON file of decisions with counts of hits and misses.

    An unreadable cache counts as empty. One that cannot be written lasts as long as the process.
    """

    path: Path | None
    ttl_s: float = 900.0
    max_entries: int = 500
    entries: dict[str, dict[str, Any]] = field(factory=dict)
    hits: int = 0
    misses: int = 0
    _loaded: bool = False

    @classmethod
    def beside(cls, folder: str, ttl_s: float = 900.0, max_entries: int = 500) -> DecisionCache:
        """Return the cache stored in a folder; without one it is in memory only."""
        return cls(Path(folder) / "decisions.json" if folder else None, ttl_s, max_entries)

    def get(self, key: str) -> DispatchReply | None:
        """Return a decision that is still valid, and count the hit or the miss."""
        self.load()
        entry = self.entries.get(key)
        is_valid = entry is not None and time.time() - entry["time"] <= self.ttl_s
        self.hits += is_valid
        self.misses += not is_valid
        self._save()
        return from_data(DispatchReply, entry["reply"]) if entry is not None and is_valid else None

    def put(self, key: str, reply: DispatchReply) -> None:
        """Store a decision."""
        self.load()
        self.entries.pop(key, None)
        self.entries[key] = {"time": time.time(), "reply": to_data(reply)}
        for oldest in list(self.entries)[: -self.max_entries]:
            del self.entries[oldest]
        self._save()

    def clear(self) -> int:
        """Remove all decisions and return their number."""
        self.load()
        count = len(self.entries)
        self.entries, self.hits, self.misses = {}, 0, 0
        self._save()
        return count

    def load(self) -> None:
        """Read the file once."""
        if self._loaded or self.path is None:
            return
        self._loaded = True
        try:
            data = json.loads(self.path.read_bytes())
            if data.get("version", VERSION) != VERSION:  # the first versions had none
                return
            self.hits, self.misses = int(data["hits"]), int(data["misses"])
            self.entries = {key: entry for key, entry in data["entries"].items() if isinstance(entry["time"], float)}
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            self.entries, self.hits, self.misses = {}, 0, 0

    def _save(self) -> None:
        if self.path is None:
            return
        data = {"version": VERSION, "hits": self.hits, "misses": self.misses, "entries": self.entries}
        write_cache(self.path, json.dumps(data).encode(), former=rf"{re.escape(self.path.name)}\.[0-9]+")


def cache_key(situation: Situation, query: str) -> str:
    """Return the key of a decision: the query and all that the decision depends on.

    These are the decision model, the tools with their schemas, the count of effectful calls in this session, and path,
    size and time of every file that the session has seen.
    """
    tools = [[tool.name, to_data(tool.input_schema)] for tool in situation.tools]
    state = [situation.effectful_calls, {path: _stamp(situation, path) for path in sorted(situation.seen)}]
    root = situation.workspace.root
    text = json.dumps([query, root, situation.decision_model, tools, state], sort_keys=True)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _stamp(situation: Situation, path: str) -> list[int] | None:
    try:
        stat = situation.workspace.stat(path)
    except ToolFailed:
        return None
    return None if stat is None else [stat.size, stat.mtime_ns]
