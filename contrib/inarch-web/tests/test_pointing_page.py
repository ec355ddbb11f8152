"""From pointing at an element to the edit and back to the page: a real browser, real development servers."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from attrs import define
from inarch_web import Settings
from inarch_web.server.web_server import serving
from playwright.async_api import Frame, Page, async_playwright, expect

from inarch.testing import ScriptedModel, calls, says, scripted_app
from inarch_testing.apps import environ_in, write_files

from .browsing import FLAGS

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.once]
PATIENCE_MS = 60_000
expect.set_options(timeout=PATIENCE_MS)
ASK = "Edit the footer to say Copyright 2025"
"""A folder of npm that has vite, @vitejs/plugin-react, react and react-dom."""
VITE = {
    "package.json": '{"private": true, "type": "module"}',
    "vite.config.js": 'import react from "@vitejs/plugin-react";\n'
    'export default { plugins: [react()], cacheDir: "CACHE" };\n',
    "index.html": '<!doctype html>\n<html lang="en"><head><title>Shop</title></head>\n'
    '<body><div id="root"></div><script type="module" src="/src/main.tsx"></script></body></html>\n',
    "src/main.tsx": 'import { createRoot } from "react-dom/client";\nimport App from "./App";\n\n'
    'createRoot(document.getElementById("root")!).render(<App />);\n',
    "src/App.tsx": """import { useState } from "react";

function Footer() {
  return (
    <footer className="site-footer">
      <p>Copyright 2024</p>
    </footer>
  );
}

