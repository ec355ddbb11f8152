"""Recent changes: of everything, of a file, or of the file with a definition."""

from __future__ import annotations

import re

from inarch_brief.offline import calls
from inarch_brief.offline.calls import whole_file
from inarch_brief.offline.intents import Intent
from inarch_brief.offline.page import Asking, Page, Plan, cut, shortened
from inarch_brief.offline.prose import facts_of
from inarch_brief.offline.results import Symbol, commits, files, said, symbols
from inarch_brief.offline.words import paths_in

_MOST, _SHOWN = 10, 9
_CHANGELOG = r"(?:changelog|changes|history|news|releases?)(?:\.(?:md|rst|txt))?"
_HEAD = (
    r"^#.*(?:\d+\.\d+|unreleased)|^\W?(?:version |release )?v?(?:\d+\.\d+[\w.]*|unreleased)\W*(?:[\d\s/().-]*$|.*\d{4})"
)
"""The heading of a version: marked, or only a version and a date."""
_VERSION = r"(?:(?:version|release) )?v?\d+(?:\.\d+)+\w*"


def recent_changes(intent: Intent) -> Plan:
    """List the last commits; without a history, the newest part of the changelog."""
    page = Page()
    is_version = bool(re.fullmatch(_VERSION, intent.subject, re.I))
    if is_version or intent.facet:
        yield from _say_changelog(page, re.sub(r"^\D*", "", intent.subject) if is_version else "")
        if page.lines:
            return page
    path = (yield from _file_of(intent.subject)) if intent.subject else ""
    if intent.subject and not path:
        page.absent(
            f"No file and no definition here is called “{cut(intent.subject, 60)}”; these are the last changes."
        )
    [result] = yield [calls.git_log([path] if path else [], _MOST)]
    if found := commits(result):
        page.head(f"The last commits that changed {shortened(path)}" if path else "The last commits")
        for one in found:
            page.item(f"{one.commit[:8]}  {one.date[:10]}  {cut(one.subject, 58)} — {one.author.partition(' <')[0]}")
        return page
    if not result.success or not path:
        yield from _say_changelog(page)
    why = (f"No commit changed {path}." if path else "There are no commits yet.") if result.success else ""
    (page.note if page.lines else page.plain)(why or f"no commits can be told: {said(result)}")
    return page


def _file_of(subject: str) -> Asking[str]:
    """Find the file of a name, or the file that defines it; "" without one."""
    name = subject.strip(" `'\"").removesuffix("()")
    wanted = next(iter(paths_in(name)), name)
    listed, found = yield [calls.list_files(f"**/{wanted.rpartition('/')[2]}", 20), calls.find_symbols(name, limit=3)]
    exact = [path for path in files(listed) if path == wanted or path.endswith(f"/{wanted}")]
    own = [one.place.path for one in symbols(found) if one.name == name.rpartition(".")[2]]
    return next(iter([*exact, *own]), "")


def _say_changelog(page: Page, version: str = "") -> Asking[None]:
    """Show the changelog below the heading of a version, by default the first one."""
    [listed] = yield [calls.list_files("*", 500)]
    path = next((path for path in files(listed) if re.fullmatch(_CHANGELOG, path, re.I)), "")
    if not path:
        return
    text, _ = yield from whole_file(path)
    lines = text.text.split("\n") if text else []
    wanted = rf"(?:^|[^\w.]|v){re.escape(version)}(?:$|[^\w]|\.[0-9])" if version else ""
    heads = [index for index, line in enumerate(lines) if re.search(_HEAD, line, re.I)]
    first = next((index for index in heads if re.search(wanted, lines[index])), None)
    if text is None or first is None:
        return
    end = next((index for index in heads if index > first), len(lines))
    part = text._replace(text="\n".join(lines[first:end]), start=text.start + first)
    facts = facts_of(part, Symbol("", "section", part.place(0), 0, "", "", False), _SHOWN + 1)
    page.head(f"What {path} says of {version}" if version else f"The newest part of {path}")
    for fact in facts[:_SHOWN]:
        page.item(cut(fact.text.replace("**", ""), 170), fact.place)
    if facts[_SHOWN:]:
        page.item("… and more", facts[-1].place)
