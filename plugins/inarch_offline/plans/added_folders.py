"""Added folders: what is asked for is looked for there as text, since the index is of the root alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inarch import PlannedCall, ToolResult
from inarch_offline import calls
from inarch_offline.exchange import Plan
from inarch_offline.intents import CALLEES, CALLERS, EDIT, EXPLAIN, HELP, NEEDS_MODEL, REFUSED, UNCLEAR, Intent
from inarch_offline.lookup import best_hits, definition_search, text_search
from inarch_offline.page import Page, code, cut, joined
from inarch_offline.results import Hit, hits, said
from inarch_offline.words import significant

_FINDING = frozenset((EXPLAIN, CALLERS, CALLEES))
_NOTHING_TO_FIND = frozenset((EDIT, REFUSED, HELP, UNCLEAR, NEEDS_MODEL))
_MOST_FOLDERS = 4
_MOST_LINES = 5
_NOTHING = ("Nothing here ", "Probably not here")


def looked_for_beside(plan: Plan, intent: Intent, added: Sequence[str]) -> Plan:
    """Answer, and say what of it stands in added folders: a name always, words where the root has nothing clear."""
    page = yield from plan
    if intent.kind in _NOTHING_TO_FIND or intent.path.startswith("+"):
        return page
    folders = [f"+{folder}" for folder in added[:_MOST_FOLDERS]]
    wanted = _wanted(intent, any(line.startswith(_NOTHING) for line in page.lines))
    if not wanted:
        page.note(f"only the folder that you work in was looked at, not {joined([f'+{one}' for one in added], 4)}")
        return page
    results = yield [_there(call, folder) for folder in folders for call in wanted]
    for place, folder in enumerate(folders):
        _say_there(page, intent, folder, results[place * len(wanted) : (place + 1) * len(wanted)])
    return page


def _wanted(intent: Intent, is_absent: bool) -> list[PlannedCall]:
    """Give the searches that are made in each folder."""
    if intent.kind not in _FINDING:
        return []
    name = _name(intent)
    if name:
        uses = calls.search(rf"\b{calls.literal(name.rpartition('.')[2])}\b", limit=60)
        return [definition_search(name), *([uses] if intent.kind == CALLERS else [])]
    return text_search(intent.subject) if is_absent else []


def _name(intent: Intent) -> str:
    """Give the name that is asked about, "" where words describe something."""
    bare = intent.subject if re.fullmatch(r"[A-Za-z_][\w.]*", intent.subject) else ""
    return intent.names[0] if intent.names else bare


def _there(call: PlannedCall, folder: str) -> PlannedCall:
    return PlannedCall(call.name, {**call.arguments, "path": folder})


def _say_there(page: Page, intent: Intent, folder: str, results: Sequence[ToolResult]) -> None:
    """Write the best lines of one folder."""
    name = _name(intent)
    found = [hit for result in results for hit in hits(result)]
    lines: Sequence[Hit] = list(dict.fromkeys(found)) if name else best_hits(found, significant(intent.subject))
    if lines:
        page.head(f"In {folder} (text search)")
    for hit in lines[:_MOST_LINES]:
        page.item(code(hit.text), hit.place)
    if not lines:
        page.note(f"nor is “{cut(name or intent.subject, 60)}” found as text in {folder}")
    for note in dict.fromkeys(said(result) for result in results if result.error is not None):
        page.note(note)
