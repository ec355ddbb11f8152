"""Fragments of docs/changes/ have names that towncrier reads, and a release gathers every one of them."""

from __future__ import annotations

import re
import shutil
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.once
ROOT = Path(__file__).parents[2]
TOWNCRIER = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["towncrier"]
KINDS = tuple(TOWNCRIER["fragment"])


def fragments(folder: Path) -> list[Path]:
    return sorted(file for file in folder.iterdir() if file.name != "README.md")


def test_contributing_lists_the_kinds_of_fragments() -> None:
    for page in ("CONTRIBUTING.md", "docs/changes/README.md"):
        assert "`{}`, `{}`, `{}` or `{}`".format(*KINDS) in re.sub(r"\s+", " ", (ROOT / page).read_text("utf-8"))


def test_every_fragment_is_named_topic_kind_md_and_says_something() -> None:
    name = re.compile(rf"{TOWNCRIER['issue_pattern']}\.({'|'.join(KINDS)})\.md")
    for file in fragments(ROOT / "docs" / "changes"):
        assert name.fullmatch(file.name), f"docs/changes/{file.name} is not TOPIC.KIND.md with a KIND of {KINDS}"
        text = file.read_text("utf-8")
        assert text.strip() and not re.match(r"[#*-] ", text), f"{file.name} is a sentence, not a heading or a bullet"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """What a release changes, in a folder of its own, with two changes more."""
    (tmp_path / "docs").mkdir()
    for name in ("pyproject.toml", "CHANGELOG.md"):
        shutil.copy(ROOT / name, tmp_path / name)
    changes = shutil.copytree(ROOT / "docs" / "changes", tmp_path / "docs" / "changes")
    (changes / "one-topic.added.md").write_text("Something new.\n", "utf-8")
    (changes / "one-topic.removed.md").write_text("Something old,\nin two lines.\n", "utf-8")
    return tmp_path
