"""What the server asks the pages of a room: what only a browser can see or do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import define, field

import inarch

if TYPE_CHECKING:
    from inarch_web.server.page import Page

_REMEDY = "open the page of inarch web with this session"


@define(eq=False, repr=False)
class _Ask:
    pages: set[int]
    answer: asyncio.Future[Mapping[str, Any]]


@define(eq=False, repr=False)
class Asks:
    """Questions to pages that are open; the first good answer counts."""

    _open: dict[int, _Ask] = field(init=False, factory=dict)
    _last: int = field(init=False, default=0)

    async def ask(
        self, what: str, data: Mapping[str, Any], seconds: float, pages: Mapping[int, Page]
    ) -> Mapping[str, Any]:
        """Ask all pages and return the first answer.

        Raises:
            ToolFailed: No page is open, all of them say that they can't, or there was no answer in time.
        """
        if not pages:
            raise inarch.ToolFailed("execution", "no page is open", _REMEDY)
        self._last += 1
        number = self._last
        ask = self._open[number] = _Ask(set(pages), asyncio.get_running_loop().create_future())
        for page in list(pages.values()):
            page.put(json.dumps({**data, "ask": number, "what": what}))
        try:
            async with asyncio.timeout(seconds):
                return await ask.answer
        except TimeoutError:
            raise inarch.ToolFailed("timeout", f"no page has answered within {seconds:g} s", _REMEDY) from None
        finally:
            self._open.pop(number, None)

    def answered(self, page: int, number: Any, answer: Any, error: Any) -> None:
        """Take a page's answer; one that comes too late means nothing."""
        ask = self._open.get(number) if isinstance(number, int) else None
        if ask is None or ask.answer.done():
            return
        if isinstance(answer, dict):
            ask.answer.set_result(answer)
        else:
            told = error if isinstance(error, dict) else {}
            said = json.dumps(str(told.get("text") or "no reason")[:500])  # the framed page may have worded it
            self._refused(ask, page, f"the page refused it, and gave as its reason: {said}", "")

    def gone(self, page: int) -> None:
        """Wait no more for a page that was closed."""
        for ask in self._open.values():
            self._refused(ask, page, "the page was closed", _REMEDY)

    def _refused(self, ask: _Ask, page: int, text: str, remedy: str) -> None:
        ask.pages.discard(page)
        if not ask.pages and not ask.answer.done():
            ask.answer.set_exception(inarch.ToolFailed("execution", text, remedy))
