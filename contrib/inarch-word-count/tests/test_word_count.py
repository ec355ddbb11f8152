from __future__ import annotations

import asyncio
from pathlib import Path

from inarch_word_count import word_count

import inarch
from inarch.testing import ToolContract

PLUGINS = ["...", "word-count"]


class TestWordCount(ToolContract):
    valid = ({"text": "to be or not"}, {"text": ""})
    repeatable = True

    def make(self) -> inarch.Tool:
        return word_count


def test_words_are_counted() -> None:
    assert word_count("to be or\nnot  to be") == 6
    assert word_count("") == 0


def test_the_kernel_calls_it(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path / "home")}
    with inarch.compose(root=tmp_path, config={"profiles": {"default": {"plugins": PLUGINS}}}, environ=environ) as app:
        assert app.composition.refused == ()
        assert asyncio.run(app.call_tool("word_count", {"text": "a b"})).data == 2
        wrong = asyncio.run(app.call_tool("word_count", {"text": 3}))
        assert wrong.error is not None and wrong.error.code == "validation"
