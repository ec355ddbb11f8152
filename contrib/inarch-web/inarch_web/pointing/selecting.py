"""From what a page says of an element to what every tool is given as the selection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import inarch
from inarch_web.pointing.locating import Locator
from inarch_web.pointing.selection import read_pointed, words_of
from inarch_web.pointing.serving import Framed
from inarch_web.server.numbering import Raw


async def chosen(told: object, app: inarch.App, framed: Framed | None) -> dict[str, Any] | None:
    """Return a selection as plain data, None for none.

    It has `selector`, `tag`, `text`, `html`, `rectangle`, `address`, `sourceLocation` (`file`, `line`, `end_line`,
    `component`; `guess` where no build says so, `others` that are as likely; None where nothing is found) and `words`,
    `picture` where the person wants the model to see one.

    Raises:
        UsageError: It is nothing that a page says, or there is no page.
    """
    if told is None:
        return None
    if framed is None:
        raise inarch.UsageError("no page is shown that something could be selected in", "inarch web --page URL")
    element = read_pointed(told)
    selection: dict[str, Any] = {
        "selector": Raw(element.selector), "tag": element.tag, "text": element.text, "html": element.html,
        "rectangle": list(element.rectangle), "address": framed.addresses.page.origin + element.address,
        "sourceLocation": await Locator(app.workspace, framed.addresses).locate(element),
    }  # fmt: skip
    if isinstance(told, Mapping) and told.get("picture") is True:
        selection["picture"] = True  # the person wants the model to see it
    return {**selection, "words": words_of(selection)}
