"""Answers that had to keep a schema come again with what was wrong with them."""

from __future__ import annotations

from pathlib import Path

import inarch
from inarch.testing import says

from .recording import assert_same, project, record


def test_a_session_whose_answers_had_to_keep_a_schema_replays(tmp_path: Path) -> None:
    async def play(session: inarch.Session, app: inarch.App) -> None:
        session.change({"output_schema": {"type": "integer"}})
        assert (await session.run("kept")).content == "4"
        assert (await session.run("never")).status == "failed"

    script = [says("four"), says("4"), says("one"), says("two"), says("three")]
    made = record(project(tmp_path / "proj"), script, play=play)
    assert_same(made.replay())
