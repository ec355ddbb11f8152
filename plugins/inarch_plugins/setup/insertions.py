"""Insertion of one text into a file, and its removal. All other bytes stay unchanged."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

_BLANK = re.compile(r"[ \t\r\n]*")
_INDENT = re.compile(r"\n([ \t]+)\S")
_DECODER = json.JSONDecoder()


class Member(NamedTuple):
    """A member: the start of its key, and the start and end of its value."""

    key: str
    start: int
    value: int
    end: int


def members(text: str, at: int) -> Iterator[Member]:
    """Yield the members of the object whose brace is at `at`."""
    at = _blank(text, at + 1)
    while text[at] == '"':
        key, end = _DECODER.raw_decode(text, at)
        value = _blank(text, _blank(text, end) + 1)
        _, end = _DECODER.raw_decode(text, value)
        yield Member(key, at, value, end)
        at = _blank(text, end)
        at = _blank(text, at + 1) if text[at] == "," else at


def put_first(text: str, at: int, depth: int, key: str, value: Any) -> str:
    """Return the text to insert after the brace at `at` to add a member, in the style of the file."""
    is_empty = next(members(text, at), None) is None
    if "\n" not in text.strip():
        return f"{json.dumps({key: value})[1:-1]}{'' if is_empty else ', '}"
    found = _INDENT.search(text)
    unit = found[1] if found else "  "
    end = "\r\n" if "\r\n" in text else "\n"
    lines = json.dumps({key: value}, indent=unit).splitlines()[1:-1]
    written = "".join(f"{end}{unit * (depth - 1)}{line}" for line in lines)
    if not is_empty:
        return f"{written},"
    return written if "\n" in text[at : _blank(text, at + 1)] else f"{written}{end}{unit * (depth - 1)}"


def cut_member(text: str, at: int, key: str) -> str:
    """Return the text without a member of the object at `at` and without its comma."""
    found = list(members(text, at))
    place = next(place for place, one in enumerate(found) if one.key == key)
    if place + 1 < len(found):
        return text[: found[place].start] + text[found[place + 1].start :]
    start = found[place - 1].end if place else at + 1
    return text[:start] + text[found[place].end if place else _blank(text, found[place].end) :]


def _blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


Kind = Literal["json", "toml", "paragraph", "whole"]
"""A server in JSON or in TOML, a paragraph at the end of a text, or a whole file."""
SERVERS = {"json": "mcpServers", "toml": "mcp_servers"}
"""The servers' table in Claude Code and in codex."""
NAME = "inarch"
_BOM = "\ufeff"


class CannotInsert(Exception):
    """The file has no place for the text. The message says why."""


class Insertion(NamedTuple):
    """A text and its position in the file, in characters."""

    at: int
    text: str

    def into(self, text: str) -> str:
        """Return the file with the text."""
        return text[: self.at] + self.text + text[self.at :]


def insertion(kind: Kind, text: str | None, content: Any) -> Insertion | None:
    """Return the insertion for a file, or None if the file already has it."""
    if kind in SERVERS:
        before = _read(kind, text)
        after = _with_server(before, kind, content)
        if after == before:
            return None
        put = _into_json(text, content) if kind == "json" else _into_toml(text or "", content)
        if not _says(kind, put.into(text or ""), after):
            raise CannotInsert(f"{SERVERS[kind]} is written in a form that can't be extended")
        return put
    written = content.replace("\n", _line_end(text or ""))
    if written == text or (kind == "paragraph" and written in (text or "")):
        return None
    if kind == "whole" and text is not None:
        raise CannotInsert("it exists and was not written by Inarch")
    return Insertion(len(text or ""), _gap(text or "") + written)


def without(kind: Kind, text: str, put: Insertion, content: Any) -> str | None:
    """Return a file without the insertion, even if the rest has changed, or None if the insertion has changed."""
    if kind == "whole" and text != put.text:
        return None
    at = put.at if text.startswith(put.text, put.at) else text.find(put.text)
    if at != put.at and text.find(put.text, at + 1) >= 0:
        at = -1  # it is not the only place
    cut = text[:at] + text[at + len(put.text) :] if at >= 0 else None
    if kind not in SERVERS or cut == "":
        return cut
    try:
        before = _read(kind, text)
    except CannotInsert:
        return None
    servers = before.get(SERVERS[kind])
    if not isinstance(servers, dict) or servers.get(NAME) != content:
        return None
    del servers[NAME]
    if cut is not None and any(_says(kind, cut, one) for one in (before, _without_empty(before, kind))):
        return cut
    held = _servers_at(text, text.index("{")) if kind == "json" else None
    if held is None:
        return None
    other = cut_member(text, held, NAME)
    return other if any(_says(kind, other, one) for one in (before, _without_empty(before, kind))) else None


def _read(kind: str, text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    try:
        found = json.loads(text.removeprefix(_BOM)) if kind == "json" else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise CannotInsert(f"it is not valid {kind.upper()}: {error}") from None
    if not isinstance(found, dict):
        raise CannotInsert("it is JSON, but not an object")
    return found


def _says(kind: str, text: str, expected: Mapping[str, Any]) -> bool:
    try:
        return _plain(_read(kind, text)) == _plain(expected)
    except CannotInsert:
        return False


def _plain(data: Mapping[str, Any]) -> str:
    """Return a canonical text of data, NaN included."""
    return json.dumps(data, sort_keys=True, default=repr)


def _with_server(before: Mapping[str, Any], kind: str, table: Mapping[str, Any]) -> Mapping[str, Any]:
    servers = before.get(SERVERS[kind], {})
    if not isinstance(servers, dict):
        raise CannotInsert(f"its {SERVERS[kind]} is not a table of servers")
    if servers.get(NAME, table) != table:
        raise CannotInsert(f"its {SERVERS[kind]} has another server named {NAME!r}")
    return before if NAME in servers else {**before, SERVERS[kind]: {**servers, NAME: table}}


def _without_empty(data: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
    """Return data without an empty table of servers, because that came with Inarch's."""
    return {key: value for key, value in data.items() if key != SERVERS[kind] or value}


def _into_json(text: str | None, table: Mapping[str, Any]) -> Insertion:
    if text is None:
        return Insertion(0, json.dumps({SERVERS["json"]: {NAME: table}}, indent=2) + "\n")
    at = text.index("{")
    held = _servers_at(text, at)
    if held is None:
        return Insertion(at + 1, put_first(text, at, 1, SERVERS["json"], {NAME: table}))
    return Insertion(held + 1, put_first(text, held, 2, NAME, table))


def _servers_at(text: str, at: int) -> int | None:
    """Return the position of the brace of the servers' table. If there are several, the last one counts."""
    return next((one.value for one in [*members(text, at)][::-1] if one.key == SERVERS["json"]), None)


def _into_toml(text: str, table: Mapping[str, Any]) -> Insertion:
    rows = (f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in table.items())
    lines = [f"[{SERVERS['toml']}.{NAME}]", *rows, ""]
    return Insertion(len(text), _gap(text) + _line_end(text).join(lines))


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _gap(text: str) -> str:
    """Return the text that ends a text's last line and adds an empty one."""
    end = _line_end(text)
    return "" if not text.removeprefix(_BOM) else end if text.endswith("\n") else end * 2
