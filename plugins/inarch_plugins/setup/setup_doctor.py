"""Check for `inarch doctor`: whether the files written for an agent are unchanged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from inarch import Finding, UsageError
from inarch_plugins.setup.agents import AGENTS
from inarch_plugins.setup.insertions import without
from inarch_plugins.setup.record import read_record
from inarch_plugins.setup.setup_plan import read

TOPIC = "other agents"


def findings(place: Path, root: str) -> Iterator[Finding]:
    """Yield a finding for each agent configured in a project."""
    try:
        record = read_record(place)
    except UsageError as error:
        yield Finding(TOPIC, "wrong", error.message, error.remedy)
        return
    for agent in AGENTS:
        files = record.of([agent.name, str(Path(root).resolve())])
        missing = []
        for one in files:
            try:
                text = read(Path(one.path))
            except UsageError:
                text = None
            if text is None or without(one.kind, text, one.put, one.content) is None:
                missing.append(one.path)
        if missing:
            where = " and ".join(missing)
            yield Finding(TOPIC, "note", f"{where} no longer has what Inarch wrote for {agent.title}")
        elif files:
            yield Finding(TOPIC, "fine", f"{agent.title} is set up to use Inarch in {len(files)} files")
