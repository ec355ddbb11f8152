"""Pages that are made from the program are what the program makes now."""

from __future__ import annotations

import shutil
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


def test_a_page_that_differs_is_found_and_written_anew(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    shutil.copytree(ROOT / "docs", docs, ignore=shutil.ignore_patterns("changes", "example", "__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    file = docs / "reference" / "library.md"
    whole = file.read_text("utf-8")
    file.write_text(whole.replace("`TERMINAL`", "`TERMINUS`"), "utf-8")
    assert generate(docs, "library", "--check").returncode == 1
    assert generate(docs, "library").returncode == 0
    assert file.read_text("utf-8") == whole
    assert generate(docs, "nothing").returncode == 2


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
