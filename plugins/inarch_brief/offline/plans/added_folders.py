"""Added folders: a text search, since the index covers only the root."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inarch import PlannedCall
from inarch_brief.offline import calls
from inarch_brief.offline.intents import CALLEES, CALLERS, EDIT, EXPLAIN, HELP, NEEDS_MODEL, REFUSED, UNCLEAR, Intent
from inarch_brief.offline.lookup import best_hits, definition_search, text_search
from inarch_brief.offline.page import Plan, cut, joined, say_hits
from inarch_brief.offline.results import hits, said
from inarch_brief.offline.words import significant

_MOST_FOLDERS, _MOST_LINES = 4, 5
_NOTHING = ("Nothing here ", "Probably not here")


def looked_for_beside(plan: Plan, intent: Intent, added: Sequence[str]) -> Plan:
    """Answer, and add results from added folders: for a name always, for words if the root has no clear answer."""
    page = yield from plan
    if intent.kind in (EDIT, REFUSED, HELP, UNCLEAR, NEEDS_MODEL) or intent.path.startswith("+"):
        return page
    bare = intent.subject if re.fullmatch(r"[A-Za-z_][\w.]*", intent.subject) else ""
    name = intent.names[0] if intent.names else bare
    wanted: list[PlannedCall] = []
    if intent.kind in (EXPLAIN, CALLERS, CALLEES):
        is_absent = any(line.startswith(_NOTHING) for line in page.lines)
        uses = calls.search(rf"\b{calls.literal(name.rpartition('.')[2])}\b", limit=60)
        by_name = [definition_search(name), *([uses] if intent.kind == CALLERS else [])] if name else []
        wanted = by_name or (text_search(intent.subject) if is_absent else [])
    if not wanted:
        page.note(f"only the folder that you work in was looked at, not {joined([f'+{one}' for one in added], 4)}")
        return page
    for folder in [f"+{one}" for one in added[:_MOST_FOLDERS]]:
        results = yield [PlannedCall(call.name, {**call.arguments, "path": folder}) for call in wanted]
        found = list(dict.fromkeys(hit for result in results for hit in hits(result)))
        lines = found if name else best_hits(found, significant(intent.subject))
        if not say_hits(page, f"In {folder} (text search)", lines, _MOST_LINES):
            page.note(f"nor is “{cut(name or intent.subject, 60)}” found as text in {folder}")
        for note in dict.fromkeys(said(result) for result in results if result.error is not None):
            page.note(note)
    return page
