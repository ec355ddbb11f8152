"""Fragments of docs/changes/ have names that towncrier reads, and a release gathers every one of them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from ..forking import LONGEST_S

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


def gather(project: Path, version: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "towncrier", "build", "--yes", "--version", version, "--date", "2030-01-02"]
    return subprocess.run(argv, cwd=project, capture_output=True, text=True, timeout=LONGEST_S, check=False)


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


@pytest.mark.slow
@pytest.mark.needs("towncrier")
def test_a_release_gathers_every_fragment_under_its_kind_above_the_releases_before(project: Path) -> None:
    changes = project / "docs" / "changes"
    told = {file.name: file.read_text("utf-8").strip().replace("\n", "\n  ") for file in fragments(changes)}
    done = gather(project, "9.9.0")
    assert done.returncode == 0, done.stderr
    log = (project / "CHANGELOG.md").read_text("utf-8")
    assert log.startswith("# Changelog\n") and "\n## 9.9.0 (2030-01-02)\n" in log
    parts = dict(re.findall(r"^### (\w+)\n(.*?)(?=^#{2,3} |\Z)", log, re.M | re.S))
    for name, text in told.items():
        assert f"\n- {text}\n" in parts[name.split(".")[1].capitalize()], name
    assert not fragments(changes)

    (changes / "next.fixed.md").write_text("Mended.\n", "utf-8")
    assert gather(project, "9.10.0").returncode == 0
    later = (project / "CHANGELOG.md").read_text("utf-8")
    assert later.index("## 9.10.0 ") < later.index("## 9.9.0 ") and "- Mended.\n" in later


@pytest.mark.slow
@pytest.mark.needs("towncrier")
@pytest.mark.parametrize("name", ["topic.note.md", "Topic.added.md", "topic.md"])
def test_a_fragment_with_another_kind_of_name_is_refused_not_left_out(project: Path, name: str) -> None:
    (project / "docs" / "changes" / name).write_text("Lost.\n", "utf-8")
    done = gather(project, "9.9.0")
    assert done.returncode == 1 and "name" in done.stderr
    assert "9.9.0" not in (project / "CHANGELOG.md").read_text("utf-8")
