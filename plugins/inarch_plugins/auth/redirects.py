"""The browser's redirect: received by a loopback server, or pasted at the terminal."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Protocol

from attrs import define, field

from inarch import InarchError
from inarch.output import print_line
from inarch_plugins.auth.oauth import AGAIN, CALLBACK, SignInError

WAIT_S = 600.0
"""Seconds to wait for the user to sign in."""
_READ_S = 10.0
_LONGEST = 1 << 14
_PAGE = (
    "HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\ncache-control: no-store\r\n"
    "referrer-policy: no-referrer\r\nconnection: close\r\n\r\n{text}\n"
)
_DONE = "You are signed in. Close this tab and return to the terminal."
_OTHER = "This request does not belong to the sign-in that Inarch is waiting for."


class Attempt(Protocol):
    """Sign-in at a page that redirects the browser to this machine."""

    @property
    def url(self) -> str:
        """The page."""

    def is_answered_by(self, target: str) -> bool:
        """Return whether an address or request path is the redirect of this attempt."""


@define(eq=False)
class Redirects:
    """Receiver of one attempt's redirect at a path. It answers and ignores all other requests."""

    path: str = CALLBACK
    port: int = field(init=False, default=0)
    _attempt: Attempt | None = field(init=False, default=None)
    _came: asyncio.Future[str] = field(init=False, factory=lambda: asyncio.get_running_loop().create_future())

    @property
    def url(self) -> str:
        """The redirect address."""
        return f"http://127.0.0.1:{self.port}{self.path}"

    async def answer_to(self, attempt: Attempt, environ: Mapping[str, str], service: str = "ChatGPT") -> str:
        """Open the browser for the user, and return the redirect's target."""
        self._attempt = attempt
        _say(f"Sign in with {service} at this address:", "", f"  {attempt.url}", "")
        if any(environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")):
            threading.Thread(target=webbrowser.open, args=(attempt.url,), daemon=True).start()
        else:
            _say("If the browser runs on another machine, paste its final address here:")

        def pasted(line: str) -> None:
            if line and not self._take(line):
                _say("That address does not belong to this sign-in. Paste the whole address from the browser.")

        with _Lines(pasted):
            try:
                async with asyncio.timeout(WAIT_S):
                    return await self._came
            except TimeoutError:
                raise SignInError(f"no answer came from the browser within {WAIT_S / 60:g} minutes", AGAIN) from None

    def _take(self, target: str) -> bool:
        if self._attempt is None or not self._attempt.is_answered_by(target):
            return False
        if not self._came.done():
            self._came.set_result(target)
        return True

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request. A browser may open connections without sending one."""
        try:
            async with asyncio.timeout(_READ_S):
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                words = head.split("\r\n", 1)[0].split(" ")
                hosts = [line[5:].strip() for line in head.split("\r\n") if line[:5].lower() == "host:"]
                is_ours = len(words) == 3 and words[0] == "GET" and hosts == [f"127.0.0.1:{self.port}"]
                is_taken = is_ours and self._take(words[1])
                status, text = ("200 OK", _DONE) if is_taken else ("404 Not Found", _OTHER)
                writer.write(_PAGE.format(status=status, text=text).encode())
                await writer.drain()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # not a browser, or it has disconnected
        finally:
            writer.close()


@asynccontextmanager
async def redirects(path: str = CALLBACK) -> AsyncIterator[Redirects]:
    """Listen on a free port of loopback."""
    taking = Redirects(path)
    try:
        server = await asyncio.start_server(taking.serve, "127.0.0.1", 0, limit=_LONGEST)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InarchError(f"Inarch can't listen on 127.0.0.1: {reason}", "allow it, or use a key") from None
    taking.port = server.sockets[0].getsockname()[1]
    try:
        yield taking
    finally:
        server.close()


def _say(*lines: str) -> None:
    for line in lines:
        print_line(line)
    sys.stdout.flush()  # the user or a program is waiting for it


class _Lines:
    """Reader that calls a function with each line of standard input, if the input supports waiting."""

    def __init__(self, call: Callable[[str], None]) -> None:
        self._call = call
        self._rest = b""
        self._reads = False

    def __enter__(self) -> None:
        try:
            asyncio.get_running_loop().add_reader(sys.stdin.fileno(), self._read)
            self._reads = True
        except (OSError, ValueError, AttributeError):
            pass  # closed, or a file: nothing can be pasted

    def __exit__(self, *error: object) -> None:
        if self._reads:
            asyncio.get_running_loop().remove_reader(sys.stdin.fileno())

    def _read(self) -> None:
        try:
            data = os.read(sys.stdin.fileno(), _LONGEST)
        except OSError:
            data = b""
        if not data:
            asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
            self._reads = False
        *lines, self._rest = (self._rest[-_LONGEST:] + data).split(b"\n")
        if not data and self._rest:
            lines, self._rest = [self._rest], b""
        for line in lines:
            self._call(line.decode("utf-8", "replace").strip())
