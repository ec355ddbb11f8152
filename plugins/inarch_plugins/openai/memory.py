"""Facts found out about the models of one address, stored so that no process has to find them out again."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attrs import define, field

FILE = "found_out.json"
VERSION = 1
OLDEST_S = 30 * 86_400
"""Age after which a fact is found out again: services change."""


@define(eq=False, repr=False)
class Memory:
    """Words by model and topic."""

    address: str
    folder: str = ""
    _known: dict[str, dict[str, Any]] | None = field(init=False, default=None)

    def words(self, model: str, topic: str) -> Sequence[str]:
        """Return the known words, empty if there are none."""
        found = self._rows().get(self._key(model, topic))
        return tuple(found["words"]) if found else ()

    def keep(self, model: str, topic: str, words: Sequence[str]) -> None:
        """Store words; if the file cannot be written, for this process only."""
        rows = self._rows()
        rows[self._key(model, topic)] = {"words": list(words), "time": time.time()}
        if not self.folder:
            return
        text = json.dumps({"version": VERSION, "rows": {**self._read(), **rows}})
        from inarch_lib.staging import write_cache

        write_cache(Path(self.folder, FILE), text.encode())

    def _key(self, model: str, topic: str) -> str:
        return f"{topic} {self.address} {model}"

    def _rows(self) -> dict[str, dict[str, Any]]:
        if self._known is None:
            self._known = self._read()
        return self._known

    def _read(self) -> dict[str, dict[str, Any]]:
        """Return the content of the file; missing, old or damaged entries count as absent."""
        if not self.folder:
            return {}
        try:
            kept = json.loads(Path(self.folder, FILE).read_bytes())
            rows = kept["rows"].items() if kept["version"] == VERSION else ()
            return {
                key: {"words": [str(word) for word in row["words"]], "time": row["time"]}
                for key, row in rows
                if 0 <= time.time() - row["time"] < OLDEST_S
            }
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            return {}
