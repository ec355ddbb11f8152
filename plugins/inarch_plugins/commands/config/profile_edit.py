"""Edits of a table in the user's file that change one key and nothing else.

Each edit is checked by parsing the new text. If it does not mean exactly what was intended, nothing is written.
"""

from __future__ import annotations

import json
import re
import tomllib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

from inarch import ConfigError, UsageError
from inarch_lib.staging import make_folder, write_whole
from inarch_lib.toml import key_lines, loads

_REST = "..."


def chosen_profile(path: Path) -> str:
    """Return the profile selected in the user's file."""
    name = _parsed(path, _read(path)).get("profile")
    return name if isinstance(name, str) else "default"


def listed_plugins(path: Path, profile: str) -> list[str]:
    """Return a profile's list of plugins as the user's file has it, `["..."]` if it has none."""
    names = _parsed(path, _read(path)).get("profiles", {}).get(profile, {}).get("plugins")
    return [_REST] if names is None else list(names)


def enable(path: Path, profile: str, plugin: str) -> bool:
    """Add the plugin to the profile's list; return whether it was missing."""

    def grown(names: Any) -> list[str]:
        return [*([_REST] if names is None else names), *([] if plugin in (names or ()) else [plugin])]

    edits = (
        lambda table: table.setdefault("plugins", [_REST]).append(plugin),
        lambda table: table.setdefault("plugins", [_REST]).add_line(plugin),  # handles a comment after the last name
    )
    return _change(path, _Change(("profiles", profile), "plugins", grown, edits, lines_to_add(profile, plugin)))


def set_key(path: Path, table: tuple[str, str], key: str, value: str) -> bool:
    """Set a key of a table, such as `("profiles", "default")`, to a text; return whether that changed the value."""

    edits = (lambda table: table.__setitem__(key, value),)
    return _change(path, _Change(table, key, lambda _: value, edits, f"{_header(table)} {key} = {json.dumps(value)}"))


class _Change(NamedTuple):
    """A change to a key of a table: the new value, the edit of a tomlkit table, and the text to write by hand."""

    table: tuple[str, str]
    key: str
    wanted: Callable[[Any], object]
    edits: Sequence[Callable[[Any], object]]
    by_hand: str


def _change(path: Path, change: _Change) -> bool:
    data, (kind, name) = _read(path), change.table
    tables = _parsed(path, data)
    if kind == "profiles" and name != "default" and name not in tables.get(kind, {}):
        raise UsageError(f"{path} has no profile {name!r}", f"write it there: {change.by_hand}")
    wanted = deepcopy(tables)
    table = wanted.setdefault(kind, {}).setdefault(name, {})
    table[change.key] = change.wanted(table.get(change.key))
    if wanted == tables:
        return False
    mark = data[: len(BOM_UTF8)] if data.startswith(BOM_UTF8) else b""
    text = data[len(mark) :].decode()
    line = _line(text, kind, name, change.key) if tables.get(kind) else None  # of the nearest table without the key
    for changed in _candidates(text, line, change):
        if _says(changed, wanted):
            _write(path, mark + changed.encode())
            return True
    remedy = f"write it by hand: {change.by_hand}"
    raise UsageError(f"{path} is written in a way that can't be changed safely", remedy)


def lines_to_add(profile: str, plugin: str) -> str:
    """Return the text to add to a profile without its own list."""
    return f"{_header(('profiles', profile))} plugins = {json.dumps([_REST, plugin])}"


def naming(path: Path, plugin: str) -> tuple[str, ...]:
    """Return each line of the user's file at which a profile names the plugin."""
    data = _read(path)
    tables, text = _parsed(path, data), data.decode("utf-8-sig")
    found = []
    for profile, table in tables.get("profiles", {}).items():
        names = table.get("plugins", ()) if isinstance(table, dict) else ()
        if plugin in names:
            line = _line(text, "profiles", profile, "plugins", names.index(plugin))
            found.append(f"{path}:{line}: profiles.{_key(profile)}.plugins")
    return tuple(found)


def _candidates(text: str, line: int | None, change: _Change) -> Iterator[str]:
    """Yield candidates for the changed text, the most readable first.

    Only the statement at `line` passes through tomlkit, because it does not preserve a whole file.
    """
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    start = len(lines) if line is None else line - 1
    runs = ("".join(lines[start : start + count]) for count in range(1, len(lines) - start + 1))
    before, statement = "".join(lines[:start]), next(filter(_says, runs), "")  # the first run that is valid TOML
    after = text[len(before) + len(statement) :]
    end = "\r\n" if "\r\n" in (statement if "\n" in statement else text) else "\n"
    addition = f"{change.key} = {json.dumps(change.wanted(None))}{end}"
    if statement.lstrip().startswith("["):  # right below the header, so that no comment is separated from its key
        yield f"{before}{statement}{'' if statement.endswith(end) else end}{addition}{after}"
    elif statement:
        for changed in _edited(statement.replace(end, "\n"), change):
            yield f"{before}{changed.replace(chr(10), end)}{after}"
    gap = "" if not text else end if text.endswith("\n") else end * 2
    yield f"{text}{gap}{_header(change.table)}{end}{addition}"


def _edited(statement: str, change: _Change) -> Iterator[str]:
    """Yield the changed statement, trying as table header each part of the table's name."""
    from tomlkit import parse
    from tomlkit.exceptions import TOMLKitError

    for names in (change.table, change.table[1:], ()):
        for edit in change.edits:  # each attempt starts with the original statement
            try:
                document: Any = parse(statement)
                inner = document
                for name in names:
                    inner = inner.setdefault(name, {})
                edit(inner)
                yield document.as_string()
            except (TOMLKitError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
                continue


def _says(text: str, wanted: Mapping[str, Any] | None = None) -> bool:
    """Return whether a text is valid TOML with the wanted meaning."""
    try:
        found = tomllib.loads(text)
    except (ValueError, RecursionError):
        return False
    return wanted is None or found == wanted


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}") from None


def _parsed(path: Path, data: bytes) -> dict[str, Any]:
    try:
        return loads(data.decode("utf-8-sig").replace("\r\n", "\n"))
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"is not valid TOML: {error}", source=str(path)) from error


def _line(text: str, *path: str | int) -> int:
    """Return the line of a key, or of the nearest table around it."""
    lines = key_lines(text.replace("\r\n", "\n"))
    return next((lines[path[:length]] for length in range(len(path), 0, -1) if path[:length] in lines), 1)


def _write(path: Path, data: bytes) -> None:
    real = path.resolve()  # a link into a folder of dotfiles remains a link
    try:
        make_folder(real.parent)
        write_whole(real, data, mode=real.stat().st_mode & 0o777 if real.exists() else 0o600)
    except OSError as error:
        raise UsageError(f"{path} can't be written: {error.strerror}") from error


def _header(table: Sequence[str]) -> str:
    return f"[{'.'.join(map(_key, table))}]"


def _key(name: str) -> str:
    bare = name.replace("-", "").replace("_", "").isalnum() and name.isascii()
    return name if bare else json.dumps(name)
