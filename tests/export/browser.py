"""A real browser: Chromium without a window, spoken to over a pipe in the DevTools protocol.

No network: every name is unknown to it. It stops when the test is over, and with the test's process.
"""

from __future__ import annotations

import base64
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

PATIENCE_S = 240
"""How long anything may take on a machine that is busy; nothing waits that long otherwise."""
_ARGUMENTS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--no-default-browser-check", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-extensions", "--disable-default-apps", "--mute-audio", "--host-resolver-rules=MAP * ~NOTFOUND",
    "--remote-debugging-pipe", "about:blank",
)  # fmt: skip
# The browser reads requests from descriptor 3 and writes replies to 4.
_STARTER = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(end), fcntl.F_DUPFD, 10) for end in sys.argv[1:3]]
for end, place in zip(ends, (3, 4)):
    os.dup2(end, place)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Browser:
    """One tab of Chromium. `errors` are what its console reports, `requests` the addresses that it asked for."""

    def __init__(self, program: str, folder: Path) -> None:
        requests, self._to = os.pipe()
        self._from, replies = os.pipe()
        argv = [sys.executable, "-c", _STARTER, str(requests), str(replies), program, f"--user-data-dir={folder}"]
        environ = {**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "XDG_CACHE_HOME": str(folder)}
        self._process = subprocess.Popen(
            [*argv, *_ARGUMENTS], pass_fds=(requests, replies), env=environ, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        os.close(requests)
        os.close(replies)
        self._rest = b""
        self._count = 0
        self._session = ""
        self.loads = 0
        self.errors: list[str] = []
        self.requests: list[str] = []
        target = self("Target.createTarget", url="about:blank")["targetId"]
        self._session = self("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self(f"{domain}.enable")

    def __call__(self, method: str, **params: Any) -> dict[str, Any]:
        """Ask for something and return its result."""
        self._count += 1
        request = {"id": self._count, "method": method, "params": params}
        if self._session:
            request["sessionId"] = self._session
        data = memoryview(json.dumps(request).encode() + b"\0")
        while data:
            data = data[os.write(self._to, data) :]
        while True:
            message = self._next()
            if message.get("id") == self._count:
                assert "error" not in message, (method, message["error"])
                result: dict[str, Any] = message["result"]
                return result

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._from], [], [], PATIENCE_S)
            assert ready, "the browser says nothing"
            piece = os.read(self._from, 1 << 20)
            assert piece, f"the browser ended: {self._process.poll()}"
            self._rest += piece
        line, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        self._note(message.get("method", ""), message.get("params", {}))
        return message

    def _note(self, method: str, params: dict[str, Any]) -> None:
        if method == "Runtime.exceptionThrown":
            self.errors.append(str(params["exceptionDetails"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.errors.append(str(params["entry"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.errors.append(str(params["args"]))
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Page.loadEventFired":
            self.loads += 1

    def open(self, page: Path) -> None:
        """Show a page and wait until it is loaded."""
        before = self.loads
        self("Page.navigate", url=page.as_uri())
        while self.loads == before:
            self._next()

    def size(self, width: int, height: int) -> None:
        """Make the window as large as that, in CSS pixels; a narrow one is a phone's."""
        self("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)

    def media(self, **features: str) -> None:
        """Set media features, such as `prefers_color_scheme="dark"`."""
        told = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self("Emulation.setEmulatedMedia", features=told)

    def value(self, expression: str) -> Any:
        """Return what an expression comes to."""
        reply = self("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in reply, reply["exceptionDetails"]
        return reply["result"].get("value")

    def until(self, expression: str) -> None:
        """Wait for an expression to be true."""
        end = time.monotonic() + PATIENCE_S
        while not self.value(expression):
            assert time.monotonic() < end, f"never true: {expression}"
            time.sleep(0.02)

    def press(self, key: str, *, text: str | None = None) -> None:
        """Press a key; `text` is what it types, the key itself if it is one character."""
        typed = text if text is not None else key if len(key) == 1 else "\r" if key == "Enter" else ""
        code = {"Enter": 13, "Tab": 9, "Escape": 27, "ArrowDown": 40, "ArrowUp": 38}.get(key, ord(key[0].upper()))
        down = {"type": "keyDown" if typed else "rawKeyDown", "key": key, "windowsVirtualKeyCode": code}
        self("Input.dispatchKeyEvent", **down, **({"text": typed} if typed else {}))
        self("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def type(self, text: str) -> None:
        """Put text where the focus is."""
        self("Input.insertText", text=text)

    def picture(self, file: Path, *, whole: bool = False) -> None:
        """Keep a picture of what is seen, or of the whole page."""
        data = self("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        file.write_bytes(base64.b64decode(data))

    def close(self) -> None:
        """Stop the browser with all its processes."""
        stop: Callable[[], Any] = self._process.terminate
        os.close(self._to)  # which is what it ends on
        try:
            self._process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            stop()
            self._process.wait(PATIENCE_S)
        os.close(self._from)
