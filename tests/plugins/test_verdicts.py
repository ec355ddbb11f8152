"""What a probe child wrote is read with distrust: the plugin ran beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from inarch.plugins.discovery import FoundPlugin
from inarch.plugins.verdicts import verdict
from inarch.plugins.watching import Ended


@pytest.mark.parametrize(
    "line",
    ["7", "null", "[]", '"passed"', "[" * 100_000, '{"passed": 7}', '{"passed": {}}', '{"passed": {"warnings": 7}}',
     '{"refused": 7}', '{"at": []}', '{"settings": {}}'],
)  # fmt: skip
def test_a_report_that_is_none_refuses_the_plugin(tmp_path: Path, line: str) -> None:
    (tmp_path / "report").write_text(line)
    for name in ("stdout", "stderr"):
        (tmp_path / name).write_text("")
    tried = verdict(FoundPlugin("demo", "demo", "demo", "1", ""), tmp_path, Ended(0, 0), 1.0, 1 << 30)
    assert tried.refusal is not None
    assert "ended the process" in tried.refusal.text
