"""A real browser at a real `inarch web`: the server is a process of its own, the model plays what the prompt names."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attrs import define, field
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, expect

MODEL = Path(__file__).with_name("playing.py")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
SIZES = {"phone": (360, 740), "desk": (1280, 800), "wall": (2560, 1300)}
PATIENCE_MS = int(os.environ.get("PATIENCE_MS", "60000"))
CONFIG = """\
[profiles.default]
plugins = ["...", "web"]
model = "playing/played"
"""
expect.set_options(timeout=PATIENCE_MS)


@define(eq=False)
class Site:
    """A server in a project of its own. `errors` are what the pages' consoles and scripts report."""

    project: Path
    address: str
    browser: Browser
    errors: list[str] = field(factory=list)

    def page(self, size: str = "desk", *, scheme: str = "light", address: str = "") -> Page:
        """Open a page in a browser profile of its own, ready for use."""
        width, height = SIZES[size]
        context = self.browser.new_context(
            viewport={"width": width, "height": height}, color_scheme="dark" if scheme == "dark" else "light",
            reduced_motion="reduce", accept_downloads=True,
        )  # fmt: skip
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        page.on("console", lambda message: self._console(message))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.goto(address or self.address)
        ready(page)
        return page

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(message.text)


@contextmanager
def site_of(folder: Path, browser: Browser, *words: str) -> Iterator[Site]:
    """Serve a new small project until it is over; no page may have reported an error."""
    project, home = folder / "project", folder / "home"
    (home / ".config" / "inarch").mkdir(parents=True)
    (home / ".config" / "inarch" / "config.toml").write_text(CONFIG)
    project.mkdir()
    (project / "footer.py").write_text('YEAR = 2024\nTEXT = f"Copyright {YEAR}"\n')
    (project / "README.md").write_text("# Footer\n")
    environ = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8", "COLUMNS": "100"}
    command = [sys.executable, "-P", "-m", "inarch", "web", "--no-browser", "--plugin", str(MODEL), *words]
    with (folder / "told.txt").open("w") as told:
        process = subprocess.Popen(command, cwd=project, env=environ, stdout=subprocess.PIPE, stderr=told, text=True)
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:"), (folder / "told.txt").read_text()
            site = Site(project, address, browser)
            yield site
            assert site.errors == []
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)


def ready(page: Page) -> None:
    """Wait until the page shows a session, or that there is none yet."""
    page.wait_for_selector("html[data-ready]", state="attached")


def ask(page: Page, prompt: str) -> None:
    """Send a prompt."""
    page.locator("#say").fill(prompt)
    page.locator("#say").press("Enter")


def answered(page: Page, turn: int = 1) -> Locator:
    """Wait for a turn's end and return its section."""
    section = page.locator(f"#t{turn}:not(.is-running)")
    expect(section).to_be_visible()
    return section


def asked(page: Page) -> Locator:
    """Wait for a question and return the column with its calls and answers."""
    expect(page.locator("#question")).to_be_visible()
    return page.locator(".centre")
