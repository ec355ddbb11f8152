"""Edits that a prompt spells out: replace, replace all, create, delete and move.

If any word of a sentence is not understood, nothing changes: the result is a `Refusal` with a form that works.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from inarch import PlannedCall, ToolResult
from inarch_brief.offline import calls
from inarch_brief.offline.calls import whole_file
from inarch_brief.offline.page import Page, Plan, code, counted, cut, joined
from inarch_brief.offline.results import FileText, Place, files, is_changed, said

if TYPE_CHECKING:
    from inarch_brief.offline.intents import Intent

REPLACE, CREATE, DELETE, MOVE = "replace", "create", "delete", "move"
_TEXT = r"(?:```[\w-]*\n(?P<{0}_f>.*?)\n?```|\"(?P<{0}_d>[^\"]*)\"|'(?P<{0}_s>[^']*)'|`(?P<{0}_n>[^`]*)`{1})"
_BARE = r"|(?P<{0}_b>\S*[^\s.,;:!?\"'`])"
_PATH = r"(?P<q{0}>[`'\"]?)@?(?:\./)?(?P<{0}>[^\s`'\"]*[^\s`'\".,;:!?])(?P=q{0})"
_OLD, _NEW = (_TEXT.format(name, _BARE.format(name)) for name in ("old", "new"))
_END = r"[\s.!?]*(?:,?\s*\b(?:please|thanks|thank you)\b)?[\s.!?]*"
_FORMS = {
    REPLACE: rf"replace\s+(?P<all>all\s+)?{_OLD}\s+(?:by|with)\s+{_NEW}\s+in\s+{_PATH.format('path')}"
    rf"(?P<also>,?\s+including attributes)?{_END}",
    CREATE: rf"create\s+(?:(?:an?|new|empty|file)\s+)*{_PATH.format('path')}"
    rf"(?:\s+(?:with|containing)\s*:?\s*{_TEXT.format('text', '')})?{_END}",
    DELETE: rf"(?:delete|remove)\s+(?:the\s+)?(?:file\s+)?{_PATH.format('path')}{_END}",
    MOVE: rf"(?:move|rename)\s+(?:the\s+)?(?:file\s+)?{_PATH.format('path')}\s+to\s+{_PATH.format('to')}{_END}",
}
_AT = r"^\w+\s+(?:the )?(?:file )?[`'\"]?(?P<path>[\w@+-]*[./][\w./@+-]*\w)"
_BEGUN = {
    "replace": (REPLACE, r"\sin\s+[`'\"]?(?P<path>[\w@+-]*[./][\w./@+-]*\w)", 'replace "old text" by "new text" in {}'),
    "create": (CREATE, r"^create\s+(?:an? |new |empty )*file\s+[`'\"]?(?P<path>\S+)", 'create file {} with "text"'),
    "delete": (DELETE, _AT, "delete {}"),
    "remove": (DELETE, _AT, "delete {}"),
    "move": (MOVE, _AT, "move {} to FOLDER/NAME"),
    "rename": (MOVE, _AT, "move {} to FOLDER/NAME"),
}
"""By first word: the kind, the pattern of the file that marks a sentence as an edit, and a form that works."""
_NAME = r"\w+(?:\.\w+)*"
_PATH_LIKE = r"[\w@+-]*[./][\w./@+-]*\w|[A-Z]\w*file|LICENSE|README"
_MOST_CHARACTERS = 4_000
"""A longer sentence is not an edit, except for the text of a new file."""
_MORE_OF_A_NAME = {"$": ("js", "jsx", "mjs", "cjs", "ts", "tsx", "java", "kt"), "-": ("css", "scss", "html", "xml")}
"""Characters of names besides letters, digits and the underscore, by file ending."""

Span = tuple[int, int]


class Edit(NamedTuple):
    """A change, word for word as the user gave it.

    Args:
        as_name: `search` is a name or a number: it is replaced as a whole, never inside of others.
        attributes: Also if the name is an attribute of something.
    """

    kind: str
    path: str
    search: str = ""
    replace: str = ""
    everywhere: bool = False
    content: str = ""
    new_path: str = ""
    as_name: bool = False
    attributes: bool = False


class Refusal(NamedTuple):
    """A sentence that begins as an edit but was not fully understood, and a form that works."""

    part: str
    form: str


def edit_of(prompt: str) -> Edit | Refusal | None:
    """Read an edit from a prompt, or return None if it does not ask for one."""
    begun = re.match(r"\s*(?:(?:please|can you|could you|now)[\s,]+)*(\w+)", prompt, re.I)
    if begun is None or begun[1].lower() not in _BEGUN:
        return None
    text, (kind, names_file, works) = prompt[begun.start(1) :], _BEGUN[begun[1].lower()]
    if len(text) > _MOST_CHARACTERS and kind != CREATE:
        return None
    found = re.fullmatch(_FORMS[kind], text, re.I | re.S)
    if found and re.fullmatch(_PATH_LIKE, found["path"]):
        return _read(kind, found)
    file = re.search(names_file, text, re.I)
    return Refusal(" ".join(text.split()), works.format(file["path"])) if file else None


def _read(kind: str, found: re.Match[str]) -> Edit:
    path = found["path"]
    if kind == CREATE:
        text = _text(found, "text")
        return Edit(CREATE, path, content=text if not text or text.endswith("\n") else text + "\n")
    if kind != REPLACE:
        return Edit(kind, path, new_path=found["to"] if kind == MOVE else "")
    old = _text(found, "old")
    is_bare = found["old_n"] is not None or found["old_b"] is not None
    as_name = is_bare and bool(re.fullmatch(_NAME, old))
    return Edit(REPLACE, path, old, _text(found, "new"), bool(found["all"]), "", "", as_name, bool(found["also"]))


def _text(found: re.Match[str], name: str) -> str:
    return next((text for kind in "fdsnb" if (text := found.groupdict().get(f"{name}_{kind}")) is not None), "")


def spans_of(change: Edit, text: str) -> list[Span]:
    """Return the places that a replacement changes. Those of a text do not overlap."""
    if not change.search:
        return []
    if not change.as_name:
        return [found.span() for found in re.finditer(re.escape(change.search), text)]
    ending = change.path.rpartition(".")[2]
    also = "".join(re.escape(sign) for sign, endings in _MORE_OF_A_NAME.items() if ending in endings)
    point = (".", r"|\.\d") if change.search[0].isdigit() else ("", "")  # of a number, with its decimals
    whole = rf"(?<![\w{also}{point[0]}]){re.escape(change.search)}(?![\w{also}]{point[1]})"
    found = [match.span() for match in re.finditer(whole, text)]
    return found if change.attributes else [span for span in found if not _is_attribute(text, span[0])]


def _is_attribute(text: str, start: int) -> bool:
    before = text[max(start - 3, 0) : start]
    return before.endswith(("->", "::")) or (before.endswith(".") and not before.endswith(".."))


def patched(change: Edit, text: str, spans: list[Span]) -> dict[str, object]:
    """Return the arguments of one edit: the text itself, or whole lines if the name also occurs inside others."""
    described = f"replace {change.search[:40]!r} by {change.replace[:40]!r}"
    if len(spans) == len(spans_of(change._replace(as_name=False), text)):
        every = {"replace_all": True} if len(spans) > 1 else {}
        pair = {"search": change.search, "replace": change.replace}
        return {"file_path": change.path, **pair, "description": described, **every}
    start = text.rfind("\n", 0, spans[0][0]) + 1
    while start and text.find(text[start : spans[-1][1]]) != start:
        start = text.rfind("\n", 0, start - 1) + 1
    end = spans[-1][1]
    while end < len(text) and text.find(text[start:end], start + 1) >= 0:
        end += 1
    kept, last = [], start
    for first, behind in spans:
        kept += [text[last:first], change.replace]
        last = behind
    changed = "".join([*kept, text[last:end]])
    return {"file_path": change.path, "search": text[start:end], "replace": changed, "description": described}


def edit(intent: Intent) -> Plan:
    """Make the change that a prompt spells out, or say why not."""
    change, page = intent.edit, Page()
    if not isinstance(change, Edit):
        assert change is not None
        page.decline(f"Nothing was changed: “{cut(change.part, 120)}” was not understood to its last word.")
        page.plain(f"This works: {change.form}")
        page.plain("One edit at a time, spelled out. A change that is only described needs a language model.")
        return page
    if change.kind == REPLACE:
        page = yield from _replace(change)
        return page
    if change.kind == CREATE:
        [result] = yield [PlannedCall("create_file", {"file_path": change.path, "content": change.content})]
        if result.success and not is_changed(result):
            page.say(f"Created with {counted(len(change.content.splitlines()), 'line')}.", Place(change.path))
            return page
        _say(page, change.path, result, "created", f"Created {change.path} as you changed it.")
        return page
    [read] = yield [calls.read_file(change.path)]
    if not read.success:
        yield from _say_unreadable(page, change.path, read)
    elif change.kind == DELETE:
        [result] = yield [PlannedCall("delete_file", {"file_path": change.path})]
        _say(page, change.path, result, "deleted", f"Deleted {change.path}.")
    else:
        [result] = yield [PlannedCall("move_file", {"file_path": change.path, "new_path": change.new_path})]
        done = f"Moved {change.path} to {change.new_path}. Imports and links that name it were not changed."
        _say(page, change.path, result, "moved", done)
    return page


def _replace(change: Edit) -> Plan:
    text, read = yield from whole_file(change.path)
    page = Page()
    if text is None:
        yield from _say_unreadable(page, change.path, read)
        return page
    spans = spans_of(change, text.text)
    if not spans or (text.truncated and change.as_name):
        _say_absent(page, change, text)
        return page
    places = [text.place(text.text.count("\n", 0, start)) for start, _ in spans]
    times = counted(len(places), "time", more=text.truncated)
    if len(places) > 1 and not change.everywhere:
        page.decline(f"Nothing was changed: “{cut(change.search, 60)}” occurs {times}.")
        page.head("Say “replace all …” to change each of")
        for place in list(dict.fromkeys(places))[:10]:
            page.item(code(text.text.split("\n")[place.line - text.start]), place)
        return page
    [result] = yield [PlannedCall("patch_source_file", patched(change, text.text, spans))]
    if not result.success or is_changed(result):
        _say(page, change.path, result, "changed", "")
        return page
    where = f"{times}, " if len(places) > 1 else ""
    page.say(f"Replaced “{cut(change.search, 60)}” by “{cut(change.replace, 60)}” {where}at", *places[:10])
    left = len(spans_of(change._replace(attributes=True), text.text)) - len(spans)
    if left:
        page.note(
            f"left alone as an attribute of something {counted(left, 'time')}; put “, including attributes” behind it"
        )
    return page


def _say_absent(page: Page, change: Edit, text: FileText) -> None:
    where = "the beginning, which is all that was read, of " if text.truncated else ""
    why = " as a whole name. In quotes it is a text, and replaced inside of other names, too"
    if not spans_of(change._replace(as_name=False), text.text):
        why = ""
    elif not text.truncated and spans_of(change._replace(attributes=True), text.text):
        why = " except as an attribute. Put “, including attributes” behind it"
    page.decline(f"Nothing was changed: “{change.search[:60]}” does not occur in {where}{change.path}{why}.")


def _say_unreadable(page: Page, path: str, read: ToolResult) -> Plan:
    page.decline(f"Nothing was changed: {path} could not be read: {said(read)}")
    [listed] = yield [calls.list_files(f"**/{path.rpartition('/')[2]}", 5)]
    if files(listed):
        page.plain(f"Files of that name: {joined(files(listed))}")
    return page


def _say(page: Page, path: str, result: ToolResult, deed: str, done: str) -> None:
    """Write the result of a call."""
    if result.success:
        page.plain(f"Changed {path} as you changed the edit." if is_changed(result) and deed != "created" else done)
        return
    why = {
        "unknown_outcome": f"It is not known whether {path} was {deed}",
        "denied": f"{path} was not {deed}, it was not allowed",
    }
    page.plain(f"{why.get(result.error.code if result.error else '', f'{path} was not {deed}')}: {said(result)}")
