"""What the page about other frameworks says of Inarch holds: its example is run, and its lines are counted."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

import inarch

pytestmark = pytest.mark.once
PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "plugins-compared.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)


def test_the_example_does_what_the_page_says(tmp_path: Path) -> None:
    file, root = tmp_path / "words.py", tmp_path / "root"
    file.write_text(BLOCKS[0], "utf-8")
    root.mkdir()
    (root / "a.txt").write_text("a b\n", "utf-8")

    async def conversation() -> None:
        app = inarch.compose(root=root, config={}, flags={"model": "offline"}, files=[str(file)], journal=False)
        try:
            repaired = await app.call_tool("word_count", {"text": "a bb", "minimum": "2"})
            assert repaired.data == 1 and repaired.metadata["repaired"]
            for arguments, named in (
                ({"text": "a", "minimum": "many"}, "minimum"),
                ({"text": "a", "words": "b"}, "words"),
            ):
                refused = await app.call_tool("word_count", arguments)
                assert (
                    refused.error is not None and refused.error.code == "validation" and named in refused.error.message
                )
            assert (await app.call_tool("file_word_count", {"path": "a.txt"})).data == 2
            outside = await app.call_tool("file_word_count", {"path": "/etc/hostname"})
            assert outside.error is not None and outside.error.code == "permission"
        finally:
            await app.aclose()

    asyncio.run(conversation())


def test_the_lines_are_counted() -> None:
    (row,) = re.findall(r"^\| lines of code, without blank ones \| (.*) \|$", PAGE.read_text("utf-8"), re.M)
    assert int(row.split(" | ")[0]) == sum(bool(line.strip()) for line in BLOCKS[0].splitlines())
