"""Tests that are coroutines run in a loop of their own; programs that are started here hear signals."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from .browsing import FLAGS, Site, site_of

signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return the folder of a small project."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "footer.txt").write_text("Copyright 2024\nAll rights reserved\n")
    return folder


@pytest.fixture(scope="module")  # Playwright holds a loop of the thread, in which no coroutine test can run meanwhile
def browser(part: Callable[[str], str]) -> Iterator[Browser]:
    """Return Chromium without a window."""
    program = part("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=[*FLAGS])
        yield browser
        browser.close()


@pytest.fixture
def site(tmp_path: Path, browser: Browser) -> Iterator[Site]:
    """Return a server in a project of its own."""
    with site_of(tmp_path, browser) as site:
        yield site


@pytest.fixture(scope="session")
def modules() -> Path:
    """Return the folder in which npm has put what the tests of pages need."""
    folder = Path(os.environ.get("PAGES_NODE_MODULES") or "none")
    if not (folder / "axe-core").is_dir():
        if os.environ.get("CI") == "true":
            pytest.fail("PAGES_NODE_MODULES names no folder with axe-core", pytrace=False)
        pytest.skip(
            "needs npm install vite @vitejs/plugin-react react react-dom axe-core typescript, and PAGES_NODE_MODULES"
        )
    return folder


@pytest.fixture(scope="session")
def pictures() -> Path:
    """Return the folder in which pictures are kept: `pictures` in tox's environment."""
    folder = Path(os.environ.get("TOX_ENV_DIR") or Path(tempfile.gettempdir()) / "inarch-web") / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