export default function App() {
  const [count, setCount] = useState(0);
  return (
    <main>
      <h1>Shop</h1>
      <button onClick={() => setCount(count + 1)}>Bought {count}</button>
      <Footer />
    </main>
  );
}
""",
}
PLAIN = {
    "index.html": "<!doctype html>\n<title>Shop</title>\n<h1>Shop</h1>\n<p>Welcome</p>\n"
    "<footer>\n  Copyright 2024\n</footer>\n",
    "about.html": "<!doctype html>\n<title>About</title>\n<h1>About us</h1>\n",
}


@define(eq=False)
class Shown:
    """Inarch's page with the person's own in its frame, and the model that answers."""

    page: Page
    model: ScriptedModel
    errors: list[str]

    async def frame(self) -> Frame:
        handle = await self.page.wait_for_selector("iframe.pointing-frame")
        frame = await handle.content_frame()
        assert frame is not None
        return frame

    async def picking(self) -> Frame:
        """Press "Point", wait for the cover above the frame, and return the frame."""
        frame = await self.frame()
        await self.page.locator(".pointing-pick:enabled").click()
        await expect(self.page.locator(".pointing-cover")).to_be_visible()
        return frame

    async def point(self, selector: str, *, click: bool = True) -> None:
        """Press "Point" and click an element of the page, or only go there."""
        box = await (await self.picking()).locator(selector).bounding_box()
        assert box is not None
        place = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        await (self.page.mouse.click if click else self.page.mouse.move)(*place)

    async def say(self, text: str) -> None:
        await self.page.locator("#say").fill(text)
        await self.page.locator("#say").press("Enter")

    def told(self, request: int = 0) -> str:
        """Return all that the model was told."""
        return "\n".join(str(message) for message in self.model.requests[request].messages)


@asynccontextmanager
async def shown(project: Path, url: str, *script: Any, approve: str = "all") -> AsyncIterator[Shown]:
    """Serve a project with its page framed, and open it in a browser."""
    app, model = scripted_app(
        script, project, journal=True, environ=environ_in(project.parent / "home"),
        config={"profiles": {"default": {"plugins": ["...", "web"]}}}, flags={"approve": approve},
    )  # fmt: skip
    async with serving(app, Settings(), page=url) as there, async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = await browser.new_page(viewport={"width": 1400, "height": 900})
        page.set_default_timeout(PATIENCE_MS)
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        await page.goto(there.address)
        try:
            yield Shown(page, model, errors)
        finally:
            await browser.close()
    await app.aclose()
    assert errors == []


@pytest.fixture
def vite(tmp_path: Path, modules: Path) -> Iterator[tuple[Path, str]]:
    """A project of Vite and React whose development server runs."""
    project = tmp_path / "project"
    write_files(project, {name: text.replace("CACHE", str(tmp_path / "cache")) for name, text in VITE.items()})
    (project / "node_modules").symlink_to(modules)
    with program(["node", "node_modules/vite/bin/vite.js", "--host", "127.0.0.1", "--port", "0"], project) as line:
        yield project, line(r"(http://127\.0\.0\.1:\d+)/")


@contextmanager
def program(command: list[str], folder: Path) -> Iterator[Callable[[str], str]]:
    """Run a program; what is yielded waits for a line of its that fits and returns the first group."""
    environ = {"PATH": os.environ["PATH"], "HOME": str(folder.parent), "NO_COLOR": "1"}
    process = subprocess.Popen(
        command, cwd=folder, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )

    def line(pattern: str) -> str:
        assert process.stdout is not None
        said = []
        for text in process.stdout:
            said.append(text)
            if found := re.search(pattern, text):
                return found.group(1)
        raise AssertionError("".join(said))

    try:
        yield line
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def call(name: str, **arguments: Any) -> Any:
    return calls((name, arguments))


def patch(file: str) -> Any:
    year = {"search": "Copyright 2024", "replace": "Copyright 2025", "description": "The year"}
    return call("patch_source_file", file_path=file, **year)


async def test_the_footer_of_a_react_page_is_pointed_at_edited_and_seen_without_a_reload(
    vite: tuple[Path, str],
) -> None:
    project, url = vite
    script = (call("read_file", file_path="src/App.tsx"), patch("src/App.tsx"), says("The footer says 2025."))
    async with shown(project, url, *script) as there:
        frame = await there.frame()
        await expect(frame.locator("footer")).to_have_text("Copyright 2024")
        button = frame.locator("button")
        await button.click()
        await there.point("footer p")
        await expect(there.page.locator(".pointing-words")).to_have_text("Selected <p> at src/App.tsx:6")
        await there.point("footer p", click=False)
        await there.page.keyboard.press("ArrowUp")  # to what is around it
        await there.page.keyboard.press("Enter")
        await expect(there.page.locator(".pointing-words")).to_have_text("Selected <footer> at src/App.tsx:5–7")
        await there.say(ASK)
        await expect(frame.locator("footer")).to_have_text("Copyright 2025")
        await expect(button).to_have_text("Bought 1")  # hot: the page was not loaded anew
        assert "2025" in (project / "src/App.tsx").read_text()
        assert "Selected <footer> at src/App.tsx:5–7" in there.told()
        assert '"component": "Footer"' in there.told()


async def test_the_footer_of_a_plain_page_is_guessed_and_said_to_be(tmp_path: Path) -> None:
    project = tmp_path / "project"
    write_files(project, PLAIN)
    with program(["python3", "-u", "-m", "http.server", "0", "--bind", "127.0.0.1"], project) as line:
        url = line(r"(http://127\.0\.0\.1:\d+)/")
        script = (
            call("select_element", description="the footer"), patch("index.html"), call("navigate", path="/"),
            says("The footer says 2025."),
        )  # fmt: skip
        async with shown(project, url, *script) as there:
            frame = await there.frame()
            await expect(frame.locator("footer")).to_have_text("Copyright 2024")
            await there.say(ASK)
            await expect(frame.locator("footer")).to_have_text("Copyright 2025")
            words = "Selected <footer> at index.html:5–7 (a guess from its text and classes)"
            assert words in there.told(1)
            assert "never an instruction" in there.told(1)
            await expect(there.page.locator(".pointing-words")).to_have_text(words)


async def test_a_plain_page_is_loaded_anew_after_edits_of_its_own_files_alone(tmp_path: Path) -> None:
    project = tmp_path / "project"
    page = PLAIN["index.html"].replace("<h1>", '<link rel="stylesheet" href="css/shop.css">\n<h1>', 1)
    write_files(project, PLAIN | {"index.html": page, "css/shop.css": "h1 { color: red }\n", "NOTES.md": "old\n"})
    long_ago = 1_500_000_000  # so a browser takes the style from its cache
    os.utime(project / "css/shop.css", (long_ago, long_ago))

    write_files(project, {"green.css": "h1 { color: rgb(0, 128, 0) }\n"})
    with program(["python3", "-u", "-m", "http.server", "0", "--bind", "127.0.0.1"], project) as line:
        url = line(r"(http://127\.0\.0\.1:\d+)/")
        script = (
            call("execute_command", command="cp green.css NOTES.md"), says("Noted."),
            call("execute_command", command="cp green.css css/shop.css"), says("It is green."),
        )  # fmt: skip
        async with shown(project, url, *script) as there:
            frame = await there.frame()
            await expect(frame.locator("footer")).to_have_text("Copyright 2024")
            await frame.evaluate("window.is_old = true")
            await there.say("note it")
            await expect(there.page.locator("#t1:not(.is-running)")).to_be_visible()
            await asyncio.sleep(1)  # longer than a reload would wait
            assert await frame.evaluate("window.is_old")
            await there.say("make it green")
            await expect(frame.locator("h1")).to_have_css("color", "rgb(0, 128, 0)")
            assert not await frame.evaluate("window.is_old ?? false")
