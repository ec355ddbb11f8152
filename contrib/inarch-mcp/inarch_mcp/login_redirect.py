"""The browser's last step in a login: a request to this machine, or an address that the user pastes."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import webbrowser
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from hmac import compare_digest
from urllib.parse import parse_qs, urlsplit

from attrs import define, field

import inarch
from inarch.output import print_line

WAIT_S = 300.0
"""Seconds to wait for the user."""
PATH = "/callback"
_READ_S = 10.0
_LONGEST = 1 << 14
_ANSWER = (
    "HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\ncache-control: no-store\r\n"
    "referrer-policy: no-referrer\r\nconnection: close\r\n\r\n{text}\n"
)
_DONE = ("200 OK", "You are logged in. Close this tab and return to the terminal.")
_OTHER = ("404 Not Found", "This request does not belong to the login that Inarch is waiting for.")


@define(eq=False)
class Redirect:
    """Receiver of one redirect. It refuses every other request."""

    port: int = field(init=False, default=0)
    _state: str = field(init=False, default="")
    _came: asyncio.Future[dict[str, str]] = field(init=False)

    @_came.default
    def _none_yet(self) -> asyncio.Future[dict[str, str]]:
        return asyncio.get_running_loop().create_future()

    @property
    def url(self) -> str:
        """Return the redirect's address."""
        return f"http://127.0.0.1:{self.port}{PATH}"

    async def answer_to(self, url: str, state: str, *, opens: bool) -> dict[str, str]:
        """Send the user to an address, and return the parameters with which the browser comes back.

        Args:
            url: The authorization server's page.
            state: The value that marks this login's redirect.
            opens: Whether to open a browser. Otherwise the user pastes the browser's last address.

        Raises:
            InarchError: It did not come in time.
        """
        self._state = state
        print_line("Log in at this address:")
        print_line(f"  {url}")
        if opens:
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
        else:
            print_line("Then paste the browser's last address here, even if the page does not load:")
            threading.Thread(target=self._read_lines, args=(asyncio.get_running_loop(),), daemon=True).start()
        sys.stdout.flush()
        try:
            async with asyncio.timeout(WAIT_S):
                return await self._came
        except TimeoutError:
            message = f"no answer came from the browser within {WAIT_S / 60:g} minutes"
            raise inarch.InarchError(message, "try --no-browser, and paste its last address") from None

    def take(self, target: str) -> bool:
        """Take a redirect's address, and return whether it belongs to this login and is the first."""
        try:
            parts = urlsplit(target)
        except ValueError:
            return False
        found = {name: values[0] for name, values in parse_qs(parts.query).items() if len(values) == 1}
        is_ours = bool(self._state) and compare_digest(found.get("state", "").encode(), self._state.encode())
        if parts.path != PATH or not is_ours or self._came.done():
            return False
        self._came.set_result(found)
        return True

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request. A browser may open connections without sending one."""
        try:
            async with asyncio.timeout(_READ_S):
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                hosts = [line[5:].strip() for line in head if line[:5].lower() == "host:"]
                words = head[0].split(" ")
                is_ours = len(words) == 3 and words[0] == "GET" and hosts == [f"127.0.0.1:{self.port}"]
                status, text = _DONE if is_ours and self.take(words[1]) else _OTHER
                writer.write(_ANSWER.format(status=status, text=text).encode())
                await writer.drain()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # not a browser, or it has gone
        finally:
            writer.close()

    def _read_lines(self, loop: asyncio.AbstractEventLoop) -> None:
        rest = b""
        while data := os.read(0, _LONGEST):  # not sys.stdin, whose lock would hold up the program's end
            *lines, rest = (rest[-_LONGEST:] + data).split(b"\n")
            for line in lines:
                loop.call_soon_threadsafe(self._pasted, line.decode("utf-8", "replace").strip())

    def _pasted(self, line: str) -> None:
        if line and not self._came.done() and not self.take(line):
            print_line("This address does not belong to the login. Paste the whole address.")
            sys.stdout.flush()


@asynccontextmanager
async def redirect() -> AsyncGenerator[Redirect, None]:
    """Listen on a free port of this machine."""
    receiver = Redirect()
    try:
        server = await asyncio.start_server(receiver.serve, "127.0.0.1", 0, limit=_LONGEST)
    except OSError as error:
        reason = error.strerror or str(error)
        raise inarch.InarchError(f"Inarch can't listen on 127.0.0.1: {reason}", "allow it") from None
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        server.close()
