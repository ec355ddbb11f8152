"""A change that a session made in a copy is reviewed in the page, by a real browser."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from .browsing import MODEL, Site, ready
from .test_page_looks import findings

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.needs("confinement")]


def test_files_are_chosen_and_applied_and_the_rest_is_discarded(site: Site, modules: Path) -> None:
    words = [sys.executable, "-P", "-m", "inarch", "--approve", "review", "--plugin", str(MODEL), "both"]
    environ = {"PATH": os.environ["PATH"], "HOME": str(site.project.parent / "home"), "LANG": "C.UTF-8"}
    made = subprocess.run(words, cwd=site.project, env=environ, capture_output=True, text=True, check=False)
    if "copy" in made.stderr and made.returncode == 2:
        pytest.skip(made.stderr)
    assert made.returncode == 0, made.stderr
    page = site.page()
    page.get_by_role("button", name="Review a change").click()
    dialog = page.get_by_role("dialog", name="Review 2 files")
    dialog.get_by_text("Changed lines").first.press("Enter")
    expect(dialog.locator("ins").first).to_have_text("+a.txt\n")
    assert findings(page, modules) == []
    expect(dialog.get_by_role("button", name="Apply all 2 files")).to_be_visible()
    dialog.get_by_label("b.txt").press("Space")
    dialog.get_by_role("button", name="Apply 1 file").press("Enter")
    rest = page.get_by_role("dialog", name="Review 1 file")
    expect(rest).to_be_visible()
    assert (site.project / "a.txt").exists() and not (site.project / "b.txt").exists()
    rest.get_by_role("button", name="Discard all").press("Enter")
    page.get_by_role("dialog", name="Discard this change?").get_by_role("button", name="Discard").press("Enter")
    expect(page.get_by_role("button", name="Review a change")).to_be_hidden()
    assert not (site.project / "b.txt").exists()
    page.reload()
    ready(page)
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Review changes").click()
    expect(page.locator(".notice")).to_contain_text("No change waits for a review.")
