"""Mechanical edits through the edit tools: read first, ask through the kernel, say what came of it."""

from __future__ import annotations

from collections.abc import Sequence

from inarch import PlannedCall, ToolResult
from inarch_offline import calls
from inarch_offline.edits import CREATE, DELETE, MOVE, Edit
from inarch_offline.exchange import Plan
from inarch_offline.intents import Intent
from inarch_offline.material import FileText, files, is_changed, said
from inarch_offline.occurrences import Span, lines_around, replaced, spans_of
from inarch_offline.plans.reading import whole_file
from inarch_offline.writing import Page, Place, code, counted, cut, joined


def refuse(intent: Intent) -> Plan:
    """Say which words of an edit were not understood, and what works."""
    refusal = intent.refusal
    assert refusal is not None
    yield from ()
    page = Page()
    part = f"“{cut(refusal.part, 120)}” " if refusal.part else ""
    page.decline(f"Nothing was changed: {part}{refusal.why}.")
    page.plain(f"This works: {refusal.form}")
    page.plain("One edit at a time, spelled out. A change that is only described needs a language model.")
    return page


def edit(intent: Intent) -> Plan:
    """Make the change that the prompt spells out."""
    change = intent.edit
    assert change is not None
    if change.kind == CREATE:
        page = yield from _create(change)
    elif change.kind in (DELETE, MOVE):
        page = yield from _remove_or_move(change)
    else:
        page = yield from _replace(change)
    return page


def _create(change: Edit) -> Plan:
    [result] = yield [PlannedCall("create_file", {"file_path": change.path, "content": change.content})]
    page = Page()
    if result.success and is_changed(result):
        page.plain(f"Created {change.path} as you changed it.")
    elif result.success:
        page.say(f"Created with {counted(len(change.content.splitlines()), 'line')}.", Place(change.path))
    else:
        _say_failure(page, change.path, result, "created")
    return page


def _remove_or_move(change: Edit) -> Plan:
    [read] = yield [calls.read_file(change.path)]
    page = Page()
    if not read.success:
        yield from _say_unreadable(page, change.path, read)
        return page
    if change.kind == DELETE:
        [result] = yield [PlannedCall("delete_file", {"file_path": change.path})]
        done = f"Deleted {change.path}."
    else:
        [result] = yield [PlannedCall("move_file", {"file_path": change.path, "new_path": change.new_path})]
        done = f"Moved {change.path} to {change.new_path}. Imports and links that name it were not changed."
    if result.success:
        page.plain("Done as you changed it." if is_changed(result) else done)
    else:
        _say_failure(page, change.path, result, "deleted" if change.kind == DELETE else "moved")
    return page


def _replace(change: Edit) -> Plan:
    text, read = yield from whole_file(change.path)
    page = Page()
    if text is None:
        yield from _say_unreadable(page, change.path, read)
        return page
    spans = spans_of(change, text.text)
    if text.truncated and change.as_name:
        page.decline(f"Nothing was changed: {change.path} is too long to find every place of a name in it.")
        page.plain("In quotes it is a text, which is replaced wherever it stands, also inside of other names.")
        return page
    if not spans:
        _say_absent(page, change, text)
        return page
    places = [text.place(text.text.count("\n", 0, start)) for start, _ in spans]
    if len(places) > 1 and not change.everywhere:
        page.decline(f"Nothing was changed: “{cut(change.search, 60)}” occurs {_times(places, text)}.")
        page.head("Say “replace all …” to change each of")
        for place in list(dict.fromkeys(places))[:10]:
            page.item(code(_line(text, place)), place)
        return page
    [result] = yield [PlannedCall("patch_source_file", _patch(change, text.text, spans))]
    if result.success and is_changed(result):
        page.plain(f"Changed {change.path} as you changed the edit.")
    elif result.success:
        where = f"{_times(places, text)}, " if len(places) > 1 else ""
        page.say(f"Replaced “{cut(change.search, 60)}” by “{cut(change.replace, 60)}” {where}at", *places[:10])
        _say_left_alone(page, change, text)
        if said(result):
            page.note(said(result))
    else:
        _say_failure(page, change.path, result)
    return page


def _patch(change: Edit, text: str, spans: Sequence[Span]) -> dict[str, object]:
    """Give the arguments of one edit: the text itself, or the lines around names that are parts of others elsewhere."""
    described = f"replace {cut(change.search, 40)!r} by {cut(change.replace, 40)!r}"
    if len(spans) == len(spans_of(change._replace(as_name=False), text)):
        every = {"replace_all": True} if len(spans) > 1 else {}
        pair = {"search": change.search, "replace": change.replace}
        return {"file_path": change.path, **pair, "description": described, **every}
    start, end = lines_around(text, spans)
    inner = [(first - start, last - start) for first, last in spans]
    block = text[start:end]
    changed = replaced(block, inner, change.replace)
    return {"file_path": change.path, "search": block, "replace": changed, "description": described}


def _say_absent(page: Page, change: Edit, text: FileText) -> None:
    where = "the beginning, which is all that was read, of " if text.truncated else ""
    what = f"Nothing was changed: “{cut(change.search, 60)}” does not occur in {where}{change.path}"
    if not spans_of(change._replace(as_name=False), text.text):
        page.decline(f"{what}.")
    elif spans_of(change._replace(attributes=True), text.text):
        page.decline(f"{what} but as an attribute.")
        page.plain(f"Put “, including attributes” behind it: {_told(change)}, including attributes")
    else:
        page.decline(f"{what} as a whole name, only as part of others.")
        page.plain(
            f'In quotes it is a text, wherever it stands: replace all "{change.search}" by "{change.replace}" in …'
        )


def _times(places: Sequence[Place], text: FileText) -> str:
    return counted(len(places), "time", more=text.truncated)


def _say_left_alone(page: Page, change: Edit, text: FileText) -> None:
    """Say how often the name stands there as an attribute, which was not changed."""
    left = len(spans_of(change._replace(attributes=True), text.text)) - len(spans_of(change, text.text))
    if left:
        page.note(
            f"left alone as an attribute of something {counted(left, 'time')}: {_told(change)}, including attributes"
        )


def _told(change: Edit) -> str:
    return f"replace all {change.search} by {change.replace} in {change.path}"


def _line(text: FileText, place: Place) -> str:
    return text.text.split("\n")[place.line - text.start]


def _say_unreadable(page: Page, path: str, read: ToolResult) -> Plan:
    page.decline(f"Nothing was changed: {path} could not be read: {said(read)}")
    [listed] = yield [calls.list_files(f"**/{path.rpartition('/')[2]}", 5)]
    if files(listed):
        page.head(f"Files of that name: {joined(files(listed))}".rstrip(":"))
    return page


def _say_failure(page: Page, path: str, result: ToolResult, deed: str = "changed") -> None:
    code = result.error.code if result.error else "execution"
    if code == "unknown_outcome":
        page.plain(f"It is not known whether {path} was {deed}: {said(result)}")
    elif code == "denied":
        page.plain(f"{path} was not {deed}, it was not allowed: {said(result)}")
    else:
        page.plain(f"{path} was not {deed}: {said(result)}")
