"""Recent changes: of everything, of a file, or of the file in which something is defined."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inarch_offline import calls
from inarch_offline.exchange import Asking, Plan
from inarch_offline.intents import Intent
from inarch_offline.page import Page, cut, shortened
from inarch_offline.prose import facts_of
from inarch_offline.results import Symbol, commits, file_text, files, hits, said, symbols
from inarch_offline.words import paths_in

_MOST, _SHOWN, _LINES = 10, 8, 60
_CHANGELOG = r"(?:changelog|changes|history|news|releases?)(?:\.(?:md|rst|txt))?"
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
    """Find the file that is named, or in which something of that name is defined; "" if there is none."""
    name = subject.strip(" `'\"").removesuffix("()")
    wanted = next(iter(paths_in(name)), name)
    listed, found = yield [calls.list_files(f"**/{wanted.rpartition('/')[2]}", 20), calls.find_symbols(name, limit=3)]
    exact = [path for path in files(listed) if path == wanted or path.endswith(f"/{wanted}")]
    own = [one.place.path for one in symbols(found) if one.name == name.rpartition(".")[2]]
    return next(iter([*exact, *own]), "")


def _say_changelog(page: Page, version: str = "") -> Asking[None]:
    """Show what a changelog says below the heading of a version, the first one if none is asked for."""
    [listed] = yield [calls.list_files("*", 500)]
    path = next((path for path in files(listed) if re.fullmatch(_CHANGELOG, path, re.I)), "")
    if not path:
        return
    starts = [1]
    if version:
        [found] = yield [calls.search(rf"(^|[^\w.]|v){calls.literal(version)}($|[^\w]|\.[0-9])", path=path, limit=20)]
        starts = [hit.line for hit in hits(found)]
    results = (yield [calls.read_file(path, start, start + _LINES - 1) for start in starts]) if starts else []
    for text in map(file_text, results):
        lines = text.text.split("\n") if text else []
        heads = [index for index in range(len(lines)) if _is_head(lines, index)]
        if text is None or not heads or (version and heads[0]):
            continue
        end = heads[1] if len(heads) > 1 else len(lines)
        part = text._replace(text="\n".join(lines[heads[0] : end]), start=text.start + heads[0])
        section = Symbol("", "section", part.place(0), 0, "", "", False)
        page.head(f"What {path} says of {version}" if version else f"The newest part of {path}")
        facts = [one for one in facts_of(part, section, _SHOWN + 2) if re.search(r"\w", one.text)]
        for fact in facts[: _SHOWN + 1]:
            page.item(cut(fact.text.replace("**", ""), 170), fact.place)
        if len(facts) > _SHOWN + 1:
            page.item("… and more", facts[-1].place)
        return


def _is_head(lines: Sequence[str], index: int) -> bool:
    """Whether a line is the heading of a version: marked or underlined, or nothing but a version and a date."""
    if not re.search(r"\d+\.\d+|unreleased", lines[index], re.I):
        return False
    underlined = index + 1 < len(lines) and re.fullmatch(r"[=~^*\"'-]{3,}\s*", lines[index + 1])
    return bool(underlined or re.match(r"#|\[?v?\d+\.\d+[\w.]*\]?\W*[\d\s/().-]*$", lines[index]))
