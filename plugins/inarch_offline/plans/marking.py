"""What is still to be done: the marks TODO, FIXME and XXX, each with its place."""

from __future__ import annotations

import re

from inarch_offline import calls
from inarch_offline.exchange import Plan
from inarch_offline.intents import Intent
from inarch_offline.layout import is_aside
from inarch_offline.material import hits, is_partial, said
from inarch_offline.writing import Page, counted, cut

MARKS = r"\b(TODO|FIXME|XXX)\b"
_MOST = 15
_LIMIT = 500


def list_marks(intent: Intent) -> Plan:
    """List the marks, the product's first."""
    [result] = yield [calls.search(MARKS, limit=_LIMIT)]
    inside = intent.subject.strip("./")
    marks = [hit for hit in hits(result) if not inside or hit.path == inside or f"/{hit.path}".find(f"/{inside}/") >= 0]
    found = sorted(marks, key=lambda hit: (is_aside(hit.path), hit.path, hit.line))
    page = Page()
    if not found:
        if result.success:
            page.absent(f"No TODO, FIXME or XXX stands in {'the files of ' + inside if inside else 'the files here'}.")
        else:
            page.plain(f"The files could not be searched: {said(result)}")
        return page
    paths = {hit.path for hit in found}
    more = is_partial(result)
    page.head(f"{counted(len(found), 'mark', more=more)} in {counted(len(paths), 'file', more=more)}")
    for hit in found[:_MOST]:
        mark = re.search(MARKS, hit.text)
        page.item(cut(hit.text[mark.start() :] if mark else hit.text, 84), hit.place)
    if len(found) > _MOST:
        page.item(f"… {len(found) - _MOST:,}{' or more' * more} more", found[_MOST].place)
    return page
