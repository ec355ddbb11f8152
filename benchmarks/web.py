"""What the page in a browser costs: its first paint, a long session, and a reply that streams.

`python benchmarks/web.py [--events N] [--runs N] [--seconds S]` needs `contrib/inarch-web`, `playwright` and Chromium.
The page of a session of N events is opened in a fresh tab and timed to its first paint and to its last turn on the
screen; beside it a static page of the same bytes (what the socket and the files brought), read from loopback in the
same browser. Then a reply of 200 deltas a second streams for S seconds: processor time of the server and of the
browser's processes. Then 10,000 lines stream: the sum of the layout shifts that the browser counts (Layout
Instability API). Last a turn of 500 calls is scrolled from end to end: the longest task of the main thread.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from inarch_web import Settings
from inarch_web.server.serving import Served, serving
from playwright.async_api import Browser, Page, async_playwright

import inarch
from inarch.testing import calls, says, scripted_app
from inarch_testing.apps import environ_in

FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
DELTAS_A_SECOND = 200
CALLS = 500
LINES = 10_000
_LONG_TASKS = """() => {
    window.tasks = []
    const saw = list => { for (const one of list.getEntries()) window.tasks.push(one.duration) }
    new PerformanceObserver(saw).observe({type: 'longtask', buffered: true})
}"""
_SHIFTS = """() => {
    window.shifts = []
    const saw = list => { for (const one of list.getEntries()) window.shifts.push(one.value) }
    new PerformanceObserver(saw).observe({type: 'layout-shift'})
}"""
_PAINTED = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"
_SCROLL = """async () => {
    const all = [document.scrollingElement, ...document.querySelectorAll('*')].filter(
        one => one.scrollHeight > one.clientHeight + 200 && getComputedStyle(one).overflowY !== 'visible' ||
            one === document.scrollingElement)
    const box = all.sort((a, b) => b.scrollHeight - a.scrollHeight)[0]
    for (let at = box.scrollHeight; at >= 0; at -= 800) {
        box.scrollTop = at
        await new Promise(requestAnimationFrame)
    }
    return box.scrollHeight
}"""


@asynccontextmanager
async def serve(script: Any, folder: Path) -> AsyncIterator[Served]:
    """Serve a project whose model plays a script."""
    project = folder / "project"
    project.mkdir(exist_ok=True)
    (project / "a.txt").write_text("x\n")
    app, _ = scripted_app(script, project, journal=True, environ=environ_in(folder / "home"),
                          flags={"max_iterations": 2000})  # fmt: skip
    try:
        async with serving(app, Settings()) as there:
            yield there
    finally:
        await app.aclose()


async def long_session(folder: Path, events: int) -> str:
    """Keep a session of so many events: turns with ten calls each, in the store, as a turn leaves them."""
    turn = [calls(*[("list_files", {})] * 10), says("It is **done**.")]
    async with serve(turn, folder) as there:
        first = there.desk.app.session()
        await first.run("What stands here?")
        store = there.desk.app.store
        kept = list(store.load(first.id))
        head, body = kept[0], [event for event in kept if event.turn_id]
        session_id, seq = inarch.new_id(), 1
        store.append(session_id, [head.moved(session_id, 1)])
        while seq < events:
            batch = [event.moved(session_id, seq + place) for place, event in enumerate(body, 1)]
            store.append(session_id, batch)
            seq += len(batch)
        await store.sync()
    return session_id


async def opened(browser: Browser, address: str, session_id: str) -> tuple[float, float, int]:
    """Return milliseconds to the first paint and to the last turn, and the bytes that came for it."""
    context = await browser.new_context()
    page = await context.new_page()
    client, size = await context.new_cdp_session(page), 0

    def count(event: dict[str, Any]) -> None:
        nonlocal size
        size += int(event.get("encodedDataLength") or len(event.get("response", {}).get("payloadData", "")))

    await client.send("Network.enable")
    client.on("Network.loadingFinished", count)
    client.on("Network.webSocketFrameReceived", count)
    begun = time.perf_counter()
    await page.goto(address)
    await page.wait_for_function("() => document.querySelector('main')")
    await page.evaluate("id => { location.hash = `#/${id}` }", session_id)
    await page.wait_for_selector("section.chapter", timeout=120_000)
    whole = (time.perf_counter() - begun) * 1000
    painted = await page.evaluate(_PAINTED)
    await context.close()
    return float(painted), whole, size


async def static(browser: Browser, size: int, folder: Path) -> tuple[float, float]:
    """Return the same for a page of so many bytes without a script."""
    row = "<p>What stands here? It is <strong>done</strong>.</p>\n"
    (folder / "static.html").write_text("<!doctype html><title>x</title>" + row * (size // len(row)))
    server = await asyncio.create_subprocess_exec(
        "python3", "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", str(folder),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    assert server.stdout is not None
    port = (await server.stdout.readline()).decode().split(" port ")[1].split()[0]
    context = await browser.new_context()
    page = await context.new_page()
    begun = time.perf_counter()
    await page.goto(f"http://127.0.0.1:{port}/static.html")
    whole = (time.perf_counter() - begun) * 1000
    painted = float(await page.evaluate(_PAINTED))
    await context.close()
    server.kill()
    await server.wait()
    return painted, whole


def streaming(seconds: float) -> Iterator[list[Any]]:
    """Yield the step of a reply that comes in 200 pieces a second."""
    count = int(seconds * DELTAS_A_SECOND)
    yield [*(part for _ in range(count) for part in (inarch.TextDelta("word "), 1 / DELTAS_A_SECOND)), *says("End.")]


def cpu_of_browser() -> float:
    """Return the processor seconds of all processes below this one."""
    tick, ours, spent = os.sysconf("SC_CLK_TCK"), {os.getpid()}, 0.0
    rows = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        rows[int(stat.parent.name)] = (int(fields[1]), (int(fields[11]) + int(fields[12])) / tick)
    for pid, (parent, seconds) in sorted(rows.items()):
        if parent in ours:
            ours.add(pid)
            spent += seconds
    return spent


async def said(page: Page, text: str) -> None:
    """Send a prompt as a person does."""
    await page.locator("textarea").first.fill(text)
    await page.keyboard.press("Enter")


async def stream(browser: Browser, folder: Path, seconds: float) -> tuple[float, float]:
    """Return the shares of a processor that server (and model) and browser take while a reply streams."""
    async with serve(streaming(seconds), folder) as there:
        page = await (await browser.new_context()).new_page()
        await page.goto(there.address)
        await said(page, "Say much.")
        await page.wait_for_function("() => document.body.innerText.includes('word word')", timeout=60_000)
        ours, theirs, begun = time.process_time(), cpu_of_browser(), time.perf_counter()
        await page.wait_for_function("() => document.body.innerText.includes('End.')", timeout=600_000)
        took = time.perf_counter() - begun
        return (time.process_time() - ours) / took, (cpu_of_browser() - theirs) / took


async def shifted(browser: Browser, folder: Path) -> tuple[float, float]:
    """Return the sum of the layout shifts, and the largest, while many lines of a reply come, ten in 5 ms."""
    lines = (part for at in range(0, LINES, 10) for part in (inarch.TextDelta(_ten(at)), 0.005))
    async with serve([says("It is there."), [*lines, *says("End of lines.")]], folder) as there:
        page = await (await browser.new_context()).new_page()
        await page.goto(there.address)
        await said(page, "Begin.")
        await page.wait_for_function("() => document.body.innerText.includes('It is there.')", timeout=60_000)
        await page.evaluate(_SHIFTS)
        await said(page, "Say many lines.")
        await page.wait_for_function("() => document.body.innerText.includes('End of lines.')", timeout=300_000)
        await page.wait_for_timeout(500)
        found = await page.evaluate("() => window.shifts")
        return sum(found), max(found, default=0.0)


def _ten(at: int) -> str:
    return "".join(f"line {at + n}\n" for n in range(10))


async def scrolled(browser: Browser, folder: Path) -> tuple[float, int]:
    """Return the longest task while a turn of many calls comes and is scrolled through, and how high it is."""
    script = [
        *(calls(*(("search_files", {"pattern": f"word{at}{n}"}) for n in range(10))) for at in range(CALLS // 10)),
        says("The end of it."),
    ]
    async with serve(script, folder) as there:
        page = await (await browser.new_context()).new_page()
        await page.goto(there.address)
        await page.evaluate(_LONG_TASKS)
        await said(page, "List it often.")
        await page.wait_for_function("() => document.body.innerText.includes('The end of it.')", timeout=300_000)
        await page.evaluate("() => { for (const work of document.querySelectorAll('details.work')) work.open = true }")
        await page.wait_for_timeout(500)  # laid out before it is measured: reading sizes at once would be the task
        height = await page.evaluate(_SCROLL)
        tasks = await page.evaluate("() => window.tasks")
        return max(tasks, default=0.0), int(height)


async def main(events: int, runs: int, seconds: float) -> None:
    """Measure and print."""
    folder = Path(tempfile.mkdtemp())
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        session_id = await long_session(folder, events)
        async with serve([], folder) as there:
            rows = [await opened(browser, there.address, session_id) for _ in range(runs)]
        size = int(statistics.median(row[2] for row in rows))
        bare = [await static(browser, size, folder) for _ in range(runs)]
        print(f"session of {events:,} events, {size:,} bytes, median of {runs}, first one {rows[0][1]:,.0f} ms")
        for name, found in (("page", rows), ("static page of the same bytes", bare)):
            paint, whole = (statistics.median(row[at] for row in found) for at in (0, 1))
            print(f"  {name:<30} first paint {paint:7,.0f} ms   shown {whole:7,.0f} ms")
        server, shown = await stream(browser, folder, seconds)
        shares = f"server and model {server:.0%}, browser {shown:.0%} of a processor"
        print(f"{DELTAS_A_SECOND} deltas/s for {seconds:g} s: {shares}")
        moved, most = await shifted(browser, folder)
        print(f"{LINES:,} lines stream: layout shifts {moved:.3f} in all, largest {most:.3f}")
        longest, height = await scrolled(browser, folder)
        print(f"turn of {CALLS} calls, {height:,} px: longest task of the main thread {longest:.0f} ms")
        await browser.close()
    shutil.rmtree(folder)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()
    asyncio.run(main(options.events, options.runs, options.seconds))
