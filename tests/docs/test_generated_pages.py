"""Pages that are made from the program are what the program makes now."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import attrs
import pytest

import inarch

pytestmark = pytest.mark.once
ROOT = Path(__file__).parents[2]


def generate(docs: Path, *words: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, str(docs / "generate.py"), *words]
    return subprocess.run(argv, capture_output=True, text=True, timeout=120, cwd=ROOT)


@pytest.mark.parametrize("name", ["library", "directory", "settings"])
def test_the_page_is_what_the_program_says(name: str) -> None:
    done = generate(ROOT / "docs", name, "--check")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", inarch.__all__)
def test_every_public_name_is_listed(page: Callable[[str], str], name: str) -> None:
    text = page("reference/library.md")
    assert f"`{name}`" in text or f"`{name}(" in text or f"`inarch.{name}`" in text


def test_the_fields_of_every_record_are_listed() -> None:
    text = (ROOT / "docs" / "reference" / "library.md").read_text("utf-8")
    records = [getattr(inarch, name) for name in inarch.__all__]
    frozen = [one for one in records if isinstance(one, type) and one.__setattr__.__name__ == "_frozen_setattrs"]
    assert len(frozen) > 40
    for record in frozen:
        if issubclass(record, Exception):
            continue
        fields = [field.name for field in attrs.fields(record) if field.init and not field.name.startswith("_")]
        shown = f"{record.__name__}({', '.join(fields)})" if fields else record.__name__
        assert f"\n| `{shown}` |" in text, record
