"""The tools that look at the framed page, select in it, change what it shows, and lead it elsewhere.

What they return was read from a page, so it is told to the model as data. Both that change something are asked about.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import inarch
from inarch_web.pointing.describing import best_match
from inarch_web.pointing.selecting import chosen
from inarch_web.pointing.selection import named, read_listed, read_pointed
from inarch_web.pointing.source import DATA
from inarch_web.rooms import room_of

if TYPE_CHECKING:
    from inarch_web.server.room import Room

ANSWER_S = 15.0
_MOST_LISTED = 200
_MOST_LINES, _MOST_BYTES = 200, 1_000_000
"""Of a source that is shown with an element."""
_NO_EFFECTS = inarch.Effects()
Kind = Literal["interactive", "headings", "landmarks", "media", "text", "all"]


def tools() -> list[inarch.Tool]:
    """Return the tools."""
    return [select_element, get_page_elements, update_ui, navigate]


@inarch.tool(category="ui", effects=_NO_EFFECTS)
async def get_page_elements(
    context: inarch.ToolContext, category: Kind = "all", selector: str = "", limit: int = 60
) -> dict[str, Any]:
    """List what is to be seen in the user's page, with a CSS selector, text, role and place of each element.

    Args:
        category: Which elements.
        selector: A CSS selector that they match, in place of a category.
        limit: How many at most, up to 200.
    """
    data = {"category": category, "selector": selector, "limit": max(1, min(limit, _MOST_LISTED))}
    told = await _room(context).ask("elements", data, ANSWER_S)
    return {"note": DATA, "page": read_listed(told)}


@inarch.tool(category="ui", effects=_NO_EFFECTS)
async def select_element(context: inarch.ToolContext, selector: str = "", description: str = "") -> dict[str, Any]:
    """Select an element of the user's page, and return where in the source it comes from, with these lines.

    The file counts as read: a change to it needs no read in between.

    Args:
        selector: A CSS selector of it.
        description: What it is, such as "the footer", where no selector is known.
    """
    room = _room(context)
    if not selector:
        selector = await _meant(room, description)
    told = await room.ask("find", {"selector": selector}, ANSWER_S)
    selection = await chosen(told, room.app, room.framed)
    if selection is None:
        raise inarch.ToolFailed("execution", "the page says nothing of that element", "select another one")
    room.set_selection(selection)
    return {"selected": named(selection), "note": DATA, "element": selection, "source": _source(context, selection)}


@inarch.tool(category="ui", effects=_NO_EFFECTS, requires_confirmation=True)
async def update_ui(
    context: inarch.ToolContext, html: str, selector: str = "", replace: Literal["inner", "outer"] = "inner"
) -> dict[str, Any]:
    """Show a change in the user's page without changing a file; it is gone when the page is loaded anew.

    Scripts, frames, forms' targets and handlers are taken out of the HTML.

    Args:
        html: What is shown.
        selector: Where; not given, the element that is selected.
        replace: Whether what is in the element goes (`inner`), or the element itself (`outer`).
    """
    where = selector or _selected(context)
    told = await _room(context).ask("update", {"selector": where, "html": html, "how": replace}, ANSWER_S)
    element = read_pointed(told)
    return {"shown": f"<{element.tag}> ({where})", "note": DATA, "html": element.html, "text": element.text}


@inarch.tool(category="nav", effects=_NO_EFFECTS, requires_confirmation=True)
async def navigate(context: inarch.ToolContext, path: str) -> dict[str, Any]:
    """Lead the user's page to another path of it.

    Args:
        path: Path, query and fragment, such as /about?tab=team; other addresses are not shown.
    """
    room = _room(context)
    if room.framed is not None:
        path = path.removeprefix(room.framed.addresses.page.origin) or "/"
    told = await room.ask("navigate", {"path": path}, ANSWER_S)
    return {"note": DATA, "going_to": str(told.get("going", ""))[:1000]}


def _room(context: inarch.ToolContext) -> Room:
    room = room_of(context.turn_id)
    if room is None or room.framed is None:
        raise inarch.ToolFailed(
            "execution", "no page of the user's is open", "ask the user to run: inarch web --page http://localhost:3000"
        )
    return room


async def _meant(room: Room, description: str) -> str:
    """Return a selector of what a description means."""
    if not description.strip():
        raise inarch.ToolFailed("validation", "neither selector nor description is given", "give one of them")
    told = await room.ask("elements", {"category": "all", "limit": _MOST_LISTED}, ANSWER_S)
    found = best_match(description, read_listed(told)["elements"])
    if found is None:
        raise inarch.ToolFailed(
            "not_found", f"no element of the page fits {description!r:.200}", "get_page_elements tells what there is"
        )
    return str(found.get("selector", ""))


def _source(context: inarch.ToolContext, selection: Mapping[str, Any]) -> str | None:
    """Read the lines that an element comes from; None if they are not known or too many to show."""
    place = selection["sourceLocation"]
    if place is None or place["end_line"] - place["line"] >= _MOST_LINES:
        return None
    try:
        found = context.workspace.read(place["file"], 0, _MOST_BYTES)
        lines = found.data.decode().splitlines(keepends=True)
    except (inarch.ToolFailed, UnicodeDecodeError):
        return None
    return "".join(lines[place["line"] - 1 : place["end_line"]])


def _selected(context: inarch.ToolContext) -> str:
    selection = context.selection
    if not isinstance(selection, Mapping) or not selection.get("selector"):
        raise inarch.ToolFailed("validation", "nothing is selected", "give a selector, or select an element first")
    return str(selection["selector"])
