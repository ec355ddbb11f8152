"""Makes the pictures of the page of `inarch web` from a real server and a real browser.

`python docs/pictures/make_web.py` writes `web-question.png` and `web-answer.png` beside this file; it needs Chromium,
inarch-web and Playwright.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, sync_playwright

from inarch_plugins.tour import script

HERE = Path(__file__).parent
CONFIG = '[profiles.default]\nplugins = ["...", "web"]\nmodel = "tour/scripted"\n'


def take(page: Page) -> None:
    """Ask, take a picture of the question, approve, and take one of the answer in the dark."""
    page.wait_for_selector("html[data-ready]", state="attached")
    page.fill("#say", script.PROMPT)
    page.press("#say", "Enter")
    page.wait_for_selector("#question:not([hidden])")
    page.wait_for_timeout(300)  # the diff is laid out
    page.screenshot(path=HERE / "web-question.png")
    for _ in script.STEPS[1:]:
        page.click("[data-answer=approve]")
        page.wait_for_selector("#question", state="hidden")
    page.wait_for_selector(".answer")
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 1500, "height": 940})
    page.click(".work > summary")
    patch = page.locator(".call", has_text="Edit acme/validation.py").last
    patch.locator("summary").click()
    patch.locator(".diff").scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    page.screenshot(path=HERE / "web-answer.png")


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve the example project until it is over; yields the address."""
    project, config = folder / "acme", folder / ".config" / "inarch"
    shutil.copytree(HERE.parent / "example", project)
    config.mkdir(parents=True)
    (config / "config.toml").write_text(CONFIG)
    command = [sys.executable, "-P", "-m", "inarch", "web", "--no-browser", "--plugin", script.__file__]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # its python3 runs the tests
    environ = {"PATH": path, "HOME": str(folder), "LANG": "C.UTF-8"}
    with subprocess.Popen(command, cwd=project, env=environ, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def main() -> None:
    """Make both."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    with (
        TemporaryDirectory(prefix="inarch-") as folder,
        served(Path(folder)) as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1280, "height": 820}, color_scheme="light")
        page.goto(address)
        take(page)
        browser.close()


if __name__ == "__main__":
    main()
