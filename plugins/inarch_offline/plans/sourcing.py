"""The code of a definition, line by line."""

from __future__ import annotations

from inarch_offline import calls
from inarch_offline.exchange import Plan
from inarch_offline.intents import Intent
from inarch_offline.material import context
from inarch_offline.plans.naming import is_named
from inarch_offline.plans.outlining import explain_file
from inarch_offline.plans.reading import whole_code
from inarch_offline.plans.searching import say_symbols
from inarch_offline.words import paths_in
from inarch_offline.writing import Page, Place, cut, shortened

_MOST = 60
_ALL = 400
_COLUMNS = 200


def show(intent: Intent) -> Plan:
    """Show what stands there, with the numbers of the lines."""
    page = Page()
    if not intent.subject:
        page.decline("The last answer was about no single definition. Name the one whose code you want to see.")
        return page
    [result] = yield [calls.context_get(intent.subject)]
    found = context(result)
    target = found.target
    if paths_in(intent.subject) == (intent.subject,) or (target is not None and target.kind == "module"):
        path = target.place.path if target is not None and target.kind == "module" else intent.subject
        page = yield from explain_file(intent._replace(path=path))
    elif target is None or not is_named(intent, target):
        page.absent(f"Nothing here is called “{cut(intent.subject, 60)}”.")
        say_symbols(page, "Definitions with similar words", found.candidates, 4)
    else:
        target = yield from whole_code(target)
        page.say(f"{target.kind} `{shortened(target.qualname)}`", target.place)
        lines = target.code.splitlines()
        shown = lines[: _ALL if intent.long else _MOST]
        page.code([line[:_COLUMNS] for line in shown], target.place.line)
        end = max(target.end, target.place.line + len(lines) - 1)
        if target.place.line + len(shown) <= end:
            page.item("… the rest", Place(target.place.path, target.place.line + len(shown)))
    return page
