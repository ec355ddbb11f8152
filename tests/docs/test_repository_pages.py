"""What stands at the root for contributors and for a forge: links lead somewhere, lists are complete."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.once
ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
LINK = re.compile(r"\]\(([^)\s#]*)(?:#([^)\s]+))?\)")


def anchors(page: Path) -> set[str]:
    """Return what a link to a heading of the page may end in, as forges and the site make it."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_to_a_file_and_a_heading(name: str) -> None:
    page = ROOT / name
    for file, anchor in LINK.findall(page.read_text("utf-8")):
        if re.match(r"\w+:", file):
            continue
        target = (page.parent / file).resolve() if file else page
        assert target.exists(), f"{name}: there is no {file}"
        assert not anchor or anchor in anchors(target), f"{name}: {file} has no heading #{anchor}"


def test_the_workflow_runs_ci_on_every_interpreter_that_is_supported() -> None:
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    classifiers = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["classifiers"]
    supported = {found[1] for one in classifiers if (found := re.search(r":: (3\.\d+)$", one))}
    (listed,) = re.findall(r"python-version: \|\n((?: +3\.\d+\n)+)", workflow)
    assert set(listed.split()) == supported


def test_the_workflow_runs_side_by_side_what_ci_runs_in_sequence() -> None:
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    tox = (ROOT / "tox.ini").read_text("utf-8")
    (listed,) = re.findall(r"^ +environments: \[(.*)\]$", workflow, re.M)
    (daily,) = re.findall(r"^env_list = (.+)$", tox, re.M)
    (rest,) = re.findall(r"^ +rest = (.+)$", tox, re.M)
    assert set(re.findall(r"\w+", listed)) == {*re.findall(r"\w+", f"{daily} {rest}"), "py312", "release"}
    assert "- run: .ci/run -e ${{ matrix.environments }}\n" in workflow
