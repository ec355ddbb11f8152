"""Recent changes: of everything, of a file, or of the file in which something is defined."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inarch import ToolResult
from inarch_offline import calls
from inarch_offline.exchange import Asking, Plan
from inarch_offline.intents import Intent
from inarch_offline.material import Commit, commits, file_text, files, hits, said, symbols
from inarch_offline.words import paths_in
from inarch_offline.writing import Page, cut, one_line, shortened

_MOST = 10
_CHANGELOG = r"(?:changelog|changes|history|news|releases?)(?:\.(?:md|rst|txt))?"
_LINES = 60
_SHOWN = 8
_WIDEST = 170
"""Characters of a statement of a changelog: two lines of the widest answer."""
_VERSION = r"(?:(?:version|release) )?v?\d+(?:\.\d+)+\w*"


def recent_changes(intent: Intent) -> Plan:
    """List the last commits; where there is no history, the newest part of the changelog."""
    page = Page()
    if re.fullmatch(_VERSION, intent.subject, re.I):
        yield from _say_changelog(page, re.sub(r"^\D*", "", intent.subject))
        if page.lines:
            return page
    if intent.facet:  # the changelog itself is asked for
        yield from _say_changelog(page)
        if page.lines:
            return page
    path = (yield from _file_of(intent.subject)) if intent.subject else ""
    if intent.subject and not path:
        page.absent(
            f"No file and no definition here is called “{cut(intent.subject, 60)}”; these are the last changes."
        )
    [result] = yield [calls.git_log([path] if path else [], _MOST)]
    found = commits(result)
    if found:
        page.head(f"The last commits that changed {shortened(path)}" if path else "The last commits")
        for one in found:
            page.item(_told(one))
        return page
    if not result.success or not path:
        yield from _say_changelog(page)
    (page.note if page.lines else page.plain)(_why_none(result, path))
    return page


def _file_of(subject: str) -> Asking[str]:
    """Find the file that is named, or in which something of that name is defined; "" if there is none."""
    name = subject.strip(" `'\"").removesuffix("()")
    wanted = next(iter(paths_in(name)), name)
    listed, found = yield [calls.list_files(f"**/{wanted.rpartition('/')[2]}", 20), calls.find_symbols(name, limit=3)]
    exact = [path for path in files(listed) if path == wanted or path.endswith(f"/{wanted}")]
    own = [one.place.path for one in symbols(found) if one.name == name.rpartition(".")[2]]
    return next(iter([*exact, *own]), "")


def _told(one: Commit) -> str:
    return f"{one.commit[:8]}  {one.date[:10]}  {cut(one.subject, 58)} — {one.author.partition(' <')[0]}"


def _why_none(result: ToolResult, path: str) -> str:
    if result.success:
        return f"No commit changed {path}." if path else "There are no commits yet."
    return f"no commits can be told: {said(result)}"


def _is_head(lines: Sequence[str], index: int) -> bool:
    """Whether a line is the heading of a version: marked or underlined, or nothing but a version and a date."""
    if not re.search(r"\d+\.\d+|unreleased", lines[index], re.I):
        return False
    underlined = index + 1 < len(lines) and re.fullmatch(r"[=~^*\"'-]{3,}\s*", lines[index + 1])
    return bool(underlined or re.match(r"#|\[?v?\d+\.\d+[\w.]*\]?\W*[\d\s/().-]*$", lines[index]))


def _say_changelog(page: Page, version: str = "") -> Asking[None]:
    """Show a part of a changelog: what stands below the heading of a version, the first one if none is asked for."""
    [listed] = yield [calls.list_files("*", 500)]
    path = next((path for path in files(listed) if re.fullmatch(_CHANGELOG, path, re.I)), "")
    if not path:
        return
    start = (yield from _line_of(path, version)) if version else 1
    text = file_text((yield [calls.read_file(path, start, start + _LINES - 1)])[0]) if start else None
    if text is None:
        return
    lines = text.text.split("\n")
    heads = [index for index in range(len(lines)) if _is_head(lines, index)]
    if not heads:
        return
    first = heads[0]
    page.head(f"What {path} says of {version}" if version else f"The newest part of {path}")
    page.item(one_line(_unlinked(lines[first]).strip("#*=[] ")), text.place(first))
    end = heads[1] if len(heads) > 1 else len(lines)
    told = _statements(lines, first + 1, end)
    for index, statement in told[:_SHOWN]:
        page.item(cut(_unlinked(statement), _WIDEST), text.place(index))
    if len(told) > _SHOWN:
        page.item("… and more", text.place(told[_SHOWN][0]))


def _unlinked(text: str) -> str:
    """Give the words of Markdown's links without where they lead."""
    return re.sub(r"\[([^\[\]]+)\]\([^()\s]*\)", r"\1", text)


def _statements(lines: Sequence[str], first: int, end: int) -> list[tuple[int, str]]:
    """Read items of lists, paragraphs and headings, each whole however many lines it takes, with its first line."""
    found: list[tuple[int, str]] = []
    goes_on = False
    for index in range(first, end):
        line = lines[index]
        text = line.replace("**", "").strip("#*- ")
        if goes_on and re.search(r"\w", text) and not re.match(r"\s*(?:[-*+#]|\d+\.)\s|#", line):
            found[-1] = (found[-1][0], f"{found[-1][1]} {text}")
            continue
        goes_on = bool(re.search(r"[A-Za-z]{3}", text))
        if goes_on:
            found.append((index, text))
            goes_on = not line.startswith("#")
    return found


def _line_of(path: str, version: str) -> Asking[int]:
    """Find the line of the heading of a version; 0 if the changelog has none."""
    number = rf"(^|[^\w.]|v){calls.literal(version)}"
    exact, within = yield [
        calls.search(rf"{number}($|[^\w.]|\.$)", path=path, limit=20),
        calls.search(rf"{number}\.[0-9]+($|[^\w.])", path=path, limit=20),  # 1.3.0 for 1.3
    ]
    for hit in (*hits(exact), *hits(within)):
        text = file_text((yield [calls.read_file(path, hit.line, hit.line + 1)])[0])
        if text is not None and _is_head(text.text.split("\n"), 0):
            return hit.line
    return 0
