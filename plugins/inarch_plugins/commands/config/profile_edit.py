"""Writing a plugin's name or a key into a profile of the user's file: nothing else is touched.

Every edit is checked by reading the new text: if it doesn't say exactly what was meant, nothing is written.
"""

from __future__ import annotations

import json
import re
import tomllib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from inarch import ConfigError, UsageError
from inarch_lib.staging import make_folder, write_whole
from inarch_lib.toml import key_lines, loads

_REST = "..."


def chosen_profile(path: Path) -> str:
    """Return the profile that the user's file chooses."""
    name = _parsed(path, _read(path)).get("profile")
    return name if isinstance(name, str) else "default"


def enable(path: Path, profile: str, plugin: str) -> bool:
    """Write the plugin's name into the profile's list; return whether it was not there before.

    Args:
        path: The user's file, which is made if there is none.
        profile: The profile, which the file has or which is the built-in one.
        plugin: The plugin's name.

    Raises:
        ConfigError: The file is no TOML.
        UsageError: It can't be read, changed safely or written; the remedy is what to write by hand.
    """

    def grown(names: Any) -> list[str]:
        return [*([_REST] if names is None else names), *([] if plugin in (names or ()) else [plugin])]

    def edits(table: Any) -> Iterator[Callable[[], object]]:
        names = table.setdefault("plugins", [_REST])
        yield lambda: names.append(plugin)
        yield lambda: names.add_line(plugin)  # only this sees a comment that goes on behind the last name

    return _change(path, profile, _Change("plugins", grown, edits, lines_to_add(profile, plugin)))


def set_key(path: Path, profile: str, key: str, value: str) -> bool:
    """Write a text into the profile under a key; return whether another one, or none, stood there.

    Raises:
        ConfigError: The file is no TOML.
        UsageError: It can't be read, changed safely or written; the remedy is what to write by hand.
    """

    def edits(table: Any) -> Iterator[Callable[[], object]]:
        yield lambda: table.__setitem__(key, value)

    by_hand = f"[profiles.{_key(profile)}] {key} = {json.dumps(value)}"
    return _change(path, profile, _Change(key, lambda _: value, edits, by_hand))


class _Change(NamedTuple):
    """A change to a key of a profile: what it comes to, what does it to a table of tomlkit's, what to write by hand."""

    key: str
    wanted: Callable[[Any], object]
    edits: Callable[[Any], Iterator[Callable[[], object]]]
    by_hand: str


def _change(path: Path, profile: str, change: _Change) -> bool:
    data = _read(path)
    tables = _parsed(path, data)
    profiles = tables.get("profiles", {})
    if profile != "default" and profile not in profiles:
        raise UsageError(f"{path} has no profile {profile!r}", f"write it there: {change.by_hand}")
    wanted = deepcopy(tables)
    table = wanted.setdefault("profiles", {}).setdefault(profile, {})
    table[change.key] = change.wanted(table.get(change.key))
    if wanted == tables:
        return False
    mark = data[: len(BOM_UTF8)] if data.startswith(BOM_UTF8) else b""
    text = data[len(mark) :].decode()
    line = _line(text, "profiles", profile, change.key) if profiles else None  # of the nearest table without the key
    for changed in _candidates(text, line, profile, change):
        if _says(changed, wanted):
            _write(path, mark + changed.encode())
            return True
    remedy = f"write it by hand: {change.by_hand}"
    raise UsageError(f"{path} is written in a way that can't be changed safely", remedy)


def lines_to_add(profile: str, plugin: str) -> str:
    """Return what to write where a profile has no list of its own."""
    return f"[profiles.{_key(profile)}] plugins = {json.dumps([_REST, plugin])}"


def naming(path: Path, plugin: str) -> tuple[str, ...]:
    """Return each place of the user's file where a profile names the plugin."""
    data = _read(path)
    tables, text = _parsed(path, data), data.decode("utf-8-sig")
    found = []
    for profile, table in tables.get("profiles", {}).items():
        names = table.get("plugins", ()) if isinstance(table, dict) else ()
        if plugin in names:
            line = _line(text, "profiles", profile, "plugins", names.index(plugin))
            found.append(f"{path}:{line}: profiles.{_key(profile)}.plugins")
    return tuple(found)


def _candidates(text: str, line: int | None, profile: str, change: _Change) -> Iterator[str]:
    """Yield texts that may say what is meant, the one that reads best first.

    Only the statement at `line` goes through the editor: a whole file doesn't come out of it as it went in.
    """
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    start = len(lines) if line is None else line - 1
    before, statement = "".join(lines[:start]), _statement(lines[start:])
    after = text[len(before) + len(statement) :]
    end = "\r\n" if "\r\n" in (statement if "\n" in statement else text) else "\n"
    addition = f"{change.key} = {json.dumps(change.wanted(None))}{end}"
    if statement.lstrip().startswith("["):  # right below the header: no comment is parted from what it is about
        yield f"{before}{statement}{'' if statement.endswith(end) else end}{addition}{after}"
    elif statement:
        for changed in _edited(statement.replace(end, "\n"), ("profiles", profile), change):
            yield f"{before}{changed.replace(chr(10), end)}{after}"
    gap = "" if not text else end if text.endswith("\n") else end * 2
    yield f"{text}{gap}[profiles.{_key(profile)}]{end}{addition}"


def _statement(lines: Sequence[str]) -> str:
    """Return the statement that the lines begin with: as many of them as are TOML."""
    texts = ("".join(lines[:count]) for count in range(1, len(lines) + 1))
    return next((text for text in texts if _says(text)), "")


def _edited(statement: str, table: Sequence[str], change: _Change) -> Iterator[str]:
    """Yield a statement with the change, however much of the table's name stands in a header above it."""
    from tomlkit import parse
    from tomlkit.exceptions import TOMLKitError

    for names in (table, table[1:], ()):
        for number in range(2):  # each way begins with the statement as it was
            try:
                document: Any = parse(statement)
                inner = document
                for name in names:
                    inner = inner.setdefault(name, {})
                for way in islice(change.edits(inner), number, number + 1):
                    way()
                    yield document.as_string()
            except (TOMLKitError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
                continue


def _says(text: str, wanted: Mapping[str, Any] | None = None) -> bool:
    """Whether a text is TOML, and means what is wanted."""
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
    real = path.resolve()  # a link into a folder of dotfiles stays a link
    try:
        make_folder(real.parent)
        write_whole(real, data, mode=real.stat().st_mode & 0o777 if real.exists() else 0o600)
    except OSError as error:
        raise UsageError(f"{path} can't be written: {error.strerror}") from error


def _key(name: str) -> str:
    bare = name.replace("-", "").replace("_", "").isalnum() and name.isascii()
    return name if bare else json.dumps(name)
